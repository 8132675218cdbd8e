// The addresses of a view's bytes: signed, valid for some hours, and bound to the browser that
// opened the viewer by a cookie. So an address that is copied out of the page works nowhere else.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hashKey, type Secrets } from '../../../core/secrets.ts'
import { createSigner, hasPassed, untilAfter } from '../signer.ts'

/** Long enough for a film with a pause; the viewer opens a new view when it has passed. */
export const VIEW_SECONDS = 4 * 60 * 60

const COOKIE = 'stevedore_view'
const SESSION = new RegExp(`(?:^|;)\\s*${COOKIE}=([A-Za-z0-9_-]{22})(?:;|$)`)
const ADDRESS = /^key=([\w-]{43})&hash=([0-9a-f]{64})&until=(\d{1,12})&proof=([\w-]{43})(?:&|$)/

export interface ViewSession {
  id: string
  /** The Set-Cookie header of a new session; null: the browser has it already. */
  cookie: string | null
}

/** The session of the browser that sends the request, or a new one. */
export function viewSession(request: IncomingMessage, secure: boolean): ViewSession {
  const known = sessionOf(request)
  if (known !== null) return { id: known, cookie: null }
  const id = randomBytes(16).toString('base64url')
  // Without Path: the folder of the page's address, which a proxy may have changed.
  return { id, cookie: `${COOKIE}=${id}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}` }
}

/** Identifies the browser of a request in the database; null: it has no session. */
export function viewerOf(request: IncomingMessage): Buffer | null {
  const session = sessionOf(request)
  return session === null ? null : hashKey(session)
}

const sessionOf = ({ headers }: IncomingMessage): string | null =>
  SESSION.exec(headers.cookie ?? '')?.[1] ?? null

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
      const session = sessionOf(request)
      const [, key, hash, until, proof] = ADDRESS.exec(request.url?.split('?', 2)[1] ?? '') ?? []
      if (session === null || !key || !hash || !until || !proof) return null
      if (hasPassed(until, now)) return null
      return signer.isSigned(textOf(session, { key, hash }, until), proof) ? { key, hash } : null
    },
  }
}
