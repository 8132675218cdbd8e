import { afterAll, beforeAll, expect, test } from 'vitest'
import { forShop } from './for-shop.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())

test('a scope sees no rows of other shops', async () => {
  const [ours, theirs] = [
    await createTestShop(database, 'a.myshopify.com'),
    await createTestShop(database, 'b.myshopify.com'),
  ]
  await forShop(database, ours).insert('blobs', { hash: Buffer.alloc(32, 1), size_bytes: 1 })
  expect(await forShop(database, ours).from('blobs').select('size_bytes')).toEqual([
    { size_bytes: 1 },
  ])
  expect(await forShop(database, theirs).from('blobs').select('size_bytes')).toEqual([])
  await expect(forShop(database, ours).query('select 1')).rejects.toThrow(':shop')
  expect(await forShop(database, ours).withoutRows('select 1 as one')).toEqual([{ one: 1 }])
})
