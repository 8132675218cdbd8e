// The address to which the button of a page leads: GET /download?key=…&start=…. It is signed, so that
// no program that reads the page or guesses addresses begins a download. It begins one for some
// minutes; later it only continues one. docs/decisions/0082.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../core/secrets.ts'
import { createSigner, hasPassed, readSignedUntil, untilAfter } from './signer.ts'

/** For a slow connection, and an app that hands the address over to another one. */
const START_SECONDS = 10 * 60

const GIVEN = /[?&]start=([^&]*)/

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
  const signer = createSigner(secrets, 'start')
  const textOf = (key: string, all: boolean, until: string) =>
    [key, all ? 'all' : '', until].join('/')
  return {
    queryOf: (key, all, now) => {
      const until = untilAfter(now, START_SECONDS)
      return `&start=${until}.${signer.sign(textOf(key, all, until))}`
    },
    stateOf: ({ url = '' }, key, all, now) => {
      const given = GIVEN.exec(url)?.[1]
      if (given === undefined) return 'none'
      const read = readSignedUntil(given)
      if (read === null || !signer.isSigned(textOf(key, all, read.until), read.signature))
        return 'forged'
      return hasPassed(read.until, now) ? 'ended' : 'fresh'
    },
  }
}
