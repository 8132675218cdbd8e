// A request's JSON body, read within its limits. A body that is refused is read to its end, or its connection is closed:
// on one that stays open, unread bytes hold up the next request, which behind a proxy is another client's.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Context } from 'koa'
import { AppError } from '../errors.ts'
import { shapeCounter } from './body-shape.ts'

/** How much of a refused body is read, and for how long, until its connection is closed instead. */
const MOST_DISCARDED = 64 * 1024 ** 2
const DISCARD_MS = 5_000

/**
 * Throws `malformed_request`, `payload_too_large` and `unsupported_media_type`. An empty body is an empty object, since
 * every field of some requests is optional.
 */
export async function readJson(ctx: Context, mostBytes: number): Promise<unknown> {
  try {
    if (!ctx.is('json', '+json')) throw new AppError('unsupported_media_type')
    return parsed(await readText(ctx.req, mostBytes))
  } catch (error) {
    if (!(await discard(ctx.req))) ctx.set('Connection', 'close')
    throw error
  }
}

async function readText(request: IncomingMessage, mostBytes: number): Promise<string> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers
  if (encoding === 'identity' && Number(length) > mostBytes) throw new AppError('payload_too_large')
  const count = shapeCounter()
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of plain(request, encoding)) {
    bytes += piece.length
    if (bytes > mostBytes) throw new AppError('payload_too_large')
    count(piece)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** The bytes as they were before they were compressed. */
async function* plain(request: IncomingMessage, encoding: string): AsyncGenerator<Buffer> {
  const sent = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  const decoder = DECODERS.get(encoding)
  if (!decoder && encoding !== 'identity') {
    const message = `Send the body plain, or as one of ${[...DECODERS.keys()].join(', ')}`
    throw new AppError('unsupported_media_type', { message })
  }
  try {
    yield* decoder ? decoded(sent, decoder()) : sent
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('malformed_request', { cause })
  }
}

function decoded(sent: AsyncIterable<Buffer>, decoder: Transform): AsyncIterable<Buffer> {
  return pipeline(sent, decoder, () => {})
}

/** Only a list or an object is a request. */
function parsed(text: string): unknown {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    throw new AppError('malformed_request', { cause })
  }
  throw new AppError('malformed_request')
}

/** Reads the rest of a body into nothing. False: there is more of it than that. */
function discard(request: IncomingMessage): Promise<boolean> {
  if (request.readableEnded || request.destroyed) return Promise.resolve(request.complete)
  return new Promise((resolve) => {
    let left = MOST_DISCARDED
    const settle = (whole: boolean) => {
      clearTimeout(timer)
      request.off('data', count).off('end', ended).off('close', closed)
      resolve(whole)
    }
    const count = (piece: Buffer) => {
      left -= piece.length
      if (left < 0) settle(false)
    }
    const ended = () => settle(true)
    const closed = () => settle(false)
    const timer = setTimeout(closed, DISCARD_MS)
    request.on('data', count).once('end', ended).once('close', closed).resume()
  })
}
