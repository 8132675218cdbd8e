// Finds the files of a word: in names, tags, titles, SKUs and barcodes of products, and names of packs. A rare
// word is replaced by the ids of its files; a common one is tested row by row, in forms of which
// each caller takes the cheapest. PostgreSQL cannot choose: its estimates for words are wrong by
// factors of ten.
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { likeLiteral } from '../core/db/like-pattern.ts'
import { skuKey } from '../core/sku-key.ts'
import { matchWord } from '../core/db/word-match.ts'

/** The conditions of a filter on `files`. */
export interface Conditions {
  /** The condition, for any query. */
  sql: string
  /** The same, fast for a row and slow for all: for rows that are read in the order of a list. */
  near: string
  /** A cheaper condition that selects only files of `sql`, but not all of them. */
  some: string
}

export interface FoundWord extends Omit<Conditions, 'sql'> {
  isRare: boolean
  /** SQL: a query of the ids of its files, which may repeat some. Null: it is rare. */
  ids: string | null
  bindings: Bindings
}

/** Up to this many files of each kind of place are replaced by their ids. */
const FEW_FILES = 10_000
/** SQL: what `files_search` indexes. */
export const nameAndTags = (files: string) => `search_text(${files}.filename, ${files}.tags)`
/** The newest files in which a word is looked for first, and how many of them make it common. */
const SAMPLE = { files: 1000, common: 50 }

interface WordPlaces {
  /** SQL: the condition on the files that the list can show, in the trash or not. */
  shown: string
  within: (column: string) => string
  at: number
  bindings: Bindings
}

/**
 * Looks up a word. `at`: its place in the search, which names its bindings.
 * @param few tests set fewer
 */
export async function findWord(
  scope: ShopScope,
  word: string,
  { at, isDeleted, few = FEW_FILES }: WordPlace & { few?: number },
): Promise<FoundWord> {
  const places = wordPlaces(word, { at, isDeleted })
  const ids = (await isCommon(scope, places)) ? null : await fewIds(scope, places, few)
  if (ids === null) return commonWord(places)
  // A constant would make the planner examine each id.
  const found = `files.id = any((select :f_found${at}::uuid[])::uuid[])`
  const bound = { [`f_found${at}`]: ids }
  return { isRare: true, ids: null, near: found, some: found, bindings: bound }
}

function wordPlaces(word: string, { at, isDeleted }: WordPlace): WordPlaces {
  const { sql, value } = matchWord(word)
  const within = (column: string) => sql(column, `f_within${at}`)
  const bindings = {
    [`f_within${at}`]: value,
    [`f_start${at}`]: `${likeLiteral(skuKey(word))}%`,
  }
  // As the indexes state it.
  const shown = `f.deleted_at is ${isDeleted ? 'not ' : ''}null`
  return { shown, within, at, bindings }
}

interface WordPlace {
  at: number
  isDeleted: boolean
}

/** SQL: a file has the word in its name or in a tag. The word is not looked up. */
export function ownWord(
  word: string,
  place: WordPlace,
): Pick<WordPlaces, 'bindings'> & { sql: string } {
  const { within, bindings } = wordPlaces(word, place)
  return { sql: within(nameAndTags('files')), bindings }
}

/** Are many of the newest files found by the word? The index would read a list of all of them. */
async function isCommon(scope: ShopScope, { shown, within, at, bindings }: WordPlaces) {
  const { hits } = await scope.one<{ hits: number }>(
    `select count(*) filter (where ${within(nameAndTags('newest'))})::int as hits
     from (select f.filename, f.tags from files f where f.shop_id = :shop and ${shown}
       order by f.created_at desc, f.id desc limit :files) newest`,
    { [`f_within${at}`]: bindings[`f_within${at}`], files: SAMPLE.files },
  )
  return hits >= SAMPLE.common
}

/** SQL of the file ids of each kind of place. */
const placesOf = ({ shown, within, at }: WordPlaces): string[] => [
  `select f.id from files f where f.shop_id = :shop and ${shown}
     and ${within(nameAndTags('f'))}`,
  ...relatedOf(within, at),
]

const relatedOf = (within: WordPlaces['within'], at: number): string[] => [
  `select m.file_id as id from products p join mappings m on m.shop_id = :shop
     and m.product_id = p.id
   where p.shop_id = :shop and ${within('search_text(p.title)')}`,
  `select m.file_id as id from variants v join mappings m on m.shop_id = :shop
     and m.product_id = v.product_id and (m.variant_id = '' or m.variant_id = v.id)
   where v.shop_id = :shop and v.sku_key like :f_start${at}`,
  `select m.file_id as id from variants v join mappings m on m.shop_id = :shop
     and m.product_id = v.product_id and (m.variant_id = '' or m.variant_id = v.id)
   where v.shop_id = :shop and v.barcode_key like :f_start${at}`,
  `select k.file_id as id from packs c join pack_files k on k.shop_id = :shop and k.pack_id = c.id
   where c.shop_id = :shop and ${within('search_text(c.name)')}`,
]

/** The ids as the text of an array, which is bound again as it is; null: a kind of place has more. */
async function fewIds(scope: ShopScope, places: WordPlaces, few: number): Promise<string | null> {
  const kinds = placesOf(places)
  const names = kinds.map((_, at) => `k${at}`)
  const { ids } = await scope.one<{ ids: string | null }>(
    `with ${kinds.map((select, at) => `k${at} as materialized (${select} limit :few)`).join(', ')}
     select case when ${names.map((name) => `(select count(*) from ${name}) < :few`).join(' and ')}
       then (select coalesce(array_agg(distinct id), '{}')::text
         from (${names.map((name) => `select id from ${name}`).join(' union all ')}) k)
       end as ids`,
    { ...places.bindings, few: few + 1 },
  )
  return ids
}

/**
 * SQL conditions: the files that all of these queries find; none without a query. Not in an OR: only so the planner joins them, with a
 * hash of any size. It would look up each file of the first query before it reads the second.
 */
export const inAll = (queries: readonly string[]): string[] =>
  queries.length === 0
    ? []
    : [`files.id in (${queries.map((query) => `(${query})`).join(' intersect ')})`]

function commonWord(places: WordPlaces): FoundWord {
  const { within, at, bindings } = places
  const own = within(nameAndTags('files'))
  // Limits prevent the planner from reading all products for a few rows.
  const near = `coalesce((select true from mappings m join products p on p.shop_id = :shop
       and p.id = m.product_id
     where m.shop_id = :shop and m.file_id = files.id and ${within('search_text(p.title)')} limit 1), false)
   or coalesce((select true from mappings m join variants v on v.shop_id = :shop
       and v.product_id = m.product_id and (m.variant_id = '' or m.variant_id = v.id)
     where m.shop_id = :shop and m.file_id = files.id
       and (v.sku_key like :f_start${at} or v.barcode_key like :f_start${at}) limit 1), false)
   or coalesce((select true from pack_files k join packs c on c.shop_id = :shop and c.id = k.pack_id
     where k.shop_id = :shop and k.file_id = files.id
       and ${within('search_text(c.name)')} limit 1), false)`
  return {
    ids: placesOf(places).join(' union all '),
    near: `(${own} or ${near})`,
    some: own,
    isRare: false,
    bindings,
  }
}
