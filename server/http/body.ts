// A request's JSON body, read within its limits. A refused body is read to its end, or its
// connection is closed: unread bytes on an open connection would block the next request, which
// behind a proxy is another client's.
import { say, type Text } from '../../plugins/contract.ts'
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { AppError } from '../core/errors.ts'
import { shapeCounter } from './body-shape.ts'

/**
 * How much of a refused body is read, and for how long, before its connection is closed instead.
 */
const MAX_DISCARDED = 64 * 1024 ** 2
const DISCARD_MS = 5_000

/**
 * Reads JSON bodies. Throws `malformed_request`, `payload_too_large` and `unsupported_media_type`.
 * An empty body is an empty object, since all fields of some requests are optional; it needs no
 * type.
 */
export function jsonReader(maxBytes: number): (ctx: Context) => Promise<unknown> {
  const readText = textReader(maxBytes)
  return async (ctx) => {
    try {
      if (hasNoBody(ctx) && ctx.get('Content-Type') === '') return {}
      if (!ctx.is('json', '+json')) throw new AppError('unsupported_media_type')
      const text = decoded(Buffer.from(await readText(ctx), 'latin1'), ctx.request.charset)
      shapeCounter()(Buffer.from(text))
      return parsed(text)
    } catch (error) {
      if (!(await discardRest(ctx.req))) ctx.set('Connection', 'close')
      throw error
    }
  }
}

/** Does the request have no body, and announce none? */
export const hasNoBody = ({ req: { headers } }: Context): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

/**
 * Decodes a body in UTF-8, or in the charset that its Content-Type declares. A byte that cannot be
 * decoded is refused: it would be stored as U+FFFD in a file's name.
 */
function decoded(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset || 'utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    if (!isEncoding(charset))
      throw new AppError('unsupported_media_type', {
        cause,
        message: say('Send the body in UTF-8: the charset {charset} is unknown', { charset }),
      })
    throw new AppError('malformed_request', {
      cause,
      message: charset
        ? say('The body is not valid {charset}, which its Content-Type declares', { charset })
        : say('The body is not valid UTF-8: encode its text as UTF-8'),
    })
  }
}

function isEncoding(charset: string): boolean {
  try {
    return new TextDecoder(charset || 'utf-8').encoding !== ''
  } catch {
    return false
  }
}

/**
 * koa-body decompresses the body and limits its bytes, one character for each byte; the JSON is
 * parsed below, after its shape was checked.
 */
function textReader(maxBytes: number): (ctx: Context) => Promise<string> {
  const read = koaBody({ ...TEXT_ONLY, textLimit: maxBytes })
  return async (ctx) => {
    try {
      await read(ctx, () => Promise.resolve())
    } catch (cause) {
      throw refusal(cause)
    }
    const { body } = ctx.request as unknown as { body?: unknown }
    return typeof body === 'string' ? body : ''
  }
}

const TEXT_ONLY = {
  json: false,
  urlencoded: false,
  multipart: false,
  text: true,
  textTypes: ['json', '+json'],
  encoding: 'binary',
  patchNode: false,
  onError: (error: Error) => {
    throw error
  },
}

/** raw-body and zlib report a refusal by an HTTP status. */
function refusal(cause: unknown): AppError {
  const status = (cause as { status?: unknown }).status
  if (status === 413) return new AppError('payload_too_large')
  if (status !== 415) return new AppError('malformed_request', { cause })
  return new AppError('unsupported_media_type', {
    message: say('Send the body uncompressed, or as gzip, deflate or br'),
  })
}

/** Parses a body, which is a list or an object. */
function parsed(text: string): unknown {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new AppError('malformed_request', { cause, message: notJson(cause) })
  }
  throw new AppError('malformed_request', { message: say('The body must be a JSON object') })
}

/**
 * The place of the error only: the rest of the engine's message quotes the body, which may contain
 * secrets.
 */
function notJson(cause: unknown): Text {
  const text = cause instanceof Error ? cause.message : ''
  const place = /\((line \d+ column \d+)\)$/.exec(text)?.[1]
  if (text.includes('end of JSON input'))
    return say('The body is not valid JSON: it ends too early')
  return place
    ? say('The body is not valid JSON: {place}', { place })
    : say('The body is not valid JSON')
}

/** Reads and discards the rest of a body. False: the rest is longer than the limit. */
function discardRest(request: IncomingMessage): Promise<boolean> {
  request.unpipe()
  if (request.readableEnded || request.destroyed) return Promise.resolve(request.complete)
  return new Promise((resolve) => {
    let left = MAX_DISCARDED
    const finish = (whole: boolean) => {
      clearTimeout(timer)
      request.off('data', count).off('end', ended).off('close', closed)
      resolve(whole)
    }
    const count = (piece: Buffer) => {
      left -= piece.length
      if (left < 0) finish(false)
    }
    const ended = () => finish(true)
    const closed = () => finish(false)
    const timer = setTimeout(closed, DISCARD_MS)
    request.on('data', count).once('end', ended).once('close', closed).resume()
  })
}
