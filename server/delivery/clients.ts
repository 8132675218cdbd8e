// Who asks: the address and agent, and a hash of both by which a session knows its client again.
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Secrets } from '../secrets.ts'

export interface Client {
  hash: Buffer
  address: string
  agent: string
}

// A client that resumes, or that takes many files, asks many times: its hash is made once.
const KEPT = 2000

const ADDRESS_LENGTH = 64
const AGENT_LENGTH = 400

/** Gives a request's client. */
export function createClients(secrets: Pick<Secrets, 'clientHash'>, trustProxy: boolean) {
  const known = new Map<string, Client>()
  return (request: IncomingMessage): Client => {
    const address = addressOf(request, trustProxy)
    const agent = request.headers['user-agent'] ?? ''
    const name = `${address}\n${agent}`
    const kept = known.get(name)
    if (kept) return kept
    const client: Client = {
      hash: secrets.clientHash(name),
      address: usualForm(address),
      agent: agent.slice(0, AGENT_LENGTH),
    }
    if (known.size >= KEPT) known.clear()
    known.set(name, client)
    return client
  }
}

/** An IPv4 address as everyone writes it, not as this socket sees it. */
const usualForm = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, '').slice(0, ADDRESS_LENGTH)

/** What one customer of a provider has: an IPv4 address, or the first half of an IPv6 address. */
export const networkOfRequest = (request: IncomingMessage, trustProxy: boolean): string =>
  networkOf(usualForm(addressOf(request, trustProxy)))

export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const host = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address
  const [head = '', tail] = host.split('::')
  const groups = head === '' ? [] : head.split(':')
  const filled = tail === undefined ? groups : [...groups, ...Array<string>(8).fill('0')]
  return filled.slice(0, 4).join(':')
}

/**
 * Behind a proxy of ours, the last of X-Forwarded-For: the one that the proxy wrote. Those before it are whatever the
 * client said.
 */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : ''
  return forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || (request.socket.remoteAddress ?? '')
}
