// What a library lists: the files of the address's ready deliveries, and the links that were made
// for it. Links have the address, so one index gives them in order: a page costs the same in a
// library of 50 and of 5,000 files.
import { searchWords } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { hasAllWords } from '../../core/db/word-match.ts'
import { sha256Of } from '../../files/digests.ts'
import type { Secrets } from '../../core/secrets.ts'
import {
  linkStatus,
  MAPPING_STATE,
  type LinkFacts,
  type LinkStatus,
  tagProblemOf,
  type TagProblem,
  askOf,
  gateOf,
  shownAskOf,
  type Gate,
} from '../links/model/links.ts'
import type { FileTarget } from '../downloads/targets.ts'
import { runningView } from '../downloads/viewers.ts'
import { hasNoPicture } from '../previews/kept.ts'
import { keysOfDeliveries, type ShownKey } from '../preparation/assigned-keys.ts'

const ITEMS_PER_PAGE = 50
/** Later pages would read many rows to skip them; a search finds what is there. */
export const MAX_PAGES = 200

export interface LibraryItem {
  /** The key of the file's or the pack's link. */
  key: string
  /** The key of the delivery's page; null: it belongs to no order. */
  page: string | null
  name: string
  /** Null: a pack, whose page lists its files. */
  size_bytes: number | null
  /** Null: a pack, or not computed yet. */
  sha256: string | null
  /** Null: a pack. */
  content_type: string | null
  /** What buyers may do with it; null: a pack. */
  view: FileTarget['view'] | null
  /** The shop's text about the file; null: there is none. */
  buyer_text: string | null
  /** It has no preview. */
  unpictured: boolean
  order: string | null
  product: string | null
  /** The product has a picture. */
  pictured: boolean
  /** The address of the product in the shop; null: it is not offered any more. */
  handle: string | null
  status: LinkStatus
  preparing: boolean
  download_limit: number | null
  downloads: number
  /** Null: unlimited, or a pack. */
  view_limit: number | null
  views: number
  /** When it can be viewed no longer; null: always. */
  views_end_at: Date | null
  /** Its views have an end of their own. */
  own_view_end: boolean
  /** When this browser's counted view of it ends; null: it has none. */
  viewing: Date | null
  expires_at: Date | null
  available_at: Date | null
  use_hours: number | null
  first_used_at: Date | null
  tag_problem: TagProblem | null
  /** What its page asks for before a download; null: nothing, or this browser has answered it. */
  locked: 'email' | 'password' | null
  /** What it asks for, and the link with which one answer opens all that ask the same. */
  gate: Pick<Gate, 'asks' | 'root'> | null
  created_at: Date
  version: number
  /** When the current version came; null: it is the one that was bought. */
  renewed_at: Date | null
  licence_keys: readonly ShownKey[]
}

interface ItemRow extends LinkFacts {
  id: string
  file_id: string | null
  delivery_id: string | null
  rotation: number
  key_hash: Buffer
  page_id: string | null
  page_rotation: number
  page_key_hash: Buffer
  name: string
  size_bytes: number | null
  sha256: string | null
  content_type: string | null
  view: FileTarget['view'] | null
  buyer_text: string | null
  unpictured: boolean
  order_name: string | null
  created_at: Date
  version: number
  renewed_at: Date | null
  preparing: boolean
  product: string | null
  pictured: boolean
  handle: string | null
  use_hours: number | null
  first_used_at: Date | null
  tag_problem: TagProblem | null
  view_limit: number | null
  views: number
  views_end_at: Date | null
  own_view_end: boolean
  viewing: Date | null
  asks: string
}

/** SQL: one row of a table, read by its key. `offset 0` keeps it apart from the join. */
const readByKey = (table: string, alias: string, key: string) =>
  `left join lateral (select * from ${table} t where t.shop_id = l.shop_id and ${key} offset 0)
    ${alias} on true`

/**
 * The planner does not know how many links an address has. Joins by hashes and merges read all of
 * them for each page; these read links in the order of the index until the page is full.
 */
const TABLES = `links l
  join shops s on s.id = l.shop_id
  ${readByKey('files', 'f', 't.id = l.file_id')}
  ${readByKey('packs', 'k', 't.id = l.pack_id')}
  ${readByKey('links', 'p', 't.id = l.parent_id')}
  ${readByKey('deliveries', 'd', 't.id = p.delivery_id')}
  ${readByKey('orders', 'o', 't.id = d.order_id')}
  ${readByKey('prepared_files', 'w', 't.link_id = l.id')}`

/** A pack's own link stands for the links of its files. */
const LISTED = `l.shop_id = :shop and (lower(l.email) collate "C") = :email
  and l.revoked_at is null
  and (l.pack_id is not null
    or f.deleted_at is null and ${MAPPING_STATE} <> 'unmapped' and l.file_id is not null)
  and (l.parent_id is null or d.id is not null and d.revoked_at is null
    and d.withdrawn_at is null and d.held_by is null and p.revoked_at is null)`

const BOUGHT = `select b.product_id, b.title from delivery_files df
  join order_lines b on b.shop_id = df.shop_id and b.order_id = d.order_id and b.id = df.line_id
  where df.shop_id = l.shop_id and df.delivery_id = d.id and df.file_id = l.file_id
  order by b.position`

const NAMES = `search_text(concat_ws(e'\\n', f.filename, k.name, o.name,
  (select string_agg(b.title, e'\\n') from (${BOUGHT}) b)))`

const CURRENT_HASH = `(select v.hash from versions v
  where v.shop_id = l.shop_id and v.file_id = f.id and v.number = f.version)`

