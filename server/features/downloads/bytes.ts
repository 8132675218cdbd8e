// Reads a blob from its store and writes it to the response. Where all of it is sent, its hash can be
// compared on the way: the last piece is sent only if it fits.
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  StoreError,
  type BlobReader,
  type BlobStore,
  type ByteRange,
  DamagedBytes,
  type Verifier,
} from '../../core/store/store.ts'
import { createTtlCache } from '../../core/lazy.ts'
import type { BlobTarget } from './targets.ts'

/** `free` releases the memory once the socket has taken the bytes. */
export type OpenedBytes =
  | { whole: Buffer; free?: () => void }
  | { stream: Readable }
  | { reader: BlobReader; range: ByteRange }

export interface Bytes {
  /**
   * Opens the blob or a part of it. Rejects with a `StoreError` if the blob is missing or has
   * another length.
   */
  open(target: BlobTarget, range: ByteRange | null): Promise<OpenedBytes>
  /** All bytes of a small file. Rejects as `open` does. */
  readWhole(target: BlobTarget): Promise<Buffer>
}

/** Limits the bytes that may be sent (counting/session-budget.ts). */
export interface SendAllowance {
  /** Returns whether this many more bytes may be sent. */
  take(bytes: number): Promise<boolean>
}

/**
 * A file up to this size is read and sent whole; of a larger one this much is in memory at a time.
 */
export const PIECE_BYTES = 256 * 1024

/** How long the length of a blob in a bucket is trusted: each check is a request. */
const LENGTH_TTL_MS = 10_000

export function createByteSender(stores: ReadonlyMap<string, BlobStore>): Bytes {
  const checked = createTtlCache<true>(LENGTH_TTL_MS)
  const storeOf = (location: string): BlobStore => {
    const store = stores.get(location)
    if (!store) throw new StoreError('missing')
    return store
  }
  const readWhole: Bytes['readWhole'] = async ({ shop, hash, location, size }) => {
    const bytes = await storeOf(location).readWhole(shop, hash)
    if (bytes.length !== size) throw new StoreError('missing')
    return bytes
  }
  return {
    readWhole,
    open: async (target, part) => {
      const { shop, hash, location, size, blob } = target
      const store = storeOf(location)
      const range = part ?? { start: 0, end: size - 1 }
      if (store.open) {
        const reader = await openWhole(await store.open(shop, hash), size)
        return size > PIECE_BYTES ? { reader, range } : readSmall(reader, range)
      }
      if (size > PIECE_BYTES) {
        if (!checked.get(blob) && (await store.size(shop, hash)) !== size)
          throw new StoreError('missing')
        checked.set(blob, true)
        return { stream: await store.read(shop, hash, range) }
      }
      return { whole: (await readWhole(target)).subarray(range.start, range.end + 1) }
    },
  }
}

/** Releases opened bytes that will not be sent. */
export async function closeOpened(opened: OpenedBytes): Promise<void> {
  if ('reader' in opened) await opened.reader.close()
  else if ('stream' in opened) opened.stream.destroy()
}

/** A blob whose length differs from its row's is not the blob that was admitted. */
async function openWhole(reader: BlobReader, size: number): Promise<BlobReader> {
  if (reader.size === size) return reader
  await reader.close()
  throw new StoreError('missing')
}

async function readSmall(reader: BlobReader, { start, end }: ByteRange): Promise<OpenedBytes> {
  // Never used for another response: an error in its bookkeeping could send one buyer's bytes to
  // another.
  const whole = Buffer.allocUnsafeSlow(end - start + 1)
  try {
    for (let filled = 0; filled < whole.length;) {
      const read = await reader.read(whole.subarray(filled), start + filled)
      // The file became shorter since it was opened.
      if (read === 0) throw new StoreError('missing')
      filled += read
    }
  } finally {
    await reader.close()
  }
  // Detaching releases the memory now. Left to the garbage collector it costs half of the
  // downloads: 3,000 files/s of 100 KB instead of 6,500.
  return { whole, free: () => void whole.buffer.transfer(0) }
}

/**
 * Writes the body, ends the response and returns the number of bytes that the socket took. Ends
 * early if the client disconnects or reads nothing for `stallMs`, or if the allowance is used up.
 * Rejects if the store fails.
 */
export async function send(
  response: ServerResponse,
  opened: OpenedBytes,
  { stallMs, allowance = null, verifier = null }: SendOptions,
): Promise<number> {
  if ('whole' in opened) {
    if (allowance && !(await allowance.take(opened.whole.length))) return closeShort(response)
    // No stall timer for so few bytes: the server's own timeout ends a client that never reads
    // them.
    response.end(opened.whole, opened.free)
    return opened.whole.length
  }
  response.setTimeout(stallMs, () => response.destroy())
  const sent =
    'reader' in opened
      ? await copy(response, opened, allowance, verifier)
      : await pipe(response, opened.stream, allowance, verifier)
  response.setTimeout(0)
  return sent
}

export interface SendOptions {
  stallMs: number
  allowance?: SendAllowance | null | undefined
  /** Checks the bytes; possible only if all bytes of the blob are sent. */
  verifier?: Verifier | null
}

/** Fewer bytes than Content-Length: the client sees that the file is incomplete. */
function closeShort(response: ServerResponse): 0 {
  response.destroy()
  return 0
}

async function copy(
  response: ServerResponse,
  { reader, range }: Extract<OpenedBytes, { reader: BlobReader }>,
  allowance: SendAllowance | null,
  verifier: Verifier | null,
) {
  // Used again for the next piece of this response alone, and only after the socket has taken the
  // last one.
  const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, range.end - range.start + 1))
  let at = range.start
  try {
    while (at <= range.end) {
      const read = await reader.read(
        buffer.subarray(0, Math.min(buffer.length, range.end - at + 1)),
        at,
      )
      // The file became shorter since it was opened: the client must see that its copy is
      // incomplete.
      if (read === 0) throw new StoreError('missing')
      if (verifier?.accepts(buffer.subarray(0, read)) === false) throw new DamagedBytes()
      if (allowance && !(await allowance.take(read))) return at - range.start + closeShort(response)
      if (!(await written(response, buffer.subarray(0, read)))) return at - range.start
      at += read
    }
    response.end()
    return at - range.start
  } finally {
    await reader.close()
  }
}

/**
 * Resolves when the buffer may be written again: true if the socket took the bytes, false if the
 * client has gone.
 */
export function written(response: ServerResponse, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.closed) return resolve(false)
    const gone = () => resolve(false)
    response.once('close', gone)
    response.write(bytes, (error) => {
      // After an error the socket may use the bytes until it is closed.
      if (error) return
      response.off('close', gone)
      resolve(true)
    })
  })
}

async function pipe(
  response: ServerResponse,
  stream: Readable,
  allowance: SendAllowance | null,
  verifier: Verifier | null,
): Promise<number> {
  let sent = 0
  const allowed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      if (verifier?.accepts(chunk) === false) throw new DamagedBytes()
      if (allowance && !(await allowance.take(chunk.length))) throw new UsedUp()
      sent += chunk.length
      yield chunk
    }
  }
  try {
    if (allowance || verifier) await pipeline(stream, allowed, response)
    else
      await pipeline(
        stream.on('data', (chunk: Buffer) => (sent += chunk.length)),
        response,
      )
  } catch (error) {
    if (error instanceof UsedUp) return sent + closeShort(response)
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
  return sent
}

class UsedUp extends Error {}
