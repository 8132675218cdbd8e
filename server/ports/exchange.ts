// One request on one connection, with its deadlines and its body as it arrives: a short queue of the
// socket's own buffers, read with a loop.
import type { IncomingHttpHeaders } from 'node:http'
import { firstOf } from '../core/lazy.ts'
import { type Head, type ReadHead, AnswerParser, type AnswerReader } from './answer-head.ts'
import { IDLE_MS, type ConnectionUser, type GuardedConnection } from './connections.ts'
import { connectionLost, failureOf, noAnswer, notReached, tooLarge, tooSlow } from './failures.ts'

export interface Timeouts {
  /**
   * Until an address accepts the connection, including look-up and TLS. All of these are
   * milliseconds.
   */
  connect: number
  /** The time from the connection until the headers have arrived. */
  headers: number
  /**
   * The interval over which a body's speed is measured. Only time spent waiting for the network
   * counts.
   */
  slow: number
}

export type OpenedBody = AsyncIterableIterator<Buffer> & {
  /**
   * Frees the memory of chunks that were read in order and are no longer needed: they are empty
   * afterwards.
   */
  release(chunks: readonly Uint8Array[]): void
}

/** The minimum speed over `timeouts.slow`, in bytes a second; a slower body fails. */
const MIN_SPEED = 1024
const CHECKS_PER_WINDOW = 8
// A body that is not read fast enough waits in the socket, not here.
const PAUSE_ABOVE = 256 * 1024
const RESUME_BELOW = 128 * 1024

export interface FetchRequest {
  method: 'GET' | 'HEAD' | 'POST'
  /** The path with its query. */
  path: string
  headers: Readonly<Record<string, string>>
  body?: string | Buffer
}

export interface ExchangeOptions {
  connection: GuardedConnection
  request: FetchRequest
  timeouts: Timeouts
  /** Maximum size of the body. */
  bodyBytes: number
  signal: AbortSignal
  /** Called once after a complete answer: the connection can be reused. */
  onClean: (connection: GuardedConnection) => void
  /** Called once when the answer has been read or dropped. If there was none, `head` rejects. */
  onEnd: () => void
}

export class Exchange implements ConnectionUser, AnswerReader, AsyncIterableIterator<Buffer> {
  readonly head: Promise<Head>
  /** A reused connection failed before any answer: the other side had closed it. */
  stale = false
  readonly #options: ExchangeOptions
  readonly #answered = Promise.withResolvers<Head>()
  readonly #parser: AnswerParser
  #timer: NodeJS.Timeout
  #headed = false
  #state: 'open' | 'settling' | 'ended' | 'failed' = 'open'
  #error: unknown = null
  #chunks: Buffer[] = []
  #queued = 0
  #isPaused = false
  #total = 0
  #waiting: PromiseWithResolvers<IteratorResult<Buffer>> | null = null
  #waitingSince = 0
  #waited = 0
  #inWindow = 0

  constructor(options: ExchangeOptions) {
    const { connection, timeouts, signal, request } = options
    this.#options = options
    this.#parser = new AnswerParser(request.method, IDLE_MS, this)
    this.head = this.#answered.promise
    this.#timer = setTimeout(() => this.#fail(notReached(true)), timeouts.connect)
    signal.addEventListener('abort', this.#onAbort)
    connection.use(this)
  }

  onConnected(): void {
    const { connection, request, timeouts } = this.#options
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fail(noAnswer()), timeouts.headers)
    connection.write(bytesOf(request, connection.host))
  }

  onBytes(bytes: Buffer): void {
    this.#parse(() => this.#parser.read(bytes))
  }

  onClosed(error: Error | null): void {
    const { connection } = this.#options
    this.stale = connection.reused && !this.#headed && this.#state === 'open'
    if (error) this.#fail(failureOf(error, connection.connected))
    else this.#parse(() => this.#parser.end())
  }

  onHead({ status, headers }: ReadHead): void {
    this.#headed = true
    const every = this.#options.timeouts.slow / CHECKS_PER_WINDOW
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => this.#checkSpeed(), every)
    this.#answered.resolve({ status, headers })
  }

