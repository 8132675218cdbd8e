// Past buyers who lack a file: a line of their order is paid for a product that the file was mapped
// to after the sale. Refunded, cancelled and held orders are not among them.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { SoldFile } from './order-rows.ts'

/**
 * SQL of rows (shop_id, order_id, line_id, source, units, product_id, file_id): a line whose buyer
 * paid for the file's product and does not have the file. A file that the merchant replaced in the
 * delivery by another one is not missing.
 * @param conditions on a mapping `m`.
 */
export const missingFiles = (conditions: string): string => {
  const lines = (product: string, variant: string, source: string, units: string) => `
    select l.shop_id, l.order_id, l.id as line_id, ${source} as source, ${units} as units,
      m.product_id, m.file_id
    from mappings m
    join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null
    join order_lines l on l.shop_id = m.shop_id and l.entitled and ${product} = m.product_id
      and (m.variant_id = '' or m.variant_id = ${variant})
    left join deliveries d on d.shop_id = l.shop_id and d.order_id = l.order_id
    left join links p on p.shop_id = d.shop_id and p.delivery_id = d.id
    where m.shop_id = :shop and ${conditions}
      and d.revoked_at is null and (d.held_by is null or d.held_by = 'workflow')
      and not exists (select from delivery_files df where df.shop_id = d.shop_id
        and df.delivery_id = d.id and df.file_id = m.file_id
        and (not df.withdrawn or df.line_id = l.id and not df.taken_back))
      and not exists (select from links c where c.shop_id = p.shop_id and c.parent_id = p.id
        and c.file_id = m.file_id and not exists (select from delivery_files df
          where df.shop_id = d.shop_id and df.delivery_id = d.id and df.file_id = m.file_id))`
  return `${lines('l.product_id', 'l.variant_id', 'l.id', 'l.quantity')}
    union all
    ${lines(
      `l.bundle is not null and (l.bundle ->> 'product_id') collate "C"`,
      `l.bundle ->> 'variant_id'`,
      `l.bundle ->> 'id'`,
      `(l.bundle ->> 'quantity')::int`,
    )}`
}

/** Which files, by bare UUIDs, and for buyers of which product; null: of all. */
export interface WantedFiles {
  files: readonly string[]
  product: string | null
}

const WANTED = `m.file_id = any(:files::uuid[])
  and (:product::text is null or m.product_id = :product)`

/** The orders of buyers who lack one of the files. */
export const ordersLacking = async (
  scope: ShopScope,
  { files, product }: WantedFiles,
): Promise<string[]> =>
  (
    await scope.query<{ order_id: string }>(
      `select distinct order_id from (${missingFiles(WANTED)}) w order by 1`,
      { files, product },
    )
  ).map(({ order_id }) => order_id)

/** What the lines of these orders lack, with the present terms of the files. */
export const filesLacking = (
  scope: ShopScope,
  { files, product }: WantedFiles,
  orders: readonly string[],
): Promise<SoldFile[]> =>
  scope.query<SoldFile>(
    `select distinct on (w.order_id, w.line_id, w.file_id) w.order_id, w.line_id, w.file_id,
       w.source, w.units, f.expiry_days, f.download_limit
     from (${missingFiles(`${WANTED} and l.order_id = any(:orders::text[])`)}) w
     join files f on f.shop_id = w.shop_id and f.id = w.file_id
     order by w.order_id, w.line_id, w.file_id, w.source`,
    { files, product, orders },
  )

export interface PastBuyers {
  /** Of the files, those that somebody lacks. */
  files: number
  orders: number
  /** Different addresses; each order without one counts. */
  buyers: number
}

const COUNTS = `count(distinct w.file_id)::int as files, count(distinct w.order_id)::int as orders,
  count(distinct coalesce(lower(coalesce(d.email, o.email)), w.order_id))::int as buyers`
const WHO = `join orders o on o.shop_id = w.shop_id and o.id = w.order_id
  left join deliveries d on d.shop_id = w.shop_id and d.order_id = w.order_id`

/** Of all files together. */
export const countPastBuyers = (
  scope: ShopScope,
  { files, product }: WantedFiles,
): Promise<PastBuyers> =>
  scope.one<PastBuyers>(`select ${COUNTS} from (${missingFiles(WANTED)}) w ${WHO}`, {
    files,
    product,
  })

/** Of each file; files that nobody lacks are absent. */
export async function countPastBuyersByFile(
  scope: ShopScope,
  { files, product }: WantedFiles,
): Promise<ReadonlyMap<string, Omit<PastBuyers, 'files'>>> {
  const rows = await scope.query<PastBuyers & { file_id: string }>(
    `select w.file_id, ${COUNTS} from (${missingFiles(WANTED)}) w ${WHO} group by w.file_id`,
    { files, product },
  )
  return new Map(rows.map(({ file_id, orders, buyers }) => [file_id, { orders, buyers }]))
}
