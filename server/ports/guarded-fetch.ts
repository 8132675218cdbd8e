// The one client for requests to addresses that others chose: imports, callbacks, endpoints. Each
// address is checked before use and again after every redirect. Nothing of ours is sent except a
// user agent.
import type { IncomingHttpHeaders } from 'node:http'
import { isPageType, PortError, type Probe } from '../../plugins/contract/index.ts'
import { present } from '../core/lazy.ts'
import type { Logger } from '../core/log.ts'
import type { Semaphore } from '../core/body-budget.ts'
import { setSpanFields, traced } from '../core/tracing.ts'
import {
  reachable,
  addressRules,
  resolveByServers,
  addressTargetOf,
  type Resolver,
  type AddressRules,
  type AddressTarget,
} from './addresses.ts'
import { createConnections, type Connections } from './connections.ts'
import type { Head } from './answer-head.ts'
import {
  Exchange,
  type FetchRequest,
  type OpenedBody,
  type Timeouts,
  FetchCookies,
  redirectTarget,
} from './exchange.ts'
import { codingOf, decodedBody, transferCodingOf, type Coding } from './content-encoding.ts'
import { contentOf, typeByStart } from './found-type.ts'
import {
  badStatus,
  encodedError,
  isNotReached,
  limitOf,
  NotFoundAnswer,
  redirectsNowhere,
  redirectsToFtp,
  redirectsTooOften,
  ThrottledAnswer,
  tooLarge,
  unencodedHash,
} from './failures.ts'
import { HostTurns, type HostTurn, type HostTurnOptions } from './host-turns.ts'
import { userAgentOf } from './user-agent.ts'

export interface OpenedFile extends Probe {
  /**
   * Read it to its end, or cancel it with `return()`. It fails unless exactly the declared bytes
   * arrive.
   */
  body: OpenedBody
  /** What a later conditional request sends; null: nothing, or another host answered. */
  identity: BytesIdentity | null
}

/** What a server said about the bytes that it sent. */
export interface BytesIdentity {
  /** The only host to which it is sent again. */
  host: string
  etag?: string
  last_modified?: string
}

/** For whom a file is requested. Its requests wait for their turns at its hosts. */
export interface Requester {
  /** The shop's internal number: shops take turns at a host. */
  shop?: number
  /** Bounds concurrent requests; one that waits for its host has no place. */
  places?: Semaphore
  /** Headers in lower case, which may contain secrets: only the host that is asked first gets them. */
  headers?: Readonly<Record<string, string>>
}

/** Requests to addresses that others chose. All throw `PortError`, or the reason of `signal`. */
export interface GuardedClient {
  /** The file at an address that answers 200, after at most 10 redirects. */
  open(url: string, signal: AbortSignal, requester?: Requester): Promise<OpenedFile>
  /**
   * As `open`, but asks only for bytes that have changed since an earlier answer.
   * @returns null: they have not
   */
  openChanged(
    url: string,
    signal: AbortSignal,
    requester: Requester | undefined,
    since: BytesIdentity | undefined,
  ): Promise<OpenedFile | null>
  /** What `open` would give, without the bytes. */
  probe(url: string, signal: AbortSignal, requester?: Requester): Promise<Probe>
  /** Sends a body. Redirects are not followed, and every status counts as an answer. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
    signal: AbortSignal,
  ): Promise<{ status: number }>
  /** As `post`, and reads the answer. Throws `file_too_large` if it has more than `most` bytes. */
  ask(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    { most, signal }: { most: number; signal: AbortSignal },
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>
  /**
   * Looks the address up and sends nothing: rejects if a request could not reach it. In local
   * development, names that are not found are accepted.
   */
  reach(url: string): Promise<void>
  close(): Promise<void>
}

export interface GuardedClientOptions {
  /** Opens loopback on any port, and nothing else: for local development and tests. */
  allowLoopback: boolean
  /** Maximum size of a file. */
  fileBytes: number
  /** The User-Agent; absent: this software's name without an address. */
  userAgent?: string
  log?: Logger
  timeouts?: Partial<Timeouts>
  resolve?: Resolver
  turns?: HostTurnOptions
}

const TIMEOUTS: Timeouts = { connect: 10_000, headers: 30_000, slow: 60_000 }
/** The time for an answer to HEAD, in milliseconds. GET is sent after it and has the whole time. */
const HEAD_WITHIN = 10_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 10
/** How much of an unneeded answer is read, so that its connection can be reused. */
const DISCARDED_BYTES = 16 * 1024
/** How much of a web page is read, to see whether it is one. */
const PROBED_BYTES = 4096
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity' }

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Exchange
  /** The error of a refusal for the host's limits; null: it is none. */
  refusal: PortError | null
}

