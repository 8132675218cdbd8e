// Finishes an upload after its last byte: moves it to where its sender cannot change it, marks it
// as received, and imports it. Every step is idempotent, so the next request or sweep continues
// after a crash.
import { retryTransaction, type ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { importArrived } from './batches.ts'
import type { UploadFolder } from './folder.ts'
import { uploadPlace } from './places.ts'
import type { UploadRow } from './rows.ts'
import { importUploads } from './start.ts'

export interface FinishParts {
  engine: Engine
  folder: UploadFolder
}

export async function finishUpload(
  { engine, folder }: FinishParts,
  scope: ShopScope,
  upload: UploadRow,
): Promise<void> {
  await uploadPlace(folder, upload).finish(upload.id)
  if (upload.batch_id && upload.counted === false)
    return void (await markReceived(scope, upload.id))
  // Adding to an operation can deadlock with a batch that ends; PostgreSQL then rolls one of them
  // back.
  await retryTransaction(scope, async (tx) => {
    // Uploads of a batch that end concurrently wait for each other here: one of them must be the
    // last.
    if (upload.batch_id)
      await tx.query(
        'select from upload_batches where shop_id = :shop and id = :id for no key update',
        {
          id: upload.batch_id,
        },
      )
    const received = await markReceived(tx, upload.id)
    if (!received) return
    // A workflow that cannot run must not undo the reception: starting the batch reports it, and
    // the sweep tries again.
    await tx
      .transaction(async (inner) => {
        if (received.batch_id) await importArrived(engine, inner, received.batch_id)
        else await importUploads(engine, inner, [received], { requestedBy: received.requested_by })
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
      })
  })
}

/** Marks the upload as received. Null: another request has done it. */
const markReceived = (scope: ShopScope, id: string): Promise<UploadRow | null> =>
  scope.first<UploadRow>(
    `update uploads set status = 'received', offset_bytes = size_bytes, unproved_from = null,
       received_at = now()
     where shop_id = :shop and id = :id and status = 'uploading' returning *`,
    { id },
  )
