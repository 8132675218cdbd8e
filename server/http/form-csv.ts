// A CSV file in a request: as the body itself or as the file of a form, passed on as it arrives.
import type { Context } from 'koa'
import { say, UNSAFE_CHARACTERS } from '../../plugins/contract.ts'
import { AppError } from '../core/errors.ts'
import { readBodyPieces, type PieceOptions } from '../core/request-body.ts'
import { boundaryIn, openFormFile } from './form-file.ts'
import { lastOf } from '../core/present.ts'

/** Windows sends CSV files with Excel's media type. */
const TYPES = [
  'text/*',
  'application/csv',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/octet-stream',
] as const
const DEFAULT_NAME = 'import.csv'
const MAX_NAME = 255
/** The bytes that a form may have in addition to its file. */
const FORM_OVERHEAD = 2 * 1024 * 1024

/** What a table that is stored as it arrives takes: its pieces, their text and the rows being read. */
const STREAMED_BYTES = 4 * 1024 * 1024

export interface FileLimits {
  maxBytes: number
  /** The caller keeps what it reads in memory. Absent: it stores the bytes as they arrive. */
  isKept?: boolean
}

export interface ReceivedFile {
  filename: string
  /** The bytes of the file. Reading them throws what `readBodyPieces` throws. */
  bytes: AsyncIterable<Uint8Array>
}

/**
 * The CSV file in a request. Throws `payload_too_large` (by the declared length; the reader checks
 * the real one), `unsupported_media_type`, and `validation_failed` for a form without a file.
 */
export async function receivedFile(
  ctx: Context,
  filename: string | undefined,
  { maxBytes, isKept = false }: FileLimits,
): Promise<ReceivedFile> {
  const boundary = ctx.is('multipart/form-data') ? boundaryIn(ctx.get('Content-Type')) : null
  if (boundary === null && !ctx.is(...TYPES))
    throw new AppError('unsupported_media_type', { message: WANTED })
  if ((ctx.request.length ?? 0) > maxBytes + (boundary === null ? 0 : FORM_OVERHEAD))
    throw new AppError('payload_too_large')
  const body = wholeBody(ctx, isKept ? {} : { countsAs: STREAMED_BYTES })
  if (boundary === null) return { filename: nameOf(filename), bytes: body }
  const file = await openFormFile(body, boundary)
  if (file) return { filename: nameOf(filename ?? file.filename), bytes: file.bytes }
  throw new AppError('validation_failed', { param: 'file', message: say('The form has no file') })
}

const WANTED = say('Send the CSV file (Content-Type: text/csv), or a form with it')

function nameOf(filename: string | null | undefined): string {
  const name = lastOf((filename ?? '').split(/[\\/]/))
    .replace(new RegExp(UNSAFE_CHARACTERS, 'g'), '')
    .trim()
  return name.toWellFormed().slice(0, MAX_NAME).toWellFormed() || DEFAULT_NAME
}

async function* wholeBody(ctx: Context, options: PieceOptions): AsyncGenerator<Uint8Array> {
  try {
    yield* readBodyPieces(ctx.req, options)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'malformed_request') throw cause
    throw new AppError('malformed_request', {
      message: say('The request ended before the file was complete'),
      cause,
    })
  }
}
