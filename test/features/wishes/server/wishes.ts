import type { ShopScope } from '../../core/db/for-shop.ts'

export interface WishRow {
  id: string
  filename: string
  granted_at: Date | null
}

const COLUMNS = 'id, filename, granted_at'

export const addWish = (tx: ShopScope, filename: string): Promise<WishRow> =>
  tx.one<WishRow>(
    `insert into wishes (shop_id, filename) values (:shop, :filename) returning ${COLUMNS}`,
    { filename },
  )

export const listWishes = (scope: ShopScope): Promise<WishRow[]> =>
  scope.query<WishRow>(
    `select ${COLUMNS} from wishes where shop_id = :shop order by id desc limit 100`,
  )

/** Those that a file of this name grants now. */
export const grantWishes = (tx: ShopScope): Promise<WishRow[]> =>
  tx.query<WishRow>(
    `update wishes w set granted_at = now() where shop_id = :shop and granted_at is null
       and exists (select from files f where f.shop_id = w.shop_id and f.filename = w.filename
         and f.deleted_at is null) returning ${COLUMNS}`,
  )
