// The one client for requests to addresses that others chose: imports, callbacks, endpoints. Each
// address is checked before use and again after every redirect. Nothing of ours is sent except a
// user agent.
import type { IncomingHttpHeaders } from 'node:http'
import { PortError, type Probe } from '../../plugins/contract.ts'
import type { Logger } from '../log.ts'
import {
  addressRules,
  resolveByServers,
  addressTargetOf,
  type Resolve,
  type AddressRules,
  type AddressTarget,
} from './addresses.ts'
import { createConnections, type Connections } from './connections.ts'
import { Exchange, type Timeouts } from './exchange.ts'
import {
  badRedirect,
  badStatus,
  encodedError,
  isNotReached,
  Throttled,
  tooLarge,
} from './failures.ts'

export interface Opened extends Probe {
  /**
   * Read it to its end, or cancel it with `return()`. It fails unless exactly the declared bytes
   * arrive.
   */
  body: AsyncIterableIterator<Buffer> & {
    /**
     * Frees the memory of chunks that were read in order and are no longer needed: they are empty
     * afterwards.
     */
    release(chunks: readonly Uint8Array[]): void
  }
}

/** All of these throw `PortError`, or the reason of `signal`. */
export interface GuardedClient {
  /** The file at an address that answers 200, after at most 3 redirects. */
  open(url: string, signal: AbortSignal): Promise<Opened>
  /** What `open` would give, without the bytes. */
  probe(url: string, signal: AbortSignal): Promise<Probe>
  /** Sends a body. Redirects are not followed, and every status counts as an answer. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<{ status: number }>
  close(): Promise<void>
}

export interface GuardedClientOptions {
  /** Opens loopback on any port, and nothing else: for local development and tests. */
  allowLoopback: boolean
  /** Maximum size of a file. */
  fileBytes: number
  log?: Logger
  timeouts?: Partial<Timeouts>
  resolve?: Resolve
}

const TIMEOUTS: Timeouts = { connect: 10_000, headers: 30_000, slow: 60_000 }
/** For an answer to HEAD. GET is sent after it and has the whole time. Milliseconds. */
const HEAD_WITHIN = 10_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 3
/** How much of an unneeded answer is read, so that its connection can be reused. */
const DISCARDED_BYTES = 16 * 1024
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Stevedore' }

interface Answer {
  url: URL
  status: number
  headers: IncomingHttpHeaders
  body: Exchange
}

interface Message {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string | Buffer
}

type Send = (target: AddressTarget, message: Message, signal: AbortSignal) => Promise<Answer>

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const { fileBytes, log } = options
  const rules = addressRules(options.allowLoopback)
  const connections = createConnections(options.resolve ?? resolveByServers)
  const send = createSend(options, connections)
  const follow: Follow = (method, url, signal) =>
    followRedirects({ send, rules, method, signal }, url)

  /** Logs the reason for operators only: the caller learns less. */
  const withLog = async <T>(url: string, work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const host = URL.parse(url)?.host ?? null
      const cause =
        error instanceof Error && error.cause instanceof Error ? error.cause.message : null
      log?.debug('outgoing request failed', { host, error: String(error), cause })
      throw error
    }
  }

  const post: GuardedClient['post'] = async (url, headers, body, signal) => {
    const message = { method: 'POST' as const, headers: { ...HEADERS, ...headers }, body }
    const answer = await send(addressTargetOf(url, rules), message, signal)
    await discard(answer.body)
    return { status: answer.status }
  }

  return {
    open: (url, signal) => withLog(url, openFile(follow, fileBytes, url, signal)),
    probe: (url, signal) => withLog(url, probeFile(follow, url, signal)),
    post: (url, headers, body, signal) => withLog(url, post(url, headers, body, signal)),
    close: () => connections.close(),
  }
}

