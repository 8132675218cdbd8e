// Reads files: one by its id, or a page of the files that a filter selects.
import {
  extensionsOf,
  LINK_TYPE,
  searchWords,
  tagForm,
  type AnyText,
  type FileSettings,
  type Mapping,
} from '../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../core/db/for-shop.ts'
import { textOfColumns } from '../core/texts.ts'
import { hasAllWords } from '../core/db/word-match.ts'
import { countOfTag, readCounts, type KeptCount } from './file-counts.ts'
import { compileFilter, type CompiledFilter, type FileFilter } from './filter.ts'
import { present } from '../core/lazy.ts'
import { VERSION_SHA256 } from './digests.ts'
import { QUARANTINE } from './quarantine.ts'
import { foundByDownloads } from './download-order.ts'
import { ENTRY_ORDER, isInPack } from './pack-places.ts'

export interface MappingRow {
  product_id: string
  variant_id: string
  product_title: string
  sku: string | null
  method: Mapping['method']
  score: number
  reason: AnyText
  created_at: string
}

/** Where a file's current bytes are. */
export interface FileStorage {
  location: string
  /** Other locations with a kept copy. */
  copies: string[]
  /** The last backup, of this or an earlier version; a date as PostgreSQL writes it in JSON. */
  backed_up_at: string | null
}

export interface FileRow extends FileSettings {
  id: string
  filename: string
  name_key: string
  version: number
  size_bytes: number
  content_type: string
  tags: string[]
  created_at: Date
  updated_at: Date
  deleted_at: Date | null
  /** In the order in which the file entered them. */
  packs: { id: string; name: string }[]
  /** In a list that is sorted by it. */
  pack_position?: number
  /** The token of its public address. That of a private file exists but does not work. */
  public_token: string | null
  /** The time of creation as text with every digit, so that a cursor identifies the row exactly. */
  created_exact: string
  mappings: MappingRow[]
  /** The number of downloads, through links and through the public address. */
  downloads: number
  /** The number of orders that it was delivered with. */
  paid_by: number
  links_active: number
  storage: FileStorage
  /** The kept number of downloads, in a list that is sorted by it. */
  counted_downloads?: number
  /** The bytes of its version differ from the ones that were admitted. */
  bytes_damaged: boolean
  /** What a virus scanner found in them; null: nothing, or it was released. */
  quarantine: string | null
  /** The digest of its version, as hex digits. Null: not computed yet. */
  sha256: string | null
  /** The address that buyers of a link are sent to; null: it is none. */
  link_url: string | null
}

interface Sort {
  /** A column of `files`, or the kept number of downloads. */
  column: string
  type: string
  /** The value that a cursor stores of the last row. */
  of: (row: FileRow) => string | number
}

/** The columns that a list can be sorted by: those of an index, with the file's id. */
const SORTS = {
  created_at: { column: 'created_at', type: 'timestamptz', of: (row) => row.created_exact },
  filename: { column: 'name_key', type: 'text collate "C"', of: (row) => row.name_key },
  size_bytes: { column: 'size_bytes', type: 'bigint', of: (row) => row.size_bytes },
  downloads: {
    column: 'counted_downloads',
    type: 'bigint',
    of: (row) => present(row.counted_downloads, 'counted_downloads'),
  },
  // The place in a pack sorts only the files of one pack.
  pack_position: {
    column: 'pack_position',
    type: 'integer',
    of: (row) => present(row.pack_position, 'pack_position'),
  },
} as const satisfies Record<string, Sort>

export const FILE_SORTS = Object.keys(SORTS).flatMap((name) => [name, `-${name}`]) as [
  string,
  ...string[],
]

/** A filter, or what `compileFilter` made of it for several queries. */
type Condition = FileFilter | CompiledFilter

const compiled = async (scope: ShopScope, condition: Condition): Promise<CompiledFilter> =>
  'sql' in condition ? condition : compileFilter(scope, condition)

export interface FilePage {
  filter: Condition
  /** The order, one of FILE_SORTS; `-` is descending. */
  sort: string
  /** The values that `cursorOf` gave for the previous page's last row. */
  after: readonly (string | number)[] | null
  /** Skips this many files. */
  offset?: number
  limit: number
}

const sortOf = (sort: string): Sort => SORTS[sort.replace('-', '') as keyof typeof SORTS]

export const cursorOf = (row: FileRow, sort: string): [string | number, string] => [
  sortOf(sort).of(row),
  row.id,
]

