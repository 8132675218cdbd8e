// Fills the kept counts and the links that have reached their limit, shop after shop and outside of
// the transaction that changed the tables: the previous version keeps writing meanwhile. After a
// crash it begins again: what was counted is not counted twice.
import type { Knex } from 'knex'
import { buildIndexes } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'Nothing.'

const COUNT = `insert into file_count_changes (shop_id, kind, subject, files, bytes)
  select :shop, kind, subject, sum(files), sum(bytes) from (
    select 'all' as kind, '' as subject, count(*) as files, sum(size_bytes) as bytes
    from files where shop_id = :shop and deleted_at is null
    union all select 'extension', extension, count(*), sum(size_bytes)
    from files where shop_id = :shop and deleted_at is null group by 2
    union all select 'unmapped', '', count(*), 0
    from files where shop_id = :shop and deleted_at is null and mapping_state <> 'mapped'
    union all select 'tag', tag, count(*), 0
    from files, unnest(tags) as tag where shop_id = :shop and deleted_at is null group by 2
    union all select 'versions', '', 0, sum(size_bytes) from versions where shop_id = :shop
    union all select kind, subject, -files, -bytes from file_counts where shop_id = :shop
    union all select kind, subject, -files, -bytes from file_count_changes where shop_id = :shop
  ) c group by 2, 3 having sum(files) <> 0 or coalesce(sum(bytes), 0) <> 0`

const USED_UP = `insert into used_up_links (shop_id, link_id)
  select shop_id, id from links where shop_id = :shop and downloads >= download_limit
  on conflict do nothing`

const FOLD = `with gone as (
    delete from file_count_changes where shop_id = :shop returning kind, subject, files, bytes)
  insert into file_counts as k (shop_id, kind, subject, files, bytes)
  select :shop, kind, subject, sum(files), sum(bytes) from gone group by 2, 3
  on conflict (shop_id, kind, subject) do update
    set files = k.files + excluded.files, bytes = k.bytes + excluded.bytes`

/**
 * Small indexes of what few rows are: links of paused files, deliveries that are held or have ended,
 * orders without an address, bytes outside of the primary location.
 */
const INDEXES = {
  files_paused: `files (shop_id, id) where deleted_at is null and mapping_state = 'unmapped'`,
  versions_elsewhere: `versions (shop_id, location, file_id) where location <> 'primary'`,
  deliveries_held: `deliveries (shop_id, id desc) where held_by is not null`,
  deliveries_ended: `deliveries (shop_id, id desc)
    where revoked_at is not null or withdrawn_at is not null`,
  orders_without_email: `orders (shop_id, id) where email is null`,
}

/** @param progress is called with the parts that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  const shops = await knex<{ id: number }>('shops').select('id').orderBy('id')
  for (const [done, { id: shop }] of shops.entries()) {
    progress(done, shops.length)
    for (const statement of [COUNT, FOLD, USED_UP]) await knex.raw(statement, { shop })
  }
  for (const build of buildIndexes(INDEXES)) await build(knex)
}

/** The tables that it fills go with the migration before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index if exists ${Object.keys(INDEXES).join(', ')}`)
}
