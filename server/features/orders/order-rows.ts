// The rows of an order and its lines, updated to the platform's state. An order without a file is
// not stored, because unneeded data about buyers is not kept.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { PlatformLine, PlatformOrder } from '../../storefront/orders.ts'
import type { Secrets } from '../../core/secrets.ts'
import { normalPhone, openPhone, sealPhone } from './delivery-text.ts'

/** A file that an order's line gives to its buyer, with its current terms. */
export interface SoldFile {
  order_id: string
  line_id: string
  file_id: string
  expiry_days: number | null
  /** For one unit. */
  download_limit: number | null
  /** The line, or the bundle whose components give the same file together. */
  source: string
  /** Units of the source. */
  units: number
}

/** Locks the stored orders; returns by id when the reconciled state of each was written. */
export async function lockOrders(
  tx: ShopScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await tx.query<{ id: string; changed_at: Date }>(
    `select id, changed_at from orders where shop_id = :shop and id = any(:ids::text[])
     order by id for update`,
    { ids },
  )
  return new Map(rows.map(({ id, changed_at }) => [id, changed_at]))
}

/** Units of the lines that entitled their buyers in the last known state, by `order/line`. */
export type EntitledLines = ReadonlyMap<string, Pick<PlatformLine, 'quantity' | 'bundle'>>

export async function readEntitledLines(
  tx: ShopScope,
  orders: readonly string[],
): Promise<EntitledLines> {
  const rows = await tx.query<
    { order_id: string; id: string } & Pick<PlatformLine, 'quantity' | 'bundle'>
  >(
    `select order_id, id, quantity, bundle from order_lines
     where shop_id = :shop and order_id = any(:orders::text[]) and entitled`,
    { orders },
  )
  return new Map(rows.map(({ order_id, id, ...units }) => [`${order_id}/${id}`, units]))
}

/** What a line gives to its buyer: its product, and the bundle that it is a component of. */
interface Sold {
  order: string
  line: string
  product: string
  variant: string | null
  /** Units are counted once for each: all components of a bundle are one source. */
  source: string
  units: number
}

const soldBy = (order: string, line: PlatformLine): Sold[] => {
  const { id, product_id, variant_id, quantity, bundle } = line
  const own = { product: product_id, variant: variant_id, source: id, units: quantity }
  const whole = bundle && {
    product: bundle.product_id,
    variant: bundle.variant_id,
    source: bundle.id,
    units: bundle.quantity,
  }
  return [own, ...(whole ? [whole] : [])].flatMap((one) =>
    one.product === null ? [] : [{ ...one, product: one.product, order, line: id }],
  )
}

/**
 * The files, trash excluded, that the lines' products or variants are mapped to, or those of their
 * bundles: a file of a bundle is delivered while the order has one of its components.
 */
export async function filesOfOrders(
  tx: ShopScope,
  orders: readonly Pick<PlatformOrder, 'id' | 'lines'>[],
): Promise<readonly SoldFile[]> {
  const sold = orders.flatMap(({ id, lines }) => lines.flatMap((line) => soldBy(id, line)))
  if (sold.length === 0) return []
  return tx.query<SoldFile>(
    `select distinct on (w.order_id, w.line_id, f.id) w.order_id, w.line_id, w.source, w.units,
       f.id as file_id, f.expiry_days, f.download_limit
     from unnest(:orders::text[], :ids::text[], :products::text[], :variants::text[],
       :sources::text[], :units::int[])
       as w (order_id, line_id, product_id, variant_id, source, units)
     join mappings m on m.shop_id = :shop and m.product_id = w.product_id
       and (m.variant_id = '' or m.variant_id = w.variant_id)
     join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
     order by w.order_id, w.line_id, f.id, w.source`,
    {
      orders: sold.map(({ order }) => order),
      ids: sold.map(({ line }) => line),
      products: sold.map(({ product }) => product),
      variants: sold.map(({ variant }) => variant),
      sources: sold.map(({ source }) => source),
      units: sold.map(({ units }) => units),
    },
  )
}

