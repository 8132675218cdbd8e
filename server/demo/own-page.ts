// Requests of browsers to the demo platform: their paths, and whether they are answered.
import type { IncomingMessage } from 'node:http'
import { firstOf } from '../core/lazy.ts'

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** The path of the request's address, without its query. */
export const encodedPathOf = ({ url = '' }: IncomingMessage): string => firstOf(url.split('?', 1))

/** Is the Host this machine, by a name that no DNS answer can redirect? */
export const isLocalHost = ({ headers }: IncomingMessage): boolean => LOCAL.test(headers.host ?? '')

/**
 * Any website can make a browser request 127.0.0.1, and can point its own domain there (DNS
 * rebinding). So the Host must be this machine's, and the requesting page ours.
 */
export function isOwnPage(request: IncomingMessage): boolean {
  const { headers } = request
  const { host } = headers
  if (host === undefined || !isLocalHost(request)) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return (
    headers.origin === undefined || headers.origin.toLowerCase() === `http://${host.toLowerCase()}`
  )
}
