// A CSV file in a request: as the body itself or as the file of a form, passed on as it arrives.
import type { Context } from 'koa'
import { say, UNSAFE_CHARACTERS } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import { readBodyPieces, type PieceOptions } from '../core/request-body.ts'
import { lastOf } from '../core/lazy.ts'
import { percentDecoded } from '../core/texts.ts'

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

// The one file of a multipart form (RFC 7578), passed on as it arrives. Parts before it are
// skipped, and parts after it are not read.

export interface FormFile {
  filename: string | null
  /** The bytes of the file. Reading them throws `malformed_request` if the form ends before. */
  bytes: AsyncIterable<Buffer>
}

const MAX_HEADERS = 16 * 1024
/** Maximum size of a part that is not a file. */
const MAX_FIELD = 1024 * 1024

const malformed = () =>
  new AppError('malformed_request', {
    message: say('The form could not be read to the end of its file'),
  })

/** The file of a form; null: it has none. `boundary`: from the Content-Type. */
export async function openFormFile(
  chunks: AsyncIterator<Uint8Array>,
  boundary: string,
): Promise<FormFile | null> {
  const mark = Buffer.from(`\r\n--${boundary}`)
  // The first boundary has no line break before it.
  let left = Buffer.from('\r\n')
  const more = async () => {
    const next = await chunks.next()
    if (next.done) throw malformed()
    left = Buffer.concat([left, next.value])
  }
  const upTo = async (end: Buffer, most: number): Promise<Buffer> => {
    for (let at = left.indexOf(end); ; at = left.indexOf(end)) {
      if (at >= 0) {
        const before = left.subarray(0, at)
        left = left.subarray(at + end.length)
        return before
      }
      if (left.length > most) throw malformed()
      await more()
    }
  }
  const bytes = async function* () {
    for (let at = left.indexOf(mark); at < 0; at = left.indexOf(mark)) {
      const sure = left.length - mark.length
      if (sure > 0) {
        yield left.subarray(0, sure)
        left = left.subarray(sure)
      }
      await more()
    }
    yield left.subarray(0, left.indexOf(mark))
  }
  await upTo(mark, MAX_HEADERS)
  while (true) {
    while (left.length < 2) await more()
    if (left.toString('latin1', 0, 2) === '--') return null
    const headers = (await upTo(Buffer.from('\r\n\r\n'), MAX_HEADERS)).toString()
    const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? ''
    if (/;\s*filename\*?=/i.test(disposition))
      return { filename: nameIn(disposition), bytes: bytes() }
    await upTo(mark, MAX_FIELD)
  }
}

/** `filename*` (RFC 8187) is the name itself where a client sends both. */
function nameIn(disposition: string): string | null {
  const [, extended] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition) ?? []
  const name = extended === undefined ? null : percentDecoded(extended)
  return name ?? plainNameIn(disposition)
}

/** Browsers escape a quote as %22, other clients with a backslash. .NET writes an encoded word. */
function plainNameIn(disposition: string): string | null {
  const [, quoted, bare] =
    /;\s*filename\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;\s]+))/i.exec(disposition) ?? []
  const name = quoted?.replace(/\\(.)/g, '$1').replaceAll('%22', '"') ?? bare ?? null
  const [, base64] = /^=\?utf-8\?b\?([a-z0-9+/=]*)\?=$/i.exec(name ?? '') ?? []
  return base64 === undefined ? name : Buffer.from(base64, 'base64').toString()
}

/** The boundary in a Content-Type, or null. */
export function boundaryIn(contentType: string): string | null {
  const [, quoted, bare] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}
