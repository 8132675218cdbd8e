// How a guarded request fails: always with the specification's message, and with a detail only
// where it reveals nothing. A refused address and one that does not answer have the same text, so
// that validation cannot be used as a port scanner.
import type { IncomingHttpHeaders } from 'node:http'
import {
  PortError,
  say,
  sentence,
  sentences,
  type AnyText,
  type Text,
  ownValue,
} from '../../plugins/contract/index.ts'
import { ERRORS } from '../core/errors.ts'

const notAccessible = (retryable: boolean, detail: AnyText, cause?: unknown) =>
  new PortError('url_not_accessible', ERRORS.url_not_accessible.message, retryable, {
    detail,
    cause,
  })

const NOT_REACHED = say('The address could not be reached')

/**
 * An address that was refused, not found or silent: all have the same error. `retryable` is false
 * only if the text of the address is refused. After a look-up it is always true, because otherwise
 * it would distinguish a blocked name from an unknown one.
 */
export const notReached = (retryable: boolean, cause?: unknown) =>
  notAccessible(retryable, NOT_REACHED, cause)

/** Was the server not reached, so that another method would fail in the same way? */
export const isNotReached = (error: PortError): boolean => error.texts.detail === NOT_REACHED

export const noAnswer = () => notAccessible(true, say('The server did not answer in time'))
export const tooSlow = () => notAccessible(true, say('The server sent the file too slowly'))
export const connectionLost = (cause?: unknown) =>
  notAccessible(true, say('The connection ended before the file was complete'), cause)
export const surplusError = () =>
  notAccessible(false, say('The server sent more than it had declared'))
export const encodedError = () =>
  notAccessible(
    false,
    say(
      'The server sent the file with a Content-Encoding that cannot be decoded: switch its compression off for this address',
    ),
  )
export const damagedEncoding = (cause: unknown) =>
  notAccessible(true, say('The server sent compressed bytes that are damaged or incomplete'), cause)
export const expandsTooFar = () =>
  notAccessible(
    false,
    say(
      'The server sent bytes that expand to more than 200 times their size: switch its compression off for this address',
    ),
  )
export const redirectsNowhere = (host: string) =>
  notAccessible(false, say('{host} redirects without a valid address', { host }))
export const redirectsTooOften = (most: number, host: string) =>
  notAccessible(
    false,
    say('The address redirects more than {most} times, at last at {host}', { most, host }),
  )
export const redirectsToFtp = () =>
  notAccessible(
    false,
    say(
      'The address redirects to an FTP server: files are fetched from http and https addresses only',
    ),
  )
export const unencodedHash = () =>
  new NotFoundAnswer(
    say('The server answered 404: file not found. Write # in the name of a file as %23'),
  )
export const tooLarge = () => new PortError('file_too_large', ERRORS.file_too_large.message, false)

function answered(status: number): Text {
  const values = { status: String(status) }
  if (status === 403)
    return sentences(
      say('The server answered {status}: access denied.', values),
      say('The server may refuse programs, or the address may have expired'),
    )
  if (status === 400)
    return sentences(
      say('The server answered {status}.', values),
      say('The address may be incomplete, or may have expired'),
    )
  if (status === 401)
    return say('The server answered {status}: the address needs a sign-in', values)
  if (status === 404) return say('The server answered {status}: file not found', values)
  if (status === 410) return say('The server answered {status}: the file was removed', values)
  if (status === 202)
    return say('The server answered {status}: it is still preparing the file', values)
  if (status === 429) return say('The server answered {status}: too many requests', values)
  return say('The server answered {status}', values)
}
const TRANSIENT = new Set([408, 425])
const isTransient = (status: number) => status >= 500 || TRANSIENT.has(status)

/** A refusal for the limits of the host, which says nothing about the file. */
export class ThrottledAnswer extends PortError {
  constructor(detail: AnyText, retryAfter: number | undefined) {
    super('url_not_accessible', ERRORS.url_not_accessible.message, true, {
      detail,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    })
  }
}

/** The host is limited, and the turn of this request would come late. */
export function hostIsBusy(retryAfter: number): ThrottledAnswer {
  const busy = new ThrottledAnswer(
    say('Its host allows few requests: it waits for its turn'),
    retryAfter,
  )
  busy.uncounted = true
  return busy
}

/** An answer of 404: the address has no file. */
export class NotFoundAnswer extends PortError {
  constructor(detail: AnyText) {
    super('url_not_accessible', ERRORS.url_not_accessible.message, false, { detail })
  }
}

/** Any answer without the whole file. Its `retry-after` tells when to ask again. */
export function badStatus(status: number, headers: IncomingHttpHeaders, url: URL): PortError {
  if (headers['cf-mitigated'] === 'challenge') return challenged(status)
  if (status === 403 && PROTECTED_FOLDER.test(url.pathname)) return notAccessible(false, PROTECTED)
  const detail = answered(status)
  const limit = limitOf(status, headers, url)
  if (limit?.marked) {
    const { retryAfter } = limit
    return new ThrottledAnswer(
      retryAfter === undefined ? detail : sentences(sentence(detail), waiting(retryAfter)),
      retryAfter,
    )
  }
  if (status === 404) return new NotFoundAnswer(detail)
  return notAccessible(isTransient(status), detail)
}

