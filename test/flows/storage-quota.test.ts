// Documents of operations, such as ZIP files, are stored for months: they count in the shop's quota.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../server/core/ids.ts'
import { openTestApp, untilEnded, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'
import { create, tus } from '../uploads.ts'

let app: TestApp
let stop: () => Promise<void>
beforeAll(async () => {
  app = await openTestApp({ limits: { shop_storage_bytes: 100_000 } })
  stop = (await app.engine.startWorker()).stop
})
afterAll(async () => {
  await stop()
  await app.close()
})

test('a ZIP file beyond the quota is refused, and repeated ones do not fill the disk', async () => {
  const add = async (name: string, bytes: number) =>
    toPublicId('file', await addFile(app.engine, name, randomBytes(bytes)))
  const large = await add('a.bin', 40_000)
  let made = 0
  // The same bytes again would be one stored copy.
  const zip = async () => {
    const file_ids = [large, await add(`${made++}.bin`, 100)]
    const request = { action: 'zip-files', select: { file_ids } }
    const { body } = await app.owner.call('POST', '/api/operations', request)
    const { status, stopped } = await untilEnded(app.owner, body.id)
    return [status, stopped?.code]
  }
  const stored = () =>
    app.owner.scope.one<{ bytes: number }>(
      `select sum(b.size_bytes)::int as bytes from blobs b where shop_id = :shop`,
    )
  expect(await zip()).toEqual(['success', undefined])
  for (let n = 0; n < 2; n++) expect(await zip()).toEqual(['failed', 'storage_quota'])
  const { bytes } = await stored()
  for (let n = 0; n < 4; n++) expect(await zip()).toEqual(['failed', 'storage_quota'])
  expect((await stored()).bytes).toBeLessThan(2 * 100_000 + 50_000)
  expect(bytes).toBeGreaterThan(80_000)
})

test('backups and moved files count until they are deleted, and an upload is refused before its first byte', async () => {
  const stranger = await app.stranger('full.myshopify.com')
  const { key, call, scope } = stranger
  const upload = (bytes: number) =>
    create({ url: app.url, key }, bytes, { filename: `${bytes}.bin`, on_conflict: 'rename' })
  const run = async (action: string, select: object, options = {}) => {
    const { body } = await call('POST', '/api/operations', { action, options, select })
    return (await untilEnded(stranger, body.id)).status
  }
  const used = async () => (await call('GET', '/api/plan')).body.used
  const id = toPublicId(
    'file',
    await addFile({ ...app.engine, scope }, 'a.bin', randomBytes(40_000)),
  )
  expect(await run('back-up-files', { file_ids: [id] })).toBe('success')
  expect(await used()).toMatchObject({ storage_bytes: 80_000, removing_bytes: 0 })
  const refused = await upload(20_001)
  expect(refused.status).toBe(507)
  expect(await refused.json()).toMatchObject({ error: { code: 'storage_quota' } })
  const begun = await upload(20_000)
  expect(begun.status).toBe(201)
  expect(await used()).toMatchObject({ storage_bytes: 100_000 })
  expect((await upload(1)).status).toBe(507)
  await tus({ url: app.url, key }, 'DELETE', begun.headers.get('location')!)
  expect(await run('delete-files', { file_ids: [id] })).toBe('success')
  expect(await used()).toMatchObject({ storage_bytes: 80_000 })
  expect(await run('purge-files', { filter: { deleted: true } })).toBe('success')
  expect(await used()).toMatchObject({ storage_bytes: 40_000, removing_bytes: 40_000 })
  const { body } = await call('GET', '/api/backups')
  expect(body.data).toMatchObject([{ file_id: id, filename: 'a.bin', size_bytes: 40_000 }])
  expect((await call('DELETE', `/api/backups/${body.data[0].id}`)).status).toBe(204)
  expect(await used()).toMatchObject({ storage_bytes: 0, removing_bytes: 80_000 })
  expect((await upload(100_000)).status).toBe(201)
})
