// One shop's uploads as the tus server sees them. There is no `read`: uploads cannot be downloaded.
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { say, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { toPublicId, parsePublicId } from '../../core/ids.ts'
import { present } from '../../core/lazy.ts'
import { OVERWRITING } from '../../files/admission.ts'
import { refusedByQuota, type ShopQuotas } from '../../files/quotas.ts'
import { cleanName, nameKey } from '../../files/rules.ts'
import { directPlace, type DirectParts, readMetadata, refuseTakenName } from './direct.ts'
import { noteSeen } from './batches.ts'
import { finishUpload } from './finish.ts'
import { isElsewhere } from './sharing.ts'
import { uploadPlace, removeBytes } from './places.ts'
import { noteArrival, type Checksum } from './receive.ts'
import {
  deleteUpload,
  EXPIRY_MS,
  findUpload,
  insertUpload,
  type UploadChoices,
  type UploadQuotas,
  type UploadRow,
} from './rows.ts'

export interface UploadRequest {
  /** Who sends the upload, for history. */
  requestedBy: string
  /**
   * The request's bytes, read from the connection directly: tus would pipe them through three more
   * streams.
   */
  bytes: AsyncIterable<Buffer>
  checksum: Checksum | null
  /** What a PATCH request changes the upload's choice to; null: it stays. */
  onConflict: UploadRow['on_conflict'] | null
  /** The maximum size of a file. */
  fileBytes: number
  quotas: UploadQuotas & Partial<ShopQuotas>
}

/** The extensions of tus that the server supports. */
export const EXTENSIONS: readonly string[] = [
  'creation',
  'creation-with-upload',
  'termination',
  'checksum',
  'expiration',
]

export class ShopUploads extends DataStore {
  readonly #parts: DirectParts
  readonly #scope: ShopScope
  readonly #request: UploadRequest
  /**
   * The upload's row when its lock was taken; no other request changes it until the lock is
   * released.
   */
  #row: UploadRow | undefined

  constructor(parts: DirectParts, scope: ShopScope, request: UploadRequest) {
    super()
    this.#parts = parts
    this.#scope = scope
    this.#request = request
    this.extensions = [...EXTENSIONS]
  }

  override async create(upload: Upload): Promise<Upload> {
    const id = uuidOf(upload.id)
    const size = present(upload.size, 'The size of the upload')
    const metadata = (upload.metadata ?? {}) as Record<string, string>
    const choices = readMetadata(metadata, size, this.#request.fileBytes)
    const folder = await this.#numberOfPlace()
    await uploadPlace(this.#parts.folder, { folder }).create(id)
    const { requestedBy, quotas } = this.#request
    try {
      if (directPlace(this.#parts, { folder, size_bytes: size }))
        await refuseAboveQuota(this.#scope, { choices, size }, quotas)
      this.#row = await insertUpload(
        this.#scope,
        { id, size, choices, metadata, requestedBy, folder },
        quotas,
      )
    } catch (error) {
      await removeBytes(this.#parts.folder, { id, folder })
      throw error
    }
    return upload
  }

  /** The number of the place for a new upload. Throws `uploads_not_shared`. */
  async #numberOfPlace(): Promise<number | null> {
    const { bucket, useBucket, sharing } = this.#parts.folder
    if (bucket && useBucket) return bucket.number
    if (!(await sharing.isShared())) throw notShared()
    return sharing.number
  }

  override async getUpload(publicId: string): Promise<Upload> {
    const row = (this.#row ??= await this.#find(publicId))
    return new Upload({
      id: toPublicId('upload', row.id),
      size: row.size_bytes,
      offset: await this.#offsetOf(row),
      metadata: row.metadata,
      creation_date: new Date(row.expires_at.getTime() - EXPIRY_MS).toISOString(),
    })
  }

  override async write(_: Readable, publicId: string, offset: number): Promise<number> {
    const row = (this.#row ??= await this.#find(publicId))
    if (row.status !== 'uploading') return offset
    const { checksum, onConflict } = this.#request
    await refuseTakenName(this.#scope, row, onConflict)
    // Otherwise a batch whose only upload sends one long request would seem abandoned.
    const bytes = noteArrival(this.#request.bytes, () => noteSeen(this.#scope, row.batch_id))
    const chunk = { bytes, offset, limit: row.size_bytes, checksum }
    return uploadPlace(this.#parts.folder, row).receive(this.#scope, row, chunk)
  }

  override async remove(publicId: string): Promise<void> {
    const row = await this.#find(publicId)
    if (row.operation_id || row.status === 'imported')
      throw new AppError('conflict', {
        message: say('This upload is being imported: cancel the operation instead'),
      })
    await deleteUpload(this.#scope, row.id)
    await removeBytes(this.#parts.folder, row)
  }

  /** Whether the client may send the bytes of this upload straight to the bucket. */
  get isDirect(): boolean {
    return this.#row?.status === 'uploading' && directPlace(this.#parts, this.#row) !== null
  }

  override getExpiration(): number {
    return EXPIRY_MS
  }

  async finish(publicId: string): Promise<void> {
    const row = this.#row ?? (await this.#find(publicId))
    if (row.status === 'uploading') await finishUpload(this.#parts, this.#scope, row)
  }

  async #find(publicId: string): Promise<UploadRow> {
    const row = await findUpload(this.#scope, uuidOf(publicId))
    if (!row) throw ERRORS.FILE_NOT_FOUND
    return row
  }

  /**
   * Reads the offset, after corrections of a crash. Must be called under the upload's lock, which
   * excludes other writers.
   */
  async #offsetOf(row: UploadRow): Promise<number> {
    if (row.status !== 'uploading') return row.size_bytes
    const { folder } = this.#parts
    const offset = await uploadPlace(folder, row).offset(row)
    if (offset === null) throw isElsewhere(folder, row) ? notShared() : ERRORS.FILE_NO_LONGER_EXISTS
    // A process died after the last byte; the client will send nothing more, so the upload is
    // finished now.
    if (offset === row.size_bytes) await finishUpload(this.#parts, this.#scope, row)
    return offset
  }
}

/**
 * Refuses bytes for which the shop has no room. The import checks it again: other files may take the
 * room meanwhile.
 */
async function refuseAboveQuota(
  scope: ShopScope,
  { choices, size }: { choices: UploadChoices; size: number },
  quotas: Partial<ShopQuotas>,
): Promise<void> {
  const { filename, on_conflict } = choices
  const overwrites = OVERWRITING.includes(on_conflict)
  const wanted = { newName: nameKey(cleanName(filename)), bytes: size, overwrites }
  const [refusal] = await scope.transaction((tx) => refusedByQuota(tx, [wanted], quotas))
  if (refusal) throw new AppError(refusal.code, { message: textOf(refusal.message) })
}

const notShared = () => new AppError('uploads_not_shared', { retryAfter: 60 })

function uuidOf(publicId: string): string {
  const id = parsePublicId('upload', publicId)
  if (!id) throw ERRORS.FILE_NOT_FOUND
  return id
}
