// The client of a request: its address and user agent, and hashes that identify it and its network
// in a session.
import type { IncomingMessage } from 'node:http'
import { networkOf, plainAddress, subnetOf } from '../core/client-address.ts'
import type { Secrets } from '../core/secrets.ts'

export interface Client {
  hash: Buffer
  /** A hash of its network. */
  network: Buffer
  address: string
  agent: string
}

// A client that resumes or fetches many files sends many requests: its hash is computed once.
const MAX_CACHED = 2000

const ADDRESS_LENGTH = 64
const AGENT_LENGTH = 400

/** Returns the function that reads a request's client. */
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
      network: secrets.clientHash(networkOf(address)),
      address: plainAddress(address).slice(0, ADDRESS_LENGTH),
      agent: agent.slice(0, AGENT_LENGTH),
    }
    if (known.size >= MAX_CACHED) known.clear()
    known.set(name, client)
    return client
  }
}

/** The network of the request's client, for limits. */
export const networkOfRequest = (request: IncomingMessage, trustProxy: boolean): string =>
  networkOf(addressOf(request, trustProxy)).slice(0, ADDRESS_LENGTH)

/** The neighbours of the request's client, whose bodies share a part of the memory. */
export const subnetOfRequest = (request: IncomingMessage, trustProxy: boolean): string =>
  subnetOf(addressOf(request, trustProxy)).slice(0, ADDRESS_LENGTH)

/**
 * Behind a trusted proxy, the last address of X-Forwarded-For: the proxy wrote it. The client may
 * have forged the others.
 */
function addressOf(request: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(request.headers['x-forwarded-for'] ?? '') : ''
  return (
    forwarded.slice(forwarded.lastIndexOf(',') + 1).trim() || (request.socket.remoteAddress ?? '')
  )
}
