// Fills what migrations/0047_kept-reviews.ts keeps of each review, a page at a time and outside of
// the transaction that changed the table: the previous version keeps writing meanwhile.
import type { Knex } from 'knex'
import { buildIndexes } from '../server/core/db/migration-steps.ts'

export const config = { transaction: false }

export const undo = 'Nothing.'

const PAGE = 1000

/** The trigger computes the columns. Returns the last review of the page; null: there is none. */
const FILL = `with page as (
    select shop_id, id from reviews where (shop_id, id) > (:shop, :after::uuid)
    order by shop_id, id limit ${PAGE}
  ), filled as (
    update reviews r set candidates = r.candidates from page
    where r.shop_id = page.shop_id and r.id = page.id and r.alike is null
  )
  select shop_id as shop, id as after from page order by shop_id desc, id desc limit 1`

const INDEXES = {
  reviews_alike: `reviews (shop_id, alike, id desc) where status = 'open' and not file_settled`,
  reviews_sure: `reviews (shop_id, sure desc, id)
    where status = 'open' and not file_settled and sure is not null`,
  reviews_replacing: `reviews (shop_id, id desc)
    where status = 'open' and file_settled and replaces`,
}

/** @param progress is called with the reviews that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  const { rows: counted } = await knex.raw<{ rows: { all: number }[] }>(
    'select count(*)::int as all from reviews',
  )
  const all = counted[0]?.all ?? 0
  let at = { shop: 0, after: '00000000-0000-0000-0000-000000000000' }
  for (let done = 0; ; done += PAGE) {
    progress(Math.min(done, all), all)
    const { rows } = await knex.raw<{ rows: (typeof at)[] }>(FILL, at)
    const [last] = rows
    if (!last) break
    at = last
  }
  for (const build of buildIndexes(INDEXES)) await build(knex)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index if exists ${Object.keys(INDEXES).join(', ')}`)
}
