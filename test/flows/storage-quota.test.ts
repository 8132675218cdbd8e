// Documents of operations, such as ZIP files, are stored for months: they count in the shop's quota.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toPublicId } from '../../server/core/ids.ts'
import { openTestApp, untilEnded, type TestApp } from '../app.ts'
import { addFile } from '../deliveries.ts'

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
  const file_ids = [toPublicId('file', await addFile(app.engine, 'a.bin', randomBytes(40_000)))]
  const zip = async () => {
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