interface FollowedAnswer extends Answer {
  /** The address that was asked first, and the one that answered. */
  urls: readonly [URL, URL]
  /** Whether the request that was answered had a condition. */
  conditional: boolean
}

type Message = Omit<FetchRequest, 'path'>

/** `requester`: null for requests that do not wait for a turn. */
type Send = (
  target: AddressTarget,
  message: Message,
  signal: AbortSignal,
  requester: Requester | null,
) => Promise<Answer>

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const { fileBytes, log } = options
  const rules = addressRules(options.allowLoopback)
  const resolve = options.resolve ?? resolveByServers
  const connections = createConnections(resolve)
  const turns = new HostTurns(options.turns)
  const send = tracedSend(createSend(options, connections, turns))
  const ours = { ...HEADERS, 'user-agent': options.userAgent ?? userAgentOf(null) }
  const followFor =
    (requester: Requester = {}): Follow =>
    (method, url, signal, since) =>
      followRedirects({ send, rules, ours, method, signal, requester, since }, url)

  const withLog = loggedBy(log)

  const post: GuardedClient['post'] = async (url, headers, body, signal) => {
    const message = { method: 'POST' as const, headers: { ...ours, ...headers }, body }
    const answer = await send(addressTargetOf(url, rules), message, signal, null)
    await discard(answer.body)
    return { status: answer.status }
  }

  const ask: GuardedClient['ask'] = async (url, headers, body, { most, signal }) => {
    const message = { method: 'POST' as const, headers: { ...ours, ...headers }, body }
    const answer = await send(addressTargetOf(url, rules), message, signal, null)
    const { status } = answer
    return { status, headers: answer.headers, body: await readAtMost(answer.body, most) }
  }

  return {
    open: (url, signal, requester) =>
      withLog(
        url,
        withFragment(url, async (at) => {
          const opened = await openFile(followFor(requester), fileBytes, at, signal)
          return present(opened, 'the answer of a request without a condition')
        }),
      ),
    openChanged: (url, signal, requester, since) =>
      withLog(
        url,
        withFragment(url, (at) => openFile(followFor(requester), fileBytes, at, signal, since)),
      ),
    probe: (url, signal, requester) =>
      withLog(
        url,
        withFragment(url, (at) => probeFile(followFor(requester), at, signal)),
      ),
    post: (url, headers, body, signal) => withLog(url, post(url, headers, body, signal)),
    ask: (url, headers, body, options) => withLog(url, ask(url, headers, body, options)),
    reach: (url) => withLog(url, reachable(url, rules, resolve, options.allowLoopback)),
    close: () => {
      turns.close()
      connections.close()
      return Promise.resolve()
    },
  }
}

/** Logs the reason for operators only: the caller learns less. */
const loggedBy =
  (log: GuardedClientOptions['log']) =>
  async <T>(url: string, work: Promise<T>): Promise<T> => {
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

/** Sends one request, a second time if it was sent on a connection that the server had closed. */
function createSend(
  options: GuardedClientOptions,
  connections: Connections,
  turns: HostTurns,
): Send {
  const timeouts = { ...TIMEOUTS, ...options.timeouts }
  const headTimeouts = { ...timeouts, headers: Math.min(timeouts.headers, HEAD_WITHIN) }
  return async (target, message, signal, requester) => {
    const place = requester && (await takePlace(turns, target.url, signal, requester))
    const attempt = (fresh: boolean) =>
      new Exchange({
        connection: connections.take(target, fresh),
        request: { path: target.url.pathname + target.url.search, ...message },
        timeouts: message.method === 'HEAD' ? headTimeouts : timeouts,
        bodyBytes: options.fileBytes,
        signal,
        onClean: connections.give,
        onEnd: () => place?.end(),
      })
    try {
      // The wait for the place may have ended together with the signal, which is heard only from now.
      signal.throwIfAborted()
      // A repeated request must be harmless: a POST gets a connection that cannot be stale.
      let exchange = attempt(message.method === 'POST')
      const head = await exchange.head.catch((error: unknown) => {
        if (!exchange.stale) throw error
        exchange = attempt(true)
        return exchange.head
      })
      const refusal = place && judgeAnswer(place.turn, target.url, message, head)
      return { ...head, body: exchange, refusal }
    } catch (error) {
      if (error instanceof PortError && error.retryable) place?.turn.failed(error)
      place?.end()
      throw error
    }
  }
}

/** Waits for a turn at the host, then for a place among the requester's requests. */
async function takePlace(
  turns: HostTurns,
  url: URL,
  signal: AbortSignal,
  { shop, places }: Requester,
): Promise<{ turn: HostTurn; end: () => void }> {
  const turn = await turns.take(url, signal, shop)
  try {
    const release = await places?.acquire(signal)
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      release?.()
      turn.end()
    }
    return { turn, end }
  } catch (error) {
    turn.end()
    throw error
  }
}

