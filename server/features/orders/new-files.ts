// New files of products that were sold before: those about which the shop has to decide whether
// their past buyers get them. A trigger of the database notes them when they are mapped. The choice
// is that of the mapping (by its rule), else of the product, else of the shop, as of the moment
// when somebody asks.
import { say, type NewFilesChoice } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { SoldFile } from './order-rows.ts'

// Past buyers who lack a file: a line of their order is paid for a product that the file was mapped
// to after the sale. Refunded, cancelled and held orders are not among them.

/**
 * SQL of rows (shop_id, order_id, line_id, source, units, product_id, file_id): a line whose buyer
 * paid for the file's product and does not have the file. A file that the merchant replaced in the
 * delivery by another one is not missing.
 * @param conditions on a mapping `m`.
 */
const missingFiles = (conditions: string): string => {
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

/** Products in one list. */
const MAX_PRODUCTS = 100

export interface NewFiles {
  product_id: string
  title: string
  /** Its new files, by name; ids are bare UUIDs. */
  files: { id: string; filename: string }[]
  /** Orders and buyers that lack at least one of them. */
  orders: number
  buyers: number
  /** The choice of the product; null: as the shop says. */
  new_files: NewFilesChoice | null
}

/**
 * SQL: what a shop `s` does with a new file `n`: the choice of the rule that mapped it, of its product,
 * or of the shop.
 */
export const NEW_FILES_CHOICE = `coalesce(
  (select min(c.new_files) from mappings c where c.shop_id = n.shop_id
    and c.product_id = n.product_id and c.file_id = n.file_id),
  (select c.new_files from product_new_files c where c.shop_id = n.shop_id
    and c.product_id = n.product_id),
  s.settings ->> 'new_files', 'ask')`

/** SQL of (product_id, file_id, order_id) that a past buyer lacks and nobody has decided about. */
const UNDECIDED = `(${missingFiles(`exists (select from new_files n
  join shops s on s.id = n.shop_id
  where n.shop_id = m.shop_id and n.product_id = m.product_id and n.file_id = m.file_id
    and ${NEW_FILES_CHOICE} = 'ask')`)})`

/** SQL after `from`: the products about which the shop is asked. */
export const ASKED_PRODUCTS = `(
  select distinct n.product_id from new_files n
  where n.shop_id = :shop
    and exists (select from ${UNDECIDED} w where w.product_id = n.product_id)) p`

/** By product, the latest first. */
export const listNewFiles = (scope: ShopScope): Promise<NewFiles[]> =>
  scope.query<NewFiles>(
    `select w.product_id, max(m.product_title) as title,
       (select jsonb_agg(jsonb_build_object('id', f.id, 'filename', f.filename)
          order by f.filename) from files f
        where f.shop_id = :shop and f.id = any(array_agg(distinct w.file_id))) as files,
       count(distinct w.order_id)::int as orders,
       count(distinct coalesce(lower(coalesce(d.email, o.email)), w.order_id))::int as buyers,
       (select c.new_files from product_new_files c where c.shop_id = :shop
         and c.product_id = w.product_id) as new_files
     from ${UNDECIDED} w
     join mappings m on m.shop_id = w.shop_id and m.product_id = w.product_id
       and m.file_id = w.file_id
     join orders o on o.shop_id = w.shop_id and o.id = w.order_id
     left join deliveries d on d.shop_id = w.shop_id and d.order_id = w.order_id
     join new_files n on n.shop_id = w.shop_id and n.product_id = w.product_id
       and n.file_id = w.file_id
     group by w.product_id order by max(n.noted_at) desc, w.product_id limit ${MAX_PRODUCTS}`,
  )

export interface DecidedFiles {
  product: string
  choice: Exclude<NewFilesChoice, 'ask'>
  /** Bare UUIDs. */
  files: string[]
}

/** The noted files that nobody is asked about, also those that nobody lacks any more. */
export const decidedFiles = (scope: ShopScope): Promise<DecidedFiles[]> =>
  scope.query<DecidedFiles>(
    `select product_id as product, choice, array_agg(file_id order by file_id) as files
     from (select n.product_id, n.file_id, ${NEW_FILES_CHOICE} as choice
       from new_files n join shops s on s.id = n.shop_id where n.shop_id = :shop) d
     where choice <> 'ask' group by product_id, choice order by product_id, choice
     limit ${MAX_PRODUCTS}`,
  )

interface NotedFile {
  product_id: string
  /** A bare UUID. */
  file_id: string
}

/** The shop has decided about them. Returns those that were noted. */
export const forgetNewFiles = (
  tx: ShopScope,
  { files, product }: WantedFiles,
): Promise<NotedFile[]> =>
  tx.query<NotedFile>(
    `with gone as (
       select product_id, file_id from new_files where shop_id = :shop
         and file_id = any(:files::uuid[]) and (:product::text is null or product_id = :product)
       order by product_id, file_id for update
     )
     delete from new_files n using gone g
     where n.shop_id = :shop and n.product_id = g.product_id and n.file_id = g.file_id
     returning n.product_id, n.file_id`,
    { files, product },
  )

/** The decision was undone: the shop is asked again about those that are still mapped. */
export const noteAgain = (tx: ShopScope, noted: readonly NotedFile[]): Promise<unknown> =>
  tx.query(
    `insert into new_files (shop_id, product_id, file_id)
     select distinct m.shop_id, m.product_id, m.file_id from mappings m
     join unnest(:products::text[], :files::uuid[]) as g (product_id, file_id)
       on m.product_id = g.product_id and m.file_id = g.file_id
     where m.shop_id = :shop order by 2, 3 on conflict do nothing`,
    {
      products: noted.map(({ product_id }) => product_id),
      files: noted.map(({ file_id }) => file_id),
    },
  )

/** The shop gives none of the product's new files to its past buyers. */
export const forgetProduct = (tx: ShopScope, product: string): Promise<unknown> =>
  tx.query('delete from new_files where shop_id = :shop and product_id = :product', { product })

/** Products with their own choice, by title. */
export interface ProductNewFiles {
  product_id: string
  title: string
  new_files: NewFilesChoice
}
const MAX_CHOICES = 1000

export const listProductChoices = (scope: ShopScope): Promise<ProductNewFiles[]> =>
  scope.query<ProductNewFiles>(
    `select c.product_id, coalesce(p.title, c.product_id) as title, c.new_files
     from product_new_files c
     left join products p on p.shop_id = c.shop_id and p.id = c.product_id
     where c.shop_id = :shop order by 2, 1 limit ${MAX_CHOICES}`,
  )

/** @param choice null: as the shop says. Throws `validation_failed` for a product that is unknown. */
export async function chooseForProduct(
  scope: ShopScope,
  product: string,
  choice: NewFilesChoice | null,
): Promise<void> {
  if (choice === null) {
    const of = { product }
    await scope.query(
      'delete from product_new_files where shop_id = :shop and product_id = :product',
      of,
    )
    return
  }
  const [written] = await scope.query(
    `insert into product_new_files (shop_id, product_id, new_files)
     select :shop, :product, :choice
     where exists (select from products where shop_id = :shop and id = :product)
       or exists (select from mappings where shop_id = :shop and product_id = :product)
     on conflict (shop_id, product_id) do update set new_files = excluded.new_files returning 1`,
    { product, choice },
  )
  if (written) return
  const message = say('The catalog has no such product')
  const details = [{ param: 'product_id', code: 'invalid_value', message } as const]
  throw new AppError('validation_failed', { param: 'product_id', details })
}
