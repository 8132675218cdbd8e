// Reads the body of a request, whole or in pieces, within the budget of all bodies in memory. A body
// must keep arriving. What is left of a refused one is discarded, or its connection is closed:
// unread bytes on an open connection would block the next request, which behind a proxy is another
// client's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { say } from '../../plugins/contract/index.ts'
import { bodyBudget, type BodyOwner, type BodySeat } from './body-budget.ts'
import { subnetOf } from './client-address.ts'
import { AppError } from './errors.ts'
import { bodyRefusals } from './totals.ts'

/** In each such time at least so many bytes of an unfinished body arrive: 52 kbit/s. */
const SLOW_MS = 10_000
const SLOW_BYTES = 64 * 1024
const TICK_MS = 1000
/** How much of a refused body is read before its connection is closed instead. */
const MAX_DISCARDED = 64 * 1024 ** 2
/** And for how long after the answer. */
const DISCARD_MS = 30_000

interface Received {
  owner: BodyOwner
  response: ServerResponse | null
}

const requests = new WeakMap<IncomingMessage, Received>()

const receivedOf = (request: IncomingMessage): Received =>
  requests.get(request) ?? {
    owner: strangerOf(subnetOf(request.socket.remoteAddress ?? '')),
    response: null,
  }

const strangerOf = (network: string): BodyOwner => ({
  name: `network ${network}`,
  signedIn: false,
})

/**
 * Notes whose body a request has, before it is answered: that of a stranger in this network, until
 * `countForShop`. Afterwards an unfinished body is discarded, or its connection is closed.
 */
export function receiveFrom(
  request: IncomingMessage,
  response: ServerResponse,
  network: string,
): void {
  requests.set(request, { owner: strangerOf(network), response })
  response.once('finish', () => void endUnfinished(request))
}

/** The client has signed in: the body counts among those of the shop. */
export function countForShop(request: IncomingMessage, shop: number): void {
  requests.set(request, {
    ...receivedOf(request),
    owner: { name: `shop ${shop}`, signedIn: true },
  })
}

/**
 * The body of a request, whole. Its bytes count in the budget until the request is answered. Throws
 * `payload_too_large`, and what `readBodyPieces` throws; the rest is unread then.
 * @param inflates as in `PieceOptions`
 */