export interface JudgedOrder {
  order: PlatformOrder
  /** Ids of the lines that entitle the buyer. */
  entitled: ReadonlySet<string>
}

export async function writeOrders(tx: ShopScope, judged: readonly JudgedOrder[]): Promise<void> {
  if (judged.length === 0) return
  await tx.query(
    `insert into orders (shop_id, id, name, confirmation_number, email, locale, customer_id,
       customer_name, financial_status, cancelled_at, recommendation, ordered_at, changed_at)
     select :shop, id, name, confirmation_number, email, locale, customer_id, customer_name,
       financial_status, cancelled_at, recommendation, created_at, updated_at
     from jsonb_to_recordset(:orders::jsonb) as g (id text, name text, confirmation_number text,
       email text, locale text, customer_id text, customer_name text, financial_status text,
       cancelled_at timestamptz,
       recommendation text, created_at timestamptz, updated_at timestamptz)
     order by id
     on conflict (shop_id, id) do update set (name, confirmation_number, email, locale, customer_id,
       customer_name, financial_status, cancelled_at, recommendation, changed_at, reconciled_at) =
       row(excluded.name, excluded.confirmation_number, excluded.email, excluded.locale,
         excluded.customer_id,
       excluded.customer_name, excluded.financial_status, excluded.cancelled_at,
       excluded.recommendation, excluded.changed_at, now())`,
    { orders: JSON.stringify(judged.map(({ order: { lines: _, phone: __, ...order } }) => order)) },
  )
  await writeLines(tx, judged)
  await followAddresses(
    tx,
    judged.map(({ order }) => order.id),
  )
}

/**
 * The links of files follow the address of their order, because lists of a buyer's links read only
 * links. Addresses that the merchant corrected stay.
 */
async function followAddresses(tx: ShopScope, orders: readonly string[]): Promise<void> {
  // One lookup by index after another: without statistics, as in the first minutes of a database, a
  // plan of joins compared all rows of the four tables with each other.
  await tx.query(
    `with given as materialized (
       select p.id, o.email from orders o
       cross join lateral (select d.id from deliveries d
         where d.shop_id = :shop and d.order_id = o.id and d.email is null offset 0) d
       cross join lateral (select p.id from links p
         where p.shop_id = :shop and p.delivery_id = d.id offset 0) p
       where o.shop_id = :shop and o.id = any(:orders::text[])
     ), wrong as materialized (
       select c.id, g.email from given g
       cross join lateral (select c.id from links c where c.shop_id = :shop and c.parent_id = g.id
         and c.email is distinct from g.email offset 0) c
     ), held as (
       select c.id, w.email from wrong w join links c on c.shop_id = :shop and c.id = w.id
       order by c.id for no key update of c
     )
     update links l set email = held.email from held where l.shop_id = :shop and l.id = held.id`,
    { orders },
  )
}

