import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openTestApp,
  untilEnded,
  type Answer,
  type Client,
  type TestApp,
} from '../../../../test/app.ts'
import { insertManyFiles } from '../../../../test/factories.ts'
import { sweepOperations } from '../../../engine/retention.ts'

const FILES = 30
const USUAL = 'filename,size_bytes,upload_date,products,tags,downloads,expiry_days,download_limit'
let app: TestApp
let worker: { stop(): Promise<void> }

beforeAll(async () => {
  app = await openTestApp()
  await insertManyFiles(app.engine.parts.database.pool, {
    shop: app.engine.shop,
    count: FILES,
    mapped: 0.5,
  })
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await app.close()
})

const start = (
  options: object,
  select: object = { filter: {} },
  by: Client = app.owner,
  more: object = {},
): Promise<Answer> =>
  by.call('POST', '/api/operations', { action: 'export-files', select, options, ...more })
const exported = async (options: object, select?: object) => {
  const { body } = await start(options, select)
  const operation = await untilEnded(app.owner, body.id)
  return { operation, answer: await app.owner.call('GET', operation.artifact.url) }
}

describe('an export', () => {
  it('is downloaded as a file, completely or in parts', async () => {
    const { operation, answer } = await exported({})
    expect(operation).toMatchObject({
      status: 'success',
      done: FILES,
      undo_until: null,
      action: 'export-files',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="?files-\d{4}-\d\d-\d\d\.csv/,
    )
    expect(answer.headers.get('content-type')).toBe('text/csv')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    const lines = answer.body.trimEnd().split('\r\n')
    expect([lines.length, lines[0]]).toEqual([FILES + 1, USUAL])
    const { url } = operation.artifact
    const part = await app.owner.call('GET', url, undefined, { range: 'bytes=3-10' })
    expect([part.status, part.body]).toEqual([206, 'filename'])
    const again = await app.owner.call('GET', url, undefined, {
      'if-none-match': answer.headers.get('etag')!,
    })
    expect(again.status).toBe(304)
    const { body } = await app.owner.call('GET', '/api/operations?action=export-files')
    expect(body.data[0].artifact).toEqual(operation.artifact)
  })

  it('has the selected files in order, or those that a filter finds', async () => {
    const { body } = await app.owner.call('GET', '/api/files?limit=250&sort=filename')
    const [first, second] = body.data
    const chosen = await exported({ columns: ['filename'] }, { file_ids: [second.id, first.id] })
    expect(chosen.answer.body).toBe(`filename\r\n${second.filename}\r\n${first.filename}\r\n`)
    const { answer } = await exported(
      { format: 'json', columns: ['filename', 'products', 'url'] },
      { filter: { mapped: true } },
    )
    expect(answer.headers.get('content-type')).toBe('application/json')
    const mapped = body.data.filter(({ products }: { products: string[] }) => products.length > 0)
    const byName = (a: { filename: string }, b: { filename: string }) =>
      a.filename < b.filename ? -1 : 1
    expect(answer.body.toSorted(byName)).toEqual(
      mapped
        .map(
          ({ id, filename, products }: { id: string; filename: string; products: string[] }) => ({
            id,
            filename,
            products,
            url: expect.stringContaining(`/api/files/${id}/content`),
          }),
        )
        .toSorted(byName),
    )
  })

  it('is previewed and confirmed', async () => {
    const { body } = await start({}, undefined, app.owner, { dry_run: true })
    const previewed = async () => (await app.owner.call('GET', `/api/operations/${body.id}`)).body
    await expect.poll(async () => (await previewed()).status).toBe('previewed')
    expect((await previewed()).intentions[0]).toMatch(/^files-\d{4}-\d\d-\d\d\.csv: 30 files$/)
    expect((await app.owner.call('GET', `/api/operations/${body.id}/artifact`)).status).toBe(404)
    await app.owner.call('POST', `/api/operations/${body.id}/confirm`)
    expect((await untilEnded(app.owner, body.id)).artifact.filename).toMatch(/\.csv$/)
  })

  it('needs files:read to start and to download it', async () => {
    const [reader, watcher] = [
      await app.clientWith(['files:read', 'operations:read', 'operations:write']),
      await app.clientWith(['operations:read', 'operations:write']),
    ]
    const { body, status } = await start({}, undefined, reader)
    expect(status).toBe(202)
    const { artifact } = await untilEnded(reader, body.id)
    expect((await reader.call('GET', artifact.url)).status).toBe(200)
    expect((await watcher.call('GET', artifact.url)).body.error).toMatchObject({
      code: 'missing_scope',
      details: [{ message: expect.stringContaining('files:read') }],
    })
    expect((await start({}, undefined, watcher)).status).toBe(403)
    const stranger = await app.stranger('stranger.myshopify.com')
    expect((await stranger.call('GET', artifact.url)).status).toBe(404)
  })

  it.each([[{ columns: [] }], [{ columns: ['hash'] }], [{ format: 'xlsx' }], [{ sheet: 1 }]])(
    'of %j is refused',
    async (options) => {
      expect(await start(options)).toMatchObject({
        status: 422,
        body: { error: { code: 'validation_failed' } },
      })
    },
  )

  it('is deleted with the operation’s results, after 90 days', async () => {
    const { operation } = await exported({})
    const { database } = app.engine.parts
    await sweepOperations(database.pool, new Date(Date.now() + 91 * 86_400_000))
    const { status, body } = await app.owner.call('GET', `/api/operations/${operation.id}`)
    expect([status, body.artifact]).toEqual([200, null])
    expect((await app.owner.call('GET', operation.artifact.url)).status).toBe(404)
  })
})
