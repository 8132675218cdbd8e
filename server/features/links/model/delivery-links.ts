// The files of a delivery's page, each with its own link under the page's link, with the terms of
// the time of the sale. Opening the page counts nothing.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import type { Secrets } from '../../../core/secrets.ts'
import { sha256Of } from '../../../files/digests.ts'
import { keysByFile, type ShownKey } from '../../preparation/assigned-keys.ts'
import { hasNoPicture } from '../../previews/kept.ts'
import { askOf, tagProblemOf, type TagProblem } from './links.ts'
import type { PackFile } from './pack-links.ts'

export interface PaidFile extends PackFile {
  expires_at: Date | null
  /** When the file got its current version, if that was after the sale. */
  renewed_at: Date | null
  /** A workflow is preparing it: it cannot be downloaded yet. */
  preparing: boolean
  /** The keys that a workflow assigned to the buyer. */
  licence_keys: readonly ShownKey[]
  /** The customer tag that closes it to this buyer; null: it is open. */
  tag_problem: TagProblem | null
  /** The bought product. */
  product_id: string | null
  product: string | null
  /** The product has a picture. */
  pictured: boolean
  /** The address of the product in the shop; null: it is not offered any more. */
  handle: string | null
}

interface PaidFileRow extends Omit<PaidFile, 'key' | 'licence_keys'> {
  link_id: string
  file_id: string
  delivery_id: string
  rotation: number
  key_hash: Buffer
}

/** In the order of the order's lines and of their packs, without withdrawn files. */
export async function openDeliveryLink(
  scope: ShopScope,
  secrets: Secrets,
  link: string,
): Promise<readonly PaidFile[]> {
  const rows = await scope.query<PaidFileRow>(
    `select f.filename, f.content_type, f.view, f.buyer_text, coalesce(w.size_bytes, f.size_bytes) as size_bytes,
       ${sha256Of('f.shop_id', 'coalesce(w.hash, v.hash)')} as sha256,
       ${hasNoPicture('f.shop_id', 'v.hash')} as unpictured, c.id as link_id,
       f.id as file_id, l.delivery_id, c.rotation, c.key_hash, c.download_limit, c.downloads, c.ends_at as expires_at,
       c.view_limit, c.views, c.views_end_at, c.view_expires_at is not null as own_view_end,
       c.available_at, c.use_hours, c.use_ends_at, ${tagProblemOf('c')} as tag_problem, ${askOf('c', 'l')} as asks,
       case when f.version > 1 and f.version_since > c.created_at and not coalesce(w.stale, false)
         then f.version_since end as renewed_at,
       coalesce(w.status = 'waiting' or w.stale and w.hash is null, false) as preparing,
       g.product_id, g.title as product, coalesce(g.pictured, false) as pictured, g.handle
     from links l
     join shops s on s.id = l.shop_id
     join deliveries d on d.shop_id = l.shop_id and d.id = l.delivery_id
     join orders o on o.shop_id = d.shop_id and o.id = d.order_id
     join links c on c.shop_id = l.shop_id and c.parent_id = l.id and c.revoked_at is null
     join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
       and (f.mapping_state <> 'unmapped' or s.keep_paid)
     left join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
     left join prepared_files w on w.shop_id = c.shop_id and w.link_id = c.id
     left join lateral (
       select (array_agg(b.product_id order by b.position))[1] as product_id,
         (array_agg(b.title order by b.position))[1] as title,
         (array_agg(t.image_url is not null order by b.position))[1] as pictured,
         (array_agg(t.handle order by b.position) filter (where t.status = 'ACTIVE'))[1] as handle
       from delivery_files df
       join order_lines b on b.shop_id = df.shop_id and b.order_id = d.order_id
         and b.id = df.line_id
       left join products t on t.shop_id = b.shop_id and t.id = b.product_id
       where df.shop_id = d.shop_id and df.delivery_id = d.id and df.file_id = f.id) g on true
     where l.shop_id = :shop and l.id = :link
     order by ${PAID_ORDER}`,
    { link },
  )
  const keys = rows[0] && (await keysByFile(scope, secrets, rows[0].delivery_id, { show: true }))
  return rows.map(({ link_id, rotation, key_hash, file_id, delivery_id: _, ...file }) => ({
    ...file,
    licence_keys: keys?.get(file_id) ?? [],
    key: secrets.linkKey(link_id, rotation, key_hash),
  }))
}

/**
 * SQL: the place of the file `f` in the pack whose product comes first in the delivery; if no pack of it
 * has a product of the delivery, in the first that it entered.
 */
export const placeIn = (delivery: string): string => `(select k.position from pack_files k
    where k.shop_id = f.shop_id and k.file_id = f.id
    order by (select min(o.position) from pack_products x join delivery_files df
        on df.shop_id = x.shop_id and df.delivery_id = ${delivery} and df.file_id = f.id
      join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
      join order_lines o on o.shop_id = d.shop_id and o.order_id = d.order_id and o.id = df.line_id
      where x.shop_id = k.shop_id and x.pack_id = k.pack_id and x.product_id = o.product_id) nulls last,
      k.added_at, k.pack_id limit 1)`

/** SQL: orders the links `c` to the files `f` under the page's link `l`. */
export const PAID_ORDER = `(select min(o.position) from delivery_files df
    join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
    join order_lines o on o.shop_id = d.shop_id and o.order_id = d.order_id and o.id = df.line_id
    where df.shop_id = c.shop_id and df.delivery_id = l.delivery_id and df.file_id = c.file_id),
  ${placeIn('l.delivery_id')}, f.filename`
