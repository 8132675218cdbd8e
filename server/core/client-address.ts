// Addresses of clients in their usual form, and what counts as one client. A client that connects
// by IPv4 to a server that listens on IPv6 has a mapped address (::ffff:192.0.2.1).
import { isIP, isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { Secrets } from './secrets.ts'

/** Mapped IPv4 addresses as IPv4. Text that is no address stays as it is. */
export function plainAddress(address: string): string {
  if (isIP(address) === 0) return address
  const { parsed, zone } = parse(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toString() + zone
}

/** What counts as one client: an IPv4 address, or the /64 that a provider gives one customer. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const { parsed } = parse(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : parsed.toNormalizedString().split(':').slice(0, 4).join(':')
}

/** The neighbours of an address, which one person may control: a /24 of IPv4, a /64 of IPv6. */
export function subnetOf(address: string): string {
  const network = networkOf(address)
  return isIP(network) === 4 ? network.slice(0, network.lastIndexOf('.')) : network
}

/**
 * An address as it is kept where the whole one is not needed: `203.0.113.0/24`, `2001:db8:1::/48`.
 * Text that is no address: `''`.
 */
export function shortenedAddress(address: string): string {
  if (isIP(address) === 0) return ''
  const { parsed } = parse(address)
  const parts = parsed.toNormalizedString()
  return parsed.kind() === 'ipv4'
    ? parts.replace(/\d+$/, '0/24')
    : `${parts.split(':').slice(0, 3).join(':')}::/48`
}

/**
 * The zone (`%br-lan`) is separated first: ipaddr.js throws if it has other signs than a-z and 0-9.
 */
function parse(address: string) {
  const [host = '', ...rest] = address.split(/(?=%)/)
  return { parsed: ipaddr.process(host), zone: rest.join('') }
}

// Addresses that callers gave, for imports, callbacks and webhooks. Rows keep them without user
// info, query and fragment, which may contain access tokens. The whole address is sealed in another
// column for as long as a request may still need it.

export interface SealPlace {
  /** The shop's internal number: a value sealed for another shop does not open. */
  shop: number
  secrets: Pick<Secrets, 'seal' | 'open'>
}

/** An address in a row. Without `sealed`, nothing was left out, or the sealed part has expired. */
export interface KeptAddress {
  url: string
  sealed?: string
}

/** What an address is sealed for. */
export const addressPlace = (shop: number): string => `${shop}/addresses`

/** The address without user info, query and fragment. */
export const withoutSecrets = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')

/** What is stored of an address: its open part, and the whole address sealed if it has more than that. */
export function keepAddress(url: string, place: SealPlace): KeptAddress {
  const kept = withoutSecrets(url)
  return kept === url ? { url } : { url: kept, sealed: sealAddress(url, place) }
}

/** An address, with what belongs to it, as it is stored beside its open part. */
export const sealAddress = (whole: string, { shop, secrets }: SealPlace): string =>
  secrets.seal(whole, addressPlace(shop)).toString('base64')

/**
 * The whole address, if it is still known. An address sealed under another secret stays without its
 * query.
 */
export function wholeAddress({ url, sealed }: KeptAddress, { shop, secrets }: SealPlace): string {
  if (sealed === undefined) return url
  try {
    return secrets.open(Buffer.from(sealed, 'base64'), addressPlace(shop))
  } catch {
    return url
  }
}

// The client of a request: its address and user agent, and hashes that identify it and its network
// in a session.

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
