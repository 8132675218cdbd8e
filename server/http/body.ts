// A request's JSON body, read within its limits. A refused body is read to its end, or its
// connection is closed: unread bytes on an open connection would block the next request, which
// behind a proxy is another client's.
import type { Context } from 'koa'
import { say, type Text } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import { discardRest, readRequest } from '../core/request-body.ts'

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

/**
 * Reads a body as text. Throws `unsupported_media_type`, and what `readRequest` throws.
 * @param types its media types, as `ctx.is` takes them
 */
export async function readText(
  ctx: Context,
  { maxBytes, types, message }: { maxBytes: number; types: readonly string[]; message: Text },
): Promise<string> {
  try {
    if (!ctx.is(...types)) throw new AppError('unsupported_media_type', { message })
    const bytes = await readRequest(ctx.req, maxBytes, { inflates: true })
    return decoded(bytes, ctx.request.charset)
  } catch (error) {
    if (!(await discardRest(ctx.req, DISCARD_MS))) ctx.set('Connection', 'close')
    throw error
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
  const end = tokenOffset(body)
  if (end === null) return null
  const lines = body.slice(0, end).split('\n')
  return `line ${lines.length} column ${lines.at(-1)?.length}`
}

/** The length of the shortest beginning that cannot become valid: it ends with the character. */
export function tokenOffset(body: string): number | null {
  if (body.length > MAX_SEARCHED) return null
  let [good, bad] = [0, body.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isBeginning(body.slice(0, middle))) good = middle
    else bad = middle
  }
  return bad
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

// The shape of a JSON body, counted in its bytes before it is parsed. JSON.parse takes 100 ns for a
// value of three bytes and 1 µs for a new field name: 5 MB of either would block the process for
// half a second.

/**
 * The maximum number of values in a body: every element of a list and every field counts. Exported for
 * tests of bodies at the limit.
 */
export const MAX_VALUES = 100_000
/** The maximum number of fields in a body. Exported for tests of bodies at the limit. */
export const MAX_FIELDS = 40_000
/** The maximum of levels: more than any request needs, and few enough for recursive functions. */
export const MAX_DEPTH = 50

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d] as const

/** Takes a body piece by piece. Throws `malformed_request` and `payload_too_large`. */
export function shapeCounter(): (bytes: Uint8Array) => void {
  let inText = false
  let escaped = false
  let deep = 0
  let values = 0
  let fields = 0
  return (bytes) => {
    // A plain loop: it runs once for each byte of every request.
    const { length } = bytes
    for (let at = 0; at < length; at++) {
      if (inText) {
        if (escaped) escaped = false
        else {
          while (at < length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++
          escaped = bytes[at] === BACKSLASH
          inText = bytes[at] !== QUOTE
        }
        continue
      }
      switch (bytes[at]) {
        case QUOTE:
          inText = true
          break
        case COMMA:
          if (++values > MAX_VALUES) throw tooMany('values', MAX_VALUES)
          break
        case COLON:
          if (++fields > MAX_FIELDS) throw tooMany('fields', MAX_FIELDS)
          break
        case LIST:
        case OBJECT:
          if (++values > MAX_VALUES) throw tooMany('values', MAX_VALUES)
          if (++deep > MAX_DEPTH) throw tooDeep()
          break
        case LIST_END:
        case OBJECT_END:
          deep--
          break
        default:
      }
    }
  }
}

export const tooDeep = (): AppError =>
  new AppError('malformed_request', {
    message: say('The request is nested more than {most} deep', { most: MAX_DEPTH }),
  })

const tooMany = (what: string, most: number) =>
  new AppError('payload_too_large', {
    message: say('The request has more than {most} {what}: send it in several requests', {
      most,
      what,
    }),
  })

// The Prefer header (RFC 7240): how long a caller waits for an operation's end.

export const MAX_WAIT_SECONDS = 120

/** Seconds to wait, and the value of Preference-Applied (null: nothing was requested). */
export function waitingTime(
  ctx: Context,
  fallback: number,
): { seconds: number; applied: string | null } {
  const preferences = ctx
    .get('Prefer')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
  const wait = preferences
    .map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1])
    .find((value) => value !== undefined)
  // Both together mean: asynchronously, if it takes longer than the wait (RFC 7240, section 4.3).
  if (wait === undefined)
    return preferences.includes('respond-async')
      ? { seconds: 0, applied: 'respond-async' }
      : { seconds: fallback, applied: null }
  const seconds = Math.min(Number(wait), MAX_WAIT_SECONDS)
  return { seconds, applied: `wait=${seconds}` }
}
