// Buyers' links, read with their keys, and the status of each.
import { type FileSettings, shownAsk } from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { effectiveViewOf, viewedOnly, offersView } from '../../../files/view-kinds.ts'

// What a link asks before its file can be had: the buyer's email address, or a password.

export const ASKS_NOTHING = 'nothing'

/**
 * SQL: what the link `l` asks for before a download of the file `f`: `nothing`, `email`, or the hash
 * of a password. The link's own choice wins over that of its parent `p`, and both over the file's.
 */
export const askOf = (l: string, p: string): string => askWithin(l, `${p}.ask_for`)

/** SQL: the same, with the value of its parent. */
export const askWithin = (l: string, ofParent: string): string =>
  `coalesce(${l}.ask_for, ${ofParent}, f.ask_for, '${ASKS_NOTHING}')`

/** A question that must be answered before a download. */
export interface Gate {
  /** `email`, or the hash of a password. */
  asks: string
  /**
   * The link with which one answer opens all links that ask the same: the page of a delivery or a
   * pack, or the link itself. A bare UUID.
   */
  root: string
  /** The address that is the right answer; null: any, which is recorded. */
  email: string | null
}

/** Null: nothing is asked for. */
export const gateOf = (asks: string, root: string, email: string | null): Gate | null =>
  asks === ASKS_NOTHING ? null : { asks, root, email }

export const asksForPassword = (asks: string): boolean => asks !== 'email'

/** Of a value of `askOf`: without the hash. Null: it asks for nothing. */
export const shownAskOf = (asks: string): 'email' | 'password' | null =>
  asks === ASKS_NOTHING ? null : shownAsk(asks)

/**
 * Not released: the file becomes available later. Withdrawn: the file is in the trash, or lost its
 * last product.
 */
export const LINK_STATUSES = [
  'active',
  'not_released',
  'expired',
  'exhausted',
  'revoked',
  'withdrawn',
] as const
export type LinkStatus = (typeof LINK_STATUSES)[number]

/**
 * A link of a file, or of a pack: when a buyer opens a pack's link, its files get their own links
 * under it. The link of a deleted pack has neither id.
 */
export interface Link {
  /** A bare UUID, like the other two. */
  id: string
  file_id: string | null
  pack_id: string | null
  /** The name of the file or the pack. */
  name: string
  /** The buyer's secret: show it only to callers with `links:write`. */
  key: string
  email: string | null
  expires_at: Date | null
  /** Null: it could be used when it was created. */
  available_at: Date | null
  use_hours: number | null
  first_used_at: Date | null
  download_limit: number | null
  downloads: number
  /** What the buyer may do with the file now (`effectiveView`); null: a pack's link. */
  view: FileSettings['view'] | null
  view_limit: number | null
  /** Those that were counted: a link without a limit counts none. */
  views: number
  /** When it can be viewed no longer, unless that is when it expires; null: then. */
  view_expires_at: Date | null
  /** What it asks for (`askOf`). */
  asks: string
  status: LinkStatus
  created_at: Date
}

/**
 * The facts that decide a link's status, as far as its downloads are concerned. Dates, or other values that compare like dates. */
export interface LinkFacts {
  revoked_at: Date | null
  expires_at: Date | null
  available_at: Date | null
  download_limit: number | null
  downloads: number
  deleted_at: Date | null
  mapping_state: string
}

/** What decides instead of downloads for a file that is only viewed. */
export interface ViewFacts {
  /** `isViewOnly` */
  viewed_only: boolean
  view_limit: number | null
  views: number
  views_end_at: Date | null
}

/** A link as returned by a query with LINK_COLUMNS. */
export interface LinkRow extends LinkFacts, ViewFacts {
  created_at: Date
  id: string
  file_id: string | null
  pack_id: string | null
  name: string
  rotation: number
  key_hash: Buffer
  email: string | null
  use_hours: number | null
  first_used_at: Date | null
  view: FileSettings['view'] | null
  view_expires_at: Date | null
  asks: string
}

