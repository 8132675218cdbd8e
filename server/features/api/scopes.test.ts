// An import that replaces the bytes of files needs the scope to change files, in every channel.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { someOf } from '../../../test/scale.ts'
import type { Answer, Client } from '../../../test/app.ts'
import { untilEnded } from '../../../test/app.ts'
import { openCsvApp, type CsvApp } from '../../../test/csv.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { create } from '../../../test/uploads.ts'

let app: CsvApp
let origin: Origin
let importer: Client
let writer: Client
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openCsvApp(), startOrigin()])
  const scopes = ['imports:write', 'operations:read', 'operations:write'] as const
  importer = await app.clientWith(scopes)
  writer = await app.clientWith([...scopes, 'files:write'])
})
afterAll(async () => {
  await Promise.all([app.close(), origin.close()])
})

const REFUSED = {
  status: 403,
  code: 'missing_scope',
  message: 'Permission denied',
  details: ['This key lacks the scope files:write'],
}
const refusalOf = ({ status, body }: Pick<Answer, 'status' | 'body'>) => ({
  status,
  code: body.error?.code,
  message: body.error?.message,
  details: body.error?.details.map(({ message }: { message: string }) => message),
})

describe.each(someOf(['overwrite', 'new_version'] as const, (_, at) => at < 1))(
  'on_conflict %s needs files:write',
  (on_conflict) => {
    const both = async (
      ask: (client: Client, wanted: string) => Promise<Pick<Answer, 'status' | 'body'>>,
      good: number,
    ) => {
      expect(refusalOf(await ask(importer, on_conflict))).toEqual(REFUSED)
      expect((await ask(writer, on_conflict)).status).toBe(good)
      expect((await ask(importer, 'rename')).status).toBe(good)
    }

    it('by the API', () =>
      both((client, wanted) => {
        const files = [{ filename: 'guide.pdf', url: `${origin.url}/bytes/10/x` }]
        const body = { files, on_conflict: wanted }
        return client.call('POST', '/api/files/import', body, { prefer: 'respond-async' })
      }, 202))

    it('by an upload', () =>
      both(async ({ key }, wanted) => {
        const response = await create({ url: app.url, key }, 10, {
          filename: 'guide.pdf',
          on_conflict: wanted,
        })
        const text = await response.text()
        return { status: response.status, body: text ? JSON.parse(text) : null }
      }, 201))

    it('by a CSV file', () =>
      both(async (client, wanted) => {
        const id = await app.uploaded(`filename,file_url\n${wanted}.pdf,${origin.url}/bytes/10/x\n`)
        await app.checked(id, { probe: false, on_conflict: wanted })
        return client.call('POST', `/api/csv/${id}/start`, {})
      }, 202))

    it('to retry such an import', async () => {
      const imported = async (wanted: string) => {
        const files = [{ filename: 'gone.pdf', url: `${origin.url}/status/404` }]
        const { body } = await app.owner.call('POST', '/api/files/import', {
          files,
          on_conflict: wanted,
        })
        await untilEnded(app.owner, body.job_id)
        return body.job_id as string
      }
      const worker = await app.engine.startWorker()
      try {
        const [own, others] = [await imported('rename'), await imported(on_conflict)]
        const retry = (client: Client, id: string) =>
          client.call('POST', `/api/operations/${id}/retry`)
        expect(refusalOf(await retry(importer, others))).toEqual(REFUSED)
        expect((await retry(importer, own)).status).toBe(200)
        expect((await retry(writer, others)).status).toBe(200)
      } finally {
        await worker.stop()
      }
    })
  },
)

it('a new version of a file needs it too', async () => {
  const file = 'file_01990000-0000-7000-8000-000000000000'
  const body = { url: `${origin.url}/bytes/10/x` }
  expect(refusalOf(await importer.call('POST', `/api/files/${file}/versions`, body))).toEqual(
    REFUSED,
  )
  expect((await writer.call('POST', `/api/files/${file}/versions`, body)).status).toBe(404)
})
