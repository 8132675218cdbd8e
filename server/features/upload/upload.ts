// The public functions of the upload channel.
import type { Engine } from '../../engine/engine.ts'
import type { Locks } from '../../core/db/locks.ts'
import type { UploadFolder } from './folder.ts'
import type { ShopQuotas } from '../../files/quotas.ts'
import type { DirectUploads } from '../../core/configuration/storage-settings.ts'
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
export { checkNames } from './names.ts'
export { readResults } from './results.ts'
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
