// Reads deliveries for the shop: their orders and buyers, mails, openings and downloads.
import type { AnyText, FileSettings, Text } from '../../../plugins/contract/index.ts'
import type { Bindings, ShopScope } from '../../core/db/for-shop.ts'
import { firstIdSince } from '../../core/db/month-parts.ts'
import { textOfColumns } from '../../core/texts.ts'
import { effectiveView } from '../../files/view-kinds.ts'
import {
  MAPPING_STATE,
  shownStatus,
  VIEW_FACTS,
  type LinkFacts,
  type LinkStatus,
  type ViewFacts,
  requiredTag,
  tagProblemOf,
  type TagProblem,
  askOf,
} from '../links/model/links.ts'
import { listOpenings, type ShownOpening } from '../downloads/gates/openings.ts'
import type { ShownView } from '../downloads/recorded-views.ts'
import type { RefusedReason } from '../downloads/refused-attempts.ts'
import { placeIn } from '../links/model/delivery-links.ts'
import { NO_LINE } from './delivery-rows.ts'
import { conditionOfSearch } from './delivery-search.ts'
import {
  BLOCKED_LINK,
  DELIVERY_STATUSES,
  linkBlocked,
  STATUS_SQL,
  type DeliveryStatus,
} from './entitlement.ts'

export interface DeliverySummary {
  id: string
  order_id: string
  order_name: string
  confirmation_number: string | null
  email: string | null
  /** Sealed; null: unknown, or not needed. */
  phone: Buffer | null
  texted_at: Date | null
  locale: string | null
  status: DeliveryStatus
  financial_status: string | null
  cancelled_at: Date | null
  recommendation: string | null
  held_by: 'risk' | 'merchant' | 'workflow' | null
  /** Why its workflow could not prepare it. */
  held_because: AnyText | null
  held_at: Date | null
  link_id: string
  rotation: number
  key_hash: Buffer
  files: number
  /** Of them, those that the buyer cannot download or view: used up, expired, or not prepared. */
  blocked: number
  /** By reason; a file may have several. */
  used_up: number
  expired: number
  not_prepared: number
  views_used_up: number
  views_expired: number
  downloads: number
  size_bytes: number
  /** When the last mail to its buyer came back. */
  bounced_at: Date | null
  opened_at: Date | null
  last_download_at: Date | null
  message: {
    id: string
    kind: string
    status: string
    kept: boolean
    error: string | null
    error_text: Text | null
    at: string
  } | null
  ask: { at: string; email: string | null; message: string | null } | null
  created_at: Date
  updated_at: Date
  /** When the order was last read from the platform. */
  read_at: Date
}

export interface DeliveryFilter {
  /** Exact, ignoring case. */
  email?: string | undefined
  /** The platform's id, its number, the order's name or its confirmation number. */
  order?: string | undefined
  /** The beginning of the address or of the order's name. */
  search?: string | undefined
  /** All of them apply. */
  listed?: readonly DeliveryListing[]
  /** A bare UUID: the delivery contains the file. */
  file?: string | undefined
  /** The platform's id, its number, or a SKU: the order has the product. */
  product?: string | undefined
  /** Deliveries before this UUID. */
  before?: string | undefined
  limit: number
}

/** What the list can be limited to: a status, or ready deliveries whose buyers need help. */
const DELIVERY_LISTINGS = [...DELIVERY_STATUSES, 'unreachable', 'blocked'] as const
export type DeliveryListing = (typeof DELIVERY_LISTINGS)[number]

// The first conditions are those of the indexes deliveries_held, deliveries_ended,
// deliveries_bounced and orders_without_email, which find the few.
const LISTED: Partial<Record<DeliveryListing, string>> = {
  held: `d.held_by is not null and ${STATUS_SQL} = 'held'`,
  withdrawn: `(d.revoked_at is not null or d.withdrawn_at is not null)
    and ${STATUS_SQL} = 'withdrawn'`,
  revoked: `(d.revoked_at is not null or d.withdrawn_at is not null) and d.revoked_at is not null`,
  unreachable: `d.id in (
      select b.id from deliveries b where b.shop_id = :shop and b.bounced_at is not null
      union all
      select e.id from orders n join deliveries e on e.shop_id = n.shop_id and e.order_id = n.id
      where n.shop_id = :shop and n.email is null and e.email is null and e.texted_at is null)
    and ${STATUS_SQL} = 'ready'`,
  blocked: `${STATUS_SQL} = 'ready' and f.blocked > 0`,
}

/** SQL: the mail was stored instead of sent, because there is no mail server. */
const KEPT = `coalesce((m.result ->> 'kept')::boolean, false)`

const ORDERED = `from deliveries d
  join orders o on o.shop_id = d.shop_id and o.id = d.order_id`

