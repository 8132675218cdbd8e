// From the store to the socket, through buffers that are used again: fresh memory for every piece costs more than its copying.
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError, type BlobReader, type BlobStore, type ByteRange } from '../store/store.ts'
import { createLately } from './lately.ts'
import type { Target } from './targets.ts'

/** `release` takes the buffer back once it is sent. */
export type Opened =
  { whole: Buffer; release?: () => void } | { stream: Readable } | { reader: BlobReader; range: ByteRange }

export interface Bytes {
  /** Opens the blob, or the part of it. Rejects with a `StoreError` where it is not to be had. */
  open(target: Target, range: ByteRange | null): Promise<Opened>
}

/** What must be asked before bytes are sent. */
export interface Allowance {
  /** May so many bytes more be sent? */
  take(bytes: number): Promise<boolean>
}

/** Up to this size a file is read and sent in one go; of a larger one this much waits for its client, however slow. */
const PIECE_BYTES = 256 * 1024
const KEPT_BUFFERS = 64
const free: Buffer[] = []

const take = () => free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
const giveBack = (buffer: Buffer) => void (free.length < KEPT_BUFFERS && free.push(buffer))

/** So long a blob of another machine is taken to be as long as it was: each look is a request. */
const FOUND_MS = 10_000

export function createBytes(stores: ReadonlyMap<string, BlobStore>): Bytes {
  const found = createLately<true>(FOUND_MS)
  return {
    open: async ({ shop, hash, location, size, blob }, part) => {
      const store = stores.get(location)
      if (!store) throw new StoreError('missing')
      const range = part ?? { start: 0, end: size - 1 }
      if (store.open) {
        const reader = await openWhole(await store.open(shop, hash), size)
        return size > PIECE_BYTES ? { reader, range } : readSmall(reader, range)
      }
      if (size > PIECE_BYTES) {
        if (!found.get(blob) && (await store.size(shop, hash)) !== size) throw new StoreError('missing')
        found.set(blob, true)
        return { stream: await store.read(shop, hash, range) }
      }
      const bytes = await store.readWhole(shop, hash)
      if (bytes.length !== size) throw new StoreError('missing')
      return { whole: bytes.subarray(range.start, range.end + 1) }
    },
  }
}

/** One of another length than its row says is not the blob that was admitted. */
async function openWhole(reader: BlobReader, size: number): Promise<BlobReader> {
  if (reader.size === size) return reader
  await reader.close()
  throw new StoreError('missing')
}

async function readSmall(reader: BlobReader, { start, end }: ByteRange): Promise<Opened> {
  const buffer = take()
  const whole = buffer.subarray(0, end - start + 1)
  try {
    for (let filled = 0; filled < whole.length;) {
      const read = await reader.read(whole.subarray(filled), start + filled)
      // Shorter than its row says, it is not the blob that was admitted.
      if (read === 0) throw new StoreError('missing')
      filled += read
    }
  } catch (error) {
    giveBack(buffer)
    throw error
  } finally {
    await reader.close()
  }
  return { whole, release: () => giveBack(buffer) }
}

/**
 * Writes the body and ends the response; gives how many bytes the socket took.
 * A client that goes away, or takes nothing for `stallMs`, ends it early, as does an allowance that is used up; a store that fails
 * rejects.
 */
export async function send(
  response: ServerResponse,
  opened: Opened,
  stallMs: number,
  allowance: Allowance | null = null,
): Promise<number> {
  if ('whole' in opened) {
    if (allowance && !(await allowance.take(opened.whole.length))) return leave(response)
    // The server's own limit sees to one that never takes it: so little is not worth a clock of its own.
    // Called when the socket has taken it all; where it never does, the buffer is left to the garbage collector.
    response.end(opened.whole, opened.release)
    return opened.whole.length
  }
  response.setTimeout(stallMs, () => response.destroy())
  const sent =
    'reader' in opened ? await copy(response, opened, allowance) : await pipe(response, opened.stream, allowance)
  response.setTimeout(0)
  return sent
}

/** Short of what was promised: the client sees that it does not have all. */
function leave(response: ServerResponse): 0 {
  response.destroy()
  return 0
}

async function copy(
  response: ServerResponse,
  { reader, range }: Extract<Opened, { reader: BlobReader }>,
  allowance: Allowance | null,
) {
  const buffer = take()
  let at = range.start
  try {
    while (at <= range.end) {
      const read = await reader.read(buffer.subarray(0, Math.min(PIECE_BYTES, range.end - at + 1)), at)
      // Shorter than its row says: what the client has must not look whole.
      if (read === 0) throw new StoreError('missing')
      if (allowance && !(await allowance.take(read))) return at - range.start + leave(response)
      if (!(await written(response, buffer.subarray(0, read)))) return at - range.start
      at += read
    }
    response.end()
    return at - range.start
  } finally {
    giveBack(buffer)
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

async function pipe(response: ServerResponse, stream: Readable, allowance: Allowance | null): Promise<number> {
  let sent = 0
  const allowed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      if (allowance && !(await allowance.take(chunk.length))) throw new UsedUp()
      sent += chunk.length
      yield chunk
    }
  }
  try {
    if (allowance) await pipeline(stream, allowed, response)
    else
      await pipeline(
        stream.on('data', (chunk: Buffer) => (sent += chunk.length)),
        response,
      )
  } catch (error) {
    if (error instanceof UsedUp) return sent + leave(response)
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  return sent
}

class UsedUp extends Error {}
