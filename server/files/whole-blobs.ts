// Reads stored bytes for others than buyers: a person of the shop, a client of the drop server, visitors
// of a sample. Each process compares a blob with its hash when it first reads it on a day, and restores
// it if it is damaged, as downloads do.
import { Readable } from 'node:stream'
import { errorFields } from '../core/log.ts'
import { StoreError, type ByteRange, createVerifier, DamagedBytes } from '../core/store/store.ts'
import { checkBlob, type BlobCheckParts, type SizedBlob, type StoredBlob } from './blob-checks.ts'
import { Sha256Sums } from './sha256-sums.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Bounds the memory: what is forgotten is compared again. */
const MAX_KNOWN = 100_000
/**
 * Larger blobs are compared while they are sent, and afterwards if only a part is sent: a request
 * would wait too long for its first byte.
 */
const COMPARED_FIRST_BYTES = 64 * 1024 ** 2

export class WholeBlobs {
  /** The SHA-256 digests of the bytes. */
  readonly sums: Sha256Sums
  readonly #parts: BlobCheckParts
  readonly #comparedFirst: number
  #day = 0
  /** The comparisons of today, running or successful. */
  readonly #known = new Map<string, Promise<void>>()

  /** @param comparedFirst the size up to which bytes are compared before any is sent */
  constructor(parts: BlobCheckParts, comparedFirst = COMPARED_FIRST_BYTES) {
    this.sums = new Sha256Sums(parts)
    this.#parts = parts
    this.#comparedFirst = comparedFirst
  }

  /**
   * Compares the bytes, unless this process did so today, and restores them if they are damaged.
   * @throws `StoreError`: `damaged` or `missing` if they could not be restored, and as a store does
   */
  ensure(blob: StoredBlob): Promise<void> {
    this.#beginDay()
    const key = keyOf(blob)
    const known = this.#known.get(key)
    if (known) return known
    const comparing = this.#compare(blob).catch((error: unknown) => {
      this.#known.delete(key)
      throw error
    })
    this.#known.set(key, comparing)
    return comparing
  }

  /**
   * The bytes, or a part of them. The stream of a large blob that is damaged fails before its last
   * piece.
   * @throws as `ensure` does
   */
  async read(blob: SizedBlob, range?: ByteRange): Promise<Readable> {
    this.#beginDay()
    const { shop, hash, location, size_bytes: size } = blob
    if (size <= this.#comparedFirst) await this.ensure(blob)
    const store = this.#parts.stores.get(location)
    if (!store) throw new StoreError('unavailable')
    const bytes = await store.read(shop, hash, range)
    if (this.#known.has(keyOf(blob))) return bytes
    if (!range) return Readable.from(this.#compared(blob, bytes), { objectMode: false })
    void this.#ensureLater(blob)
    return bytes
  }

  async *#compared(blob: SizedBlob, bytes: Readable): AsyncGenerator<Uint8Array> {
    const verifier = createVerifier({ hash: blob.hash, size: blob.size_bytes })
    for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
      if (!verifier.accepts(chunk)) {
        void this.#ensureLater(blob)
        throw new DamagedBytes()
      }
      yield chunk
    }
    if (verifier.result() === 'whole') this.#known.set(keyOf(blob), Promise.resolve())
  }

  async #ensureLater(blob: StoredBlob): Promise<void> {
    await this.ensure(blob).catch((error: unknown) =>
      this.#parts.log.warn('stored bytes could not be compared', {
        ...blob,
        ...errorFields(error),
      }),
    )
  }

  async #compare(blob: StoredBlob): Promise<void> {
    const { signal } = new AbortController()
    if ((await checkBlob(this.#parts, blob, signal)) !== 'damaged') return
    const size = await this.#parts.stores.get(blob.location)?.size(blob.shop, blob.hash)
    throw new StoreError(size === null ? 'missing' : 'damaged')
  }

  #beginDay(): void {
    const today = Math.floor(this.#parts.clock().getTime() / DAY_MS)
    if (today === this.#day && this.#known.size < MAX_KNOWN) return
    this.#day = today
    this.#known.clear()
  }
}

const keyOf = ({ shop, hash, location }: StoredBlob) => `${location}/${shop}/${hash}`