/** SQL: the page `p` of a delivery, and the figures `f` of its files. */
const WITH_FIGURES = `
  join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
  join lateral (
    select count(f.id) filter (where c.revoked_at is null)::int as files,
      count(f.id) filter (where ${BLOCKED_LINK})::int as blocked,
      count(f.id) filter (where ${linkBlocked('used_up')})::int as used_up,
      count(f.id) filter (where ${linkBlocked('expired')})::int as expired,
      count(f.id) filter (where ${linkBlocked('not_prepared')})::int as not_prepared,
      count(f.id) filter (where ${linkBlocked('views_used_up')})::int as views_used_up,
      count(f.id) filter (where ${linkBlocked('views_expired')})::int as views_expired,
      coalesce(sum(f.size_bytes) filter (where c.revoked_at is null), 0)::bigint as size_bytes,
      coalesce(sum(c.served), 0)::int as downloads, max(c.last_download_at) as last_download_at
    from links c left join files f on f.shop_id = c.shop_id and f.id = c.file_id
      and f.deleted_at is null
    where c.shop_id = p.shop_id and c.parent_id = p.id
  ) f on true`

const SUMMARY = `
  select d.id, d.order_id, o.name as order_name, o.confirmation_number,
    coalesce(d.email, o.email) as email, coalesce(d.phone, o.phone) as phone, d.texted_at, o.locale,
    ${STATUS_SQL} as status, o.financial_status, o.cancelled_at, o.recommendation, d.held_by,
    d.held_at,
    (select ${textOfColumns('r.reason')} from delivery_runs r where r.shop_id = d.shop_id
      and r.delivery_id = d.id) as held_because, p.id as link_id,
    p.rotation, p.key_hash, f.files, f.blocked, f.used_up, f.expired, f.not_prepared, f.views_used_up, f.views_expired, f.downloads, f.size_bytes, f.last_download_at, d.opened_at, d.ask,
    d.created_at, d.updated_at, o.reconciled_at as read_at, d.bounced_at,
    (select jsonb_build_object('id', m.id, 'kind', m.kind, 'status', m.status, 'kept', ${KEPT}, 'error', m.error, 'error_text', m.error_text, 'at',
     coalesce(m.sent_at, m.created_at)) from outbox m
     where m.shop_id = d.shop_id and m.payload ->> 'delivery' = d.id::text
     order by m.id desc limit 1) as message
  ${ORDERED} ${WITH_FIGURES}`

/** Newest first. */
export async function listDeliveries(
  scope: ShopScope,
  filter: DeliveryFilter,
): Promise<DeliverySummary[]> {
  const { conditions, bindings } = await compile(scope, filter)
  return scope.query<DeliverySummary>(
    `${SUMMARY} where d.shop_id = :shop and ${['true', ...conditions].join(' and ')}
     order by d.id desc limit :limit`,
    { ...bindings, limit: filter.limit },
  )
}

/**
 * The deliveries of the filter, for statements that count them: SQL from `from` on, with deliveries
 * `d` and orders `o`.
 */
export async function selectedDeliveries(
  scope: ShopScope,
  filter: Omit<DeliveryFilter, 'limit' | 'before'>,
  joined = '',
): Promise<{ sql: string; bindings: Bindings }> {
  const { conditions, bindings } = await compile(scope, filter)
  const figures = filter.listed?.includes('blocked') ? WITH_FIGURES : ''
  const where = ['d.shop_id = :shop', ...conditions].join(' and ')
  return { sql: `${ORDERED} ${figures} ${joined} where ${where}`, bindings }
}

const BY_NUMBER_OR_SKU = `(b.product_id = 'gid://shopify/Product/' || :product::text or lower(b.sku) = lower(:product::text))`

