// Decides from an order's state what its buyer is entitled to. What was paid stays: a line that
// entitled its buyer keeps doing so until it is refunded or removed, or the order is cancelled,
// refunded or voided. An edit that leaves a balance concerns only the lines that it adds, also in an
// order that is first seen after the edit.
import { ownValue } from '../../../plugins/contract/index.ts'
import type { ShopDefaults } from '../../files/shop-settings.ts'
import type { PlatformLine, PlatformOrder } from '../../storefront/orders.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { linkEnds } from '../links/model/links.ts'

type Settings = Pick<ShopDefaults, 'deliver_on' | 'hold_risky_orders'>

/** The money is returned, or never came. */
const LOST = ['REFUNDED', 'VOIDED', 'EXPIRED']
const RISKY = ['CANCEL', 'INVESTIGATE']

type PaidState = Pick<
  PlatformOrder,
  'cancelled_at' | 'financial_status' | 'fully_paid' | 'paid_units'
>

/** Is all of the order paid as the shop requires? */
export function isWholePaid(
  { financial_status: status, fully_paid }: PaidState,
  settings: Settings,
): boolean {
  if (status === 'PAID') return true
  // The amounts decide, because these statuses do not say whether an edit has left a balance.
  if (status === 'PARTIALLY_REFUNDED' || status === 'PARTIALLY_PAID') return fully_paid
  return status === 'AUTHORIZED' && settings.deliver_on === 'authorized'
}

/** @param before whether the line entitled the buyer in the order's last known state */
export function isEntitled(
  order: PaidState,
  line: Pick<PlatformLine, 'id' | 'quantity'>,
  settings: Settings,
  before: boolean,
): boolean {
  if (line.quantity < 1 || order.cancelled_at !== null) return false
  if (LOST.includes(order.financial_status ?? '')) return false
  return before || isWholePaid(order, settings) || ownValue(order.paid_units, line.id) !== undefined
}

/**
 * The units of a line that its buyer has paid for: those that an edit adds wait for the payment of its
 * balance.
 * @param before the units that entitled the buyer in the order's last known state
 */
export function paidUnits(
  order: PaidState,
  { id, quantity }: Pick<PlatformLine, 'id' | 'quantity'>,
  settings: Settings,
  before: number | undefined,
): number {
  const paid = ownValue(order.paid_units, id)
  // A line that was never paid entitles to nothing, and keeps its units.
  if (isWholePaid(order, settings) || (before === undefined && paid === undefined)) return quantity
  return Math.min(quantity, Math.max(before ?? 0, paid ?? 0))
}

/**
 * SQL: the order `o` still entitles its buyer to files that the shop added to it: it is neither
 * cancelled nor refunded, and has a unit left.
 */
export const ORDER_ENTITLES = `(o.cancelled_at is null
  and coalesce(o.financial_status, '') <> all('{${LOST.join()}}')
  and exists (select from order_lines u where u.shop_id = o.shop_id and u.order_id = o.id
    and u.quantity > 0))`

/** Does the platform advise against the order? */
export const isRisky = (
  { recommendation }: Pick<PlatformOrder, 'recommendation'>,
  settings: Settings,
): boolean => settings.hold_risky_orders && RISKY.includes(recommendation)