const DETAILS = `
  chosen.*,
  coalesce((select json_agg(json_build_object(
      'product_id', m.product_id, 'variant_id', m.variant_id, 'product_title', m.product_title,
      'sku', m.sku, 'method', m.method, 'score', m.score,
      'reason', ${textOfColumns('m.reason')}, 'created_at', m.created_at) order by m.product_title, m.variant_id)
    from mappings m where m.shop_id = chosen.shop_id and m.file_id = chosen.id), '[]') as mappings,
  coalesce((select json_agg(json_build_object('id', p.id, 'name', p.name)
      order by ${ENTRY_ORDER})
    from pack_files k join packs p on p.shop_id = k.shop_id and p.id = k.pack_id
    where k.shop_id = chosen.shop_id and k.file_id = chosen.id), '[]') as packs,
  version.bytes_damaged, version.quarantine, encode(version.sha256, 'hex') as sha256,
  case when chosen.content_type = '${LINK_TYPE}' then version.link_url end as link_url,
  address.token as public_token,
  (coalesce((select sum(l.served) from links l where l.shop_id = chosen.shop_id
    and l.file_id = chosen.id), 0)
    + coalesce(address.downloads, 0))::bigint as downloads,
  (select count(distinct df.delivery_id) from delivery_files df
    where df.shop_id = chosen.shop_id and df.file_id = chosen.id) as paid_by`

const FROM_CHOSEN = `from chosen
  left join lateral (select v.bytes_damaged, ${QUARANTINE} as quarantine, b.sha256, b.link_url from versions v
    left join blobs b on b.shop_id = v.shop_id and b.hash = v.hash
    where v.shop_id = chosen.shop_id and v.file_id = chosen.id
      and v.number = chosen.version) version on true
  left join public_addresses address on address.shop_id = chosen.shop_id
    and address.file_id = chosen.id`

const COLUMNS = `files.*, files.created_at::text as created_exact`

/** A page of files in the requested order. */
export async function listFilePage(scope: ShopScope, page: FilePage): Promise<FileRow[]> {
  const condition = await compiled(scope, page.filter)
  const { column } = sortOf(page.sort)
  const direction = page.sort.startsWith('-') ? 'desc' : 'asc'
  const [value, id] = page.after ?? []
  const read = (chosen: string, more: Bindings = {}) =>
    scope.query<FileRow>(
      `with ${chosen} select ${DETAILS} ${FROM_CHOSEN}
       order by chosen.${column} ${direction}, chosen.id ${direction}`,
      {
        ...condition.bindings,
        limit: page.limit,
        ...(page.after ? { after_value: value, after_id: id } : {}),
        ...more,
      } as Bindings,
    )
  const offset = page.offset ? { offset: page.offset } : {}
  if (column === SORTS.downloads.column)
    return read(chosenByDownloads(page, condition.sql, direction), offset)
  if (condition.near !== condition.sql && !page.offset) {
    const rows = await read(chosenNear(page, condition, direction), { near: NEAR })
    if (rows.length === page.limit) return rows
  }
  return read(chosenByColumn(page, condition, direction), offset)
}

/** The rows that are tested one by one before all that match are looked up. */
const NEAR = 5000

type Direction = 'asc' | 'desc'

/** SQL: the condition that the page begins after a row, and its order. */
function placeOf(page: FilePage, direction: Direction): { after: string; order: string } {
  const { column, type } = sortOf(page.sort)
  const sorted = `files.${column}`
  const past = direction === 'desc' ? '<' : '>'
  return {
    after: page.after
      ? `and (${sorted}, files.id) ${past} (:after_value::${type}, :after_id::uuid)`
      : '',
    order: `order by ${sorted} ${direction}, files.id ${direction}`,
  }
}

/** SQL: the files, with their places if they are sorted by them. */
const filesOf = ({ sort }: FilePage, { pack }: CompiledFilter): string =>
  sortOf(sort) === SORTS.pack_position
    ? `(select f.*, k.position as pack_position from pack_files k
         join files f on f.shop_id = k.shop_id and f.id = k.file_id
         where k.shop_id = :shop and k.pack_id = ${present(pack, 'The pack of the order')}) files`
    : 'files'