async function compile(scope: ShopScope, filter: Omit<DeliveryFilter, 'limit'>) {
  const { email, order, search, listed = [], file, product, before } = filter
  const conditions: string[] = []
  const bindings: Bindings = {}
  const add = (sql: string, given: Bindings) => {
    conditions.push(sql)
    Object.assign(bindings, given)
  }
  if (before !== undefined) add('d.id < :before', { before })
  if (email !== undefined)
    add(
      // Each address from its index: the planner does not use two indexes for an "or" over two tables.
      `d.id = any(array(
        select b.id from orders a join deliveries b on b.shop_id = a.shop_id and b.order_id = a.id
          and b.email is null
        where a.shop_id = :shop and lower(a.email) collate "C" = lower(:email) collate "C"
        union all select b.id from deliveries b
        where b.shop_id = :shop and lower(b.email) collate "C" = lower(:email) collate "C"))`,
      { email },
    )
  if (order !== undefined)
    add(
      `(o.id = any(:orders::text[]) or lower(o.name) collate "C" = lower(:order) collate "C"
        or upper(o.confirmation_number) = upper(:order))`,
      { order, orders: [order, `gid://shopify/Order/${order}`] },
    )
  if (search) {
    const found = await conditionOfSearch(scope, search)
    add(found.sql, found.bindings)
  }
  if (file !== undefined)
    add(
      `exists (select from delivery_files df where df.shop_id = d.shop_id and df.delivery_id = d.id
        and df.file_id = :file)`,
      { file },
    )
  if (product !== undefined)
    add(
      `exists (select from order_lines b where b.shop_id = d.shop_id and b.order_id = d.order_id
        and ${product.startsWith('gid://') ? 'b.product_id = :product' : BY_NUMBER_OR_SKU})`,
      { product },
    )
  for (const one of listed) add(LISTED[one] ?? `${STATUS_SQL} = '${one}'`, {})
  return { conditions, bindings }
}

export interface DeliveryFile {
  file_id: string
  filename: string
  size_bytes: number
  status: LinkStatus
  /** The shop's workflow has not prepared it. */
  preparing: boolean
  expires_at: Date | null
  available_at: Date | null
  use_hours: number | null
  first_used_at: Date | null
  tag_problem: TagProblem | null
  /** The tag that the file requires of this buyer. */
  customer_tag: string | null
  /** What its link asks for (`askOf`). */
  asks: string
  download_limit: number | null
  downloads: number
  /** What buyers may do with it. */
  view: FileSettings['view']
  view_limit: number | null
  views: number
  view_expires_at: Date | null
  last_download_at: Date | null
  /** The shop added it to this order. */
  added: boolean
}

export interface DeliveryDetail extends DeliverySummary {
  file_list: DeliveryFile[]
  lines: {
    line_id: string
    title: string
    sku: string | null
    quantity: number
    entitled: boolean
    files: number
  }[]
  messages: {
    id: string
    kind: string
    to: string[]
    subject: string
    status: string
    kept: boolean
    error: string | null
    error_text: Text | null
    created_at: Date
    sent_at: Date | null
    /** It waits until then; null: it does not. */
    due_at: Date | null
  }[]
  download_list: { at: Date; file_id: string; filename: string; address: string; agent: string }[]
  refused_list: RefusedDownload[]
  view_list: ShownView[]
  opening_list: ShownOpening[]
}

export interface RefusedDownload {
  /** The last attempt of its minute. */
  at: Date
  /** A bare UUID; null: the page, or all files as one ZIP file. */
  file_id: string | null
  filename: string | null
  reason: RefusedReason
  /** How many attempts this minute had for this reason. */
  times: number
  address: string
  agent: string
}

const MAX_MESSAGES = 20
const MAX_DOWNLOADS = 50

/** The delivery with this bare UUID, or null. */
export async function readDelivery(
  scope: ShopScope,
  id: string,
  now: Date,
): Promise<DeliveryDetail | null> {
  const [summary] = await scope.query<DeliverySummary>(
    `${SUMMARY} where d.shop_id = :shop and d.id = :id`,
    { id },
  )
  if (!summary) return null
  const { link_id: link, order_id: order } = summary
  const [file_list, lines, messages, ...lists] = await Promise.all([
    listFiles(scope, { id, link }, now),
    listLines(scope, { id, order }),
    listMessages(scope, id),
    listDownloads(scope, link),
    listRefused(scope, link),
    listViews(scope, link),
    listOpenings(scope, link),
  ])
  const [download_list, refused_list, view_list, opening_list] = lists
  return {
    ...summary,
    file_list,
    lines,
    messages,
    download_list,
    refused_list,
    view_list,
    opening_list,
  }
}

