// What a right answer gives: a signed part of the address, `open=…`, which opens all links under the
// same page that ask the same. In the address instead of a cookie, because browsers in apps have no
// cookies or hand the address over to another program.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'
import type { Gate } from '../links/model/asks.ts'

/** How long pages stay open after an answer. */
const OPEN_SECONDS = 30 * 60
/** How long a download that began in time may be continued. */
const CONTINUED_SECONDS = 24 * 60 * 60

/** A page may ask several questions. */
const MAX_TOKENS = 10
const TOKENS = /[?&]open=(\d{1,12}\.[\w-]{43})(?=&|$)/g
const TOKEN = /^(\d{1,12})\.([\w-]{43})$/

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

export const hasTokens = ({ url = '' }: Pick<IncomingMessage, 'url'>): boolean =>
  url.includes('open=')

/** What to add to an address so that the same stays open there. */
export const withTokens = (tokens: readonly string[]): string =>
  tokens.map((token) => `&open=${token}`).join('')

export function createGateTokens(secrets: Pick<Secrets, 'derive' | 'deriveAll'>): GateTokens {
  const current = secrets.derive('open')
  const accepted = secrets.deriveAll('open')
  const sign = (secret: Buffer, { asks, root }: Asked, until: string) =>
    createHmac('sha256', secret).update([root, asks, until].join(' ')).digest()
  return {
    current: (request, now) =>
      tokensIn(request).filter((token) => Number(token.split('.', 1)[0]) * 1000 > now.getTime()),
    make: (gate, now, seconds = OPEN_SECONDS) => {
      const until = String(Math.floor(now.getTime() / 1000) + seconds)
      return `${until}.${sign(current, gate, until).toString('base64url')}`
    },
    opens: (request, gate, now, use = 'page') => {
      const late = use === 'continue' ? CONTINUED_SECONDS : 0
      return tokensIn(request).some((token) => {
        const [, until = '', proof = ''] = TOKEN.exec(token) ?? []
        if ((Number(until) + late) * 1000 <= now.getTime()) return false
        const given = Buffer.from(proof, 'base64url')
        return accepted.some((secret) => timingSafeEqual(sign(secret, gate, until), given))
      })
    },
  }
}
