// Batches: files that a person sends together are imported by one operation, with one email at its
// end.
import { say } from '../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { present } from '../../core/lazy.ts'
import type { UploadRow } from './rows.ts'
import { addToImport, importUploads, type FileChoices } from './start.ts'

export interface BatchRequest {
  auto_map?: boolean
  /** No product gets the files, by a rule either. */
  private?: boolean
  notify?: boolean
  /** What the import writes to all files; it may change until they arrive. */
  files?: FileChoices
}

export interface BatchRow {
  /** The bare UUID of the batch. */
  id: string
  count: number | null
  request: BatchRequest
  requested_by: string
  /** The open operation to which the files are added as they arrive; null: there is none. */
  operation_id: string | null
  created_at: Date
  /** When its client was last heard of, to the minute. */
  seen_at: Date
}

export interface BatchView extends BatchRow {
  uploading: number
  /** The number of complete files that are in no operation yet. */
  received: number
  /** The number of complete files, imported or not. */
  arrived: number
  /** The UUIDs of the operations over the files of the batch, the newest last. */
  operations: string[]
}

export async function createBatch(
  scope: ShopScope,
  batch: { count: number | null; request: BatchRequest; requestedBy: string },
): Promise<BatchView> {
  const row = await scope.one<{ id: string }>(
    `insert into upload_batches (shop_id, count, request, requested_by)
     values (:shop, :count, :request, :requestedBy) returning id`,
    { count: batch.count, request: JSON.stringify(batch.request), requestedBy: batch.requestedBy },
  )
  return present(await readBatch(scope, row.id), 'The batch')
}

/**
 * Changes what the import writes to the files of the batch that have not arrived yet. Null: there
 * is no such batch.
 */
export async function changeBatch(
  scope: ShopScope,
  id: string,
  files: FileChoices,
): Promise<BatchView | null> {
  await scope.query(
    `update upload_batches set request = request || jsonb_build_object('files', :files::jsonb)
     where shop_id = :shop and id = :id`,
    { id, files: JSON.stringify(files) },
  )
  return readBatch(scope, id)
}

export const readBatch = (scope: ShopScope, id: string): Promise<BatchView | null> =>
  scope.first<BatchView>(
    `select batch.*,
       count(*) filter (where status = 'uploading') as uploading,
       count(*) filter (where status = 'received' and uploads.operation_id is null) as received,
       count(*) filter (where status <> 'uploading') as arrived,
       coalesce(array_agg(distinct uploads.operation_id order by uploads.operation_id)
         filter (where uploads.operation_id is not null), '{}') as operations
     from upload_batches batch
     left join uploads on uploads.shop_id = batch.shop_id and uploads.batch_id = batch.id
     where batch.shop_id = :shop and batch.id = :id group by batch.shop_id, batch.id`,
    { id },
  )

/**
 * Imports the received files that are in no operation, and closes the batch; returns the import's
 * UUID. Idempotent: without new files it returns the last import. Throws `not_found`, and
 * `conflict` if no file was ever received.
 */
export function startBatch(engine: Engine, scope: ShopScope, id: string): Promise<string> {
  return retryTransaction(scope, async (tx) => {
    const batch = await holdBatch(tx, id)
    if (!batch) throw new AppError('not_found')
    await importReceived(engine, tx, batch, { whole: true })
    const last = present(await readBatch(tx, id), 'The batch').operations.at(-1)
    if (!last)
      throw new AppError('conflict', {
        message: say('No file of this batch has been received yet'),
      })
    return last
  })
}

/**
 * Must be called when a file of a batch is complete. If the batch announced its number of files,
 * the file is imported now, so that small files do not wait for large ones. The operation grows
 * with the batch and ends with its last file.
 */
export async function importArrived(engine: Engine, tx: ShopScope, id: string): Promise<void> {
  const batch = await holdBatch(tx, id)
  if (!batch?.count) return
  const { uploading, arrived } = present(await readBatch(tx, id), 'The batch')
  await importReceived(engine, tx, batch, { whole: uploading === 0 && arrived >= batch.count })
}

/** Records that the client of the batch still sends it: at most one write a minute. */
export async function noteSeen(scope: ShopScope, id: string | null): Promise<void> {
  if (id === null) return
  await scope.query(
    `update upload_batches set seen_at = now() where shop_id = :shop and id = :id
       and seen_at < now() - interval '1 minute'`,
    { id },
  )
}

const holdBatch = (tx: ShopScope, id: string): Promise<BatchRow | null> =>
  tx.first<BatchRow>(
    'select * from upload_batches where shop_id = :shop and id = :id for no key update',
    { id },
  )

/** Imports the received files of a batch. `whole`: no more files are expected. */
async function importReceived(
  engine: Engine,
  tx: ShopScope,
  batch: BatchRow,
  { whole }: { whole: boolean },
): Promise<void> {
  const uploads = await receivedOf(tx, batch.id, whole)
  if (uploads.length > 0) await importAll(engine, tx, batch, uploads, !whole)
  if (whole && batch.operation_id) await engine.close(tx, batch.operation_id)
}

async function importAll(
  engine: Engine,
  tx: ShopScope,
  batch: BatchRow,
  uploads: readonly UploadRow[],
  open: boolean,
): Promise<void> {
  const { files = {}, ...request } = batch.request
  if (batch.operation_id && (await addToImport(engine, tx, batch.operation_id, uploads, files)))
    return
  const about = { ...request, requestedBy: batch.requested_by, open }
  const operation = await importUploads(engine, tx, uploads, about, files)
  await tx.query(
    'update upload_batches set operation_id = :operation where shop_id = :shop and id = :id',
    {
      id: batch.id,
      operation: open ? operation : null,
    },
  )
}

/**
 * Reads the received files, in the order in which the uploads began. Unless `whole`, a file waits
 * while an earlier one of the same name is still uploading, so that names are assigned in order.
 */
const receivedOf = (tx: ShopScope, batch: string, whole: boolean): Promise<UploadRow[]> =>
  tx.query<UploadRow>(
    `select * from uploads u
     where shop_id = :shop and batch_id = :batch and status = 'received' and operation_id is null
       and (:whole::boolean or not exists (
         select from uploads before
         where before.shop_id = :shop and before.batch_id = :batch and before.name_key = u.name_key
           and before.id < u.id and before.status = 'uploading'))
     order by id for update of u`,
    { batch, whole },
  )
