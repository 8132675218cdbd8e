// Signs the parts of buyers' addresses. What a previous secret signed is valid while it is configured.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../core/secrets.ts'

/**
 * A signature for one purpose is not valid for another. Addresses that buyers have were made with
 * these names, and with the texts that each purpose signs.
 */
type SignedPurpose = 'open' | 'start' | 'view' | 'cdn' | 'call'

export interface Signer {
  /** The signature of a text, as a part of an address: 43 characters. */
  sign(text: string): string
  isSigned(text: string, signature: string): boolean
}

export function createSigner(
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>,
  purpose: SignedPurpose,
): Signer {
  const current = secrets.derive(purpose)
  const accepted = secrets.deriveAll(purpose)
  const signature = (secret: Buffer, text: string) =>
    createHmac('sha256', secret).update(text).digest()
  return {
    sign: (text) => signature(current, text).toString('base64url'),
    isSigned: (text, sent) => {
      const given = Buffer.from(sent, 'base64url')
      const isRight = (secret: Buffer) => {
        const right = signature(secret, text)
        return given.length === right.length && timingSafeEqual(given, right)
      }
      return accepted.some(isRight)
    },
  }
}

/** The end of something that is signed, in seconds. */
export const untilAfter = (now: Date, seconds: number): string =>
  String(Math.floor(now.getTime() / 1000) + seconds)

/** Has the end passed, or does it pass now? */
export const hasPassed = (until: string, now: Date, late = 0): boolean =>
  (Number(until) + late) * 1000 <= now.getTime()

/** An end and the signature of a text that contains it: `1795764600.q2PSN…`. */
const SIGNED_UNTIL = /^(\d{1,12})\.([\w-]{43})$/

/** The parts of such a token; null: it is none. */
export function readSignedUntil(token: string): { until: string; signature: string } | null {
  const [, until, signature] = SIGNED_UNTIL.exec(token) ?? []
  return until && signature ? { until, signature } : null
}
