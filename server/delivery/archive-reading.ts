// The bytes of a ZIP file in order, from where they are stored: a piece is read while the one before it
// is sent, also where the next file begins.
import { StoreError, type BlobReader, type ByteRange } from '../store/store.ts'
import type { Bytes } from './bytes.ts'
import type { FileTarget } from './targets.ts'
import type { ZipSegment } from './zip.ts'

/** Two of them are in memory for a ZIP file that is sent. */
const READ_BYTES = 1024 * 1024

/** `free` releases the memory once the bytes were taken. */
interface Piece {
  bytes: Buffer
  free?: (() => void) | undefined
}

/**
 * Calls `take` with the bytes of the part in order until it gives false; false then. Bytes may be
 * overwritten once `take` has resolved. Rejects with a `StoreError` where a blob is not as it was
 * admitted.
 */
export async function eachPiece(
  bytes: Bytes,
  segments: readonly ZipSegment<FileTarget>[],
  part: ByteRange,
  take: (piece: Buffer) => Promise<boolean>,
): Promise<boolean> {
  const pieces = readPieces(bytes, segments, part)
  let reading = pieces.next()
  try {
    for (let read = await reading; !read.done; read = await reading) {
      reading = pieces.next()
      // Its failure is seen after the piece before it was taken.
      reading.catch(() => {})
      const taken = await take(read.value.bytes)
      read.value.free?.()
      if (!taken) return false
    }
    return true
  } finally {
    // A buffer that is still being read into must not be let go.
    await reading.catch(() => {})
    await pieces.return(undefined)
  }
}

/** At most the piece before the last one that was yielded may still be in use. */
async function* readPieces(
  bytes: Bytes,
  segments: readonly ZipSegment<FileTarget>[],
  { start, end }: ByteRange,
): AsyncGenerator<Piece, undefined> {
  const nextBuffer = twoBuffers(Math.min(READ_BYTES, end - start + 1))
  for (const segment of segments) {
    const range = {
      start: Math.max(start, segment.at) - segment.at,
      end: Math.min(end, segment.at + segment.length - 1) - segment.at,
    }
    if (range.end < range.start) continue
    if ('bytes' in segment) {
      yield { bytes: segment.bytes.subarray(range.start, range.end + 1) }
      continue
    }
    const opened = await bytes.open(segment.entry, range)
    if ('whole' in opened) yield { bytes: opened.whole, free: opened.free }
    else if ('reader' in opened) yield* readReader(opened.reader, range, nextBuffer)
    else for await (const chunk of opened.stream as AsyncIterable<Buffer>) yield { bytes: chunk }
  }
  return undefined
}

/** Made when they are first needed. */
function twoBuffers(size: number): () => Buffer {
  const buffers: Buffer[] = []
  let turn = 0
  return () => (buffers[(turn = 1 - turn)] ??= Buffer.allocUnsafeSlow(size))
}

async function* readReader(
  reader: BlobReader,
  { start, end }: ByteRange,
  nextBuffer: () => Buffer,
): AsyncGenerator<Piece, void> {
  try {
    for (let at = start; at <= end;) {
      const buffer = nextBuffer()
      const read = await reader.read(buffer.subarray(0, Math.min(buffer.length, end - at + 1)), at)
      // The file became shorter since it was opened.
      if (read === 0) throw new StoreError('missing')
      at += read
      yield { bytes: buffer.subarray(0, read) }
    }
  } finally {
    await reader.close()
  }
}
