// Bytes of large files that a browser sends straight to the bucket, with an address that is signed
// for one piece. The pieces are those of bucket.ts: a row names each one that counts, so an upload
// may continue here or over tus at any offset. The server chooses the piece: its length is signed,
// and its name follows from its offset, so a client can store no more than it announced.
// docs/decisions/0073.
import { createHash } from 'node:crypto'
import {
  ON_CONFLICT,
  type OnConflict,
  packNameProblem,
  say,
  type Text,
  textOf,
} from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import type { DirectUploads } from '../../core/configuration/storage-settings.ts'
import { filenameProblem, MAX_TAGS, splitTags, tagProblem } from '../../files/rules.ts'
import { parsePublicId, uuidOfHex } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'
import { noteSeen } from './batches.ts'
import { recordPieces, storageFailed, type UploadBucket } from './bucket.ts'
import { finishUpload, type FinishParts } from './finish.ts'
import { bucketOf } from './places.ts'
import {
  findUpload,
  type UploadRow,
  changeConflict,
  isNameTaken,
  type UploadChoices,
} from './rows.ts'

export interface DirectParts extends FinishParts {
  /** Null: all bytes pass the web processes. */
  direct: DirectUploads | null
}

/** After an interruption a client sends the whole piece again. */
const PIECE_BYTES = 32 * 1024 ** 2
/** The bucket compares it with the time at which the request begins, not with its end. */
const SIGNED_SECONDS = 15 * 60

export interface DirectState {
  /** The bytes that count. */
  offset: number
  /** The next bytes to send; null: there are none, or they are sent to the server. */
  piece: { size: number; url: string; expires: Date } | null
}

interface DirectPlace {
  bucket: UploadBucket
  pieceBytes: number
}

/** The bucket that may get the bytes of this upload straight from its client. */
export function directPlace(
  { direct, folder }: Pick<DirectParts, 'direct' | 'folder'>,
  upload: Pick<UploadRow, 'folder' | 'size_bytes'>,
): DirectPlace | null {
  const bucket = bucketOf(folder, upload)
  if (!direct || !bucket || upload.size_bytes < direct.min_bytes) return null
  return { bucket, pieceBytes: direct.piece_bytes ?? PIECE_BYTES }
}

/**
 * Counts the next piece if the bucket has it, finishes the upload after the last one, and otherwise
 * gives the address of the next piece. Idempotent, so a client asks it to resume too. Throws
 * `not_found`, `duplicate_filename` in the details of `validation_failed`, and `storage_failed`.
 */
export async function continueDirect(
  parts: DirectParts,
  scope: ShopScope,
  id: string,
  onConflict: OnConflict | null,
): Promise<DirectState> {
  const row = await findUpload(scope, id)
  if (!row) throw new AppError('not_found')
  if (row.status !== 'uploading') return { offset: row.size_bytes, piece: null }
  const place = directPlace(parts, row)
  if (!place) return { offset: row.offset_bytes, piece: null }
  await refuseTakenName(scope, row, onConflict)
  await noteSeen(scope, row.batch_id)
  const offset = await countPiece(place, scope, row)
  if (offset < row.size_bytes) return { offset, piece: await signed(place, row, offset) }
  await finishUpload(parts, scope, row)
  return { offset, piece: null }
}

/** The offset after the piece that the bucket has at the upload's offset, if it has one. */
async function countPiece(
  { bucket, pieceBytes }: DirectPlace,
  scope: ShopScope,
  row: UploadRow,
): Promise<number> {
  const { id, offset_bytes: offset } = row
  const { name, size } = pieceAt(row, offset, pieceBytes)
  // The bucket refuses other lengths; a provider that does not is not believed.
  if (size === 0 || (await bucket.sizeOf(id, name).catch(storageFailed)) !== size) return offset
  try {
    await recordPieces(scope, id, offset, [{ name, size }])
    return offset + size
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    // Another request has counted it, or has ended the upload.
    const now = await findUpload(scope, id)
    if (!now) throw new AppError('not_found', { cause: error })
    return now.offset_bytes
  }
}

/** The same name for the same bytes: a piece that is sent twice takes the room of one. */
function pieceAt({ id, size_bytes }: UploadRow, offset: number, pieceBytes: number) {
  const size = Math.min(pieceBytes, size_bytes - offset)
  const hex = createHash('sha256').update(`${id}/${offset}/${size}`).digest('hex')
  const name = uuidOfHex(hex.slice(0, 32))
  return { name, size }
}

async function signed(
  { bucket, pieceBytes }: DirectPlace,
  row: UploadRow,
  offset: number,
): Promise<DirectState['piece']> {
  const { name, size } = pieceAt(row, offset, pieceBytes)
  const expires = new Date(Date.now() + SIGNED_SECONDS * 1000)
  const url = await bucket.sign(row.id, name, size, SIGNED_SECONDS).catch(storageFailed)
  return { size, url, expires }
}

