// Looks up a link, whether or not it may be used: for requests that need more than the whole file,
// and for the pages that say why it may not.
import { hashKey } from '../../../core/secrets.ts'
import {
  type LinkFacts,
  tagProblemOf,
  type TagProblem,
  askOf,
  gateOf,
  type Gate,
} from '../../links/model/links.ts'
import { packViewsEnd } from '../../links/model/pack-links.ts'
import type { PageLook, PageLooks } from '../look.ts'
import {
  LINK_BYTES,
  TARGET,
  TARGET_LENGTH,
  linkTargetOf,
  type Asker,
  type LinkTarget,
  type Query,
} from '../targets.ts'
import { runningView } from '../viewers.ts'
import { findSession, runningSession } from './session-sql.ts'
import { foundSession, mayRestart, type FoundSession } from './sessions.ts'
import { isInPack } from '../../../files/pack-places.ts'

/**
 * `delayed`: its workflow failed, and the shop was notified. `withdrawn`: for a reason that is not
 * in this list.
 */
export type DeliveryBlock =
  | 'held'
  | 'preparing'
  | 'delayed'
  | 'refused'
  | 'cancelled'
  | 'refunded'
  | 'partlyRefunded'
  | 'withdrawn'

/**
 * A link's state, whether or not it may be used. `deleted_at` and `mapping_state` are those of its
 * file; a pack's link has no file.
 */
export interface KnownLink extends LinkFacts {
  shop: number
  link: string
  /** The link's file; null for the link of a pack or a delivery. */
  target: LinkTarget | null
  /** The pack's name, also after the pack was deleted, or the order's. Null: a file's link. */
  pack: { name: string } | null
  shopName: string
  shopDomain: string
  /** How the shop's pages look. */
  look: PageLook
  uninstalled: boolean
  /** The delivery whose page it is, a bare UUID. Null: any other link. */
  delivery: string | null
  /** Why its delivery is not ready. Null: it is ready, or the link belongs to no delivery. */
  blocked: DeliveryBlock | null
  /** The language of the delivery's buyer. */
  locale: string | null
  /** The link belongs to a pack's link that was revoked, or to a pack that its file has left. */
  out: boolean
  /** The sites that may lead to the file; empty: any. */
  referrers: readonly string[]
  /** When its holder last asked the shop for more. */
  asked_at: Date | null
  /** Hours from the first use after which it expires. Null: none. */
  use_hours: number | null
  first_used_at: Date | null
  /** When that has ended; null: it has not begun, or has no such end. */
  use_ends_at: Date | null
  view_limit: number | null
  /** Views that were counted. */
  views: number
  /** When the link can be viewed no longer; null: always. */
  views_end_at: Date | null
  /** The same, if it was set apart from the link's expiry. */
  view_expires_at: Date | null
  /** When the running session of this request's browser ends; null: it has none. */
  viewing: Date | null
  /** The file requires a customer tag that this buyer does not have. */
  tagProblem: TagProblem | null
  /** What it asks before it can be used; null: nothing. */
  gate: Gate | null
  /** The session that this request may continue; null: none. */
  session: FoundSession | null
  /** The file, or the buyer's own copy, has been the same since the link was made. */
  steady: boolean
  /** The link is used up by a running transfer that this request may continue when it has ended. */
  running: boolean
}

const BLOCKED = `case
    when d.revoked_at is not null then 'refused'
    when d.withdrawn_at is not null and o.cancelled_at is not null then 'cancelled'
    when d.withdrawn_at is not null and o.financial_status = 'REFUNDED' then 'refunded'
    when d.withdrawn_at is not null and o.financial_status = 'PARTIALLY_REFUNDED'
      then 'partlyRefunded'
    when d.withdrawn_at is not null then 'withdrawn'
    when d.held_by <> 'workflow' then 'held'
    when d.held_by is not null then (
      select case r.status when 'failed' then 'delayed' else 'preparing' end from delivery_runs r
      where r.shop_id = d.shop_id and r.delivery_id = d.id)
  end`
