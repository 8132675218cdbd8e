// Writes tags in one form of Unicode (NFC), as names are: é as one character and é as e with an accent
// were two tags. A page of files at a time and outside of a transaction that changes tables: only files
// with such tags are written. A process of the version before that still runs may write such tags again:
// they keep their form until the tags of their file change, and can be removed.
import type { Knex } from 'knex'

export const config = { transaction: false }

export const undo = 'Nothing: tags keep their form.'

/** Few: each changed file is written into all indexes, and its tags are counted again. */
const PAGE = 250

/** SQL: the tags of a row in their order, each once. */
const WRITTEN = (tags: string) => `array(
  select tag from (select normalize(t, nfc) as tag, min(n) as n
    from unnest(${tags}) with ordinality as u (t, n) group by 1) once order by n)`
/** SQL: one of the tags has another form. No character joins a comma before it. */
const OTHER_FORM = (tags: string) => `array_to_string(${tags}, ',') is not nfc normalized`

/** Returns the last file of the page; null: there is none. */
const REWRITE = `with page as materialized (
    select shop_id, id, tags from files where (shop_id, id) > (:shop, :after::uuid)
    order by shop_id, id limit ${PAGE}
  ), rewritten as (
    update files f set tags = ${WRITTEN('f.tags')} from page
    where f.shop_id = page.shop_id and f.id = page.id and ${OTHER_FORM('page.tags')}
  )
  select shop_id as shop, id as after from page order by shop_id desc, id desc limit 1`

/** @param progress is called with the files that are done, of all */
export async function up(
  knex: Knex,
  progress: (done: number, of: number) => void = () => {},
): Promise<void> {
  await knex.raw(`update tag_templates set tags = ${WRITTEN('tags')} where ${OTHER_FORM('tags')}`)
  const { rows: counted } = await knex.raw<{ rows: { all: number }[] }>(
    'select count(*)::int as all from files',
  )
  const all = counted[0]?.all ?? 0
  let at = { shop: 0, after: '00000000-0000-0000-0000-000000000000' }
  for (let done = 0; ; done += PAGE) {
    progress(Math.min(done, all), all)
    const { rows } = await knex.raw<{ rows: (typeof at)[] }>(REWRITE, at)
    const [last] = rows
    if (!last) break
    at = last
  }
}

export async function down(): Promise<void> {}