/** Tells the turns what an answer says about the host's limits. */
function judgeAnswer(
  turn: HostTurn,
  url: URL,
  { method }: Message,
  { status, headers }: Head,
): PortError | null {
  const limit = limitOf(status, headers, url)
  if (limit === null) {
    turn.answered()
    return null
  }
  // Some servers answer 503 to every HEAD: GET shows whether it is a limit.
  if (method === 'HEAD' && !limit.marked) return null
  const error = badStatus(status, headers, url)
  turn.refused(limit, error)
  return error
}

/** The span ends with the headers of the answer. It has no host: merchants chose it. */
const tracedSend =
  (send: Send): Send =>
  (target, message, signal, requester) =>
    traced(
      `fetch ${message.method}`,
      { kind: 'client', fields: { 'http.request.method': message.method } },
      async () => {
        const answer = await send(target, message, signal, requester)
        setSpanFields({ 'http.response.status_code': answer.status })
        return answer
      },
    )

type Follow = (
  method: 'GET' | 'HEAD',
  url: string,
  signal: AbortSignal,
  since?: BytesIdentity,
) => Promise<FollowedAnswer>

/** Checks the address of every redirect before it is requested. */
async function followRedirects(
  asked: {
    send: Send
    rules: AddressRules
    ours: Readonly<Record<string, string>>
    method: 'GET' | 'HEAD'
    signal: AbortSignal
    requester: Requester
    since?: BytesIdentity | undefined
  },
  url: string,
): Promise<FollowedAnswer> {
  const { send, rules, ours, method, signal, requester, since } = asked
  const cookies = new FetchCookies()
  const first = addressTargetOf(url, rules)
  let target = first
  let isAway = false
  for (let hop = 0; ; hop += 1) {
    // A host that another one named must not learn what the first one said.
    isAway ||= target.url.host !== first.url.host || isDowngraded(first.url, target.url)
    const condition = since && !isAway && since.host === target.url.host ? conditionOf(since) : {}
    const secret = isAway ? {} : (requester.headers ?? {})
    const headers = {
      ...ours,
      ...secret,
      ...condition,
      ...cookies.headers(target.url, secret.cookie),
    }
    const answer = await send(target, { method, headers }, signal, requester)
    if (!REDIRECTS.has(answer.status)) {
      const conditional = Object.keys(condition).length > 0
      return { ...answer, urls: [first.url, target.url], conditional }
    }
    await discard(answer.body)
    cookies.keep(target.url, answer.headers)
    const next = redirectTarget(answer.headers.location, target.url.href)
    if (next === null) throw redirectsNowhere(target.url.host)
    if (next.protocol === 'ftp:' || next.protocol === 'ftps:') throw redirectsToFtp()
    if (hop === MAX_REDIRECTS) throw redirectsTooOften(MAX_REDIRECTS, target.url.host)
    target = addressTargetOf(next.href, rules)
  }
}

/** Is a request that began over TLS continued without it? */
const isDowngraded = (first: URL, next: URL): boolean =>
  first.protocol === 'https:' && next.protocol !== 'https:'

const conditionOf = ({ etag, last_modified }: BytesIdentity): Record<string, string> => ({
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
  ...(last_modified === undefined ? {} : { 'if-modified-since': last_modified }),
})

/** What the answer says about its bytes; null: nothing, or not from the host that was asked. */
function identityOf({ urls: [first, last], headers }: FollowedAnswer): BytesIdentity | null {
  const { etag, 'last-modified': last_modified } = headers
  if (first.host !== last.host || (etag === undefined && last_modified === undefined)) return null
  return {
    host: first.host,
    ...(etag === undefined ? {} : { etag }),
    ...(last_modified === undefined ? {} : { last_modified }),
  }
}

/**
 * A `#` in an address begins a fragment, which is never sent. In the name of a file it must be
 * written as %23: if the address without its fragment is not found, that one is tried.
 */
async function withFragment<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(url)
  } catch (error) {
    if (!(error instanceof NotFoundAnswer) || !url.includes('#')) throw error
    return work(url.replaceAll('#', '%23')).catch(() => {
      throw unencodedHash()
    })
  }
}

async function openFile(
  follow: Follow,
  fileBytes: number,
  url: string,
  signal: AbortSignal,
  since?: BytesIdentity,
): Promise<OpenedFile | null> {
  const answer = await follow('GET', url, signal, since)
  if (answer.conditional && answer.status === 304) {
    await discard(answer.body)
    return null
  }
  try {
    const { coding, ...probe } = await describeFile(answer)
    if (probe.size_bytes !== null && probe.size_bytes > fileBytes) throw tooLarge()
    const body = coding ? decodedBody(answer.body, coding, fileBytes) : answer.body
    return { ...probe, body, identity: identityOf(answer) }
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
    const { coding, size_bytes, content_type } = await describeFile(full)
    const body = coding ? decodedBody(full.body, coding, Infinity) : full.body
    const { start, isWhole } = await startOf(body, signal)
    return {
      size_bytes: size_bytes ?? (isWhole ? start.length : null),
      content_type: await typeByStart(content_type, start),
      ...(await contentOf(start)),
    }
  } finally {
    await full.body.return()
  }
}