/** SQL of the CTE `chosen`, the files of the page. */
function chosenByColumn(page: FilePage, filter: CompiledFilter, direction: Direction): string {
  const { after, order } = placeOf(page, direction)
  const from = filesOf(page, filter)
  const found = `from ${from} where files.shop_id = :shop and ${filter.sql} ${after}
       ${order} limit :limit`
  // Skipped rows are counted in the index; only the others are read.
  return page.offset
    ? `chosen as (select ${COLUMNS} from ${from} where files.shop_id = :shop
         and files.id = any(array(select files.id ${found} offset :offset)))`
    : `chosen as (select ${COLUMNS} ${found})`
}

/** The files of the page among the next `:near` rows of the list. */
function chosenNear(page: FilePage, filter: CompiledFilter, direction: Direction): string {
  const { near, shown } = filter
  const { after, order } = placeOf(page, direction)
  return `chosen as (select ${COLUMNS} from (
      select * from ${filesOf(page, filter)} where files.shop_id = :shop and ${shown} ${after} ${order} limit :near
    ) files where ${near} ${order} limit :limit)`
}

const chosenByDownloads = (page: FilePage, condition: string, direction: Direction): string =>
  `${foundByDownloads({
    condition,
    direction,
    continues: page.after !== null,
    skips: (page.offset ?? 0) > 0,
  })}, chosen as (
     select ${COLUMNS}, found.downloads as ${SORTS.downloads.column} from found
     join files on files.shop_id = :shop and files.id = found.id)`

/** Totals of lists are exact up to this number. */
export const EXACT_TOTAL = 10_000

export interface FileTotal {
  total: number
  /** False: more than `total` files match. */
  isExact: boolean
}

/**
 * How many files match, counted one by one up to `most`. Without `most` all are counted, which takes
 * a second for a million.
 */
export async function countFiles(
  scope: ShopScope,
  filter: Condition,
  most = Infinity,
): Promise<number> {
  const { sql, bindings } = await compiled(scope, filter)
  const matching = `from files where files.shop_id = :shop and ${sql}`
  const row = await scope.one<{ count: number }>(
    most === Infinity
      ? `select count(*) as count ${matching}`
      : `select count(*) as count from (select 1 ${matching} limit :most) c`,
    most === Infinity ? bindings : { ...bindings, most },
  )
  return row.count
}

/**
 * The total of a list: from the kept counts where one condition or none selects the files, otherwise
 * counted up to `most`. `condition`: the compiled filter, if the caller needs it for the page too.
 */
export async function totalOfFiles(
  scope: ShopScope,
  filter: FileFilter,
  { most = EXACT_TOTAL, condition = filter }: { most?: number; condition?: Condition } = {},
): Promise<FileTotal> {
  const kept = await keptTotal(scope, filter)
  if (kept !== null) return { total: kept, isExact: true }
  const given = await compiled(scope, condition)
  if (most < Infinity && (await someFiles(scope, given, most + 1)) > most)
    return { total: most, isExact: false }
  const count = await countFiles(scope, given, most + 1)
  return { total: Math.min(count, most), isExact: count <= most }
}

/**
 * How many files the cheaper condition selects, up to `limit`; 0: there is none. Counted in the
 * order of their creation, in which the rows are stored.
 */
async function someFiles(
  scope: ShopScope,
  { sql, some, bindings }: CompiledFilter,
  limit: number,
): Promise<number> {
  if (some === sql) return 0
  const { count } = await scope.one<{ count: number }>(
    `select count(*) as count from (select 1 from files where files.shop_id = :shop and ${some}
       order by files.created_at desc limit :limit) c`,
    { ...bindings, limit },
  )
  return count
}

/** The total of the filter, if the kept counts tell it. */
async function keptTotal(scope: ShopScope, filter: FileFilter): Promise<number | null> {
  const { mapped, type, tags = [], ...others } = filter
  if (Object.values(others).some((value) => value !== undefined)) return null
  const conditions = [mapped, type, tags[0]].filter((value) => value !== undefined)
  if (conditions.length > 1 || tags.length > 1) return null
  if (tags[0] !== undefined) return countOfTag(scope, tagForm(tags[0]))
  const counts = await readCounts(scope, type ? ['extension'] : ['all', 'unmapped'])
  const sumOf = (isCounted: (one: KeptCount) => boolean) =>
    counts.reduce((sum, one) => sum + (isCounted(one) ? one.files : 0), 0)
  if (type) {
    const extensions = new Set(extensionsOf(type))
    return sumOf(({ subject }) => extensions.has(subject))
  }
  const unmapped = sumOf(({ kind }) => kind === 'unmapped')
  if (mapped === false) return unmapped
  return sumOf(({ kind }) => kind === 'all') - (mapped ? unmapped : 0)
}

