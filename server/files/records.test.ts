import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestShop, openTestDatabase } from '../../test/database.ts'
import { makeFiles } from '../../test/files.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { readRecords } from './drafts.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let ids: string[]
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  ids = await makeFiles(scope, [
    { filename: 'a.pdf', tags: ['x'] },
    { filename: 'b.pdf', mapped: true },
    { filename: 'c.pdf' },
  ])
  await scope.query('update files set deleted_at = now() where shop_id = :shop and id = :id', {
    id: ids[2],
  })
})
afterAll(() => database.drop())

it('reads complete files, also those in the trash, with their mappings', async () => {
  const records = await readRecords(scope, ids)
  expect(ids.map((id) => records.get(id))).toMatchObject([
    {
      filename: 'a.pdf',
      tags: ['x'],
      mappings: [],
      mapping_state: 'never',
      deleted_at: null,
      version: 1,
    },
    {
      filename: 'b.pdf',
      mapping_state: 'mapped',
      mappings: [{ product_title: 'A product', variant_id: null, method: 'manual', score: 1 }],
    },
    { filename: 'c.pdf', deleted_at: expect.any(String) },
  ])
})

it('returns times with microseconds, so that a file can be restored exactly', async () => {
  const record = (await readRecords(scope, [ids[0]!])).get(ids[0]!)!
  const [row] = await scope.query(
    'select updated_at = :at::timestamptz as same from files where shop_id = :shop and id = :id',
    {
      at: record.updated_at,
      id: ids[0],
    },
  )
  expect(row).toEqual({ same: true })
})

it('omits missing files and those of another shop', async () => {
  expect((await readRecords(scope, [])).size).toBe(0)
  expect([...(await readRecords(scope, [randomUUID(), ids[0]!])).keys()]).toEqual([ids[0]])
  const stranger = forShop(database, await createTestShop(database, 'stranger.myshopify.com'))
  expect((await readRecords(stranger, ids)).size).toBe(0)
})