/**
 * The first bytes of a body, as many as arrive before it fails, and whether these are all. Throws if
 * the signal aborts.
 */
async function startOf(
  body: OpenedBody,
  signal: AbortSignal,
): Promise<{ start: Buffer; isWhole: boolean }> {
  const pieces: Buffer[] = []
  let isWhole = false
  try {
    for (let bytes = 0; bytes < PROBED_BYTES;) {
      const { done, value } = await body.next()
      if (done) {
        isWhole = true
        break
      }
      // Its buffer is used again.
      pieces.push(Buffer.from(value))
      bytes += value.length
    }
  } catch (error) {
    // Otherwise what has arrived is enough.
    if (signal.aborted) throw error
  } finally {
    await body.return?.()
  }
  return { start: Buffer.concat(pieces), isWhole }
}

/** Types of texts, which servers send instead of a file. */
const MAY_BE_MESSAGE = /^(?:text\/|application\/(?:xhtml\+xml|json|xml|[\w.-]+\+json)\b)/i

/**
 * Probes by HEAD. Null: GET is needed, since many servers refuse HEAD or fail on it, and an address
 * signed for GET is valid for GET only.
 */
async function probeByHead(
  follow: Follow,
  url: string,
  signal: AbortSignal,
): Promise<Probe | null> {
  try {
    const answer = await follow('HEAD', url, signal)
    await discard(answer.body)
    const { coding, ...probe } = await describeFile(answer)
    // Some servers answer HEAD with a length of 0, or compress only that, or call all a web page: GET
    // shows the file. A text may be a message instead of the file.
    const isUnclear = probe.size_bytes === 0 || coding !== null
    return isUnclear || MAY_BE_MESSAGE.test(probe.content_type ?? '') ? null : probe
  } catch (error) {
    if (!(error instanceof PortError) || error instanceof ThrottledAnswer || isNotReached(error))
      throw error
    return null
  }
}

/** The file that a good answer describes; throws for all others. */
async function describeFile({
  urls,
  status,
  headers,
  body,
  refusal,
}: FollowedAnswer): Promise<Probe & { coding: Coding | null }> {
  if (!isWhole(status, headers['content-range'])) {
    await discard(body)
    throw refusal ?? badStatus(status, headers, urls[1])
  }
  const type = headers['content-type']
  const names = urls.map(({ pathname }) => pathname)
  const named = nameIn(headers['content-disposition'])
  const { 'transfer-encoding': transferred, 'content-encoding': encoded } = headers
  const transfer = transferred === undefined ? null : transferCodingOf(transferred)
  const content =
    encoded === undefined ? null : codingOf(encoded, { names: [...names, named], type })
  if (transfer !== null && content !== null) {
    await discard(body)
    throw encodedError()
  }
  const coding = transfer ?? content
  const length = headers['content-length']
  return {
    coding,
    // The length is that of the encoded bytes.
    size_bytes: length === undefined || coding !== null ? null : Number(length),
    content_type: isPageType(type) && isOtherFile(headers) ? null : (type ?? null),
  }
}

/** Does the server offer a file to save that is no web page? Its script did not set the type. */
function isOtherFile({ 'content-disposition': disposition }: IncomingHttpHeaders): boolean {
  const name = nameIn(disposition)
  return /^\s*attachment\b/i.test(disposition ?? '') && name !== '' && !/\.x?html?$/i.test(name)
}

/** The end of the name in a Content-Disposition, in any of its forms; '': there is none. */
const nameIn = (disposition: string | undefined): string =>
  /;\s*filename\*?\s*=\s*"?([^";]*)/i.exec(disposition ?? '')?.[1]?.trim() ?? ''

/**
 * Does the answer have the whole file? 203 comes from a proxy. Some servers answer 206 although no
 * range was asked for, with a range that is the whole file.
 */
function isWhole(status: number, range: string | string[] | undefined): boolean {
  if (status === 200 || status === 203) return true
  if (status !== 206) return false
  const [, last, size] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/.exec(String(range ?? '')) ?? []
  return last !== undefined && Number(last) + 1 === Number(size)
}

async function readAtMost(body: Exchange, most: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge()
    // Its buffer is used again.
    pieces.push(Buffer.from(chunk))
  }
  return Buffer.concat(pieces)
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
    // A broken body is dropped: only the answer's status was needed.
  }
}