/** How a host refuses a request for its limits. */
export interface HostRefusal {
  /** Whether the answer says that a limit is the reason. */
  marked: boolean
  /** The time that the host asks to wait, in seconds. */
  retryAfter?: number | undefined
  /** Whether the answer is more often about the file than about a limit. */
  mayBeFinal?: true
}

/** 420 and 529 are of single services, 430 is Shopify's, 509 that of hosts with a bandwidth limit. */
const LIMIT_STATUSES = new Set([420, 429, 430, 509, 529])

/**
 * Whether an answer may refuse a request for the host's limits. Null: it does not. Hosts that are busy
 * answer 500, 502, 504 or 508 without a reason, and modules that protect them (mod_evasive, IIS) 403.
 */
export function limitOf(
  status: number,
  headers: IncomingHttpHeaders,
  url: URL,
): HostRefusal | null {
  if (headers['cf-mitigated'] === 'challenge') return null
  const always = LIMIT_STATUSES.has(status)
  const isForbidden = status === 403 && !PROTECTED_FOLDER.test(url.pathname)
  if (!always && !isForbidden && !isTransient(status)) return null
  const isUsedUp = USED_UP.some((name) => String(ownValue(headers, name)).trim() === '0')
  const stated = headers['retry-after']
  const retryAfter =
    stated === undefined ? (isUsedUp ? resetOf(headers) : undefined) : secondsOf(stated)
  if (always || retryAfter !== undefined || isUsedUp) return { marked: true, retryAfter }
  return status === 503 ? { marked: false } : { marked: false, mayBeFinal: true }
}

const USED_UP = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining']
const RESETS = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']
/** Larger values are the seconds since 1970. */
const LONGEST_RESET = 1e9

/** The seconds until a limit begins again, where the answer states them. */
function resetOf(headers: IncomingHttpHeaders): number | undefined {
  const stated = RESETS.map((name) => String(ownValue(headers, name) ?? '')).find((one) =>
    /^\d{1,10}$/.test(one),
  )
  if (stated === undefined) return undefined
  const seconds = Number(stated)
  return seconds < LONGEST_RESET ? seconds : Math.max(0, Math.ceil(seconds - Date.now() / 1000))
}

/** The folders of downloads of WooCommerce and Easy Digital Downloads. */
const PROTECTED_FOLDER = /\/(?:woocommerce_uploads|uploads\/edd)\//
const PROTECTED = sentences(
  say('The server answered {status}: access denied.', { status: '403' }),
  say(
    'The shop protects this folder: allow access to it for the time of the import, or upload the files',
  ),
)

/** A page of Cloudflare that only a browser with a person passes: repeating the request is no use. */
const challenged = (status: number): PortError =>
  notAccessible(
    false,
    sentences(
      say('The server answered {status}.', { status: String(status) }),
      say(
        'Its protection from programs (Cloudflare) refused the request: allow the address there, or upload the file',
      ),
    ),
  )

/** A wait of more than some minutes is no use in seconds. */
const waiting = (seconds: number): Text =>
  seconds < 2 * 3600
    ? say('It asks to wait {seconds} s', { seconds: String(seconds) })
    : say('It asks to wait {hours, plural, one {# hour} other {# hours}}', {
        hours: Math.ceil(seconds / 3600),
      })

/** The seconds in a Retry-After, which is a number of seconds or a date. */
function secondsOf(retryAfter: string): number | undefined {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(retryAfter)) return Math.ceil(Number(retryAfter))
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

/**
 * An error of the socket. `connected`: an allowed address had accepted the connection.
 */
export function failureOf(error: unknown, connected: boolean): PortError {
  if (error instanceof PortError) return error
  const code = codeOf(error)
  if (/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_)/.test(code))
    return notAccessible(false, tlsProblem(code), error)
  if (!connected) return notReached(true, error)
  return connectionLost(error)
}

function tlsProblem(code: string): Text {
  if (code === 'CERT_HAS_EXPIRED')
    return say(
      'The certificate of the server has expired: its operator must renew or correct the certificate',
    )
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT' || code === 'SELF_SIGNED_CERT_IN_CHAIN')
    return say(
      'The server has a self-signed certificate: its operator must renew or correct the certificate',
    )
  if (/^UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code))
    return say(
      'The server does not send its intermediate certificate, which browsers often know: its operator must add it',
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return say(
      'The certificate of the server is for another name: its operator must renew or correct the certificate',
    )
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return say(
      'The server does not use TLS at this address: it may begin with http:// instead of https://',
    )
  if (code.includes('NO_APPLICATION_PROTOCOL'))
    return say('The server accepts HTTP/2 only: its operator must allow HTTP/1.1 too')
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|HANDSHAKE_FAILURE|NO_SHARED/.test(code))
    return say('The server and this program have no secure protocol in common: it may be too old')
  return say('The secure connection failed')
}

const ANSWER_FAULTS = {
  noHttp: say(
    'The server does not answer with HTTP at this address: it may be a radio stream or another service',
  ),
  tooLong: say('The server sent headers that are too long: its operator must correct this'),
  length: say('The server states the length of the file wrongly: its operator must correct this'),
  chunk: say(
    'The server states the length of a part of the file wrongly: its operator must correct this',
  ),
  header: say(
    'The server sent a header with characters that are not allowed: its operator must correct this',
  ),
} satisfies Record<string, Text>

/** An answer that no program reads, or that different programs read differently. */
export const invalidAnswer = (fault: keyof typeof ANSWER_FAULTS): PortError =>
  notAccessible(false, ANSWER_FAULTS[fault])

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}
