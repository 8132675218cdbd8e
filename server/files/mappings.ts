// Mappings: which products a file belongs to.
import type { Mapping } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'

/** Adds mappings, each once; one that is there already keeps its score and reason. Does not touch the file's state. */
export async function addMappings(
  tx: ShopScope,
  mappings: readonly { fileId: string; mapping: Mapping }[],
): Promise<void> {
  if (mappings.length === 0) return
  const rows = mappings.map(({ fileId, mapping }) => ({
    ...mapping,
    file_id: fileId,
    variant_id: mapping.variant_id ?? '',
  }))
  await tx.query(
    `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, sku, method, score, reason)
     select :shop, file_id, product_id, variant_id, product_title, sku, method, score, reason
     from jsonb_to_recordset(:rows::jsonb) as g(file_id uuid, product_id text, variant_id text, product_title text,
       sku text, method text, score real, reason text)
     on conflict do nothing`,
    { rows: JSON.stringify(rows) },
  )
}
