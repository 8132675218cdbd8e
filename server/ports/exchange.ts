// One request on one connection, with its deadlines and its body as it arrives. Written on undici's
// dispatch instead of its streams: a body is a short queue of the socket's own buffers, read with a
// loop.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { GuardedConnection } from './connections.ts'
import {
  connectionLost,
  failureOf,
  noAnswer,
  notReached,
  surplusError,
  tooLarge,
  tooSlow,
} from './failures.ts'
import { present } from '../core/present.ts'

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

export interface Head {
  status: number
  headers: IncomingHttpHeaders
}

export interface ExchangeOptions {
  connection: GuardedConnection
  request: Dispatcher.DispatchOptions
  timeouts: Timeouts
  /** Maximum size of the body. */
  bodyBytes: number
  signal: AbortSignal
  /** Called once after a complete answer: the connection can be reused. */
  onClean: (connection: GuardedConnection) => void
  /** Called once when the answer has been read or dropped. If there was none, `head` rejects. */
  onEnd: () => void
}

export class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Buffer> {
  readonly head: Promise<Head>
  /** A reused connection failed before any answer: the other side had closed it. */
  stale = false
  readonly #options: ExchangeOptions
  readonly #answered = Promise.withResolvers<Head>()
  #controller: Dispatcher.DispatchController | null = null
  #timer: NodeJS.Timeout
  #headed = false
  #framed = false
  #state: 'open' | 'settling' | 'ended' | 'failed' = 'open'
  #error: unknown = null
  #chunks: Buffer[] = []
  #queued = 0
  #total = 0
  #waiting: PromiseWithResolvers<IteratorResult<Buffer>> | null = null
  #waitingSince = 0
  #waited = 0
  #inWindow = 0

  constructor(options: ExchangeOptions) {
    const { connection, timeouts, signal, request } = options
    this.#options = options
    this.head = this.#answered.promise
    this.#timer = setTimeout(() => this.#fail(notReached(true)), timeouts.connect)
    if (connection.connected) this.#awaitHeaders()
    else connection.onConnected = () => this.#awaitHeaders()
    signal.addEventListener('abort', this.#onAbort)
    connection.client.dispatch(request, this)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#state !== 'open') return
    this.#headed = true
    this.#framed =
      headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const every = this.#options.timeouts.slow / CHECKS_PER_WINDOW
    clearTimeout(this.#timer)
    this.#timer = setInterval(() => this.#checkSpeed(), every)
    this.#answered.resolve({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== 'open') return
    this.#total += chunk.length
    this.#inWindow += chunk.length
    if (this.#total > this.#options.bodyBytes) return this.#fail(tooLarge())
    if (this.#waiting) return this.#endWait()?.resolve({ done: false, value: chunk })
    this.#chunks.push(chunk)
    this.#queued += chunk.length
    if (this.#queued > PAUSE_ABOVE) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#state !== 'open') return
    this.#state = 'settling'
    // Two turns of the event loop: by then, bytes that were sent together with the end have been
    // read.
    setImmediate(() => setImmediate(() => this.#finish()))
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const { connection } = this.#options
    this.stale = connection.reused && !this.#headed && this.#state === 'open'
    this.#fail(failureOf(error, { connected: connection.connected, headed: this.#headed }))
  }

  next(): Promise<IteratorResult<Buffer>> {
    if (this.#state === 'failed') return Promise.reject(this.#error)
    const chunk = this.#chunks.shift()
    if (chunk) {
      this.#queued -= chunk.length
      const controller = present(this.#controller, 'The controller')
      if (controller.paused && this.#queued < RESUME_BELOW) controller.resume()
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

  #awaitHeaders(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#fail(noAnswer()), this.#options.timeouts.headers)
  }

  #onAbort = () => this.#fail(this.#options.signal.reason)

  #finish(): void {
    if (this.#state !== 'settling') return
    const { connection, request, onClean } = this.#options
    if (request.method !== 'HEAD') {
      if (connection.hasSurplus()) return this.#fail(surplusError())
      // Without a length, the end of the connection is the end of the body, and a reset would look
      // like one.
      if (!this.#framed && connection.wasReset()) return this.#fail(connectionLost())
    }
    this.#state = 'ended'
    this.#cleanUp()
    onClean(connection)
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
    this.#options.connection.onConnected = null
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