const REQUEST = {
  link: 'l.id',
  client: '$2',
  now: '$3::timestamptz',
  network: '$4',
  offset: '$5::bigint',
  whole: '$6::boolean',
  shared: 'l.download_limit is not null',
}
/** What is read of a link beside its file, by the name that it has in a row. */
const COLUMNS = {
  shop: 'l.shop_id',
  link: 'l.id',
  packName: `coalesce(k.name, l.pack_name, case when l.delivery_id is not null then o.name end)`,
  shopName: 's.name',
  shopDomain: 's.domain',
  uninstalled: 's.uninstalled_at is not null',
  out: `l.parent_id is not null
    and (p.revoked_at is not null or not l.paid
      and not ${isInPack('l.shop_id', 'p.pack_id', 'l.file_id')})`,
  referrers: 'f.allowed_referrers',
  asked_at: 'l.asked_at',
  client: 'n.client',
  foundBy: 'n.found_by',
  owed: 'n.owes',
  bytesLeft: 'n.bytes_left',
  version: 'n.version',
  steady: `f.version_since <= l.created_at and not exists (select from prepared_files
    where shop_id = l.shop_id and link_id = l.id and hash is not null)`,
  running: `l.downloads >= l.download_limit and ${runningSession('download_sessions', REQUEST)}`,
  delivery: 'l.delivery_id',
  blocked: BLOCKED,
  locale: 'o.locale',
  use_hours: 'l.use_hours',
  first_used_at: 'l.first_used_at',
  use_ends_at: 'l.use_ends_at',
  tagProblem: tagProblemOf('l'),
  view_limit: 'l.view_limit',
  views: 'l.views',
  views_end_at: `case when l.parent_id is null or l.paid then l.views_end_at
    else ${packViewsEnd('l', 'p')} end`,
  view_expires_at: 'l.view_expires_at',
  viewing: runningView('$7', '$3'),
  asks: askOf('l', 'p'),
  root: 'coalesce(l.parent_id, l.id)',
  email: 'l.email',
  revoked_at: 'l.revoked_at',
  expires_at: `case when l.parent_id is null or l.paid then l.ends_at
    else least(p.expires_at, l.use_ends_at) end`,
  available_at: 'l.available_at',
  download_limit: 'l.download_limit',
  downloads: 'l.downloads',
  deleted_at: 'f.deleted_at',
  mapping_state: `case when l.paid and s.keep_paid then 'never'
    else coalesce(f.mapping_state, 'never') end`,
} as const
const NAMES = Object.keys(COLUMNS)
const LOOK_UP = `
  select ${TARGET}, ${Object.values(COLUMNS).join(', ')}
  from links l
  join shops s on s.id = l.shop_id
  left join files f on f.shop_id = l.shop_id and f.id = l.file_id
  left join ${LINK_BYTES} on true
  left join packs k on k.shop_id = l.shop_id and k.id = l.pack_id
  left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
  left join deliveries d on d.shop_id = l.shop_id and d.id = coalesce(l.delivery_id, p.delivery_id)
  left join orders o on o.shop_id = d.shop_id and o.id = d.order_id
  left join lateral (${findSession('download_sessions', REQUEST)}) n on true
  where l.key_hash = $1`

/** Reads the link of a key; null if no link has it. */
export async function readKnownLink(
  query: Query,
  looks: PageLooks,
  { key, client, now, offset = null, later = false, viewer = null }: Asker,
): Promise<KnownLink | null> {
  const values = [hashKey(key), client.hash, now, client.network, offset, !later, viewer]
  const { rows } = await query('look_up', LOOK_UP, values)
  if (!rows[0]) return null
  const link = linkRow(rows[0])
  return { ...link, look: await looks.of(link.shop) }
}

/** Can the whole file be sent from the link's session, without a count? */
export const isOwed = ({ session, target }: KnownLink): boolean =>
  target !== null && session !== null && mayRestart(session, target.size)

interface KnownRow extends Omit<
  KnownLink,
  'look' | 'target' | 'pack' | 'gate' | 'session' | 'running' | 'steady' | 'referrers'
> {
  packName: string | null
  referrers: string[] | null
  running: boolean | null
  steady: boolean | null
  version: Buffer | null
  client: Buffer | null
  foundBy: number
  owed: boolean
  bytesLeft: number
  asks: string
  root: string
  email: string | null
}

function linkRow(row: readonly unknown[]): Omit<KnownLink, 'look'> {
  const columns = row.slice(TARGET_LENGTH)
  const named = Object.fromEntries(NAMES.map((name, at) => [name, columns[at]])) as unknown
  const { packName, client, foundBy, owed, bytesLeft, version, asks, root, email, ...known } =
    named as KnownRow
  return {
    ...known,
    referrers: known.referrers ?? [],
    running: known.running === true,
    steady: known.steady === true,
    gate: gateOf(asks, root, email),
    session: client && foundSession([client, foundBy, owed, bytesLeft, version]),
    target: packName === null ? linkTargetOf(row, known.link) : null,
    pack: packName === null ? null : { name: packName },
  }
}
