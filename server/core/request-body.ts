// Reads the body of a request into memory, within its limit and the budget of all bodies. A body
// must keep arriving. What is left of a refused one is discarded, or its connection is closed:
// unread bytes on an open connection would block the next request, which behind a proxy is another
// client's.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { say } from '../../plugins/contract.ts'
import { bodyBudget, type BodyOwner } from './body-budget.ts'
import { subnetOf } from './client-address.ts'
import { AppError } from './errors.ts'
import { bodyRefusals } from './totals.ts'

/** In each such time at least so many bytes of an unfinished body arrive: 52 kbit/s. */
const SLOW_MS = 10_000
const SLOW_BYTES = 64 * 1024
/** How much of a refused body is read before its connection is closed instead. */
const MAX_DISCARDED = 64 * 1024 ** 2

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
 * The body of a request. Its bytes count in the budget until the request is answered. Throws
 * `payload_too_large`, `malformed_request` if it ends early, `request_timeout`, `too_many_bodies`
 * and `bodies_full`; the rest is unread then.
 * @param inflates decompresses gzip, deflate and br; throws `unsupported_media_type` for others
 */
export async function readRequest(
  request: IncomingMessage,
  maxBytes: number,
  { inflates = false } = {},
): Promise<Buffer> {
  const encoding = inflates ? (request.headers['content-encoding'] ?? 'identity') : 'identity'
  const inflater = inflaterOf(encoding.toLowerCase())
  const length = Number(request.headers['content-length'] ?? 0)
  if (!inflater && length > maxBytes) throw new AppError('payload_too_large')
  const { owner, response } = receivedOf(request)
  return new Promise<Buffer>((resolve, reject) => {
    const source: Readable = inflater ? request.pipe(inflater) : request
    const chunks: Buffer[] = []
    let bytes = 0
    const stop = () => {
      pace.stop()
      source.off('data', take).off('end', ended).off('error', broken)
      request.off('close', gone)
      if (!inflater) return void request.pause()
      request.unpipe(inflater)
      inflater.on('error', () => {}).destroy()
    }
    const fail = (error: unknown) => {
      stop()
      seat.free()
      reject(error)
    }
    const seat = bodyBudget.open(owner, fail)
    const pace = keepPace(request, () => fail(slow()))
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) return fail(new AppError('payload_too_large'))
      try {
        seat.add(chunk.length)
      } catch (error) {
        return fail(error)
      }
      chunks.push(chunk)
    }
    const ended = () => {
      stop()
      seat.arrived()
      if (response === null || response.destroyed) seat.free()
      else response.once('close', seat.free)
      resolve(Buffer.concat(chunks))
    }
    const broken = (cause: unknown) => fail(new AppError('malformed_request', { cause }))
    const gone = () => void (request.complete || broken(undefined))
    source.on('data', take).once('end', ended).once('error', broken)
    request.once('close', gone)
  })
}

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

/** Calls `late` if too few bytes of the request arrive in some time. */
function keepPace(request: IncomingMessage, late: () => void): { stop(): void } {
  const { socket } = request
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const now = socket.bytesRead
    if (now - before < SLOW_BYTES && !request.complete) late()
    before = now
  }, SLOW_MS).unref()
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
  if (!(await discardRest(request))) request.socket.destroy()
}

/**
 * Reads and discards the rest of a body. False: it is longer than the limit, too slow, or takes longer than `ms`.
 */
export function discardRest(request: IncomingMessage, ms = Infinity): Promise<boolean> {
  request.unpipe()
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
    const timer = ms === Infinity ? undefined : setTimeout(closed, ms)
    const pace = keepPace(request, closed)
    request.on('data', count).once('end', ended).once('close', closed).resume()
  })
}
