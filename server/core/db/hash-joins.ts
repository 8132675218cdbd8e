// Joins of rows that were just written: without statistics, the planner expects one row on each
// side and would compare every row with every other one.
import type { ShopScope } from './for-shop.ts'

/** Runs statements of `tx` whose tables are all narrowed by constants to rows that are needed. */
export async function withHashJoins<T>(tx: ShopScope, work: () => Promise<T>): Promise<T> {
  const set = (value: 'on' | 'off') =>
    tx.query(`set local enable_nestloop = ${value} -- of the shop :shop`)
  await set('off')
  const result = await work()
  await set('on')
  return result
}