/**
 * Does the link `l` to the file `chosen` work? `p`: the pack's link that it belongs to. The same
 * rules as in server/features/downloads/refusal.ts: a link under a pack's link expires with it, and
 * works while its file is in that pack.
 */
export const WORKING = `l.revoked_at is null
  and (l.download_limit is null or l.downloads < l.download_limit)
  and case when l.parent_id is null or l.paid
    then (l.expires_at is null or l.expires_at > :now)
      and (l.parent_id is null or p.revoked_at is null)
    else p.revoked_at is null and ${isInPack('l.shop_id', 'p.pack_id', 'chosen.id')}
      and (p.expires_at is null or p.expires_at > :now) end`

/** A file by its UUID, or null; files in the trash are not found. */
export const readFile = (scope: ShopScope, id: string, now: Date): Promise<FileRow | null> =>
  scope.first<FileRow>(
    `with chosen as (select ${COLUMNS} from files where files.shop_id = :shop and id = :id
     and deleted_at is null)
     select ${DETAILS},
       (select count(*) from links l left join links p on p.shop_id = l.shop_id
        and p.id = l.parent_id
        where l.shop_id = chosen.shop_id and l.file_id = chosen.id
          and chosen.mapping_state <> 'unmapped'
          and ${WORKING}) as links_active,
       (select json_build_object('location', v.location,
          'copies', (select coalesce(json_agg(c.location order by c.location), '[]')
            from file_copies c where c.shop_id = v.shop_id and c.file_id = v.file_id
              and c.hash = v.hash and c.location <> v.location),
          'backed_up_at', (select max(b.created_at) from backups b
            where b.shop_id = v.shop_id and b.file_id = v.file_id))
        from versions v where v.shop_id = chosen.shop_id and v.file_id = chosen.id
          and v.number = chosen.version) as storage
     ${FROM_CHOSEN}`,
    { id, now },
  )

export interface LocatedFile {
  hash: string
  /** Null: not computed yet. */
  sha256: string | null
  location: string
  size_bytes: number
  filename: string
  content_type: string
  /** When the file got these bytes. */
  modified_at: Date
  /** As in `FileRow`. */
  quarantine: string | null
}

/** The location of a file's current bytes, or null if there is no such file. */
export const locateFile = (scope: ShopScope, id: string): Promise<LocatedFile | null> =>
  scope.first<LocatedFile>(
    `select encode(v.hash, 'hex') as hash, ${VERSION_SHA256} as sha256, v.location, v.size_bytes, f.filename,
       f.content_type,
       f.version_since as modified_at, ${QUARANTINE} as quarantine
     from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = f.version
     where f.shop_id = :shop and f.id = :id and f.deleted_at is null`,
    { id },
  )

/**
 * Tags in use with their number of files, most used first, from the kept counts and the changes that
 * were not added to them yet. `search`: words of the tag; `after`: the count and tag
 * of the previous page's last row.
 */
export async function listTags(
  scope: ShopScope,
  {
    search,
    limit,
    after,
  }: { search: string; limit: number; after: readonly [number, string] | null },
): Promise<{ tag: string; files: number }[]> {
  const [files, tag] = after ?? []
  const found = hasAllWords('search_text(subject)', searchWords(search))
  const isShown = `files > 0 and ${found.sql}
    ${after ? 'and files <= :files and (files < :files or subject > :tag)' : ''}`
  return scope.query(
    `with noted as materialized (
       select subject, sum(files) as files from file_count_changes
       where shop_id = :shop and kind = 'tag' group by subject having sum(files) <> 0
     )
     select subject as tag, files from (
       (select subject, files from file_counts
        where shop_id = :shop and kind = 'tag' and ${isShown}
          and not exists (select from noted n where n.subject = file_counts.subject)
        order by files desc, subject limit :limit)
       union all
       select subject, (n.files + coalesce(k.files, 0))::bigint from noted n
         left join lateral (select k.files from file_counts k where k.shop_id = :shop
           and k.kind = 'tag' and k.subject = n.subject) k on true
     ) current where ${isShown}
     order by files desc, subject limit :limit`,
    { limit, ...found.bindings, ...(after ? { files, tag } : {}) },
  )
}
