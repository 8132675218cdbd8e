// A CSV file in a request: as the body itself or as the one file of a form, handed on piece by piece as it comes.
import { PassThrough } from 'node:stream'
import formidable from 'formidable'
import type { Context } from 'koa'
import { UNSAFE_CHARACTERS } from '../../plugins/contract.ts'
import { AppError } from '../errors.ts'

/** Windows calls a CSV file a sheet of Excel's. */
const TYPES = ['text/*', 'application/csv', 'application/vnd.ms-excel', 'application/octet-stream']
const DEFAULT_NAME = 'import.csv'
const MOST_NAME = 255

export interface ReceivedFile {
  filename: string
  /** Throws `AppError` where the request breaks off. */
  bytes: AsyncIterable<Uint8Array>
}

/** Throws `payload_too_large`, `unsupported_media_type`, and `required` for a form without a file. */
export async function receivedFile(
  ctx: Context,
  filename: string | undefined,
  mostBytes: number,
): Promise<ReceivedFile> {
  const form = ctx.is('multipart/form-data') !== false && ctx.is('multipart/form-data') !== null
  // A form has some bytes around the file.
  if ((ctx.request.length ?? 0) > mostBytes + (form ? 64 * 1024 : 0)) throw new AppError('payload_too_large')
  if (form) {
    const file = await formFile(ctx, mostBytes)
    return { filename: nameOf(filename ?? file.filename), bytes: file.bytes }
  }
  if (!ctx.is(...(TYPES as [string, ...string[]])))
    throw new AppError('unsupported_media_type', {
      message: 'Send the CSV file (Content-Type: text/csv), or a form with it',
    })
  return { filename: nameOf(filename), bytes: wholeBody(ctx) }
}

function nameOf(filename: string | null | undefined): string {
  const name = (filename ?? '').split(/[\\/]/).at(-1)!.replace(new RegExp(UNSAFE_CHARACTERS, 'g'), '').trim()
  return name.toWellFormed().slice(0, MOST_NAME).toWellFormed() || DEFAULT_NAME
}

const brokenOff = (cause: unknown) =>
  new AppError('malformed_request', { message: 'The request broke off before the file was whole', cause })

async function* wholeBody(ctx: Context): AsyncGenerator<Uint8Array> {
  try {
    // The connection stays: the client is to read why its file was refused.
    for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch (error) {
    throw brokenOff(error)
  }
}

function formFile(
  ctx: Context,
  mostBytes: number,
): Promise<{ filename: string | null; bytes: AsyncIterable<Uint8Array> }> {
  return new Promise((resolve, reject) => {
    const bytes = new PassThrough()
    const form = formidable({
      maxFiles: 1,
      maxFileSize: mostBytes + 1,
      maxFields: 20,
      maxFieldsSize: 64 * 1024,
      allowEmptyFiles: true,
      minFileSize: 0,
      fileWriteStreamHandler: (file) => {
        resolve({
          filename: (file as { originalFilename?: string | null } | undefined)?.originalFilename ?? null,
          bytes,
        })
        return bytes
      },
    })
    form.parse(ctx.req).then(
      () => reject(new AppError('validation_failed', { param: 'file', message: 'The form has no file' })),
      (error: unknown) => {
        const { httpCode } = error as { httpCode?: number }
        const told = httpCode === 413 ? new AppError('payload_too_large') : brokenOff(error)
        bytes.destroy(told)
        reject(told)
      },
    )
  })
}
