// Batches: files that someone sends together are imported together, by one operation with one e-mail at its end.
import type { ShopScope } from '../../db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../errors.ts'
import type { UploadRow } from './rows.ts'
import { startImport } from './start.ts'

export interface BatchRequest {
  auto_map?: boolean
  notify?: boolean
}

export interface BatchRow {
  /** A bare UUID. */
  id: string
  count: number | null
  request: BatchRequest
  requested_by: string
  created_at: Date
}

export interface BatchView extends BatchRow {
  uploading: number
  /** Complete, and in no operation yet. */
  received: number
  /** UUIDs of the operations over its files, the newest last. */
  operations: string[]
}

export async function createBatch(
  scope: ShopScope,
  batch: { count: number | null; request: BatchRequest; requestedBy: string },
): Promise<BatchView> {
  const [row] = await scope.query<{ id: string }>(
    `insert into upload_batches (shop_id, count, request, requested_by)
     values (:shop, :count, :request, :requestedBy) returning id`,
    { count: batch.count, request: JSON.stringify(batch.request), requestedBy: batch.requestedBy },
  )
  return (await readBatch(scope, row!.id))!
}

export async function readBatch(scope: ShopScope, id: string): Promise<BatchView | null> {
  const [row] = await scope.query<BatchView>(
    `select batch.*,
       count(*) filter (where status = 'uploading') as uploading,
       count(*) filter (where status = 'received' and operation_id is null) as received,
       coalesce(array_agg(distinct operation_id order by operation_id) filter (where operation_id is not null), '{}') as operations
     from upload_batches batch
     left join uploads on uploads.shop_id = batch.shop_id and uploads.batch_id = batch.id
     where batch.shop_id = :shop and batch.id = :id group by batch.shop_id, batch.id`,
    { id },
  )
  return row ?? null
}

/**
 * Starts an operation over what has been received and is in none yet; gives its UUID. With nothing new it gives that of
 * the last one, so that asking twice does no harm. Throws `not_found`, and `conflict` when nothing was ever received.
 */
export function startBatch(engine: Engine, scope: ShopScope, id: string): Promise<string> {
  return scope.transaction(async (tx) => {
    const batch = await holdBatch(tx, id)
    if (!batch) throw new AppError('not_found')
    const started = await startReceived(engine, tx, batch)
    if (started) return started
    const last = (await readBatch(tx, id))!.operations.at(-1)
    if (!last) throw new AppError('conflict', { message: 'No file of this batch has been received yet' })
    return last
  })
}

/** With the last of as many files as were announced, the import starts: the page may be closed by then. */
export async function startIfComplete(engine: Engine, tx: ShopScope, id: string): Promise<void> {
  const batch = await holdBatch(tx, id)
  if (!batch?.count) return
  const { received, uploading } = (await readBatch(tx, id))!
  if (uploading === 0 && received >= batch.count) await startReceived(engine, tx, batch)
}

async function holdBatch(tx: ShopScope, id: string): Promise<BatchRow | null> {
  const [row] = await tx.query<BatchRow>(
    'select * from upload_batches where shop_id = :shop and id = :id for no key update',
    { id },
  )
  return row ?? null
}

/** In the order in which they were begun. */
async function startReceived(engine: Engine, tx: ShopScope, batch: BatchRow): Promise<string | null> {
  const uploads = await tx.query<UploadRow>(
    `select * from uploads where shop_id = :shop and batch_id = :id and status = 'received' and operation_id is null
     order by id for update`,
    { id: batch.id },
  )
  if (uploads.length === 0) return null
  return startImport(engine, tx, uploads, { request: batch.request, requestedBy: batch.requested_by })
}
