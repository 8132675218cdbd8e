// Files with the same content: the list of groups, and the operation that keeps one of each, previewed
// and undone.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { openTestApp, untilEnded, untilOperation, type TestApp } from '../app.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'

let app: TestApp
let origin: Origin
let worker: EngineWorker
beforeAll(async () => {
  app = await openTestApp()
  origin = await startOrigin()
  worker = await app.engine.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await origin.close()
  await app.close()
})

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const get = async (route: string) => (await call('GET', route)).body
const names = (group: { files: { filename: string }[] }) =>
  group.files.map(({ filename }) => filename)

/** Imports files with the bytes of their seeds; their ids by name. */
async function imported(files: Record<string, string>): Promise<Record<string, string>> {
  const { body } = await call('POST', '/api/files/import', {
    files: Object.entries(files).map(([filename, bytes]) => ({
      filename,
      url: `${origin.url}/bytes/${bytes}`,
    })),
  })
  return Object.fromEntries(
    body.files.map((file: { filename: string; file_id: string }) => [file.filename, file.file_id]),
  )
}

test('groups are listed, and merging them is previewed, done and undone', async () => {
  const ids = await imported({
    'a.pdf': '900/one',
    'b.pdf': '900/one',
    'c.pdf': '900/one',
    'd.pdf': '20/two',
    'e.pdf': '20/two',
    'alone.pdf': '900/three',
    'gone.pdf': '900/three',
  })
  await call('POST', '/api/files/bulk-delete', { file_ids: [ids['gone.pdf']] })
  // A buyer has the youngest of the three: it is the one to keep.
  for (const email of ['ann@example.com', 'ANN@example.com', 'bob@example.com'])
    await call('POST', '/api/links', { file_ids: [ids['c.pdf']], email })
  const first = await get('/api/files/duplicates?limit=1')
  expect(first).toMatchObject({ total: 2, bytes: 1820, data: [{ count: 3, size_bytes: 900 }] })
  expect(names(first.data[0])).toEqual(['c.pdf', expect.any(String), expect.any(String)])
  expect(first.data[0].files).toMatchObject([{ buyers: 2 }, { buyers: 0 }, { buyers: 0 }])
  const second = await get(`/api/files/duplicates?limit=1&cursor=${first.next_cursor}`)
  expect(second).toMatchObject({ next_cursor: null, total: 2 })
  expect(names(second.data[0]).toSorted()).toEqual(['d.pdf', 'e.pdf'])

  const groups = [
    { keep: ids['b.pdf'], others: [ids['a.pdf'], ids['c.pdf']] },
    { keep: ids['d.pdf'], others: [ids['e.pdf']] },
  ]
  const { status, body: preview } = await call('POST', '/api/operations', {
    action: 'merge-duplicates',
    options: { groups },
    select: { file_ids: groups.flatMap(({ keep, others }) => [keep, ...others]) },
    dry_run: true,
  })
  expect(status).toBe(202)
  await untilOperation(app.owner, preview.id, `status = 'previewed'`)
  const { data: items } = await get(`/api/operations/${preview.id}/items`)
  expect(items.find(({ file_id }: { file_id: string }) => file_id === ids['c.pdf'])).toMatchObject({
    after: { deleted: true },
    warnings: [{ code: 'buyers_lose_links' }],
  })
  await call('POST', `/api/operations/${preview.id}/confirm`)
  expect(await untilEnded(app.owner, preview.id)).toMatchObject({ status: 'success', failed: 0 })
  expect(await get('/api/files/duplicates')).toMatchObject({ total: 0, bytes: 0, data: [] })
  expect((await call('GET', `/api/files/${ids['c.pdf']}`)).status).toBe(404)

  const { body: undo } = await call('POST', `/api/operations/${preview.id}/undo`)
  await untilEnded(app.owner, undo.id)
  expect(await get('/api/files/duplicates')).toMatchObject({ total: 2, bytes: 1820 })
})
