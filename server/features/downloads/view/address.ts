// The addresses of a view's bytes: signed, valid for some hours, and bound to the browser that
// opened the viewer by a cookie. So an address that is copied out of the page works nowhere else.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Secrets } from '../../../core/secrets.ts'
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
  const current = secrets.derive('view')
  const accepted = secrets.deriveAll('view')
  const sign = (secret: Buffer, session: string, { key, hash }: ViewedBytes, until: string) =>
    createHmac('sha256', secret).update([session, key, hash, until].join('/')).digest()
  return {
    queryOf: (bytes, session, end) => {
      const until = String(Math.floor(end.getTime() / 1000))
      const proof = sign(current, session, bytes, until).toString('base64url')
      return `key=${bytes.key}&hash=${bytes.hash}&until=${until}&proof=${proof}`
    },
    read: (request, now) => {
      const session = cookieSession(request)
      const [, key, hash, until, proof] = ADDRESS.exec(request.url?.split('?', 2)[1] ?? '') ?? []
      if (session === null || !key || !hash || !until || !proof) return null
      if (Number(until) * 1000 <= now.getTime()) return null
      const given = Buffer.from(proof, 'base64url')
      const isRight = (secret: Buffer) =>
        timingSafeEqual(sign(secret, session, { key, hash }, until), given)
      return accepted.some(isRight) ? { key, hash } : null
    },
  }
}
