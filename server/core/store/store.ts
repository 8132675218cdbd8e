// The interface of every storage location. No domain words: shops are a number in the address, a
// blob is its BLAKE3 hash (64 lower-case hex digits), sizes are bytes.
import type { Readable } from 'node:stream'
import { createReadStream } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'

export interface WrittenBlob {
  /** BLAKE3, as 64 lower-case hex digits. */
  hash: string
  size_bytes: number
  /**
   * Names this writing of the bytes, for `removePlaced`; absent: the location had them before, or
   * cannot tell writings apart.
   */
  placed?: string
}

/** Bytes to write. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** Called in order with the chunks that were written: the store no longer reads their memory. */
  release?(chunks: readonly Uint8Array[]): void
}

/** An open blob. It must be closed. */
export interface BlobReader {
  size: number
  /** Reads into `into` from `position`; returns the number of bytes, 0 at the end. */
  read(into: Buffer, position: number): Promise<number>
  close(): Promise<void>
}

/** `start` and `end` are both included, as in an HTTP Range. */
export interface ByteRange {
  start: number
  end: number
}

/** How an address serves a blob. */
export interface SignedAs {
  expiresSeconds: number
  /** The values of `Content-Disposition` and `Content-Type`. */
  disposition: string
  contentType: string
}

/** How `take` takes a file. */
export interface TakeOptions {
  /** The expected size; a file of another size is not taken. */
  size: number
  signal?: AbortSignal | undefined
  /**
   * Called with its first bytes, whose memory is reused afterwards; not called for an empty file.
   */
  onFirst?(bytes: Uint8Array): void
}

export interface BlobStore {
  /**
   * Writes under a temporary name while hashing, syncs, then renames into place: a blob is complete
   * or absent. Rejects with a `StoreError`, the reason of `signal`, or the stream's own error; then
   * nothing is left behind.
   */
  write(shop: number, bytes: ByteSource, signal?: AbortSignal): Promise<WrittenBlob>
  /**
   * Writes a file on this machine that is not written to any more: it gets the blob's name,
   * without a copy if possible. The file at `path` stays; a second call gives the same result.
   * `known`: what the caller computed while it wrote the file; a location may use it instead of
   * reading the file.
   */
  adopt(shop: number, path: string, signal?: AbortSignal, known?: WrittenBlob): Promise<WrittenBlob>
  /**
   * As `adopt`, but the file is moved and no longer at `path`, which is cheaper than a second name.
   * Null if the file has another size: then it is still there.
   */
  take(shop: number, path: string, options: TakeOptions): Promise<WrittenBlob | null>
  /** The bytes, or a part of them. Rejects with `StoreError` `missing` if the blob is not here. */
  read(shop: number, hash: string, range?: ByteRange): Promise<Readable>
  /**
   * Only for stores with the bytes on this machine: reads into a reused buffer, which costs half of
   * what a stream does. Rejects as `read` does.
   */
  open?(shop: number, hash: string): Promise<BlobReader>
  /**
   * Only for stores with the bytes on this machine: creates the file `path` with the same bytes,
   * without reading them in this process. Rejects as `read` does, and as `write` does if there is
   * no room.
   */
  copyOut?(shop: number, hash: string, path: string): Promise<void>
  /** A small blob as one buffer: faster than a stream. */
  readWhole(shop: number, hash: string): Promise<Buffer>
  /** The size, or null if the blob is not here. */
  size(shop: number, hash: string): Promise<number | null>
  /**
   * Removes a blob if the location still has what one writing of it placed, and nothing wrote the
   * same bytes before or since. Returns whether it was removed. The caller holds the blob's row
   * locked and has found that nothing names it.
   */
  removePlaced?(shop: number, hash: string, placed: string): Promise<boolean>
  /** Removes a blob; does nothing if it is not here. */
  remove(shop: number, hash: string): Promise<void>
  /**
   * Only for stores that clients can read directly: a signed address of this blob for the given
   * time. Made without a request to the store, so a missing blob is noticed only when the address
   * is used.
   */
  signedAddress?(shop: number, hash: string, as: SignedAs): Promise<string>
  /**
   * Removes all bytes of a shop, including those without a row. Idempotent; rejects with the reason
   * of `signal`. Returns how many were removed.
   */
  removeShop(shop: number, signal?: AbortSignal): Promise<number>
  /**
   * Rejects with the `StoreError` that every call would (a bucket), or every write (a folder).
   */
  check?(): Promise<void>
  /**
   * Removes what a crash may have left: temporary files and blobs that are unchanged for
   * `olderThan` milliseconds and that `known` does not name. A blob that is written again in the
   * meantime stays. Returns how many were removed.
   * @param shops whose blobs are listed; absent: all that the location has. Leftovers of writes are
   *   removed in any case.
   */
  sweep(olderThan: number, known: KnownBlobs, shops?: readonly number[]): Promise<number>
  /**
   * Names the blobs that are unchanged for `olderThan` milliseconds and that `known` does not name;
   * removes nothing.
   */
  orphans(olderThan: number, known: KnownBlobs): AsyncIterable<BlobKey>
}

