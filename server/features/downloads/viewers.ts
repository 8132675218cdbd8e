// The browsers that view files: each has a random cookie, which identifies nobody and ends with the
// browser's session. Why views are not downloads: docs/decisions/0062.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hashKey } from '../../core/secrets.ts'

/** Long enough for a film with a pause; the viewer opens a new view when it has passed. */
export const VIEW_SECONDS = 4 * 60 * 60

const COOKIE = 'stevedore_view'
const SESSION = new RegExp(`(?:^|;)\\s*${COOKIE}=([A-Za-z0-9_-]{22})(?:;|$)`)

export interface ViewSession {
  id: string
  /** The Set-Cookie header of a new session; null: the browser has it already. */
  cookie: string | null
}

/** The session of the browser that sends the request, or a new one. */
export function viewSession(request: IncomingMessage, secure: boolean): ViewSession {
  const known = cookieSession(request)
  if (known !== null) return { id: known, cookie: null }
  const id = randomBytes(16).toString('base64url')
  // Without Path: the folder of the page's address, which a proxy may have changed. Lax: a buyer who
  // comes back from webmail still has the running view.
  return { id, cookie: `${COOKIE}=${id}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}` }
}

/** Identifies the browser of a request in the database; null: it has no session. */
export function viewerOf(request: IncomingMessage): Buffer | null {
  const session = cookieSession(request)
  return session === null ? null : hashKey(session)
}

/** SQL: when the running view of the link `l` by a browser (`viewerOf`) ends; null: it has none. */
export const runningView = (viewer: string, now: string): string =>
  `(select w.expires_at from view_sessions w where w.shop_id = l.shop_id and w.link_id = l.id
    and w.session = ${viewer}::bytea and w.expires_at > ${now})`

/** The id of the browser's session; null: it has none. */
export const cookieSession = ({ headers }: IncomingMessage): string | null =>
  SESSION.exec(headers.cookie ?? '')?.[1] ?? null