// The metadata that a client declares before it sends a byte. It is validated immediately, by the
// rules for all files, so that a wrong name is not reported only after five gigabytes.

export type Metadata = Readonly<Record<string, string | null | undefined>>

/** The fields that are used; others are ignored. Some clients send the filename as `name`. */
const KNOWN = [
  'filename',
  'name',
  'size',
  'batch',
  'on_conflict',
  'tags',
  'product_sku',
  'pack',
] as const

const MAX_SKU = 255

/**
 * Reads and checks the metadata. Tags are separated by `,` or `;`. Throws `validation_failed` with
 * every problem, and `file_too_large`.
 */
export function readMetadata(metadata: Metadata, size: number, limit: number): UploadChoices {
  if (size > limit) throw new AppError('file_too_large')
  const details: ErrorDetail[] = []
  const add = (param: string, code: ErrorDetail['code'], message: Text) =>
    details.push({ param, code, message })

  const filename = (metadata.filename ?? metadata.name ?? '').normalize('NFC')
  const wrongName = filenameProblem(filename)
  if (wrongName) add('filename', wrongName.code, textOf(wrongName.message))
  const { tags: givenTags, product_sku, pack } = metadata
  for (const [param, text] of Object.entries({ filename, tags: givenTags, product_sku, pack }))
    // The tus library decodes bytes that are no UTF-8 to this character.
    if (text?.includes('\ufffd'))
      add(param, 'invalid_value', say('Send it in UTF-8, encoded as base64'))
  if (size === 0) add('size', 'empty_file', say('The file is empty'))
  if (metadata.size && Number(metadata.size) !== size)
    add('size', 'invalid_value', say('This is not the upload’s length'))

  const on_conflict = ON_CONFLICT.find((one) => one === (metadata.on_conflict || 'error'))
  if (!on_conflict)
    add(
      'on_conflict',
      'invalid_value',
      say('Send one of {names}', { names: ON_CONFLICT.join(', ') }),
    )

  const tags = splitTags(givenTags ?? '')
  if (tags.length > MAX_TAGS)
    add('tags', 'too_many', say('At most {most} tags', { most: MAX_TAGS }))
  const wrongTag = tags.map(tagProblem).find((problem) => problem !== null)
  if (wrongTag) add('tags', wrongTag.code, textOf(wrongTag.message))

  if ((product_sku ?? '').length > MAX_SKU)
    add('product_sku', 'invalid_value', say('At most {count} characters', { count: MAX_SKU }))
  const wrongPack = pack ? packNameProblem(pack) : null
  if (wrongPack) add('pack', wrongPack.code, textOf(wrongPack.message))

  const batch = metadata.batch ? parsePublicId('batch', metadata.batch) : null
  if (metadata.batch && !batch) add('batch', 'invalid_value', say('There is no such batch'))

  if (!on_conflict || details.length > 0) throw invalid(details)
  return { filename, on_conflict, tags, batch }
}

/**
 * Reads `Upload-On-Conflict`, which changes the choice of an unfinished upload; null: it stays.
 * Throws `validation_failed`.
 */
export function readConflict(header: string): OnConflict | null {
  if (header === '') return null
  const found = ON_CONFLICT.find((one) => one === header)
  if (found) return found
  const message = say('Send one of {names}', { names: ON_CONFLICT.join(', ') })
  throw invalid([{ param: 'on_conflict', code: 'invalid_value', message }])
}

/**
 * The error for these problems. A single one becomes the error's message, which the page shows next
 * to the file.
 */
export const invalid = (details: readonly ErrorDetail[]): AppError =>
  new AppError('validation_failed', {
    details,
    param: firstOf(details).param,
    ...(details.length === 1 ? { message: firstOf(details).message } : {}),
  })

export const nameTaken = (): AppError => {
  const code = 'duplicate_filename'
  return invalid([{ param: 'filename', code, message: new AppError(code).text }])
}

/**
 * Refuses a name that was taken since the upload began, before more bytes are sent.
 * @param onConflict what the client changes the upload's choice to; null: it stays
 */
export async function refuseTakenName(
  scope: ShopScope,
  row: UploadRow,
  onConflict: OnConflict | null,
): Promise<void> {
  if (onConflict && onConflict !== row.on_conflict) {
    await changeConflict(scope, row.id, onConflict)
    row.on_conflict = onConflict
  }
  if (row.on_conflict === 'error' && (await isNameTaken(scope, row))) throw nameTaken()
}

/** The metadata that a HEAD request repeats. */
export function keptMetadata(metadata: Metadata): Record<string, string> {
  const kept = KNOWN.flatMap((name) =>
    typeof metadata[name] === 'string' ? [[name, metadata[name]] as const] : [],
  )
  return Object.fromEntries(kept)
}
