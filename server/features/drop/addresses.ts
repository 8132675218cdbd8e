// Addresses of clients, and the ranges that an account allows.
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { plainAddress } from '../../core/client-address.ts'

type Address = ipaddr.IPv4 | ipaddr.IPv6
const MAPPED_BITS = 96

/** The client's address, mapped IPv4 addresses as IPv4. Null: the client is gone. */
export const clientOf = (socket: Socket): string | null =>
  socket.remoteAddress === undefined ? null : plainAddress(socket.remoteAddress)

/** Is the address allowed? `allowed`: CIDR ranges or single addresses; empty: any address. */
export function isAllowed(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true
  const parsed = ipaddr.process(address)
  return allowed.some((text) => {
    const [range, bits] = parseRange(text)
    return range.kind() === parsed.kind() && parsed.match(range as ipaddr.IPv4, bits)
  })
}

/** Is it an address or a CIDR range? `10.1`, which some programs read as 10.0.0.1, is none. */
export function isRange(text: string): boolean {
  const [address = ''] = text.split('/')
  if (!address.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  try {
    parseRange(text)
    return true
  } catch {
    return false
  }
}

/** Throws if the text is neither an address nor a CIDR range. */
function parseRange(text: string): [Address, number] {
  if (!text.includes('/')) {
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  const [range, bits] = ipaddr.parseCIDR(text)
  const mapped = range.kind() === 'ipv6' && (range as ipaddr.IPv6).isIPv4MappedAddress()
  return mapped && bits >= MAPPED_BITS
    ? [(range as ipaddr.IPv6).toIPv4Address(), bits - MAPPED_BITS]
    : [range, bits]
}
