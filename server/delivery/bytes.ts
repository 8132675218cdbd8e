// From the store to the socket: small blobs whole, large ones as a stream.
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError, type BlobReader, type BlobStore, type ByteRange } from '../store/store.ts'
import type { Target } from './counting.ts'

export type Opened = { whole: Buffer } | { stream: Readable } | { reader: BlobReader; range: ByteRange }

export interface Bytes {
  /** Opens the blob, or the part of it. Rejects with a `StoreError` where it is not to be had. */
  open(target: Target, range: ByteRange | null): Promise<Opened>
}

/** @param smallBytes up to this size a blob is read whole. */
export function createBytes(stores: ReadonlyMap<string, BlobStore>, smallBytes: number): Bytes {
  return {
    open: async ({ shop, hash, location, size }, range) => {
      const store = stores.get(location)
      if (!store) throw new StoreError('missing')
      if (size > smallBytes) {
        if (!store.open) return { stream: await store.read(shop, hash, range ?? undefined) }
        return { reader: await store.open(shop, hash), range: range ?? { start: 0, end: size - 1 } }
      }
      const bytes = await store.readWhole(shop, hash)
      // Shorter or longer than its row says, it is not the blob that was admitted.
      if (bytes.length !== size) throw new StoreError('missing')
      return { whole: range ? bytes.subarray(range.start, range.end + 1) : bytes }
    },
  }
}

/**
 * Writes the body and ends the response; gives how many bytes the socket took.
 * A client that goes away, or takes nothing for `stallMs`, ends it early; a store that fails rejects.
 */
export async function send(response: ServerResponse, opened: Opened, stallMs: number): Promise<number> {
  if ('whole' in opened) {
    response.end(opened.whole)
    return opened.whole.length
  }
  response.setTimeout(stallMs, () => response.destroy())
  const sent = 'reader' in opened ? await copy(response, opened) : await pipe(response, opened.stream)
  response.setTimeout(0)
  return sent
}

/** One piece is on its way while a client waits for it: this many bytes a large download, however slow its client. */
const PIECE_BYTES = 256 * 1024
const KEPT_BUFFERS = 64
const free: Buffer[] = []

async function copy(response: ServerResponse, { reader, range }: Extract<Opened, { reader: BlobReader }>) {
  const buffer = free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
  let at = range.start
  try {
    while (at <= range.end) {
      const read = await reader.read(buffer.subarray(0, Math.min(PIECE_BYTES, range.end - at + 1)), at)
      // Shorter than its row says: what the client has must not look whole.
      if (read === 0) throw new StoreError('missing')
      if (!(await written(response, buffer.subarray(0, read)))) return at - range.start
      at += read
    }
    response.end()
    return at - range.start
  } finally {
    if (free.length < KEPT_BUFFERS) free.push(buffer)
    await reader.close()
  }
}

/** Resolves when the bytes are no longer needed: true where the socket took them, false where the client has gone. */
function written(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.closed) return resolve(false)
    const gone = () => resolve(false)
    response.once('close', gone)
    response.write(bytes, (error) => {
      // After an error the bytes may be in use until the socket is closed.
      if (error) return
      response.off('close', gone)
      resolve(true)
    })
  })
}

async function pipe(response: ServerResponse, stream: Readable): Promise<number> {
  let sent = 0
  stream.on('data', (chunk: Buffer) => (sent += chunk.length))
  try {
    await pipeline(stream, response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  return sent
}
