// The data about an order for extensions: its buyer's page, and the number of its files.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { linkAddress } from '../links/model/links.ts'
import type { Secrets } from '../../core/secrets.ts'
import { BUYER_STATUS_SQL, type BuyerStatus } from './entitlement.ts'
import { TERMS_SQL, type ShownTerms } from './shown-terms.ts'

export interface OrderPage {
  /** Null: the platform gave the order none; then nothing is shown. */
  confirmation_number: string | null
  /** When the order was placed. */
  ordered_at: Date
  /** `ready`: `url` can be opened. */
  status: BuyerStatus
  url: string
  files: number
  terms: ShownTerms
}

export interface OrderPages {
  /**
   * @param shop the shop's internal number.
   * @param order the platform's id, `gid://shopify/Order/1`.
   * @returns null while the order is not known, or entitles its buyer to no file.
   */
  find(shop: number, order: string): Promise<OrderPage | null>
  /** Does one of these products or variants have a file? */
  sells(shop: number, lines: readonly BoughtLine[]): Promise<boolean>
}

export interface BoughtLine {
  product_id: string
  variant_id: string
}

export interface OrderPagesParts {
  database: Pick<Database, 'knex'>
  secrets: Secrets
  baseUrl: string
}

interface PageRow extends Omit<OrderPage, 'url'> {
  link_id: string
  rotation: number
  key_hash: Buffer
}

export const createOrderPages = ({ database, secrets, baseUrl }: OrderPagesParts): OrderPages => ({
  find: async (shop, order) => {
    const [row] = await forShop(database, shop).query<PageRow>(
      `select o.confirmation_number, o.ordered_at, ${BUYER_STATUS_SQL} as status, l.id as link_id,
         l.rotation, l.key_hash, ${TERMS_SQL} as terms,
         (select count(*)::int from links c
          join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
          where c.shop_id = l.shop_id and c.parent_id = l.id and c.revoked_at is null) as files
       from deliveries d
       join orders o on o.shop_id = d.shop_id and o.id = d.order_id
       join links l on l.shop_id = d.shop_id and l.delivery_id = d.id
       where d.shop_id = :shop and d.order_id = :order`,
      { order },
    )
    if (!row) return null
    const { link_id, rotation, key_hash, ...page } = row
    // All of its files were deleted or revoked: there is nothing to open.
    if (page.status === 'ready' && page.files === 0) return null
    return { ...page, url: linkAddress(baseUrl, secrets.linkKey(link_id, rotation, key_hash)) }
  },
  sells: (shop, lines) =>
    forShop(database, shop).has(
      `select from unnest(:products::text[], :variants::text[]) as w (product_id, variant_id)
       join mappings m on m.shop_id = :shop and m.product_id = w.product_id
         and (m.variant_id = '' or m.variant_id = w.variant_id)
       join files f on f.shop_id = m.shop_id and f.id = m.file_id and f.deleted_at is null limit 1`,
      {
        products: lines.map(({ product_id }) => product_id),
        variants: lines.map(({ variant_id }) => variant_id),
      },
    ),
})
