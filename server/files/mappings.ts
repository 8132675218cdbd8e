// Mappings: which products a file belongs to.
import type { Mapping } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { columnsOfText } from '../core/texts.ts'

/**
 * Adds mappings, each once; an existing mapping keeps its score and reason. Does not update the
 * file's mapping_state.
 */
export async function addMappings(
  tx: ShopScope,
  mappings: readonly { fileId: string; mapping: Mapping & { created_at?: string } }[],
): Promise<void> {
  if (mappings.length === 0) return
  const rows = mappings.map(({ fileId, mapping }) => ({
    ...mapping,
    file_id: fileId,
    variant_id: mapping.variant_id ?? '',
  }))
  await tx.query(
    `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method,
       score, reason, reason_values, created_at, new_files)
     select :shop, file_id, product_id, variant_id, product_title, sku, method, score,
       ${columnsOfText('reason')}, coalesce(created_at, now()), new_files
     from jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, product_id text, variant_id text,
       product_title text, sku text, method text, score real, reason jsonb, created_at timestamptz, new_files text)
     on conflict do nothing`,
    { rows: JSON.stringify(rows) },
  )
}

/** Removes mappings; missing ones are ignored. Does not update the file's mapping_state. */
export async function removeMappings(
  tx: ShopScope,
  mappings: readonly { fileId: string; mapping: Pick<Mapping, 'product_id' | 'variant_id'> }[],
): Promise<void> {
  if (mappings.length === 0) return
  const rows = mappings.map(({ fileId, mapping: { product_id, variant_id } }) => ({
    file_id: fileId,
    product_id,
    variant_id: variant_id ?? '',
  }))
  await tx.query(
    `delete from mappings m
     using jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, product_id text, variant_id text)
     where m.shop_id = :shop and m.file_id = g.file_id and m.product_id = g.product_id
       and m.variant_id = g.variant_id`,
    { rows: JSON.stringify(rows) },
  )
}
