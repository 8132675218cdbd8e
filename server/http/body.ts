// A request's JSON body, read within its limits. A refused body is read to its end, or its
// connection is closed: unread bytes on an open connection would block the next request, which
// behind a proxy is another client's.
import { say, type Text } from '../../plugins/contract.ts'
import type { Context } from 'koa'
import { AppError } from '../core/errors.ts'
import { discardRest, readRequest } from '../core/request-body.ts'
import { shapeCounter } from './body-shape.ts'

/** How long a refused body is read before its connection is closed instead. */
const DISCARD_MS = 5_000

/**
 * Reads JSON bodies. Throws `unsupported_media_type`, and what `readRequest` throws.
 * An empty body is an empty object, since all fields of some requests are optional; it needs no
 * type.
 */
export function jsonReader(maxBytes: number): (ctx: Context) => Promise<unknown> {
  return async (ctx) => {
    try {
      if (hasNoBody(ctx) && ctx.get('Content-Type') === '') return {}
      if (!ctx.is('json', '+json')) throw new AppError('unsupported_media_type')
      const bytes = await readRequest(ctx.req, maxBytes, { inflates: true })
      const text = decoded(bytes, ctx.request.charset)
      shapeCounter()(Buffer.from(text))
      return parsed(text)
    } catch (error) {
      if (!(await discardRest(ctx.req, DISCARD_MS))) ctx.set('Connection', 'close')
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

/** Parses a body, which is a list or an object. */
function parsed(text: string): unknown {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new AppError('malformed_request', { cause, message: notJson(cause, text) })
  }
  throw new AppError('malformed_request', { message: say('The body must be a JSON object') })
}

/**
 * The place of the error only: the rest of the engine's message quotes the body, which may contain
 * secrets.
 */
function notJson(cause: unknown, body: string): Text {
  const text = cause instanceof Error ? cause.message : ''
  if (text.includes('end of JSON input'))
    return say('The body is not valid JSON: it ends too early')
  const place = /\((line \d+ column \d+)\)$/.exec(text)?.[1] ?? placeOfToken(body)
  return place
    ? say('The body is not valid JSON: {place}', { place })
    : say('The body is not valid JSON')
}

/** The longest body in which the place of an unexpected character is looked for: it is parsed often. */
const MAX_SEARCHED = 100_000

/** The engine tells no place of an unexpected character, such as a bracket after a comma. */
function placeOfToken(body: string): string | null {
  if (body.length > MAX_SEARCHED) return null
  // The shortest beginning that cannot become valid ends with the character.
  let [good, bad] = [0, body.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isBeginning(body.slice(0, middle))) good = middle
    else bad = middle
  }
  const lines = body.slice(0, bad).split('\n')
  return `line ${lines.length} column ${lines.at(-1)?.length}`
}

/** Can the text be the beginning of a JSON value? */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    return /end of JSON input|Unterminated/.test(message) || Number(position) === text.length
  }
}
