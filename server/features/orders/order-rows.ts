// The rows of an order and its lines, updated to the platform's state. An order without a file is
// not stored, because unneeded data about buyers is not kept.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { PlatformOrder } from '../../storefront/orders.ts'

/** A file that an order's line gives to its buyer, with its current terms. */
export interface SoldFile {
  order_id: string
  line_id: string
  file_id: string
  expiry_days: number | null
  download_limit: number | null
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

/** The files, trash excluded, that the lines' products or variants are mapped to. */
export async function filesOfOrders(
  tx: ShopScope,
  orders: readonly Pick<PlatformOrder, 'id' | 'lines'>[],
): Promise<readonly SoldFile[]> {
  const known = orders.flatMap(({ id: order, lines }) =>
    lines.flatMap((line) => (line.product_id === null ? [] : [{ ...line, order }])),
  )
  if (known.length === 0) return []
  return tx.query<SoldFile>(
    `select distinct on (w.order_id, w.line_id, f.id) w.order_id, w.line_id, f.id as file_id,
       f.expiry_days, f.download_limit
     from unnest(:orders::text[], :ids::text[], :products::text[], :variants::text[])
       as w (order_id, line_id, product_id, variant_id)
     join mappings m on m.shop_id = :shop and m.product_id = w.product_id
       and (m.variant_id = '' or m.variant_id = w.variant_id)
     join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
     order by w.order_id, w.line_id, f.id`,
    {
      orders: known.map(({ order }) => order),
      ids: known.map(({ id }) => id),
      products: known.map(({ product_id }) => product_id),
      variants: known.map(({ variant_id }) => variant_id),
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
    { orders: JSON.stringify(judged.map(({ order: { lines: _, ...order } }) => order)) },
  )
  await writeLines(tx, judged)
}

/** A line that the platform no longer lists loses its entitlement. */
async function writeLines(tx: ShopScope, judged: readonly JudgedOrder[]): Promise<void> {
  const rows = judged.flatMap(({ order, entitled }) =>
    order.lines.map((line, position) => ({
      ...{ order_id: order.id, id: line.id, position, title: line.title, sku: line.sku },
      ...{ product_id: line.product_id, variant_id: line.variant_id, quantity: line.quantity },
      entitled: entitled.has(line.id),
    })),
  )
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset(:rows::jsonb) as g (order_id text, id text, position int,
         title text, sku text, quantity int, product_id text, variant_id text, entitled boolean)
     ), gone as (
       update order_lines l set quantity = 0, entitled = false
       where shop_id = :shop and order_id = any(:orders::text[])
         and not exists (select from given g where g.order_id = l.order_id and g.id = l.id)
     )
     insert into order_lines (shop_id, order_id, id, position, title, sku, product_id, variant_id,
       quantity, entitled)
     select :shop, order_id, id, position, title, sku, product_id, variant_id, quantity, entitled
       from given
     order by order_id, id
     on conflict (shop_id, order_id, id) do update set (position, title, sku, product_id,
       variant_id, quantity, entitled) =
       row(excluded.position, excluded.title, excluded.sku, excluded.product_id,
         excluded.variant_id,
       excluded.quantity, excluded.entitled)`,
    { orders: judged.map(({ order }) => order.id), rows: JSON.stringify(rows) },
  )
}
