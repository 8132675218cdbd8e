// What may wait in a drop folder: its own limit, and what is left of the shop's storage.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { holdBlobs } from '../../files/blobs.ts'
import { createQuota, quotaLimits } from './quota.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
})
afterAll(() => database.drop())

const blob = (seed: number, size_bytes: number) => ({
  hash: Buffer.alloc(32, seed).toString('hex'),
  size_bytes,
  location: 'primary',
  content_type: null,
})

test('files wait in what the shop’s other bytes leave, and each counts once', async () => {
  await scope.transaction((tx) => holdBlobs(tx, [blob(1, 600), blob(2, 100)]))
  await scope.query(
    `insert into drop_entries (shop_id, folder, name, kind, state, hash, location, size_bytes)
     values (:shop, '', 'waits.pdf', 'file', 'waiting', decode(:hash, 'hex'), 'primary', 100)`,
    { hash: blob(2, 100).hash },
  )
  const quotaOf = (drop_waiting_bytes: number) =>
    createQuota(
      database,
      1,
      quotaLimits({ drop_waiting_bytes, file_bytes: 1000, shop_storage_bytes: 1000 }),
    )
  expect(await quotaOf(5000).space(scope.shop)).toEqual({ limit: 400, used: 100 })
  expect(await quotaOf(250).space(scope.shop)).toEqual({ limit: 250, used: 100 })
  const allowance = await quotaOf(5000).open(scope.shop)
  expect([allowance.take(300), allowance.take(1)]).toEqual([true, false])
  allowance.close()
})
