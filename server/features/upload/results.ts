// Results of single uploads: the page polls them while other files of the batch are still being
// sent.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { ItemError, ItemStatus } from '../../engine/types.ts'

export interface UploadResult {
  /** The bare UUID of the upload. */
  id: string
  filename: string
  status: 'uploading' | 'received' | 'importing' | 'done' | 'failed'
  /** The bare UUID of the import; null while the upload is in none. */
  operation: string | null
  error: ItemError | null
  /** The bare UUID of the imported file; null: it is not imported, or was deleted since. */
  file: string | null
  /** The titles of the file's products. */
  products: string[]
}

type Row = Omit<UploadResult, 'status'> & { arrived: boolean; item: ItemStatus | null }

/**
 * Reads the results of the given uploads (bare UUIDs) that exist, in no order. An item that waits
 * for a retry is still importing.
 */
export async function readResults(
  scope: ShopScope,
  ids: readonly string[],
): Promise<UploadResult[]> {
  const rows = await scope.query<Row>(
    `select u.id, u.operation_id as operation, i.error, i.status as item,
       u.status <> 'uploading' as arrived, coalesce(i.after ->> 'filename', u.filename) as filename,
       f.id as file, coalesce((select array_agg(distinct m.product_title) from mappings m
         where m.shop_id = f.shop_id and m.file_id = f.id), '{}') as products
     from uploads u
     left join items i
       on i.shop_id = u.shop_id and i.operation_id = u.operation_id and i.position = u.position
     left join files f on f.shop_id = i.shop_id and f.id = i.file_id and i.status = 'done'
     where u.shop_id = :shop and u.id = any(:ids::uuid[])`,
    { ids },
  )
  return rows.map(({ arrived, item, ...row }) => ({ ...row, status: statusOf(arrived, item) }))
}

function statusOf(arrived: boolean, item: ItemStatus | null): UploadResult['status'] {
  if (!arrived) return 'uploading'
  if (item === null) return 'received'
  if (item === 'pending' || item === 'running') return 'importing'
  return item === 'done' ? 'done' : 'failed'
}
