// Compares bytes with their blob's hash while they are read: the last piece is passed on only if all
// fit.
import { createReadStream } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'

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
