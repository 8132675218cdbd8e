// Fills the downloads of each day and the parents of used-up links, shop after shop and outside of
// the transaction that created the triggers: downloads are counted meanwhile. After a crash it
// begins again. Then it builds indexes of few rows.
import type { Knex } from 'knex'
import { buildIndexes } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'Nothing.'

/** Adds what is missing. Both tables are read in one snapshot, and writers change both equally. */
const DAYS = `insert into shop_days as s (shop_id, day, figure, subject, value)
  select :shop, day, 'downloads', '', sum(downloads) from (
    select day, downloads from file_days where shop_id = :shop
    union all
    select day, -value from shop_days where shop_id = :shop and figure = 'downloads'
  ) d group by day having sum(downloads) > 0 order by day
  on conflict (shop_id, day, figure, subject) do update set value = s.value + excluded.value`

const PARENTS = `update used_up_links u set parent_id = l.parent_id from links l
  where u.shop_id = :shop and u.parent_id is null and l.shop_id = u.shop_id and l.id = u.link_id
    and l.parent_id is not null`

const INDEXES: Readonly<Record<string, string>> = {
  // The trash, newest first.
  files_trashed: `files (shop_id, created_at desc, id desc) where deleted_at is not null`,
  // Links under pages of deliveries that download nothing.
  used_up_links_parent: `used_up_links (shop_id, link_id) where parent_id is not null`,
  links_child_expiry: `links (shop_id, expires_at)
    where parent_id is not null and expires_at is not null and revoked_at is null`,
  links_child_use: `links (shop_id, id)
    where parent_id is not null and first_used_at is not null and use_hours is not null`,
  deliveries_asked: `deliveries (shop_id, id) where ask is not null`,
}

/** @param progress is called with the parts that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  const shops = await knex<{ id: number }>('shops').select('id').orderBy('id')
  for (const [done, { id: shop }] of shops.entries()) {
    progress(done, shops.length)
    for (const statement of [DAYS, PARENTS]) await knex.raw(statement, { shop })
  }
  for (const build of buildIndexes(INDEXES)) await build(knex)
}

/** The figures that it fills go with the migration before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index if exists ${Object.keys(INDEXES).join(', ')}`)
}
