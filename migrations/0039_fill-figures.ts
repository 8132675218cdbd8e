// Fills the downloads of each day, shop after shop and outside of the transaction that created the
// triggers: downloads are counted meanwhile. After a crash it begins again.
import type { Knex } from 'knex'

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

const INDEXES: Readonly<Record<string, string>> = {}

/** @param progress is called with the parts that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  const shops = await knex<{ id: number }>('shops').select('id').orderBy('id')
  for (const [done, { id: shop }] of shops.entries()) {
    progress(done, shops.length)
    await knex.raw(DAYS, { shop })
  }
  // Each in a separate transaction: writers wait for one table and one index at a time.
  for (const [name, what] of Object.entries(INDEXES))
    await knex.transaction(async (tx) => {
      await tx.raw(`set local lock_timeout = '3s'`)
      await tx.raw(`create index if not exists ${name} on ${what}`)
    })
}

/** The figures that it fills go with the migration before. */
export async function down(knex: Knex): Promise<void> {
  const names = Object.keys(INDEXES)
  if (names.length > 0) await knex.raw(`drop index if exists ${names.join(', ')}`)
}
