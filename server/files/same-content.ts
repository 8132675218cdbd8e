// Files of a shop with equal bytes: their groups, and what an operation compares.
import type { ContentFile } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { readRecords } from './drafts.ts'
import { WORKING } from './list.ts'

/** Files with the same bytes; those in the trash are left out. */
export interface ContentGroup {
  /** The hash of their bytes, 64 hex digits. */
  hash: string
  size_bytes: number
  /** The number of its files. */
  count: number
  /** At most `GROUP_FILES` of them, in the order in which one is kept. */
  files: GroupedFile[]
}

export interface GroupedFile {
  /** A bare UUID. */
  id: string
  filename: string
  created_at: Date
  /** The number of buyers who hold a working link to it. */
  buyers: number
  /** The titles of its products. */
  products: string[]
  /** The names of its packs. */
  packs: string[]
}

/** The totals of all groups of a shop. */
export interface ContentTotals {
  groups: number
  /** The bytes of all of their files but one of each. */
  bytes: number
}

/** The place of a group in the list. */
export type GroupPlace = readonly [size_bytes: number, hash: string]

/** The most files of a group that are listed. */
export const GROUP_FILES = 100

/** SQL: the number of buyers with a working link to the file `chosen`, at `:now`. */
const BUYERS = `(
  select count(distinct coalesce(lower(l.email), lower(p.email), p.id::text, l.id::text))
  from links l left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  where l.shop_id = :shop and l.file_id = chosen.id and chosen.mapping_state <> 'unmapped'
    and ${WORKING})`

/**
 * A page of groups, those of the largest files first.
 * @param after the place of the last group of the page before; null: the first page
 */
export async function listSameContent(
  scope: ShopScope,
  { limit, after, now }: { limit: number; after: GroupPlace | null; now: Date },
): Promise<{ groups: ContentGroup[]; totals: ContentTotals }> {
  const { page, ...totals } = await scope.one<
    ContentTotals & { page: Omit<ContentGroup, 'files'>[] }
  >(
    `with same as materialized (
       select v.hash, v.size_bytes, count(*) as count
       from files f
       join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
       where f.shop_id = :shop and f.deleted_at is null
       group by v.hash, v.size_bytes having count(*) > 1
     ), page as (
       select encode(hash, 'hex') as hash, size_bytes, count from same
       where :after::text is null or (size_bytes, hash) < (:size::bigint, decode(:after, 'hex'))
       order by same.size_bytes desc, same.hash desc limit :limit
     )
     select (select count(*) from same) as groups,
       coalesce((select sum((count - 1) * size_bytes) from same), 0)::float8 as bytes,
       coalesce((select json_agg(page) from page), '[]') as page`,
    { limit, size: after?.[0] ?? null, after: after?.[1] ?? null },
  )
  const files = await filesOf(
    scope,
    page.map(({ hash }) => hash),
    now,
  )
  const groups = page.map((group) => ({ ...group, files: files.get(group.hash) ?? [] }))
  return { groups, totals }
}

/** The first files of these groups: the oldest that buyers have, then the oldest. */
async function filesOf(
  scope: ShopScope,
  hashes: readonly string[],
  now: Date,
): Promise<Map<string, GroupedFile[]>> {
  const rows = await scope.query<GroupedFile & { hash: string }>(
    `with chosen as materialized (
       select f.id, f.filename, f.created_at, f.shop_id, f.mapping_state, v.hash
       from versions v
       join files f on f.shop_id = v.shop_id and f.id = v.file_id and f.version = v.number
       where v.shop_id = :shop and f.deleted_at is null
         and v.hash in (select decode(h, 'hex') from unnest(:hashes::text[]) h)
     ), counted as (
       select chosen.*, ${BUYERS} as buyers from chosen
     ), ranked as (
       select counted.*, row_number() over (
         partition by hash order by buyers = 0, created_at, id) as rank from counted
     )
     select encode(r.hash, 'hex') as hash, r.id, r.filename, r.created_at, r.buyers,
       array(select p.name from pack_files k join packs p on p.shop_id = k.shop_id
         and p.id = k.pack_id
         where k.shop_id = :shop and k.file_id = r.id order by k.added_at, k.pack_id) as packs,
       coalesce((select array_agg(distinct m.product_title) from mappings m
         where m.shop_id = :shop and m.file_id = r.id), '{}') as products
     from ranked r
     where r.rank <= ${GROUP_FILES} order by r.hash, r.rank`,
    { hashes, now },
  )
  const groups = new Map<string, GroupedFile[]>()
  for (const { hash, ...file } of rows) groups.set(hash, [...(groups.get(hash) ?? []), file])
  return groups
}

/** Reads files by their bare UUIDs, also those in the trash. */
export async function readContents(
  scope: ShopScope,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, ContentFile>> {
  if (ids.length === 0) return new Map()
  const rows = await scope.query<Pick<ContentFile, 'content' | 'buyers'> & { id: string }>(
    `with chosen as (
       select id, shop_id, mapping_state, version from files
       where shop_id = :shop and id = any(:ids::uuid[])
     )
     select chosen.id, encode(v.hash, 'hex') as content, ${BUYERS} as buyers
     from chosen join versions v on v.shop_id = :shop and v.file_id = chosen.id
       and v.number = chosen.version`,
    { ids, now },
  )
  const records = await readRecords(scope, ids)
  return new Map(
    rows.flatMap(({ id, ...content }) => {
      const record = records.get(id)
      if (!record) return []
      const { mappings, packs, deleted_at } = record
      return [[id, { ...content, mappings, packs, deleted: deleted_at !== null }] as const]
    }),
  )
}
