// Where the bytes of an upload are until it is imported: in the folder, or in the bucket.
import { PortError, type StagedBlob } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import type { StagePlace } from '../../ports/catalog.ts'
import type { Chunk } from './receive.ts'
import type { UploadRow } from './rows.ts'

export interface ArrivedBytes {
  size: number
  /** The time of the last byte. */
  changed: Date
}

export interface UploadPlace {
  create(id: string): Promise<void>
  /** The bytes that have arrived; null: the place does not have the upload. */
  arrived(upload: UploadRow): Promise<ArrivedBytes | null>
  /**
   * The number of bytes that count, after corrections of a crash; null: the place does not have the
   * upload. Must be called under the upload's lock.
   */
  offset(upload: UploadRow): Promise<number | null>
  /**
   * Stores bytes from `chunk.offset`, records the new offset and returns it. With a checksum it is
   * all or nothing. Throws `checksum_mismatch`, `payload_too_large`, `conflict` if another process
   * has stored bytes from this offset, and errors of the storage.
   */
  receive(scope: ShopScope, upload: UploadRow, chunk: Chunk): Promise<number>
  /** Makes a complete upload unchangeable. Idempotent. */
  finish(id: string): Promise<void>
  /** Links or copies the bytes to a storage location. Throws `upload_lost`, and the store's errors. */
  take(
    scope: ShopScope,
    upload: UploadRow,
    to: StagePlace,
    signal: AbortSignal,
  ): Promise<StagedBlob>
}

export const uploadLost = () => new PortError('upload_lost', ERRORS.upload_lost.message, false)
