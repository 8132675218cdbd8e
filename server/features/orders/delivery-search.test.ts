// A search finds the same deliveries by their ids as row by row.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { conditionOfSearch } from './delivery-search.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
  const other = forShop(database, await createTestShop(database, 'other.myshopify.com'))
  for (const shop of [scope, other])
    for (const [id, name, email, corrected] of [
      ['1', '#1001', 'Anna@example.com', null],
      ['2', '#1002', 'bert@example.com', 'anton@example.com'],
      ['3', '#2001', null, null],
      ['4', 'DE1001', 'a_na@example.com', null],
    ] as const) {
      await shop.query(
        `insert into orders (shop_id, id, name, email, financial_status, ordered_at, changed_at)
         values (:shop, :id, :name, :email, 'PAID', now(), now())`,
        { id, name, email },
      )
      await shop.query(
        `insert into deliveries (shop_id, order_id, email) values (:shop, :id, :corrected)`,
        { id, corrected },
      )
    }
})
afterAll(() => database.drop())

test.each([
  ['an', ['#1001', '#1002']],
  ['ANNA@', ['#1001']],
  // A corrected address replaces that of the order.
  ['bert', []],
  ['a_', ['DE1001']],
  ['%', []],
  ['100', ['#1001', '#1002']],
  ['#2', ['#2001']],
  ['de', ['DE1001']],
  ['a', ['#1001', '#1002', 'DE1001']],
])('%s finds %j', async (search, names) => {
  for (const few of [5000, 1]) {
    const { sql, bindings } = await conditionOfSearch(scope, search, few)
    const rows = await scope.query<{ name: string }>(
      `select o.name from deliveries d join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       where d.shop_id = :shop and ${sql} order by o.name`,
      bindings,
    )
    expect([few, rows.map(({ name }) => name)]).toEqual([few, names])
  }
})
