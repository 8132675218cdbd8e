// The address to which the button of a page leads: GET /download?key=…&start=…. It is signed, so that
// no program that reads the page or guesses addresses begins a download. It begins one for some
// minutes; later it only continues one.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'

/** For a slow connection, and an app that hands the address over to another one. */
const START_SECONDS = 10 * 60

const GIVEN = /[?&]start=([^&]*)/
const START = /^(\d{1,12})\.([\w-]{43})$/

/** Is it the address of a download, valid or not? A program that gets a page for it must notice. */
export const leadsToBytes = ({ url = '' }: IncomingMessage): boolean => GIVEN.test(url)

/** `none`: the address has no such part. `ended`: it begins no download any more. */
export type StartState = 'none' | 'fresh' | 'ended' | 'forged'

export interface StartAddresses {
  /** What to add to the address of a link, or of all files of a page. */
  queryOf(key: string, all: boolean, now: Date): string
  stateOf(request: IncomingMessage, key: string, all: boolean, now: Date): StartState
}

export function createStartAddresses(
  secrets: Pick<Secrets, 'derive' | 'deriveAll'>,
): StartAddresses {
  const current = secrets.derive('start')
  const accepted = secrets.deriveAll('start')
  const sign = (secret: Buffer, key: string, all: boolean, until: string) =>
    createHmac('sha256', secret)
      .update([key, all ? 'all' : '', until].join('/'))
      .digest()
  return {
    queryOf: (key, all, now) => {
      const until = String(Math.floor(now.getTime() / 1000) + START_SECONDS)
      return `&start=${until}.${sign(current, key, all, until).toString('base64url')}`
    },
    stateOf: ({ url = '' }, key, all, now) => {
      const given = GIVEN.exec(url)?.[1]
      if (given === undefined) return 'none'
      const [, until, proof] = START.exec(given) ?? []
      if (!until || !proof) return 'forged'
      const signed = Buffer.from(proof, 'base64url')
      const isRight = (secret: Buffer) => timingSafeEqual(sign(secret, key, all, until), signed)
      if (!accepted.some(isRight)) return 'forged'
      return Number(until) * 1000 > now.getTime() ? 'fresh' : 'ended'
    },
  }
}
