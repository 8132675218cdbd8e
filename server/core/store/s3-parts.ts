// Splits a stream into parts of equal length, as some buckets require. Chunks are copied as they
// arrive: many small chunks use no more memory than their bytes, and the source can reuse its
// buffers immediately.
import type { ByteSource } from './store.ts'

/** The first buffer of a part is small, since most blobs are small. */
const FIRST_BYTES = 64 * 1024

/**
 * All parts except the last one have `partBytes`; an empty stream gives no part. `seen` is called
 * with each chunk before the chunk is released.
 */
export async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
  release: ByteSource['release'],
  seen: (chunk: Uint8Array) => void,
): AsyncGenerator<Buffer> {
  let part: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  let length = 0
  for await (const chunk of chunks) {
    seen(chunk)
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - length)
      part = roomFor(part, length, piece.length, partBytes)
      part.set(piece, length)
      at += piece.length
      length += piece.length
      if (length < partBytes) continue
      yield part
      part = Buffer.allocUnsafeSlow(partBytes)
      length = 0
    }
    release?.([chunk])
  }
  if (length > 0) yield part.subarray(0, length)
}

function roomFor(part: Buffer, length: number, more: number, most: number): Buffer {
  if (length + more <= part.length) return part
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(part.length * 2, length + more)))
  part.copy(larger, 0, 0, length)
  return larger
}
