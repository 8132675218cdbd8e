// Decides which browser requests the demo platform answers.
import type { IncomingMessage } from 'node:http'

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** Is the Host this machine, by a name that no DNS answer can redirect? */
export const isLocalHost = ({ headers }: IncomingMessage): boolean => LOCAL.test(headers.host ?? '')

/**
 * Any website can make a browser request 127.0.0.1, and can point its own domain there (DNS
 * rebinding). So the Host must be this machine's, and the requesting page ours.
 */
export function isOwnPage(request: IncomingMessage): boolean {
  const { headers } = request
  if (!isLocalHost(request)) return false
  const host = headers.host!
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return (
    headers.origin === undefined || headers.origin.toLowerCase() === `http://${host.toLowerCase()}`
  )
}
