// Why the files of an operation failed, kept when it ends, so that the home page and the list of
// operations need not read its items; and the orders of each day. Both are filled outside of a
// transaction, a shop at a time: the previous version keeps writing meanwhile. What it ends during
// the upgrade is counted again by the worker, within the days that it counts again.
import type { Knex } from 'knex'
import { buildIndexes, expand } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'Nothing: the next upgrade counts both again.'

/** Of the items that are still kept. After a crash, those that were filled are left out. */
const CAUSES = `update operations o set failure_causes = coalesce((
    select jsonb_object_agg(code, files) from (
      select i.error ->> 'code' as code, count(*) as files from items i
      where i.shop_id = o.shop_id and i.operation_id = o.id and i.status = 'failed'
      group by 1) c), '{}')
  where o.shop_id = :shop and o.failed > 0 and o.failure_causes is null
    and o.finished_at is not null`

const ORDERS = `insert into shop_days as d (shop_id, day, figure, subject, value)
  select shop_id, (ordered_at at time zone 'UTC')::date, 'orders', '', count(*) from orders
  where shop_id = :shop and ordered_at > now() - interval '13 months' group by 1, 2
  on conflict (shop_id, day, figure, subject) do update set value = excluded.value`

/** @param progress is called with the shops that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  // {code: files}. Null: it has not ended, or no file failed.
  const causes = 'alter table operations add column failure_causes jsonb'
  const indexes = buildIndexes({ orders_ordered: 'orders (shop_id, ordered_at)' })
  for (const step of [expand('operations.failure_causes', causes), ...indexes]) await step(knex)
  const shops = await knex<{ id: number }>('shops').select('id').orderBy('id')
  for (const [done, { id: shop }] of shops.entries()) {
    progress(done, shops.length)
    for (const statement of [CAUSES, ORDERS]) await knex.raw(statement, { shop })
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from shop_days where figure = 'orders';
    drop index if exists orders_ordered;
    alter table operations drop column if exists failure_causes`)
}
