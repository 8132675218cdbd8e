// The addresses of a view's bytes: signed, valid for some hours, and bound to the browser that
// opened the viewer by a cookie. So an address that is copied out of the page works nowhere else.
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../../core/secrets.ts'
import { createSigner, hasPassed, untilAfter } from '../signer.ts'
import { cookieSession } from '../viewers.ts'

const ADDRESS = /^key=([\w-]{43})&hash=([0-9a-f]{64})&until=(\d{1,12})&proof=([\w-]{43})(?:&|$)/

/** The bytes of one version of a link's file. */
export interface ViewedBytes {
  key: string
  hash: string
}

export interface ViewAddresses {
  /** The query of the bytes' address. */
  queryOf(bytes: ViewedBytes, session: string, until: Date): string
  /** Null: this request's browser may not have the bytes, or not any more. */
  read(request: IncomingMessage, now: Date): ViewedBytes | null
}

export function createViewAddresses(secrets: Pick<Secrets, 'derive' | 'deriveAll'>): ViewAddresses {
  const signer = createSigner(secrets, 'view')
  const textOf = (session: string, { key, hash }: ViewedBytes, until: string) =>
    [session, key, hash, until].join('/')
  return {
    queryOf: (bytes, session, end) => {
      const until = untilAfter(end, 0)
      const proof = signer.sign(textOf(session, bytes, until))
      return `key=${bytes.key}&hash=${bytes.hash}&until=${until}&proof=${proof}`
    },
    read: (request, now) => {
      const session = cookieSession(request)
      const [, key, hash, until, proof] = ADDRESS.exec(request.url?.split('?', 2)[1] ?? '') ?? []
      if (session === null || !key || !hash || !until || !proof) return null
      if (hasPassed(until, now)) return null
      return signer.isSigned(textOf(session, { key, hash }, until), proof) ? { key, hash } : null
    },
  }
}
