// From the store to the socket: small blobs whole, out of memory where they were asked for just now; large ones as a stream.
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError, type BlobStore, type ByteRange } from '../store/store.ts'
import type { Target } from './counting.ts'

export type Opened = { whole: Buffer } | { stream: Readable }

export interface Bytes {
  /** Opens the blob, or the part of it. Rejects with a `StoreError` where it is not to be had. */
  open(target: Target, range: ByteRange | null): Promise<Opened>
}

/**
 * @param smallBytes up to this size a blob is read whole.
 * @param cacheBytes the most that is kept in memory. Blobs never change, and counting never looks here.
 */
export function createBytes(stores: ReadonlyMap<string, BlobStore>, smallBytes: number, cacheBytes: number): Bytes {
  const recent = createRecent(cacheBytes)
  const readSmall = async (store: BlobStore, target: Target): Promise<Buffer> => {
    const name = `${target.shop}/${target.hash}`
    const kept = recent.get(name)
    if (kept) return kept
    const bytes = await store.readWhole(target.shop, target.hash)
    // Shorter or longer than its row says, it is not the blob that was admitted.
    if (bytes.length !== target.size) throw new StoreError('missing')
    recent.put(name, bytes)
    return bytes
  }
  return {
    open: async (target, range) => {
      const store = stores.get(target.location)
      if (!store) throw new StoreError('missing')
      if (target.size > smallBytes) return { stream: await store.read(target.shop, target.hash, range ?? undefined) }
      const bytes = await readSmall(store, target)
      return { whole: range ? bytes.subarray(range.start, range.end + 1) : bytes }
    },
  }
}

/** The blobs used last, up to so many bytes in all. */
function createRecent(limit: number) {
  const kept = new Map<string, Buffer>()
  let total = 0
  return {
    get: (name: string): Buffer | undefined => {
      const bytes = kept.get(name)
      if (bytes) {
        kept.delete(name)
        kept.set(name, bytes)
      }
      return bytes
    },
    put: (name: string, bytes: Buffer) => {
      if (bytes.length > limit / 8 || kept.has(name)) return
      kept.set(name, bytes)
      total += bytes.length
      for (const [oldest, { length }] of kept) {
        if (total <= limit) return
        kept.delete(oldest)
        total -= length
      }
    },
  }
}

/**
 * Writes the body and ends the response; gives how many bytes were handed to the socket.
 * A client that goes away, or takes nothing for `stallMs`, ends it early; a store that fails does too, and rejects.
 */
export async function send(response: ServerResponse, opened: Opened, stallMs: number): Promise<number> {
  if ('whole' in opened) {
    response.end(opened.whole)
    return opened.whole.length
  }
  let sent = 0
  let failure: Error | null = null
  opened.stream.on('data', (chunk: Buffer) => (sent += chunk.length))
  opened.stream.once('error', (error) => (failure = error))
  response.setTimeout(stallMs, () => response.destroy())
  try {
    await pipeline(opened.stream, response)
  } catch (error) {
    // The pipeline's own error says only that the client closed early, unless the store failed first.
    if (failure === error) throw error
  }
  response.setTimeout(0)
  return sent
}
