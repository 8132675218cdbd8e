// The public functions of the upload channel.
import type { Engine } from '../../engine/engine.ts'
import type { Locks } from '../../core/db/locks.ts'
import type { ShopQuotas } from '../../files/quotas.ts'
import type { DirectUploads } from '../../core/configuration/storage-settings.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { cleanName, filenameProblem, nameKey, type Problem } from '../../files/rules.ts'
import type { ItemError, ItemStatus } from '../../engine/types.ts'
import type { UploadFolder } from './folder.ts'
import type { UploadQuotas } from './rows.ts'

export {
  changeBatch,
  createBatch,
  noteSeen,
  readBatch,
  startBatch,
  type BatchView,
} from './batches.ts'
export { openUploadBucket } from './bucket.ts'
export { continueDirect } from './direct.ts'
export { openUploadFolder, type UploadFolder } from './folder.ts'
export { withBucket } from './places.ts'
export { joinFolder, type JoinParts } from './sharing.ts'
export { sweepUploads } from './sweep.ts'
export { handleTus, UPLOADS_PATH } from './tus.ts'

/** The dependencies of the upload routes. */
export interface UploadParts {
  engine: Engine
  folder: UploadFolder
  locks: Locks
  fileBytes: number
  quotas: UploadQuotas & Partial<ShopQuotas>
  /** Null: all bytes pass the web processes. */
  direct: DirectUploads | null
}

// Finds the names that are taken before anything is sent, so that the page can ask how to resolve
// the conflicts.

export interface CheckedName {
  filename: string
  /** The file that has this name. */
  taken: { id: string; filename: string; size_bytes: number } | null
  problem: Problem | null
}

/** Checks names and returns one answer for each, in their order. */
export async function checkNames(
  scope: ShopScope,
  filenames: readonly string[],
): Promise<CheckedName[]> {
  const rows = await scope.query<{
    name_key: string
    id: string
    filename: string
    size_bytes: number
  }>(
    `select name_key, id, filename, size_bytes from files
     where shop_id = :shop and deleted_at is null and name_key = any(:keys::text[])`,
    { keys: [...new Set(filenames.map((name) => nameKey(cleanName(name))))] },
  )
  const byKey = new Map(rows.map(({ name_key, ...file }) => [name_key, file]))
  return filenames.map((filename) => ({
    filename,
    taken: byKey.get(nameKey(cleanName(filename))) ?? null,
    problem: filenameProblem(filename),
  }))
}

// Results of single uploads: the page polls them while other files of the batch are still being
// sent.

export interface UploadResult {
  /** The bare UUID of the upload. */
  id: string
  filename: string
  status: 'uploading' | 'received' | 'importing' | 'done' | 'failed' | 'skipped'
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
  return item === 'done' || item === 'skipped' ? item : 'failed'
}
