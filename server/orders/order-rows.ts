// The rows of an order and its lines, brought to the state that the platform has. An order without a
// file is not stored: what is not needed of a buyer is not kept.
import type { ShopScope } from '../db/for-shop.ts'
import type { PlatformOrder } from '../storefront/orders.ts'

/** A file that an order's line gives to its buyer, with the terms that it has now. */
export interface SoldFile {
  line_id: string
  file_id: string
  expiry_days: number | null
  download_limit: number | null
}

/** Locks the order. Null: it is not stored yet. */
export async function holdOrder(tx: ShopScope, id: string): Promise<{ changed_at: Date } | null> {
  const [row] = await tx.query<{ changed_at: Date }>(
    'select changed_at from orders where shop_id = :shop and id = :id for update',
    { id },
  )
  return row ?? null
}

/** The files outside the trash that the lines' products or variants are mapped to. */
export async function filesOfLines(
  tx: ShopScope,
  { lines }: Pick<PlatformOrder, 'lines'>,
): Promise<readonly SoldFile[]> {
  const known = lines.filter(({ product_id }) => product_id !== null)
  if (known.length === 0) return []
  return tx.query<SoldFile>(
    `select distinct on (w.line_id, f.id) w.line_id, f.id as file_id, f.expiry_days, f.download_limit
     from unnest(:ids::text[], :products::text[], :variants::text[]) as w (line_id, product_id, variant_id)
     join mappings m on m.shop_id = :shop and m.product_id = w.product_id
       and (m.variant_id = '' or m.variant_id = w.variant_id)
     join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
     order by w.line_id, f.id`,
    {
      ids: known.map(({ id }) => id),
      products: known.map(({ product_id }) => product_id),
      variants: known.map(({ variant_id }) => variant_id),
    },
  )
}

/** @param entitled by the lines' ids. */
export async function writeOrder(
  tx: ShopScope,
  order: PlatformOrder,
  entitled: ReadonlySet<string>,
): Promise<void> {
  await tx.query(
    `insert into orders (shop_id, id, name, confirmation_number, email, locale, customer_id, financial_status,
       cancelled_at, recommendation, ordered_at, changed_at)
     values (:shop, :id, :name, :confirmation, :email, :locale, :customer, :status, :cancelled, :recommendation,
       :ordered, :changed)
     on conflict (shop_id, id) do update set (name, confirmation_number, email, locale, customer_id,
       financial_status, cancelled_at, recommendation, changed_at, reconciled_at) =
       row(excluded.name, excluded.confirmation_number, excluded.email, excluded.locale, excluded.customer_id,
       excluded.financial_status, excluded.cancelled_at, excluded.recommendation, excluded.changed_at, now())`,
    {
      ...{ id: order.id, name: order.name, confirmation: order.confirmation_number },
      ...{ email: order.email, locale: order.locale, customer: order.customer_id },
      ...{ status: order.financial_status, cancelled: order.cancelled_at },
      ...{ recommendation: order.recommendation, ordered: order.created_at },
      changed: order.updated_at,
    },
  )
  const rows = order.lines.map((line, position) => ({
    ...{ id: line.id, position, title: line.title, sku: line.sku, quantity: line.quantity },
    ...{ product_id: line.product_id, variant_id: line.variant_id },
    entitled: entitled.has(line.id),
  }))
  // A line that the platform names no more entitles to nothing.
  await tx.query(
    `with given as (
       select * from jsonb_to_recordset(:rows::jsonb) as g (id text, position int, title text, sku text,
         quantity int, product_id text, variant_id text, entitled boolean)
     ), gone as (
       update order_lines set quantity = 0, entitled = false
       where shop_id = :shop and order_id = :order and id not in (select id from given)
     )
     insert into order_lines (shop_id, order_id, id, position, title, sku, product_id, variant_id, quantity, entitled)
     select :shop, :order, id, position, title, sku, product_id, variant_id, quantity, entitled from given
     on conflict (shop_id, order_id, id) do update set (position, title, sku, product_id, variant_id, quantity, entitled) =
       row(excluded.position, excluded.title, excluded.sku, excluded.product_id, excluded.variant_id,
       excluded.quantity, excluded.entitled)`,
    { order: order.id, rows: JSON.stringify(rows) },
  )
}
