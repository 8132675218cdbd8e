// Where bytes live: the one interface of every storage location. No domain words here: shops are a
// number in the address, a blob is its BLAKE3 hash (64 lower-case hex digits), sizes are bytes.
import type { Readable } from 'node:stream'

export interface WrittenBlob {
  hash: string
  size_bytes: number
}

/** Bytes to be written. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /**
   * Called in order with the chunks that are written: the store will not look at their memory
   * again.
   */
  release?(chunks: readonly Uint8Array[]): void
}

/** An open blob. Close it in any case. */
export interface BlobReader {
  size: number
  /** Fills `into` with what stands at `position`; gives how many bytes there were, 0 at the end. */
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
  /** As `Content-Disposition` and `Content-Type` say it. */
  disposition: string
  contentType: string
}

/** How a file is taken. */
export interface TakeOptions {
  /** Its size; a file of another size is not taken. */
  size: number
  signal?: AbortSignal | undefined
  /** Called with its first bytes, whose memory is used again; never for an empty file. */
  onFirst?(bytes: Uint8Array): void
}

export interface BlobStore {
  /**
   * Writes under a temporary name while hashing, syncs, then renames into place: a blob is whole or
   * not there. Rejects with a `StoreError`, or with the reason of `signal`, or with the stream's
   * own error; nothing is left behind.
   */
  write(shop: number, bytes: ByteSource, signal?: AbortSignal): Promise<WrittenBlob>
  /**
   * The same for a file on this machine that nobody writes to any more: it gets the blob's name
   * where that can be done without a copy. The file at `path` stays; a second call gives the same.
   * `known`: what the caller has found out while it wrote the file; a location may rely on it
   * instead of reading the file.
   */
  adopt(shop: number, path: string, signal?: AbortSignal, known?: WrittenBlob): Promise<WrittenBlob>
  /**
   * As `adopt`, but the file is the store's from then on and gone from `path`, which is cheaper
   * than giving it a second name. Null if it has another size: then it is still there.
   */
  take(shop: number, path: string, options: TakeOptions): Promise<WrittenBlob | null>
  /**
   * The bytes, or a part of them. Rejects with `StoreError` `missing` when the blob is not here.
   */
  read(shop: number, hash: string, range?: ByteRange): Promise<Readable>
  /**
   * Only where the bytes are on this machine: reading into a buffer that is used again, which costs
   * half of what a stream does. Rejects as `read` does.
   */
  open?(shop: number, hash: string): Promise<BlobReader>
  /**
   * Only where the bytes are on this machine: makes the file `path` with the same bytes, none of
   * which pass through this process. Rejects as `read` does, and as `write` does where there is no
   * room.
   */
  copyOut?(shop: number, hash: string, path: string): Promise<void>
  /** A small blob as one buffer: faster than a stream. */
  readWhole(shop: number, hash: string): Promise<Buffer>
  /** The size, or null when the blob is not here. */
  size(shop: number, hash: string): Promise<number | null>
  /** Removes a blob; nothing happens when it is not here. */
  remove(shop: number, hash: string): Promise<void>
  /**
   * Only for stores that clients can read directly: a signed address of this blob for the given
   * time. The store is not asked, so a missing blob shows only when the address is used.
   */
  signedAddress?(shop: number, hash: string, as: SignedAs): Promise<string>
  /**
   * Removes all bytes of a shop, also those that no row names. Idempotent; rejects with the reason
   * of `signal`. Gives how many were removed.
   */
  removeShop(shop: number, signal?: AbortSignal): Promise<number>
  /** Only where being there must be asked: rejects with the `StoreError` that every call would. */
  check?(): Promise<void>
  /**
   * Removes what a crash may have left: temporary files and blobs untouched for `olderThan`
   * milliseconds that `known` does not name. A blob that is written again meanwhile stays. Gives
   * how many were removed.
   */
  sweep(
    olderThan: number,
    known: (shop: number, hashes: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<number>
}

export class StoreError extends Error {
  readonly code: 'full' | 'denied' | 'missing' | 'unavailable'
  constructor(code: StoreError['code'], options?: ErrorOptions) {
    super(`storage location: ${code}`, options)
    this.name = 'StoreError'
    this.code = code
  }
}