/** A line that the platform no longer lists loses its entitlement. */
async function writeLines(tx: ShopScope, judged: readonly JudgedOrder[]): Promise<void> {
  const rows = judged.flatMap(({ order, entitled }) =>
    order.lines.map((line, position) => ({
      order_id: order.id,
      id: line.id,
      position,
      title: line.title,
      sku: line.sku,
      product_id: line.product_id,
      variant_id: line.variant_id,
      quantity: line.quantity,
      bundle: line.bundle,
      entitled: entitled.has(line.id),
    })),
  )
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset(:rows::jsonb) as g (order_id text, id text, position int,
         title text, sku text, quantity int, product_id text, variant_id text, bundle jsonb,
         entitled boolean)
     ), gone as (
       update order_lines l set quantity = 0, entitled = false
       where shop_id = :shop and order_id = any(:orders::text[])
         and not exists (select from given g where g.order_id = l.order_id and g.id = l.id)
     )
     insert into order_lines (shop_id, order_id, id, position, title, sku, product_id, variant_id,
       bundle, quantity, entitled)
     select :shop, order_id, id, position, title, sku, product_id, variant_id, bundle, quantity,
       entitled from given
     order by order_id, id
     on conflict (shop_id, order_id, id) do update set (position, title, sku, product_id,
       variant_id, bundle, quantity, entitled) =
       row(excluded.position, excluded.title, excluded.sku, excluded.product_id,
         excluded.variant_id, excluded.bundle, excluded.quantity, excluded.entitled)`,
    { orders: judged.map(({ order }) => order.id), rows: JSON.stringify(rows) },
  )
}

// Phone numbers of buyers whose orders have no email address. They are kept only while a text may be sent
// to them: not beside an address, and not after the delivery has ended. docs/decisions/0078.

interface OrderPhone {
  id: string
  email: string | null
  phone: string | null
}

/**
 * Writes the numbers of orders with a delivery. Call it after the orders and their deliveries were
 * written.
 */
export async function writePhones(
  tx: ShopScope,
  secrets: Secrets,
  orders: readonly OrderPhone[],
): Promise<void> {
  const numbers = new Map(
    orders.flatMap(({ id, email, phone }) => {
      const number = email === null && phone !== null ? normalPhone(phone) : null
      return number === null ? [] : [[id, number] as const]
    }),
  )
  const rows = await tx.query<{ id: string; phone: Buffer | null }>(
    `select id, phone from orders where shop_id = :shop and id = any(:ids::text[])
       and (phone is not null or id = any(:numbered::text[]))`,
    { ids: orders.map(({ id }) => id), numbered: [...numbers.keys()] },
  )
  const changed = rows.filter(({ id, phone }) => {
    const before = phone && openPhone(secrets, tx.shop, phone)
    return before !== (numbers.get(id) ?? null)
  })
  if (changed.length === 0) return
  await tx.query(
    `update orders o set phone = g.phone from unnest(:ids::text[], :phones::bytea[]) as g (id, phone)
     where o.shop_id = :shop and o.id = g.id and (g.phone is null or exists (
       select from deliveries d where d.shop_id = o.shop_id and d.order_id = o.id))`,
    {
      ids: changed.map(({ id }) => id),
      phones: changed.map(({ id }) => {
        const number = numbers.get(id)
        return number === undefined ? null : sealPhone(secrets, tx.shop, number)
      }),
    },
  )
}

/** SQL: the number of the order `o` with the delivery `d` is not needed any more. */
const NEEDLESS = `(d.revoked_at is not null or d.withdrawn_at is not null
  or coalesce(d.email, o.email) is not null)`

/**
 * Deletes the numbers of deliveries that have ended or have an email address.
 * @param orders the platform's ids; absent: all of the shop.
 */
export async function forgetPhones(tx: ShopScope, orders?: readonly string[]): Promise<void> {
  if (orders?.length === 0) return
  const which = { orders: orders ?? null }
  await tx.query(
    `update orders o set phone = null from deliveries d
     where o.shop_id = :shop and o.phone is not null and d.shop_id = o.shop_id
       and d.order_id = o.id and (:orders::text[] is null or o.id = any(:orders::text[]))
       and ${NEEDLESS}`,
    which,
  )
  await tx.query(
    `update deliveries d set phone = null from orders o
     where d.shop_id = :shop and d.phone is not null and o.shop_id = d.shop_id
       and o.id = d.order_id and (:orders::text[] is null or o.id = any(:orders::text[]))
       and ${NEEDLESS}`,
    which,
  )
}

/** Deletes all numbers that the platform named, in a shop that sends no texts any more. */
export const forgetOrderPhones = async (tx: ShopScope): Promise<void> => {
  await tx.query('update orders set phone = null where shop_id = :shop and phone is not null')
}
