// What a right answer gives: a signed part of the address, `open=…`, which opens all links under the
// same page that ask the same. In the address, because browsers in apps have no cookies or hand the address
// over to another program; and in a cookie, so that the mailed link does not ask the same browser again.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'
import type { Gate } from '../links/model/links.ts'
import { createSigner, hasPassed, readSignedUntil, untilAfter } from './signer.ts'

/** How long pages stay open after an answer. */
const OPEN_SECONDS = 30 * 60
/** How long a download that began in time may be continued. */
const CONTINUED_SECONDS = 24 * 60 * 60

/** How long a browser that has answered is not asked again. */
const KEPT_SECONDS = 30 * 24 * 60 * 60
/** A page may ask several questions. */
const MAX_TOKENS = 10
const TOKENS = /[?&]open=(\d{1,12}\.[\w-]{43})(?=&|$)/g

type Asked = Pick<Gate, 'asks' | 'root'>

const COOKIE = 'stevedore_open'
const KEPT = new RegExp(`(?:^|;)\\s*${COOKIE}=([\\w.~-]{1,1000})(?:;|$)`)

/** The tokens that the browser keeps, the newest first. */
const keptIn = ({ headers: { cookie } }: Pick<IncomingMessage, 'headers'>): string[] =>
  cookie === undefined ? [] : (KEPT.exec(cookie)?.[1]?.split('~') ?? []).slice(0, MAX_TOKENS)

/** Does the request bring answers, in its address or its cookie? */
export const hasAnswers = (request: Pick<IncomingMessage, 'url' | 'headers'>): boolean =>
  tokensIn(request).length > 0 || keptIn(request).length > 0

export interface GateTokens {
  /** The tokens of the request that have not ended. Their signatures are not checked. */
  current(request: IncomingMessage, now: Date): readonly string[]

  make(gate: Asked, now: Date, seconds?: number): string
  /** @param use `continue`: bytes of a download that began in time. */
  opens(request: IncomingMessage, gate: Asked, now: Date, use?: 'page' | 'continue'): boolean
  /**
   * The tokens for the addresses of a page: those of its address, and new ones for what only the
   * cookie opens. A program to which an address is handed over has no cookie.
   */
  passed(request: IncomingMessage, gates: readonly Asked[], now: Date): readonly string[]
  /** The Set-Cookie header by which this browser is not asked again. */
  keep(request: IncomingMessage, gate: Asked, now: Date, secure: boolean): string
}

/** The tokens in an address. */
export const tokensIn = ({ url = '' }: Pick<IncomingMessage, 'url'>): string[] =>
  [...url.matchAll(TOKENS)].slice(0, MAX_TOKENS).map(([, token = '']) => token)

/** What to add to an address so that the same stays open there. */
export const withTokens = (tokens: readonly string[]): string =>
  tokens.map((token) => `&open=${token}`).join('')

export function createGateTokens(secrets: Pick<Secrets, 'derive' | 'deriveAll'>): GateTokens {
  const signer = createSigner(secrets, 'open')
  const textOf = ({ asks, root }: Asked, until: string) => [root, asks, until].join(' ')
  // Other texts: neither kind is valid in the place of the other.
  const keptText = (gate: Asked, until: string) => `${textOf(gate, until)} kept`
  const isIn = (
    tokens: readonly string[],
    text: typeof textOf,
    gate: Asked,
    now: Date,
    late = 0,
  ): boolean =>
    tokens.some((token) => {
      const read = readSignedUntil(token)
      if (read === null || hasPassed(read.until, now, late)) return false
      return signer.isSigned(text(gate, read.until), read.signature)
    })
  const isKept = (request: IncomingMessage, gate: Asked, now: Date) =>
    isIn(keptIn(request), keptText, gate, now)
  const make = (gate: Asked, now: Date, seconds = OPEN_SECONDS) => {
    const until = untilAfter(now, seconds)
    return `${until}.${signer.sign(textOf(gate, until))}`
  }
  return {
    current: (request, now) =>
      tokensIn(request).filter((token) => {
        const read = readSignedUntil(token)
        return read !== null && !hasPassed(read.until, now)
      }),
    make,
    opens: (request, gate, now, use = 'page') => {
      const late = use === 'continue' ? CONTINUED_SECONDS : 0
      return isIn(tokensIn(request), textOf, gate, now, late) || isKept(request, gate, now)
    },
    passed: (request, gates, now) => {
      const given = tokensIn(request)
      const kept = gates.filter(
        (gate) => !isIn(given, textOf, gate, now) && isKept(request, gate, now),
      )
      return [...new Set([...given, ...kept.map((gate) => make(gate, now))])].slice(0, MAX_TOKENS)
    },
    keep: (request, gate, now, secure) => {
      const until = untilAfter(now, KEPT_SECONDS)
      const token = `${until}.${signer.sign(keptText(gate, until))}`
      const tokens = [token, ...keptIn(request)].slice(0, MAX_TOKENS)
      // Also of the pages of views and of the library.
      return `${COOKIE}=${tokens.join('~')}; Path=/; Max-Age=${KEPT_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    },
  }
}
