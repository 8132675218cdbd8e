// The two digests of a blob, computed in one pass over its bytes: BLAKE3 addresses it here, and
// SHA-256 is what buyers' own programs compare.
import { createHash } from 'node:crypto'
import { Blake3Hasher } from '@napi-rs/blake-hash'

export interface BlobDigests {
  /** BLAKE3, as 64 lower-case hex digits. */
  hash: string
  /** SHA-256, as 64 lower-case hex digits. */
  sha256: string
}

export class BlobDigester {
  readonly #blake3 = new Blake3Hasher()
  readonly #sha256 = createHash('sha256')

  update(bytes: Buffer): void {
    this.#blake3.update(bytes)
    this.#sha256.update(bytes)
  }

  /** Called once, after the last byte. */
  digest(): BlobDigests {
    return { hash: this.#blake3.digest('hex'), sha256: this.#sha256.digest('hex') }
  }
}
