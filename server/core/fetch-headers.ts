// Headers that a caller gives for the requests of an import, such as `Authorization`: what they may be,
// and how they are kept with the address, sealed.
import { say, sayPlain, type AnyText } from '../../plugins/contract/index.ts'
import {
  keepAddress,
  sealAddress,
  wholeAddress,
  withoutSecrets,
  type KeptAddress,
  type SealPlace,
} from './client-address.ts'

export type FetchHeaders = Readonly<Record<string, string>>

const MAX_HEADERS = 20
const MAX_VALUE = 8192
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i
/** What HTTP allows in a value, of characters that all servers read alike. */
const VALUE = /^[\t\x20-\x7e]*$/

/**
 * Headers that belong to one connection, frame the message, or name its sender and its conditions: the
 * client sets them.
 */
const REFUSED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'expect',
  'range',
  'via',
  'forwarded',
  'x-real-ip',
  'user-agent',
  'date',
])
const REFUSED_BEGINNINGS = ['proxy-', 'sec-', 'if-', 'x-forwarded-', ':']

const refused = (name: string) =>
  REFUSED.has(name) || REFUSED_BEGINNINGS.some((beginning) => name.startsWith(beginning))

interface HeaderProblem {
  code: 'invalid_header'
  message: AnyText
}

/** What is wrong with these headers. The messages do not quote values. */
export function headersProblem(headers: FetchHeaders): HeaderProblem | null {
  const names = Object.keys(headers)
  const wrong = (message: AnyText): HeaderProblem => ({ code: 'invalid_header', message })
  if (names.length > MAX_HEADERS)
    return wrong(say('At most {count} headers', { count: MAX_HEADERS }))
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return wrong(sayPlain('A header is given twice'))
  for (const [name, value] of Object.entries(headers)) {
    if (refused(name.toLowerCase())) return wrong(say('The header {name} cannot be set', { name }))
    if (!NAME.test(name)) return wrong(sayPlain('This is not the name of a header'))
    if (value.length > MAX_VALUE || value !== value.trim() || !VALUE.test(value))
      return wrong(say('The value of the header {name} is not allowed', { name }))
  }
  return null
}

/** The headers of one request: those of the file apply before those of the import. */
export function mergedHeaders(...all: readonly (FetchHeaders | undefined)[]): FetchHeaders {
  const merged = new Map<string, string>()
  for (const headers of all)
    for (const [name, value] of Object.entries(headers ?? {})) merged.set(name.toLowerCase(), value)
  return Object.fromEntries(merged)
}

/** An address with the headers of its requests. */
export interface FetchTarget {
  url: string
  headers?: FetchHeaders
}

/** What is stored: the open part of the address, and all of it with the headers, sealed. */
export function keepTarget({ url, headers }: FetchTarget, place: SealPlace): KeptAddress {
  if (headers === undefined || Object.keys(headers).length === 0) return keepAddress(url, place)
  return {
    url: withoutSecrets(url),
    sealed: sealAddress(JSON.stringify({ url, headers }), place),
  }
}

/** The address and its headers, as long as they can be opened. */
export function wholeTarget(kept: KeptAddress, place: SealPlace): FetchTarget {
  const whole = wholeAddress(kept, place)
  // No address begins like an object.
  return whole.startsWith('{') ? (JSON.parse(whole) as FetchTarget) : { url: whole }
}
