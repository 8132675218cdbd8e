// Counts what deleting a selection of files would affect, in one statement.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { compileFilter, type FileFilter } from '../../files/filter.ts'
import { WORKING } from '../../files/list.ts'

export interface Impact {
  /** The number of files in the selection. */
  files: number
  /** The number of selected files that are mapped to a product. */
  mapped: number
  /** The number of products to which they are mapped. */
  products: number
  /** The number of working links to them. */
  live_links: number
  /** The number of paid deliveries, not revoked or withdrawn, that contain one of them. */
  paid_deliveries: number
}

/**
 * Counts the impact for files by their bare UUIDs, in the trash or not, or for all files of a
 * filter. Unknown ids are ignored.
 */
export async function impactOf(
  scope: ShopScope,
  selection: { ids: readonly string[] } | { filter: FileFilter },
  now: Date,
): Promise<Impact> {
  const { sql, bindings } =
    'ids' in selection
      ? { sql: 'files.id = any(:ids::uuid[])', bindings: { ids: selection.ids } }
      : await compileFilter(scope, selection.filter)
  const impact = await scope.one<Impact>(
    `with chosen as materialized (
       select files.shop_id, files.id, files.mapping_state, files.deleted_at from files
         where files.shop_id = :shop and ${sql}
     )
     select count(*) as files, count(*) filter (where mapping_state = 'mapped') as mapped,
       (select count(distinct m.product_id) from mappings m join chosen on chosen.id = m.file_id
        where m.shop_id = :shop) as products,
       (select count(*) from links l join chosen on chosen.id = l.file_id
          left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
        where l.shop_id = :shop and chosen.deleted_at is null and chosen.mapping_state <> 'unmapped'
          and ${WORKING}) as live_links,
       (select count(distinct df.delivery_id) from delivery_files df
          join chosen on chosen.id = df.file_id
          join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
        where df.shop_id = :shop and not df.withdrawn and d.revoked_at is null
         and d.withdrawn_at is null)
         as paid_deliveries
     from chosen`,
    { ...bindings, now },
  )
  return impact
}
