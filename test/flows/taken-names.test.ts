// `on_conflict: skip`, through every channel that has a choice: a taken name is left out before
// anything is fetched. It is no failure, and the file of that name stays as it is.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { untilEnded, type Answer } from '../app.ts'
import { openCsvApp, type CsvApp } from '../csv.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { sendFile } from '../uploads.ts'

let app: CsvApp
let origin: Origin
let worker: EngineWorker
beforeAll(async () => {
  app = await openCsvApp()
  origin = await startOrigin()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await origin.close()
  await app.close()
})

const call = (...request: Parameters<CsvApp['owner']['call']>) => app.owner.call(...request)
const REASON = { code: 'duplicate_filename', message: 'A file of this name is in the shop' }
const address = (size: number, filename: string) => `/bytes/${size}/${filename}`

/** Imports `taken.txt` with 10 bytes and `NAME.txt` with 5: the operation, once it has ended. */
const WAYS: Record<string, (fresh: string) => Promise<Answer['body']>> = {
  api: async (fresh) => {
    const { body } = await call('POST', '/api/files/import', {
      on_conflict: 'skip',
      files: [
        { filename: 'Taken.txt', url: origin.url + address(10, 'api') },
        { filename: fresh, url: origin.url + address(5, fresh) },
      ],
    })
    expect(body).toMatchObject({ status: 'success', imported: 1, skipped: 1, failed: 0 })
    expect(body.files[0]).toMatchObject({
      status: 'skipped',
      file_id: (await taken()).id,
      error: { ...REASON, retryable: false },
    })
    return untilEnded(app.owner, body.job_id)
  },
  csv: async (fresh) => {
    const row = (size: number, name: string) => `${name},${origin.url}${address(size, name)}`
    const id = await app.uploaded(`filename,file_url\n${row(10, 'taken.txt')}\n${row(5, fresh)}\n`)
    const { check } = await app.checked(id, { probe: false, on_conflict: 'skip' })
    expect(check).toMatchObject({ errors: 0, warnings: 1, import_rows: 2 })
    expect(await app.problems(id)).toMatchObject([
      { row: 2, detail: 'A file of this name is in the shop: the row is left out' },
    ])
    const { body } = await call('POST', `/api/csv/${id}/start`, {})
    return untilEnded(app.owner, body.job_id)
  },
  upload: async (fresh) => {
    const { body: batch } = await call('POST', '/api/uploads/batches', {})
    const send = (filename: string, size: number) =>
      sendFile({ url: app.url, key: app.owner.key }, Buffer.alloc(size, 1), {
        metadata: { filename, batch: batch.id, on_conflict: 'skip' },
      }).done
    const uploads = [await send('TAKEN.txt', 10), await send(fresh, 5)]
    const { body } = await call('POST', `/api/uploads/batches/${batch.id}/start`)
    const operation = await untilEnded(app.owner, body.id)
    const ids = uploads.map((one) => one.split('/').at(-1))
    const results = await call('POST', '/api/uploads/results', { upload_ids: ids })
    expect(results.body.data).toMatchObject([
      { status: 'skipped', error: REASON, file_id: null },
      { status: 'done' },
    ])
    return operation
  },
}

const taken = async () => (await call('GET', '/api/files?search=taken.txt')).body.data[0]

test.each(Object.keys(WAYS))(
  '%s: a taken name is left out, and nothing is fetched',
  async (way) => {
    if (!(await taken()))
      await call('POST', '/api/files/import', {
        files: [{ filename: 'taken.txt', url: `${origin.url}/bytes/3/first` }],
      })
    const before = await taken()
    const fetched = origin.total
    const operation = await WAYS[way]!(`${way}.txt`)
    expect(operation).toMatchObject({ status: 'success', done: 1, skipped: 1, failed: 0 })
    expect(origin.total - fetched).toBe(way === 'upload' ? 0 : 1)
    const items = await call('GET', `/api/operations/${operation.id}/items?status=skipped`)
    expect(items.body.data).toMatchObject([{ file_id: before.id, error: REASON }])
    expect(items.body.data[0].error).not.toHaveProperty('existing')
    expect(await taken()).toEqual(before)
  },
)

test('two entries of one name: the second one is left out', async () => {
  const files = [7, 8].map((size) => ({
    filename: 'twice.txt',
    url: origin.url + address(size, 'twice'),
  }))
  const { body } = await call('POST', '/api/files/import', { files, on_conflict: 'skip' })
  const [first, second] = body.files
  expect(first).toMatchObject({ status: 'imported', file_id: expect.stringMatching(/^file_/) })
  expect(second).toMatchObject({ status: 'skipped', file_id: first.file_id, error: REASON })
})
