// A shop's own mail server. Its name is typed by a merchant, so its address is checked where the
// socket gets it, with the rules of all outgoing requests, and every blocked address is answered in
// one way.
import { connect, isIP, type Socket } from 'node:net'
import { once } from 'node:events'
import { addressRules, guardedLookup, type Resolver } from '../../ports/addresses.ts'
import { notReached } from '../../ports/failures.ts'
import { openMailServer, type MailServer, type MailTimeouts } from './mail-server.ts'
import { MAIL_PORTS, type ShopMailServer } from './settings.ts'
import type { ConnectSocket } from './smtp-sessions.ts'

export interface ShopServerRules {
  allowLoopback: boolean
  resolve: Resolver
}

/** A slow server of one shop occupies a place of its shop only, so it may be given less time. */
const TIMEOUTS: MailTimeouts = { handOver: 20_000, answer: 60_000, connect: 10_000 }

export function openShopServer(
  server: ShopMailServer,
  password: string | null,
  rules: ShopServerRules,
): MailServer {
  const { host, port, security, user } = server
  const options = {
    host,
    port,
    secure: security === 'tls',
    // The name of the certificate; an address has none.
    ...(isIP(host) === 0 ? { tls: { servername: host } } : {}),
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === '' ? {} : { auth: { user, pass: password ?? '' } }),
  }
  return openMailServer(options, TIMEOUTS, guardedSocket(server, rules))
}

/** Which addresses the port allows; null: none. */
function ruleOf(port: number, allowLoopback: boolean) {
  const { standard, otherPort } = addressRules(allowLoopback)
  return (MAIL_PORTS as readonly number[]).includes(port) ? standard : otherPort
}

/** Is the port open to merchants? */
export const isMailPort = (port: number, allowLoopback: boolean): boolean =>
  ruleOf(port, allowLoopback) !== null

const guardedSocket =
  ({ host, port }: ShopMailServer, { allowLoopback, resolve }: ShopServerRules): ConnectSocket =>
  async (signal) => {
    const rule = ruleOf(port, allowLoopback)
    if (rule === null || (isIP(host) !== 0 && !rule(host))) throw notReached(false)
    const socket = connect({ host, port, lookup: guardedLookup(resolve, rule) })
    try {
      await opened(socket, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUTS.connect)]))
    } catch (error) {
      socket.destroy()
      throw error
    }
    return socket
  }

async function opened(socket: Socket, signal: AbortSignal): Promise<void> {
  await once(socket, 'connect', { signal })
}