const READ = (found: string) => `
  with shown as materialized (
    select l.id, l.file_id, l.pack_id, d.id as delivery_id, d.order_id, l.rotation, l.key_hash,
      p.id as page_id, p.rotation as page_rotation, p.key_hash as page_key_hash,
      coalesce(f.filename, k.name) as name, coalesce(w.size_bytes, f.size_bytes) as size_bytes,
      ${sha256Of('l.shop_id', `coalesce(w.hash, ${CURRENT_HASH})`)} as sha256,
      f.content_type, f.view, f.buyer_text, ${hasNoPicture('l.shop_id', CURRENT_HASH)} as unpictured,
      o.name as order_name, l.created_at, coalesce(f.version, 1) as version,
      case when f.version > 1 and f.version_since > l.created_at and not coalesce(w.stale, false)
        then f.version_since end as renewed_at,
      coalesce(w.status = 'waiting' or w.stale and w.hash is null, false) as preparing,
      l.available_at, l.use_hours, l.first_used_at, ${tagProblemOf('l')} as tag_problem,
      ${askOf('l', 'p')} as asks,
      l.revoked_at, l.ends_at as expires_at, l.download_limit, l.downloads, l.view_limit, l.views,
      l.views_end_at, l.view_expires_at is not null as own_view_end,
      ${runningView(':viewer', ':now')} as viewing, f.deleted_at,
      ${MAPPING_STATE} as mapping_state
    from ${TABLES}
    where ${LISTED} and ${found}
    order by l.id desc limit :limit offset :offset
  )
  select shown.*, coalesce(g.title, m.title) as product, coalesce(g.handle, m.handle) as handle,
    coalesce(g.pictured, m.pictured, false) as pictured
  from shown
  left join lateral (
    select b.title, t.handle, t.image_url is not null as pictured from delivery_files df
    join order_lines b on b.shop_id = df.shop_id and b.order_id = shown.order_id
      and b.id = df.line_id
    left join products t on t.shop_id = b.shop_id and t.id = b.product_id and t.status = 'ACTIVE'
    where df.shop_id = :shop and df.delivery_id = shown.delivery_id and df.file_id = shown.file_id
    order by b.position limit 1) g on true
  left join lateral (
    select t.title, t.handle, t.image_url is not null as pictured from mappings a
    join products t on t.shop_id = a.shop_id and t.id = a.product_id and t.status = 'ACTIVE'
    where a.shop_id = :shop and a.file_id = shown.file_id and shown.delivery_id is null
    order by t.id limit 1) m on true
  order by shown.id desc`

export interface LibraryPage {
  items: readonly LibraryItem[]
  hasMore: boolean
}

/**
 * A page of a library, newest first.
 * @param asked `email` in lower case; `page` from 1; `search`: words in names of files, packs, orders and
 *   products; `viewer`: the browser (`viewerOf`).
 */
export async function readLibrary(
  scope: ShopScope,
  secrets: Secrets,
  asked: { email: string; search: string; page: number; now: Date; viewer?: Buffer | null },
): Promise<LibraryPage> {
  const { email, search, page, now, viewer = null } = asked
  const found = hasAllWords(NAMES, searchWords(search))
  const rows = await scope.query<ItemRow>(READ(found.sql), {
    email,
    now,
    viewer,
    limit: ITEMS_PER_PAGE + 1,
    offset: (page - 1) * ITEMS_PER_PAGE,
    ...found.bindings,
  })
  const shown = rows.slice(0, ITEMS_PER_PAGE)
  const deliveries = new Set(shown.flatMap(({ delivery_id }) => delivery_id ?? []))
  const assigned = await keysOfDeliveries(scope, secrets, [...deliveries], { show: true })
  const licences = Map.groupBy(assigned, ({ delivery_id, file_id }) => `${delivery_id}/${file_id}`)
  return {
    items: shown.map((row) => ({
      ...itemOf(row, secrets, now),
      licence_keys: licences.get(`${row.delivery_id}/${row.file_id}`) ?? [],
    })),
    hasMore: rows.length > ITEMS_PER_PAGE,
  }
}

function itemOf(row: ItemRow, secrets: Secrets, now: Date): Omit<LibraryItem, 'licence_keys'> {
  const { name, product, handle, pictured, preparing, created_at, version, renewed_at } = row
  const { download_limit, downloads, expires_at, view_limit, views, views_end_at } = row
  return {
    name,
    product,
    pictured,
    handle,
    preparing,
    created_at,
    version,
    renewed_at,
    download_limit,
    downloads,
    expires_at,
    status: linkStatus(row, now),
    view_limit,
    views,
    views_end_at,
    own_view_end: row.own_view_end,
    viewing: row.viewing,
    available_at: row.available_at,
    use_hours: row.use_hours,
    first_used_at: row.first_used_at,
    tag_problem: row.tag_problem,
    locked: shownAskOf(row.asks),
    gate: gateOf(row.asks, row.page_id ?? row.id, null),
    key: secrets.linkKey(row.id, row.rotation, row.key_hash),
    page:
      row.delivery_id === null || row.page_id === null
        ? null
        : secrets.linkKey(row.page_id, row.page_rotation, row.page_key_hash),
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    content_type: row.content_type,
    view: row.view,
    buyer_text: row.buyer_text,
    unpictured: row.unpictured,
    order: row.order_name,
  }
}

/** Does the library of this address (in lower case) list anything? */
export const hasItems = (scope: ShopScope, email: string): Promise<boolean> =>
  scope.has(`select from ${TABLES} where ${LISTED} limit 1`, { email })
