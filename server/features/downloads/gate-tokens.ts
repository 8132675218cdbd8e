// What a right answer gives: a signed part of the address, `open=…`, which opens all links under the
// same page that ask the same. In the address instead of a cookie, because browsers in apps have no
// cookies or hand the address over to another program.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'
import type { Gate } from '../links/model/asks.ts'
import { createSigner, hasPassed, readSignedUntil, untilAfter } from './signer.ts'

/** How long pages stay open after an answer. */
const OPEN_SECONDS = 30 * 60
/** How long a download that began in time may be continued. */
const CONTINUED_SECONDS = 24 * 60 * 60

/** A page may ask several questions. */
const MAX_TOKENS = 10
const TOKENS = /[?&]open=(\d{1,12}\.[\w-]{43})(?=&|$)/g

type Asked = Pick<Gate, 'asks' | 'root'>

export interface GateTokens {
  /** The tokens of the request that have not ended. Their signatures are not checked. */
  current(request: IncomingMessage, now: Date): readonly string[]

  make(gate: Asked, now: Date, seconds?: number): string
  /** @param use `continue`: bytes of a download that began in time. */
  opens(request: IncomingMessage, gate: Asked, now: Date, use?: 'page' | 'continue'): boolean
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
  return {
    current: (request, now) =>
      tokensIn(request).filter((token) => {
        const read = readSignedUntil(token)
        return read !== null && !hasPassed(read.until, now)
      }),
    make: (gate, now, seconds = OPEN_SECONDS) => {
      const until = untilAfter(now, seconds)
      return `${until}.${signer.sign(textOf(gate, until))}`
    },
    opens: (request, gate, now, use = 'page') => {
      const late = use === 'continue' ? CONTINUED_SECONDS : 0
      return tokensIn(request).some((token) => {
        const read = readSignedUntil(token)
        if (read === null || hasPassed(read.until, now, late)) return false
        return signer.isSigned(textOf(gate, read.until), read.signature)
      })
    },
  }
}
