// What a buyer's request says of itself: the key, and whether anything but the plain file is asked for.
import type { IncomingMessage } from 'node:http'

const PATH = /^\/download(?:\?|$)/
// A key is 256 bits in base64url: anything else is refused without a look at the database.
const KEY = /[?&]key=([A-Za-z0-9_-]{43})(?:&|$)/
const CONDITIONS = ['range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since'] as const

/** Is this address the handler's? */
export const isDownload = (url: string | undefined): boolean => url !== undefined && PATH.test(url)

/** The key, or null where there is none that could be one of ours. */
export const keyOf = (url: string): string | null => KEY.exec(url)?.[1] ?? null

/** No Range, no condition: the whole file, counted. */
export const isPlain = (request: IncomingMessage): boolean =>
  request.method === 'GET' && CONDITIONS.every((name) => request.headers[name] === undefined)

/** Does the client want JSON rather than a page? */
export function prefersJson(accept: string | undefined): boolean {
  if (!accept) return false
  const json = weight(accept, 'application/json')
  return json > 0 && json > weight(accept, 'text/html')
}

function weight(accept: string, type: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    if (name !== type) continue
    const q = parameters.find((text) => text.startsWith('q='))
    return q ? Number(q.slice(2)) || 0 : 1
  }
  return 0
}