/** Sends one request, a second time if it was sent on a connection that the server had closed. */
function createSend(options: GuardedClientOptions, connections: Connections): Send {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const headTimeouts = { ...timeouts, headers: Math.min(timeouts.headers, HEAD_WITHIN) }
  return async (target, message, signal) => {
    signal.throwIfAborted()
    const attempt = (fresh: boolean) =>
      new Exchange({
        connection: connections.take(target, fresh),
        request: { path: target.url.pathname + target.url.search, ...message },
        timeouts: message.method === 'HEAD' ? headTimeouts : timeouts,
        bodyBytes: options.fileBytes,
        signal,
        onClean: connections.give,
      })
    // A repeated request must be harmless: a POST gets a connection that cannot be stale.
    let exchange = attempt(message.method === 'POST')
    const head = await exchange.head.catch((error: unknown) => {
      if (!exchange.stale) throw error
      exchange = attempt(true)
      return exchange.head
    })
    return { url: target.url, ...head, body: exchange }
  }
}

type Follow = (method: 'GET' | 'HEAD', url: string, signal: AbortSignal) => Promise<Answer>

/** Checks the address of every redirect before it is requested. */
async function followRedirects(
  asked: { send: Send; rules: AddressRules; method: 'GET' | 'HEAD'; signal: AbortSignal },
  url: string,
): Promise<Answer> {
  const { send, rules, method, signal } = asked
  let target = addressTargetOf(url, rules)
  for (let hop = 0; ; hop += 1) {
    const answer = await send(target, { method, headers: HEADERS }, signal)
    if (!REDIRECTS.has(answer.status)) return answer
    await discard(answer.body)
    const { location } = answer.headers
    const next = location ? URL.parse(location, target.url.href) : null
    if (hop === MAX_REDIRECTS || next === null) throw badRedirect()
    target = addressTargetOf(next.href, rules)
  }
}

async function openFile(
  follow: Follow,
  fileBytes: number,
  url: string,
  signal: AbortSignal,
): Promise<Opened> {
  const answer = await follow('GET', url, signal)
  try {
    const probe = await describeFile(answer)
    if (probe.size_bytes !== null && probe.size_bytes > fileBytes) throw tooLarge()
    return { ...probe, body: answer.body }
  } catch (error) {
    await answer.body.return()
    throw error
  }
}

async function probeFile(follow: Follow, url: string, signal: AbortSignal): Promise<Probe> {
  const probe = await probeByHead(follow, url, signal)
  if (probe) return probe
  const full = await follow('GET', url, signal)
  try {
    return await describeFile(full)
  } finally {
    await full.body.return()
  }
}

/**
 * Null: many servers refuse HEAD or fail on it, and an address signed for GET is valid for GET
 * only.
 */
async function probeByHead(
  follow: Follow,
  url: string,
  signal: AbortSignal,
): Promise<Probe | null> {
  try {
    const answer = await follow('HEAD', url, signal)
    await discard(answer.body)
    const probe = await describeFile(answer)
    // Some servers answer HEAD with a length of 0: only GET shows an empty file.
    return probe.size_bytes === 0 ? null : probe
  } catch (error) {
    if (!(error instanceof PortError) || error instanceof Throttled || isNotReached(error))
      throw error
    return null
  }
}

/** The file that a good answer describes; throws for all others. */
async function describeFile({ url, status, headers, body }: Answer): Promise<Probe> {
  if (status !== 200) {
    await discard(body)
    throw badStatus(status, headers['retry-after'])
  }
  if (!isPlain(headers['content-encoding'], url)) throw encodedError()
  const length = headers['content-length']
  return {
    size_bytes: length === undefined ? null : Number(length),
    content_type: headers['content-type'] ?? null,
  }
}

/**
 * Is the body the file itself? Content compressed for transport is refused: inflating it allows
 * decompression bombs, and storing it compressed would give buyers a damaged file. Servers that
 * call `.tar.gz` an encoding do send the file itself.
 */
function isPlain(encoding: string | string[] | undefined, url: URL): boolean {
  const name = String(encoding ?? '').toLowerCase()
  if (name === '' || name === 'identity') return true
  return /^(x-)?gzip$/.test(name) && /\.(gz|tgz|svgz)$/i.test(url.pathname)
}

/** Reads a short unneeded body to its end, to keep the connection; drops a long or broken one. */
async function discard(body: Exchange): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > DISCARDED_BYTES) return
    }
  } catch {
    // Only the answer's status was needed.
  }
}
