// How a guarded request fails: always with the specification's message, and with a detail only
// where it reveals nothing. A refused address and one that does not answer have the same text, so
// that validation cannot be used as a port scanner.
import { errors } from 'undici'
import { PortError } from '../../plugins/contract.ts'
import { ERRORS } from '../errors.ts'

const notAccessible = (retryable: boolean, detail: string, cause?: unknown) =>
  new PortError('url_not_accessible', ERRORS.url_not_accessible.message, retryable, {
    detail,
    cause,
  })

const NOT_REACHED = 'The address could not be reached'

/**
 * Refused, not found, or no answer: all the same. `retryable` is false only if the text of the
 * address is refused. After a look-up it is always true, because otherwise it would distinguish a
 * blocked name from an unknown one.
 */
export const notReached = (retryable: boolean, cause?: unknown) =>
  notAccessible(retryable, NOT_REACHED, cause)

/** Another method would fail in the same way. */
export const isNotReached = (error: PortError): boolean => error.detail === NOT_REACHED

export const noAnswer = () => notAccessible(true, 'The server did not answer in time')
export const tooSlow = () => notAccessible(true, 'The server sent the file too slowly')
export const connectionLost = (cause?: unknown) =>
  notAccessible(true, 'The connection ended before the file was complete', cause)
export const surplusError = () => notAccessible(false, 'The server sent more than it had declared')
export const encodedError = () =>
  notAccessible(
    false,
    'The server sent the file with Content-Encoding, which was not asked for: switch its compression off for this address',
  )
export const badRedirect = () => notAccessible(false, 'The address redirects too often, or nowhere')
export const tooLarge = () => new PortError('file_too_large', ERRORS.file_too_large.message, false)

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  403: ': access denied',
  404: ': file not found',
  429: ': too many requests',
}
const TRANSIENT = new Set([408, 425, 429])

/** The server asks for fewer requests: this says nothing about the file. */
export class Throttled extends PortError {
  constructor(detail: string, retryAfter: number | undefined) {
    super('url_not_accessible', ERRORS.url_not_accessible.message, true, {
      detail,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  }
}

/** Any answer except 200. `retryAfter`: the header of that name. */
export function badStatus(status: number, retryAfter: string | undefined): PortError {
  const detail = `The server answered ${status}${STATUS_MEANINGS[status] ?? ''}`
  const seconds = retryAfter === undefined ? undefined : secondsOf(retryAfter)
  if (status === 429 || (status === 503 && seconds !== undefined))
    return new Throttled(
      seconds === undefined ? detail : `${detail}. It asks to wait ${seconds} s`,
      seconds,
    )
  return notAccessible(status >= 500 || TRANSIENT.has(status), detail)
}

/** From a number of seconds, or from a date. */
function secondsOf(retryAfter: string): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/**
 * An error of the socket or the parser. `connected`: an allowed address had accepted the
 * connection.
 */
export function failureOf(error: unknown, connected: boolean): PortError {
  if (error instanceof PortError) return error
  const code = codeOf(error)
  if (/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return notAccessible(false, 'The secure connection failed', error)
  if (!connected) return notReached(true, error)
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
    return notAccessible(false, 'The server sent an invalid HTTP response', error)
  return connectionLost(error)
}

/** Was it caused by bytes after the end of a complete answer? */
export function isSurplus(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    (error instanceof errors.SocketError && error.message === 'bad response')
  )
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