/** SQL of `ViewFacts`, except of what its link `l` counts. */
export const VIEW_FACTS = `l.views_end_at, coalesce(${viewedOnly('f')}, false) as viewed_only`

/** Of a link `l` and its file `f`: a paid link keeps working when its file loses its products. */
export const MAPPING_STATE = `case when l.paid
  and (select keep_paid from shops where id = l.shop_id) then 'never'
  else coalesce(f.mapping_state, 'never') end`

const ASKS = askWithin(
  'l',
  `(select own.ask_for from links own where own.shop_id = l.shop_id and own.id = l.parent_id)`,
)

/** Of a row `l` with its file `f` or its pack `p`, as LINK_TABLES joins them. */
export const LINK_COLUMNS = `l.id, l.file_id, l.pack_id, coalesce(f.filename, p.name, l.pack_name) as name, l.rotation, l.key_hash, l.email, l.revoked_at,
  l.ends_at as expires_at, l.available_at, l.use_hours, l.first_used_at, l.download_limit,
  l.downloads, case when f.id is not null then ${effectiveViewOf('f')} end as view,
  l.view_limit, l.views, l.view_expires_at, ${VIEW_FACTS}, l.created_at, ${ASKS} as asks, f.deleted_at, ${MAPPING_STATE} as mapping_state`
export const LINK_TABLES = `links l
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join packs p on p.shop_id = l.shop_id and p.id = l.pack_id`

export function linkStatus(link: LinkFacts, now: Date): LinkStatus {
  if (link.revoked_at) return 'revoked'
  if (link.deleted_at || link.mapping_state === 'unmapped') return 'withdrawn'
  if (link.available_at && link.available_at > now) return 'not_released'
  if (link.expires_at && link.expires_at <= now) return 'expired'
  if (link.download_limit !== null && link.downloads >= link.download_limit) return 'exhausted'
  return 'active'
}

/** The status of a link as merchants see it: of a file that is only viewed, its views decide. */
export const shownStatus = (link: LinkFacts & ViewFacts, now: Date): LinkStatus =>
  linkStatus(
    link.viewed_only
      ? {
          ...link,
          expires_at: link.views_end_at,
          download_limit: link.view_limit,
          downloads: link.views,
        }
      : link,
    now,
  )

/** The existing links of `ids` (bare UUIDs), in that order. */
export async function readLinks(
  scope: ShopScope,
  secrets: Secrets,
  ids: readonly string[],
  now: Date,
): Promise<readonly Link[]> {
  if (ids.length === 0) return []
  const rows = await scope.query<LinkRow>(
    `select ${LINK_COLUMNS} from ${LINK_TABLES} where l.shop_id = :shop
      and l.id = any(:ids::uuid[])`,
    { ids },
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = found.get(id)
    return row ? [linkOf(row, secrets, now)] : []
  })
}

export function linkOf(row: LinkRow, secrets: Secrets, now: Date): Link {
  const { id, file_id, pack_id, name, email, download_limit, downloads, created_at } = row
  const { expires_at, available_at, use_hours, first_used_at, asks } = row
  const { view, view_limit, views, view_expires_at } = row
  const key = secrets.linkKey(id, row.rotation, row.key_hash)
  const status = shownStatus(row, now)
  return {
    id,
    file_id,
    pack_id,
    name,
    key,
    email,
    expires_at,
    available_at,
    use_hours,
    first_used_at,
    download_limit,
    downloads,
    view,
    view_limit,
    views,
    view_expires_at,
    asks,
    status,
    created_at,
  }
}

/** The address that a buyer opens. */
export const linkAddress = (baseUrl: string, key: string): string =>
  `${baseUrl}/download?key=${key}`

/** The address in a mail: a page with a button, because programs read mails before people do. */
export const pageAddress = (baseUrl: string, key: string): string =>
  `${linkAddress(baseUrl, key)}&page=1`

// SQL of the terms of time: when a file becomes available through a link, and whether its customer
// has the tag that the file requires.