export const DELIVERY_STATUSES = ['ready', 'held', 'withdrawn', 'revoked'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export interface DeliveryFacts {
  revoked_at: Date | null
  withdrawn_at: Date | null
  /** `workflow`: the shop's workflow has not prepared its files. */
  held_by: 'risk' | 'merchant' | 'workflow' | null
}

/** The merchant's decisions take precedence over the order's state, and that over a hold. */
export function statusOf({ revoked_at, withdrawn_at, held_by }: DeliveryFacts): DeliveryStatus {
  if (revoked_at) return 'revoked'
  if (withdrawn_at) return 'withdrawn'
  return held_by ? 'held' : 'ready'
}

/** The status as the buyer sees it: a hold by the workflow is shown as preparation. */
export type BuyerStatus = DeliveryStatus | 'preparing'
export const buyerStatusOf = (facts: DeliveryFacts): BuyerStatus => {
  const status = statusOf(facts)
  return status === 'held' && facts.held_by === 'workflow' ? 'preparing' : status
}

/** SQL of `statusOf`, for a row `d` of deliveries. */
export const STATUS_SQL = `case when d.revoked_at is not null then 'revoked'
  when d.withdrawn_at is not null then 'withdrawn' when d.held_by is not null then 'held'
    else 'ready' end`

/** SQL of `buyerStatusOf`. */
export const BUYER_STATUS_SQL = `case when d.revoked_at is null and d.withdrawn_at is null
  and d.held_by = 'workflow'
  then 'preparing' else ${STATUS_SQL} end`

/**
 * SQL: why a link `c` under a delivery's page downloads or views nothing. A file may have several of
 * these reasons.
 */
const LINK_BLOCKS = {
  ...linkEnds('now()'),
  /** The workflow could not prepare it. */
  not_prepared: `exists (select from prepared_files w join delivery_runs r on r.shop_id = w.shop_id
    and r.delivery_id = w.delivery_id and r.status = 'failed'
    where w.shop_id = c.shop_id and w.link_id = c.id and w.status = 'waiting')`,
} as const
export type LinkBlock = keyof typeof LINK_BLOCKS

/** SQL: of the links `c` under a delivery's page, those of files that have this reason. */
export const linkBlocked = (block: LinkBlock): string =>
  `c.file_id is not null and c.revoked_at is null and ${LINK_BLOCKS[block]}`

/** SQL: of the links `c` under a delivery's page, those that download or view nothing. */
export const BLOCKED_LINK = `c.file_id is not null and c.revoked_at is null
  and (${Object.values(LINK_BLOCKS).join(' or ')})`

/**
 * SQL after `from`: links `c` under pages, with all that LINK_BLOCKS selects, by the indexes that find
 * them. The condition must be tested again.
 */
const MAYBE_BLOCKED = [
  `used_up_links u join links c on c.shop_id = u.shop_id and c.id = u.link_id
   where u.shop_id = :shop and u.parent_id is not null`,
  `links c where c.shop_id = :shop and c.parent_id is not null
   and c.expires_at <= now() and c.revoked_at is null`,
  `links c where c.shop_id = :shop and c.parent_id is not null
   and c.first_used_at is not null and c.use_hours is not null`,
  `links c where c.shop_id = :shop and c.parent_id is not null and c.views >= c.view_limit`,
  `links c where c.shop_id = :shop and c.parent_id is not null
   and c.view_expires_at <= now() and c.revoked_at is null`,
  `prepared_files w join links c on c.shop_id = w.shop_id and c.id = w.link_id
   where w.shop_id = :shop and w.status = 'waiting' and c.parent_id is not null`,
].map(
  (from) => `select c.shop_id, c.id, c.parent_id, c.file_id, c.revoked_at, c.downloads,
    c.download_limit, c.ends_at, c.views, c.view_limit, c.view_expires_at, c.views_end_at
    from ${from}`,
)
/** If there are more of these links, the deliveries are read one by one: many of them match. */
const FEW_BLOCKED = 5000

/**
 * SQL after `from`: the ready deliveries `d` with a link that downloads nothing, each once. `offset 0`
 * prevents the planner from beginning with the deliveries.
 */
export const BLOCKED_DELIVERIES = `(
  with blocked as materialized (
    select c.parent_id from (${MAYBE_BLOCKED.join(' union all ')} offset 0) c
    where ${BLOCKED_LINK} limit ${FEW_BLOCKED})
  select d.id from (select distinct parent_id from blocked offset 0) c
  join links p on p.shop_id = :shop and p.id = c.parent_id
  join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
  where (select count(*) from blocked) < ${FEW_BLOCKED} and ${STATUS_SQL} = 'ready'
  union all
  select d.id from deliveries d
  join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
  where (select count(*) from blocked) >= ${FEW_BLOCKED}
    and d.shop_id = :shop and ${STATUS_SQL} = 'ready' and exists (select from links c
      where c.shop_id = p.shop_id and c.parent_id = p.id and ${BLOCKED_LINK})) d`

/** The shop sends texts: the platform's own messages are not sent instead. */
export const textsBuyers = ({
  text_buyers,
  delivery_mail,
}: Pick<ShopDefaults, 'text_buyers' | 'delivery_mail'>): boolean =>
  text_buyers && delivery_mail === 'own'

// Products that sell as downloads and have no file: nobody delivers anything to their buyers, and
// orders without a file are not stored, so the products are noted when an order is reconciled.

/** Products in one list. */
const MAX_PRODUCTS = 100
const LISTED_DAYS = 90

export interface UnfiledProduct {
  product_id: string
  title: string
  last_sold_at: Date
}

export interface SoldLine {
  line: PlatformLine
  sold_at: Date
}

/**
 * Notes the products of lines that gave their buyers no file. Lines that need shipping are no
 * downloads; the file of a bundle's component may belong to the bundle. A product is written at most
 * once an hour, so that orders do not wait for each other.
 */
export async function noteUnfiled(tx: ShopScope, sold: readonly SoldLine[]): Promise<void> {
  const rows = sold.flatMap(({ line: { product_id, title, requires_shipping, bundle }, sold_at }) =>
    product_id === null || requires_shipping || bundle ? [] : [{ product_id, title, sold_at }],
  )
  if (rows.length === 0) return
  await tx.query(
    `with given as (
       select product_id, max(title) as title, max(sold_at) as sold_at
       from jsonb_to_recordset(:rows::jsonb) as g (product_id text, title text,
         sold_at timestamptz) group by product_id)
     insert into unfiled_products (shop_id, product_id, title, last_sold_at)
     select :shop, g.product_id, g.title, g.sold_at from given g
     where not exists (select from unfiled_products u where u.shop_id = :shop
       and u.product_id = g.product_id and u.last_sold_at > g.sold_at - interval '1 hour')
     order by g.product_id
     on conflict (shop_id, product_id) do update set title = excluded.title,
       last_sold_at = greatest(unfiled_products.last_sold_at, excluded.last_sold_at)`,
    { rows: JSON.stringify(rows) },
  )
}

/** SQL after `from`: those that still have no file and were sold lately. */
export const UNFILED_PRODUCTS = `unfiled_products u where u.shop_id = :shop and not u.dismissed
  and u.last_sold_at > now() - interval '${LISTED_DAYS} days'
  and not exists (select from mappings m join files f on f.shop_id = m.shop_id and f.id = m.file_id
    and f.deleted_at is null where m.shop_id = u.shop_id and m.product_id = u.product_id)`

/** The latest sale first. */
export const listUnfiled = (scope: ShopScope): Promise<UnfiledProduct[]> =>
  scope.query<UnfiledProduct>(
    `select u.product_id, u.title, u.last_sold_at from ${UNFILED_PRODUCTS}
     order by u.last_sold_at desc, u.product_id limit ${MAX_PRODUCTS}`,
  )

export const dismissUnfiled = (
  scope: ShopScope,
  product: string,
  dismissed: boolean,
): Promise<unknown> =>
  scope.query(
    `update unfiled_products set dismissed = :dismissed
     where shop_id = :shop and product_id = :product`,
    { product, dismissed },
  )