  onData(chunk: Buffer): void {
    if (this.#state !== 'open') return
    this.#total += chunk.length
    this.#inWindow += chunk.length
    if (this.#total > this.#options.bodyBytes) return this.#fail(tooLarge())
    if (this.#waiting) return this.#endWait()?.resolve({ done: false, value: chunk })
    this.#chunks.push(chunk)
    this.#queued += chunk.length
    if (this.#queued > PAUSE_ABOVE && !this.#isPaused) this.#pause(true)
  }

  onComplete(): void {
    if (this.#state !== 'open') return
    this.#state = 'settling'
    this.#pause(false)
    // Two turns of the event loop: by then, bytes that were sent together with the end have been
    // read.
    setImmediate(() => setImmediate(() => this.#finish()))
  }

  next(): Promise<IteratorResult<Buffer>> {
    if (this.#state === 'failed') return Promise.reject(this.#error)
    const chunk = this.#chunks.shift()
    if (chunk) {
      this.#queued -= chunk.length
      if (this.#isPaused && this.#queued < RESUME_BELOW) this.#pause(false)
      return Promise.resolve({ done: false, value: chunk })
    }
    if (this.#state === 'ended') return Promise.resolve({ done: true, value: undefined })
    this.#waiting = Promise.withResolvers()
    this.#waitingSince = performance.now()
    return this.#waiting.promise
  }

  /** Ends the exchange, because the rest of the body is not needed. */
  return(): Promise<IteratorResult<Buffer>> {
    if (this.#state === 'open' || this.#state === 'settling') this.#fail(connectionLost())
    return Promise.resolve({ done: true, value: undefined })
  }

  /**
   * Frees the memory of read buffers immediately: the garbage collector would let about 64 MB
   * accumulate. A socket's buffer may hold several chunks; as chunks are read in order, it is
   * unused after its last one.
   * With the flags of `npm start`: docs/decisions/0010.
   */
  release(chunks: readonly Uint8Array[]): void {
    for (const { buffer, byteOffset, byteLength } of chunks)
      if (byteLength > 0 && byteOffset + byteLength === buffer.byteLength)
        (buffer as ArrayBuffer).transfer(0)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #onAbort = () => this.#fail(this.#options.signal.reason)

  #parse(work: () => void): void {
    if (this.#state !== 'open' && this.#state !== 'settling') return
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#options.connection.pause(isPaused)
  }

  #finish(): void {
    if (this.#state !== 'settling') return
    const { connection, onClean } = this.#options
    this.#state = 'ended'
    this.#cleanUp()
    if (this.#parser.isReusable) onClean(connection)
    else connection.destroy()
    if (this.#chunks.length === 0) this.#endWait()?.resolve({ done: true, value: undefined })
  }

  #fail(error: unknown): void {
    if (this.#state === 'failed' || this.#state === 'ended') return
    this.#state = 'failed'
    this.#error = error
    this.#chunks = []
    this.#cleanUp()
    this.#options.connection.destroy()
    if (this.#headed) this.#endWait()?.reject(error)
    else this.#answered.reject(error)
  }

  #cleanUp(): void {
    clearTimeout(this.#timer)
    this.#options.signal.removeEventListener('abort', this.#onAbort)
    if (this.#headed) this.#options.onEnd()
  }

  #endWait(): PromiseWithResolvers<IteratorResult<Buffer>> | null {
    const waiting = this.#waiting
    if (waiting) this.#waited += performance.now() - this.#waitingSince
    this.#waiting = null
    return waiting
  }

  #checkSpeed(): void {
    const { slow } = this.#options.timeouts
    const now = this.#waiting ? performance.now() - this.#waitingSince : 0
    if (this.#waited + now < slow) return
    if (this.#inWindow < (MIN_SPEED * slow) / 1000) return this.#fail(tooSlow())
    this.#inWindow = 0
    this.#waited = -now
  }
}

/** The request as it is sent. Its headers may contain what a server set as a cookie. */
function bytesOf({ method, path, headers, body }: FetchRequest, host: string): Buffer {
  const content = body === undefined ? null : Buffer.from(body)
  const fields = { host, connection: 'keep-alive', ...headers }
  const lines = Object.entries(
    content ? { ...fields, 'content-length': String(content.length) } : fields,
  ).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path} HTTP/1.1`, ...lines]
  if (head.some((line) => /[^\t\x20-\x7e\x80-\xff]/.test(line)))
    throw new Error('A request has a header with a control character')
  const text = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1')
  return content ? Buffer.concat([text, content]) : text
}

// One fetch over several addresses: where a redirect leads, and the cookies that some servers set
// before they serve a file.

const MAX_COOKIES = 30
const MAX_COOKIE_BYTES = 4096

/**
 * The address that a Location names; null: none. Servers send other characters than ASCII as raw
 * bytes, mostly of UTF-8, which arrive as one character for each byte.
 */
export function redirectTarget(location: string | undefined, base: string): URL | null {
  if (!location) return null
  const bytes = Buffer.from(location, 'latin1')
  // Characters above U+00FF show that the header was decoded already.
  const isRaw = bytes.toString('latin1') === location
  return URL.parse(isRaw ? decodeBytes(bytes) : location, base)
}

function decodeBytes(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

/** The cookies of one fetch. Each is sent to the host that set it, and to no other. */
export class FetchCookies {
  readonly #hosts = new Map<string, Map<string, string>>()

  keep(url: URL, headers: IncomingHttpHeaders): void {
    const cookies = this.#hosts.get(placeOf(url)) ?? new Map<string, string>()
    this.#hosts.set(placeOf(url), cookies)
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const pair = firstOf(line.split(';')).trim()
      const [name = ''] = pair.split('=', 1)
      if (name !== '' && pair.length <= MAX_COOKIE_BYTES && cookies.size < MAX_COOKIES)
        cookies.set(name, pair)
    }
  }

  /** @param given those that the caller sends in any case */
  headers(url: URL, given?: string): Record<string, string> {
    const kept = this.#hosts.get(placeOf(url))?.values() ?? []
    const cookies = [...(given === undefined ? [] : [given]), ...kept]
    return cookies.length === 0 ? {} : { cookie: cookies.join('; ') }
  }
}

/** A cookie that was set over TLS is not sent without it. */
const placeOf = (url: URL): string => url.origin
