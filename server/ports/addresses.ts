// Which addresses an outgoing request may reach: part of every guarded request. Addresses are
// checked where the socket gets them, in `lookup`, so that a second look-up cannot return another
// address (DNS rebinding).
import { lookup as systemLookup, promises as dns, TIMEOUT } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { notReached } from './failures.ts'

/** Resolves every address of a name. Tests inject it; otherwise the system's resolver. */
export type Resolver = (
  hostname: string,
  done: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { address: string; family: number }[],
  ) => void,
) => void

export type AddressRule = (address: string) => boolean

/**
 * The metadata and health address inside one large cloud: its range is public, its use is internal.
 */
const CLOUD_INTERNAL = '168.63.129.16'
const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3')
const PORTS = new Set(['', '80', '443'])

/** Public unicast: everything outside the special ranges, with IPv4 inside IPv6 unwrapped. */
export function isPublic(address: string): boolean {
  const parsed = parse(address)
  if (!parsed || parsed.range() !== 'unicast') return false
  // ipaddr.js calls every unnamed range unicast. Of IPv6, only 2000::/3 is allocated.
  if (parsed.kind() === 'ipv6') return parsed.match(GLOBAL_UNICAST_V6)
  return parsed.toString() !== CLOUD_INTERNAL
}

export function isLoopback(address: string): boolean {
  return parse(address)?.range() === 'loopback'
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // A zone (fe80::1%eth0) names a link of this machine.
  if (isIP(address) === 0 || address.includes('%')) return null
  return ipaddr.process(address)
}

export interface AddressRules {
  /** The rule for ports 80 and 443. */
  standard: AddressRule
  /** The rule for every other port; null: such ports are closed. */
  otherPort: AddressRule | null
}

/** The rules of an installation. `allowLoopback` opens loopback on any port, and nothing else. */
export function addressRules(allowLoopback: boolean): AddressRules {
  if (!allowLoopback) return { standard: isPublic, otherPort: null }
  return { standard: (address) => isPublic(address) || isLoopback(address), otherPort: isLoopback }
}

const FIRST_USER_PORT = 1024

/**
 * For storage services, which often have a port of their own. Lower ports than 1024 are those of
 * mail, shells and other protocols, which are no storage.
 */
export const isServicePort = (port: number): boolean =>
  port === 80 || port === 443 || port >= FIRST_USER_PORT

/** The rules of `addressRules`, with `standard` for all ports that a storage service may have. */
export function serviceRules(allowLoopback: boolean, port: number): AddressRules {
  const { standard, otherPort } = addressRules(allowLoopback)
  return { standard, otherPort: isServicePort(port) ? standard : otherPort }
}

export interface AddressTarget {
  url: URL
  /** What the socket may connect to. */
  rule: AddressRule
}

/**
 * Reads a URL and gives the addresses that it may reach. Throws one `PortError` for all unreachable
 * addresses: the reason is not revealed.
 */
export function addressTargetOf(text: string, rules: AddressRules): AddressTarget {
  const url = URL.parse(text)
  if (url === null) throw notReached(false)
  const rule = PORTS.has(url.port) ? rules.standard : rules.otherPort
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notReached(false)
  if (url.username !== '' || url.password !== '' || rule === null) throw notReached(false)
  // Sockets call `lookup` only for names, so literal addresses are checked here. WHATWG URLs have
  // already turned 0x7f.1 and 2130706433 into 127.0.0.1.
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0 && !rule(literal)) throw notReached(false)
  return { url, rule }
}

/**
 * A name without an address and a name with a blocked address are answered at the same time: the
 * next full second after the look-up began. Otherwise the resolver's time would reveal which
 * internal names exist.
 */
const ANSWER_STEP_MS = 1000

/**
 * The `lookup` of a socket: gives the addresses of a name if all of them are allowed, else none.
 * Every refusal has one code, one `retryable` and one time, so it reveals nothing about the names
 * of this network.
 */
export function guardedLookup(resolve: Resolver, rule: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    const since = performance.now()
    const refuse = (cause?: unknown) => {
      const passed = performance.now() - since
      const answer = () => callback(notReached(true, cause), '', 0)
      setTimeout(answer, ANSWER_STEP_MS - (passed % ANSWER_STEP_MS))
    }
    resolve(hostname, (error, addresses) => {
      const first = addresses?.[0]
      if (error || !first) return refuse(error)
      if (!addresses.every(({ address }) => rule(address))) return refuse()
      if (options.all) return callback(null, [...addresses])
      callback(null, first.address, first.family)
    })
  }
}

/**
 * Resolves if a request may reach the address.
 * @param lenient accepts names that are not found, on ports 80 and 443.
 */
export async function reachable(
  text: string,
  rules: AddressRules,
  resolve: Resolver,
  lenient: boolean,
): Promise<void> {
  const { url, rule } = addressTargetOf(text, rules)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  let isKnown = false
  const known: Resolver = (hostname, done) =>
    resolve(hostname, (error, addresses) => {
      isKnown = !error && addresses.length > 0
      done(error, addresses)
    })
  const { promise, resolve: accept, reject } = Promise.withResolvers<void>()
  guardedLookup(known, rule)(host, { all: true }, (error) =>
    error && (isKnown || !lenient || rule !== rules.standard) ? reject(error) : accept(),
  )
  return promise
}

const bySystem: Resolver = (hostname, done) =>
  systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []))

/**
 * Asks the name servers directly. The system's resolver holds one of two threads of the process
 * until a name is resolved, so a few names whose servers are silent would stop all other requests.
 * It is asked only for names that the name servers do not know, such as those of the hosts file.
 *
 * @param servers name servers as `address:port`; absent: those of the system.
 */
export function askServers(servers?: readonly string[]): Resolver {
  const resolver = new dns.Resolver({ timeout: 3000, tries: 2 })
  if (servers) resolver.setServers(servers)
  return (hostname, done) => {
    // A host name without a dot is local.
    if (!hostname.includes('.')) return bySystem(hostname, done)
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(
      ([four, six]) => {
        const addresses = [
          ...(four.status === 'fulfilled' ? four.value.map(ofFamily(4)) : []),
          ...(six.status === 'fulfilled' ? six.value.map(ofFamily(6)) : []),
        ]
        if (addresses.length > 0) return done(null, addresses)
        const silent = [four, six].find((one) => isTimeout(one))
        if (silent) return done(silent.reason as NodeJS.ErrnoException, [])
        bySystem(hostname, done)
      },
    )
  }
}

const isTimeout = (one: PromiseSettledResult<unknown>): one is PromiseRejectedResult =>
  one.status === 'rejected' && (one.reason as NodeJS.ErrnoException).code === TIMEOUT

/** The resolver of all guarded requests of this process. */
export const resolveByServers: Resolver = askServers()

const ofFamily = (family: 4 | 6) => (address: string) => ({ address, family })