/**
 * SQL: when the file `f` becomes available to a buyer who bought at `bought`. Null: its file has no
 * such term. `s` is the shop's row.
 */
const releaseOf = (bought: string): string => `greatest(
    f.available_from::timestamp at time zone coalesce(s.settings ->> 'time_zone', 'UTC'),
    ${bought} + f.available_after_days * interval '24 hours')`

/** SQL: the same if it is after `now`; null: the file is available already. */
export const laterReleaseOf = (bought: string, now: string): string =>
  `nullif(greatest(${releaseOf(bought)}, ${now}), ${now})`

/** SQL: the tag that the link `l` requires, if it needs one: that of one buyer, or the file's. */
export const requiredTag = (l: string): string => `coalesce(${l}.own_tag, f.customer_tag)`

/** SQL: a customer `o.customer_id` has the tag that the link `l` requires. */
const hasTag = (l: string): string => `exists (select from customer_tags g
  where g.shop_id = o.shop_id and g.customer_id = o.customer_id
    and lower(${requiredTag(l)}) = any(g.tags))`

/** SQL: the file `f` may be had through the link `l` under a delivery's page, as for its tag. */
export const tagAllows = (l: string): string => `(not ${l}.needs_tag or ${requiredTag(l)} is null
  or exists (select from links page
    join deliveries d on d.shop_id = page.shop_id and d.id = page.delivery_id
    join orders o on o.shop_id = d.shop_id and o.id = d.order_id
    where page.shop_id = ${l}.shop_id and page.id = ${l}.parent_id and ${hasTag(l)}))`

/** Why a customer tag closes a file to its buyer; null: it does not. */
export type TagProblem = 'missing' | 'guest'

/** SQL: `TagProblem` of the file `f` and its link `l` under the delivery of the order `o`. */
export const tagProblemOf = (l: string): string => `case
  when ${l}.needs_tag and ${requiredTag(l)} is not null then
    case when o.customer_id is null then 'guest' when not ${hasTag(l)} then 'missing' end end`

// SQL: which links no longer give their buyers what their files offer.

/** SQL: when a link `l` of the file `f` ends; of a file that is only viewed, its views. */
export const usableUntil = (l: string, f: string): string =>
  `case when ${viewedOnly(f)} then ${l}.views_end_at else ${l}.ends_at end`

/** SQL: this holds for the file `u` of a link `c`. */
const ofFile = (condition: string) => `exists (select from files u
    where u.shop_id = c.shop_id and u.id = c.file_id and ${condition})`
const VIEWED_ONLY = ofFile(viewedOnly('u'))
const OFFERS_VIEW = ofFile(offersView('u'))

/** SQL: why the downloads or the views of a link `c` of a file have ended at this time. */
export const linkEnds = (now: string) => ({
  used_up: `c.downloads >= c.download_limit and not ${VIEWED_ONLY}`,
  expired: `c.ends_at <= ${now} and not ${VIEWED_ONLY}`,
  views_used_up: `c.views >= c.view_limit and ${OFFERS_VIEW}`,
  // A file that is only viewed may be viewed for longer than its link is valid.
  views_expired: `(c.view_expires_at <= ${now} and ${OFFERS_VIEW}
    or c.views_end_at <= ${now} and ${VIEWED_ONLY})`,
})

/** SQL: the file `f` of a link `l` can neither be downloaded nor viewed any more. */
export const unusable = (l: string, f: string): string => {
  const viewEnded = `coalesce(${l}.views_end_at <= now() or ${l}.views >= ${l}.view_limit, false)`
  const ended = `coalesce(${l}.ends_at <= now() or ${l}.downloads >= ${l}.download_limit, false)`
  return `(${viewEnded} or not ${offersView(f)}) and (${ended} or ${viewedOnly(f)})`
}

/** SQL: a link `c` was not revoked, and its file can no longer be downloaded or viewed as offered. */
export const linkEnded = (now: string): string =>
  `c.file_id is not null and c.revoked_at is null and (${Object.values(linkEnds(now)).join(' or ')})`
