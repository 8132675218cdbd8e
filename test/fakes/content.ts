// Bytes that both sides of a test can generate: from a size and a seed, fast enough for benches.
import { createCipheriv, createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { blake3 } from '@napi-rs/blake-hash'

const BLOCK = 1024 * 1024
/** Looks random, so that compression cannot shrink it. */
const block = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
  Buffer.alloc(BLOCK),
)

/**
 * The body of `size` bytes for a seed: a unique mark, then one block repeated. In slices of up to 1
 * MB.
 */
export function* contentSlices(size: number, seed: string): Generator<Buffer> {
  const mark = createHash('sha512').update(seed).digest()
  if (size > 0) yield mark.subarray(0, size)
  for (let left = size - mark.length; left > 0; left -= BLOCK) yield block.subarray(0, left)
}

export const contentOf = (size: number, seed: string): Buffer =>
  Buffer.concat([...contentSlices(size, seed)])

/** The BLAKE3 hash, as the store names a blob. */
export const hashOf = (bytes: Uint8Array): string =>
  blake3(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('hex')

/** The SHA-256 digest, as files name it. */
export const sha256Of = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Resolves when a stream accepts more, or is closed. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}