async function listFiles(
  scope: ShopScope,
  page: { id: string; link: string },
  now: Date,
): Promise<DeliveryFile[]> {
  const files = await scope.query<
    LinkFacts &
      ViewFacts &
      Omit<DeliveryFile, 'status'> & { withdrawn: boolean; content_type: string }
  >(
    `select f.id as file_id, f.filename, f.size_bytes, l.ends_at as expires_at, l.available_at,
       l.use_hours, l.first_used_at, ${tagProblemOf('l')} as tag_problem,
       case when l.needs_tag then ${requiredTag('l')} end as customer_tag, ${askOf('l', 'g')} as asks,
       l.download_limit, l.downloads, l.view_limit, l.views, l.view_expires_at, f.view, f.content_type, ${VIEW_FACTS},
       l.last_download_at,
       exists (select from prepared_files w where w.shop_id = l.shop_id and w.link_id = l.id
         and (w.status = 'waiting' or w.stale and w.hash is null)) as preparing,
       l.revoked_at, f.deleted_at, ${MAPPING_STATE} as mapping_state,
       coalesce((select bool_and(df.withdrawn) from delivery_files df
         where df.shop_id = l.shop_id and df.delivery_id = :id and df.file_id = f.id),
           false) as withdrawn,
       exists (select from delivery_files df where df.shop_id = l.shop_id
         and df.delivery_id = :id and df.file_id = f.id and df.line_id = '${NO_LINE}') as added
     from links l join files f on f.shop_id = l.shop_id and f.id = l.file_id
     join links g on g.shop_id = l.shop_id and g.id = l.parent_id
     join deliveries d on d.shop_id = l.shop_id and d.id = :id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where l.shop_id = :shop and l.parent_id = :link order by ${placeIn(':id')}, f.filename`,
    page,
  )
  return files.map(({ withdrawn, content_type: contentType, ...row }) => {
    const status = shownStatus(row, now)
    // Revoked because of the order, not by the merchant.
    const view = effectiveView({ view: row.view, contentType })
    return { ...row, view, status: withdrawn && status === 'revoked' ? 'withdrawn' : status }
  })
}

const listLines = (
  scope: ShopScope,
  delivery: { id: string; order: string },
): Promise<DeliveryDetail['lines']> =>
  scope.query<DeliveryDetail['lines'][number]>(
    `select l.id as line_id, l.title, l.sku, l.quantity, l.entitled,
       (select count(*)::int from delivery_files df where df.shop_id = l.shop_id
          and df.delivery_id = :id
          and df.line_id = l.id and not df.withdrawn) as files
     from order_lines l where l.shop_id = :shop and l.order_id = :order order by l.position`,
    delivery,
  )

/** Newest first. An email that waits goes to the current address. */
const listMessages = (scope: ShopScope, id: string): Promise<DeliveryDetail['messages']> =>
  scope.query<DeliveryDetail['messages'][number]>(
    `select m.id, m.kind, case when m.kind = 'email' and m.status = 'waiting'
         then to_jsonb(array_remove(array[coalesce(d.email, o.email)], null))
         else coalesce(m.result -> 'to', '[]') end as to,
      coalesce(m.result ->> 'subject', '') as subject, m.status,
       ${KEPT} as kept, m.error, m.error_text, m.created_at, m.sent_at,
       case when m.status = 'waiting' and m.due_at > now() then m.due_at end as due_at
     from outbox m join deliveries d on d.shop_id = :shop and d.id = :id::uuid
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     where m.shop_id = :shop and m.payload ->> 'delivery' = :id::text
     order by m.id desc limit :limit`,
    { id, limit: MAX_MESSAGES },
  )

/** Newest first. */
async function listDownloads(
  scope: ShopScope,
  link: string,
): Promise<DeliveryDetail['download_list']> {
  const first = await scope.one<{ created_at: Date | null }>(
    'select min(created_at) as created_at from links where shop_id = :shop and parent_id = :link',
    { link },
  )
  if (!first.created_at) return []
  return scope.query<DeliveryDetail['download_list'][number]>(
    `select w.at, w.file_id, f.filename, w.address, w.agent
     from links l join downloads w on w.shop_id = l.shop_id and w.file_id = l.file_id
       and w.link_id = l.id and w.id >= :since
     join files f on f.shop_id = l.shop_id and f.id = l.file_id
     where l.shop_id = :shop and l.parent_id = :link order by w.at desc limit :limit`,
    { link, limit: MAX_DOWNLOADS, since: firstIdSince(first.created_at) },
  )
}

/** Newest first. */
const listViews = (scope: ShopScope, link: string): Promise<ShownView[]> =>
  scope.query<ShownView>(
    `select v.at, v.file_id, f.filename, v.address, v.agent
     from links l join file_views v on v.shop_id = l.shop_id and v.link_id = l.id
     join files f on f.shop_id = v.shop_id and f.id = v.file_id
     where l.shop_id = :shop and l.parent_id = :link order by v.at desc limit :limit`,
    { link, limit: MAX_DOWNLOADS },
  )

/** Newest first. */
export const listRefused = (scope: ShopScope, link: string): Promise<RefusedDownload[]> =>
  scope.query<RefusedDownload>(
    `select r.at, r.file_id, f.filename, r.reason, r.times, r.address, r.agent
     from links l join refused_downloads r on r.shop_id = l.shop_id and r.link_id = l.id
     left join files f on f.shop_id = r.shop_id and f.id = r.file_id
     where l.shop_id = :shop and (l.id = :link or l.parent_id = :link)
     order by r.at desc limit :limit`,
    { link, limit: MAX_DOWNLOADS },
  )