/** What a sweep looks at, as `BlobStore.sweep` is given it. */
export interface SweepScope {
  olderThan: number
  known: KnownBlobs
  shops: readonly number[] | undefined
}

/** Returns those of a shop's blobs that a row names. */
export type KnownBlobs = (shop: number, hashes: readonly string[]) => Promise<ReadonlySet<string>>

export class StoreError extends Error {
  /** `damaged`: there are other bytes than those of the hash. */
  readonly code: 'full' | 'denied' | 'missing' | 'damaged' | 'unavailable'
  constructor(code: StoreError['code'], options?: ErrorOptions) {
    super(`storage location: ${code}`, options)
    this.name = 'StoreError'
    this.code = code
  }
}

// A blob's name in every location.

export interface BlobKey {
  shop: number
  hash: string
}

/** The shop as a part of a path. Throws for an invalid shop. */
export function checkedShop(shop: number): string {
  if (!Number.isSafeInteger(shop) || shop < 0) throw new TypeError('A shop is named by its number')
  return String(shop)
}

/**
 * The parts of a blob's path. Throws for an invalid shop or hash, which could lead to another path.
 */
export function checkedName(shop: number, hash: string): { shop: string; hash: string } {
  const name = checkedShop(shop)
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw new TypeError('A blob is named by 64 lower-case hex digits')
  return { shop: name, hash }
}

// A stream of bytes that a signal can end.

/**
 * The chunks of a source, ended by `signal` even while the source gives none. One listener for the
 * whole stream: a race with a promise for each chunk would leak memory with each of them.
 */
export function abortable(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  if (!signal) return bytes
  return {
    [Symbol.asyncIterator]: () => {
      signal.throwIfAborted()
      const source = bytes[Symbol.asyncIterator]()
      let onAbort = () => {}
      const listener = () => onAbort()
      signal.addEventListener('abort', listener)
      const release = () => signal.removeEventListener('abort', listener)
      return {
        next: () =>
          new Promise((resolve, reject) => {
            onAbort = () => {
              release()
              reject(signal.reason as Error)
              // The end is not awaited: a generator that waits for its source would not return.
              source.return?.().catch(() => {})
            }
            if (signal.aborted) return onAbort()
            source.next().then(
              (result) => {
                if (result.done) release()
                resolve(result)
              },
              (error: unknown) => {
                release()
                reject(error as Error)
              },
            )
          }),
        return: async () => {
          release()
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** The bytes as a Buffer over the same memory, for the hasher. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

// Compares bytes with their blob's hash while they are read: the last piece is passed on only if all
// fit.

/** Compares a blob's bytes with its hash. */
export interface Verifier {
  /** Returns whether the next bytes may be sent: the last ones only if all have the hash. */
  accepts(bytes: Uint8Array): boolean
  result(): 'whole' | 'damaged' | 'unknown'
}

export function createVerifier({ hash, size }: { hash: string; size: number }): Verifier {
  const hasher = new Blake3Hasher()
  let left = size
  let result: ReturnType<Verifier['result']> = 'unknown'
  return {
    accepts: (bytes) => {
      hasher.update(bytes as Buffer)
      left -= bytes.length
      if (left <= 0) result = hasher.digest('hex') === hash ? 'whole' : 'damaged'
      return result !== 'damaged'
    },
    result: () => result,
  }
}

/** The bytes differ from those that were stored: no reader may get all of them. */
export class DamagedBytes extends Error {}

/** Has the file the bytes of a blob? Reads to the end. */
export async function hasBytesOf(
  path: string,
  blob: { hash: string; size: number },
  signal: AbortSignal,
): Promise<boolean> {
  const verifier = createVerifier(blob)
  verifier.accepts(Buffer.alloc(0))
  for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES, signal }))
    verifier.accepts(chunk as Buffer)
  return verifier.result() === 'whole'
}

const READ_BYTES = 256 * 1024
