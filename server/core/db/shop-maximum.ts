// Maxima of rows in one shop: without turns, two requests that count at the same time both take the last
// place.
import type { Bindings, ShopScope } from './for-shop.ts'

/**
 * Waits until no other transaction of the shop counts or changes such rows, and keeps others waiting until
 * `tx` ends. It locks the shop's row, which exists before the first row that is counted.
 * @param tx a transaction; outside of one the lock would end with its own statement
 */
export async function takeTurn(tx: ShopScope): Promise<void> {
  await tx.query('select from shops where id = :shop for no key update')
}

/**
 * Counts rows in turn: until `tx` ends no other request adds one.
 * @param rows SQL after `from`, with `:shop`
 */
export async function countInTurn(
  tx: ShopScope,
  rows: string,
  bindings: Bindings = {},
): Promise<number> {
  await takeTurn(tx)
  const { count } = await tx.one<{ count: number }>(
    `select count(*)::int as count from ${rows}`,
    bindings,
  )
  return count
}