export async function readRequest(
  request: IncomingMessage,
  maxBytes: number,
  { inflates = false } = {},
): Promise<Buffer> {
  const isPlain = !inflates || encodingOf(request) === 'identity'
  const length = Number(request.headers['content-length'] ?? 0)
  if (isPlain && length > maxBytes) throw new AppError('payload_too_large')
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of readBodyPieces(request, { inflates })) {
    bytes += piece.length
    if (bytes > maxBytes) throw new AppError('payload_too_large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export interface PieceOptions {
  /**
   * The body is stored as it arrives, and counts as this many bytes. Absent: the caller keeps the
   * pieces in memory, so each of their bytes counts.
   */
  countsAs?: number
  /** Decompresses gzip, deflate and br; throws `unsupported_media_type` for others. */
  inflates?: boolean
}

/**
 * The body of a request, a piece each time the caller asks: only the time in which it waits for the
 * client counts as slow. The body counts in the budget until the request is answered. Throws
 * `malformed_request` if the body ends early, `request_timeout`, `too_many_bodies` and
 * `bodies_full`; the rest is unread then.
 */
export async function* readBodyPieces(
  request: IncomingMessage,
  options: PieceOptions = {},
): AsyncGenerator<Buffer> {
  const reader = new BodyReader(request, options)
  try {
    for (let piece = await reader.next(); piece; piece = await reader.next()) yield piece
  } finally {
    reader.close()
  }
}

/** Who reads the body of a request. A form is not read to the end of its body. */
const readers = new WeakMap<IncomingMessage, BodyReader>()

class BodyReader {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse | null
  readonly #inflater: Transform | null
  readonly #source: Readable
  readonly #countsEach: boolean
  readonly #seat: BodySeat
  readonly #pace: { stop(): void }
  readonly #pieces: Buffer[] = []
  #isWhole = false
  #failure: AppError | null = null
  /** Continues the caller, which waits for the client; null: it does not wait. */
  #wake: (() => void) | null = null

  constructor(request: IncomingMessage, { countsAs, inflates = false }: PieceOptions) {
    const { owner, response } = receivedOf(request)
    const inflater = inflates ? inflaterOf(encodingOf(request)) : null
    readers.set(request, this)
    this.#request = request
    this.#response = response
    this.#inflater = inflater
    this.#source = inflater ? request.pipe(inflater) : request
    this.#countsEach = countsAs === undefined
    this.#seat = bodyBudget.open(owner, this.#fail)
    this.#pace = keepPace(
      request,
      () => this.#fail(slow()),
      () => this.#wake !== null,
    )
    response?.once('close', this.#seat.free)
    if (countsAs !== undefined) this.#count(countsAs)
    this.#source.on('data', this.#take).once('end', this.#end).once('error', this.#broken)
    request.once('close', this.#closed)
  }

  /** The next piece; null: the body is whole. */
  async next(): Promise<Buffer | null> {
    while (this.#pieces.length === 0 && this.#failure === null && !this.#isWhole) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      this.#source.resume()
      await promise
      this.#wake = null
    }
    if (this.#failure) throw this.#failure
    const piece = this.#pieces.shift() ?? null
    if (piece === null) this.#seat.arrived()
    return piece
  }

  /** Idempotent. */
  close(): void {
    this.#pace.stop()
    this.#source.pause().off('data', this.#take).off('end', this.#end).off('error', this.#broken)
    this.#request.off('close', this.#closed)
    if (this.#inflater) {
      this.#request.unpipe(this.#inflater)
      this.#inflater.on('error', () => {}).destroy()
    }
    const isAnswering = this.#response !== null && !this.#response.destroyed
    if (!this.#isWhole || !isAnswering) this.#seat.free()
  }

  #count(bytes: number): void {
    try {
      this.#seat.add(bytes)
    } catch (error) {
      this.#fail(error as AppError)
    }
  }

  readonly #take = (piece: Buffer) => {
    this.#source.pause()
    if (this.#failure) return
    if (this.#countsEach) this.#count(piece.length)
    if (!this.#failure) this.#pieces.push(piece)
    this.#wake?.()
  }
  readonly #end = () => {
    this.#isWhole = true
    this.#wake?.()
  }
  readonly #fail = (error: AppError) => {
    this.#failure ??= error
    this.#seat.free()
    this.#pieces.length = 0
    this.#wake?.()
  }
  readonly #broken = (cause?: unknown) => this.#fail(new AppError('malformed_request', { cause }))
  readonly #closed = () => void (this.#request.complete || this.#broken())
}

const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase()

/** Null: the body is not compressed. */
function inflaterOf(encoding: string): Transform | null {
  if (encoding === 'identity') return null
  if (encoding === 'gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  if (encoding === 'br') return createBrotliDecompress()
  throw new AppError('unsupported_media_type', {
    message: say('Send the body uncompressed, or as gzip, deflate or br'),
  })
}

function slow(): AppError {
  bodyRefusals.add('slow')
  return new AppError('request_timeout')
}

/**
 * Calls `late` if too few bytes of the request arrive in some time of waiting.
 * @param isWaiting for the client, not for a disk or the database
 */
function keepPace(
  request: IncomingMessage,
  late: () => void,
  isWaiting = () => true,
): { stop(): void } {
  const { socket } = request
  let [before, waited] = [socket.bytesRead, 0]
  const look = () => {
    if (isWaiting()) waited += TICK_MS
    if (waited < SLOW_MS) return
    if (socket.bytesRead - before < SLOW_BYTES && !request.complete) late()
    before = socket.bytesRead
    waited = 0
  }
  const timer = setInterval(look, TICK_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Sets the headers of an answer to a request that is refused, or whose body is not read to its end.
 * @param retryAfter seconds until a retry makes sense; null: not known
 */
export function setEndHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  retryAfter: number | null,
): void {
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  if (!request.complete) response.setHeader('connection', 'close')
}

/** Discards what is left of the body of an answered request, or closes the connection. */
async function endUnfinished(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return
  if (!(await discardRest(request, DISCARD_MS))) request.socket.destroy()
}

/**
 * Reads and discards the rest of a body. False: it is longer than the limit, too slow, or takes longer than `ms`.
 */
export function discardRest(request: IncomingMessage, ms: number): Promise<boolean> {
  readers.get(request)?.close()
  if (request.readableEnded || request.destroyed) return Promise.resolve(request.complete)
  return new Promise((resolve) => {
    let left = MAX_DISCARDED
    const finish = (whole: boolean) => {
      clearTimeout(timer)
      pace.stop()
      request.off('data', count).off('end', ended).off('close', closed)
      resolve(whole)
    }
    const count = (piece: Buffer) => {
      left -= piece.length
      if (left < 0) finish(false)
    }
    const ended = () => finish(true)
    const closed = () => finish(false)
    const timer = setTimeout(closed, ms)
    const pace = keepPace(request, closed)
    request.on('data', count).once('end', ended).once('close', closed).resume()
  })
}
