// Assigns columns to fields. Results of checks with an earlier assignment are dropped.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { ColumnMapping } from './columns.ts'
import { requireMapping, saveMapping } from './saved-mappings.ts'
import { requireOpen } from './uploads.ts'

/**
 * Stores the columns of the fields. Throws `not_found`, `conflict` if the import has started,
 * `validation_failed` for a column that is not in the file.
 */
export function mapColumns(
  scope: ShopScope,
  id: string,
  mapping: ColumnMapping,
  saveAs: string | null,
): Promise<void> {
  return scope.transaction(async (tx) => {
    const { headers } = await requireOpen(tx, id)
    requireMapping(mapping, headers)
    if (saveAs !== null) await saveMapping(tx, { name: saveAs, headers, mapping })
    await tx.query(
      `update csv_uploads set status = 'ready', round = round + 1, mapping = :mapping,
         saved_mapping = :saveAs, check_options = null, progress = null, failure = null, recheck = null
       where shop_id = :shop and id = :id`,
      { id, mapping: JSON.stringify(mapping), saveAs },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}
