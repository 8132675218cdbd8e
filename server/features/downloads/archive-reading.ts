// Reads the bytes of a ZIP file in order from the stores. The next file is opened while the current
// one is sent.
import {
  StoreError,
  type BlobReader,
  type ByteRange,
  createVerifier,
  DamagedBytes,
} from '../../core/store/store.ts'
import type { Bytes, OpenedBytes } from './bytes.ts'
import type { BlobTarget } from './targets.ts'
import type { ZipSegment } from './zip.ts'

/**
 * One buffer for the whole ZIP file. A larger one, or a second one to read ahead into, is slower:
 * the bytes are no longer in the processor's cache when the socket takes them.
 */
const READ_BYTES = 256 * 1024

/** `free` releases the memory once the bytes were taken. */
interface Piece {
  bytes: Buffer
  free?: (() => void) | undefined
}

type Segment = ZipSegment<BlobTarget>

/**
 * Calls `take` with the bytes of the part in order until it returns false; then returns false.
 * The buffer is overwritten once `take` has resolved. Rejects with a `StoreError` if a blob is
 * missing or has another length.
 */
export async function eachPiece(
  bytes: Bytes,
  segments: readonly Segment[],
  part: ByteRange,
  take: (piece: Buffer) => Promise<boolean>,
): Promise<boolean> {
  for await (const piece of readPieces(bytes, segments, part)) {
    const taken = await take(piece.bytes)
    piece.free?.()
    if (!taken) return false
  }
  return true
}

/** The bytes of this entry differ from those that were stored. */
export class DamagedEntry<Entry extends BlobTarget = BlobTarget> extends DamagedBytes {
  readonly entry: Entry
  constructor(entry: Entry) {
    super()
    this.entry = entry
  }
}

/**
 * Yields the bytes of the part in order. The next piece may overwrite the one before it. Rejects
 * with `DamagedEntry` before the last piece of an entry whose bytes differ from its hash; entries
 * of which it reads a part are not compared.
 */
export async function* readPieces(
  bytes: Bytes,
  segments: readonly Segment[],
  part: ByteRange,
): AsyncGenerator<Piece, void> {
  let buffer: Buffer | null = null
  const opener = createOpener(bytes, segments, part)
  try {
    for (const [at, segment] of segments.entries()) {
      if (!isAsked(segment, part)) continue
      const range = rangeOf(segment, part)
      if ('bytes' in segment) {
        yield { bytes: segment.bytes.subarray(range.start, range.end + 1) }
        continue
      }
      const opened = await opener.open(at)
      if ('reader' in opened) buffer ??= Buffer.allocUnsafeSlow(READ_BYTES)
      yield* compared(segment, range, piecesOf(opened, range, buffer))
    }
  } finally {
    await opener.close()
  }
}

async function* piecesOf(
  opened: OpenedBytes,
  range: ByteRange,
  buffer: Buffer | null,
): AsyncGenerator<Piece> {
  if ('whole' in opened) yield { bytes: opened.whole, free: opened.free }
  else if ('reader' in opened)
    yield* readReader(opened.reader, range, buffer ?? Buffer.allocUnsafeSlow(READ_BYTES))
  else for await (const chunk of opened.stream as AsyncIterable<Buffer>) yield { bytes: chunk }
}

async function* compared(
  { entry, length }: Extract<Segment, { entry: BlobTarget }>,
  { start, end }: ByteRange,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const verifier = start === 0 && end === length - 1 ? createVerifier(entry) : null
  for await (const piece of pieces) {
    if (verifier?.accepts(piece.bytes) === false) throw new DamagedEntry(entry)
    yield piece
  }
}

const rangeOf = ({ at, length }: Segment, { start, end }: ByteRange): ByteRange => ({
  start: Math.max(start, at) - at,
  end: Math.min(end, at + length - 1) - at,
})

const isAsked = (segment: Segment, part: ByteRange): boolean => {
  const { start, end } = rangeOf(segment, part)
  return start <= end
}

const locationOf = (segment: Segment): string | null =>
  'entry' in segment ? segment.entry.location : null

/** Opens each entry while the one before it is sent. */
function createOpener(bytes: Bytes, segments: readonly Segment[], part: ByteRange) {
  let ahead: { at: number; opening: Promise<OpenedBytes> } | null = null
  const begin = (at: number): Promise<OpenedBytes> => {
    const segment = segments[at] as Extract<Segment, { entry: BlobTarget }>
    return bytes.open(segment.entry, rangeOf(segment, part))
  }
  /** Streams from a bucket are not opened ahead: the bucket would close one that is not read for a while. */
  const openAhead = (after: number, opened: OpenedBytes): void => {
    const at = segments.findIndex(
      (segment, place) => place > after && 'entry' in segment && isAsked(segment, part),
    )
    const [next, current] = [segments[at], segments[after]]
    if (!next || !current || locationOf(next) !== locationOf(current) || 'stream' in opened) return
    const opening = begin(at)
    // `open` awaits it and handles its failure.
    opening.catch(() => {})
    ahead = { at, opening }
  }
  return {
    open: async (at: number): Promise<OpenedBytes> => {
      const opened = await (ahead?.at === at ? ahead.opening : begin(at))
      ahead = null
      openAhead(at, opened)
      return opened
    },
    /** Closes an entry that was opened and not read. */
    close: async (): Promise<void> => {
      const opened = await ahead?.opening.catch(() => null)
      if (opened && 'reader' in opened) await opened.reader.close()
      if (opened && 'whole' in opened) opened.free?.()
    },
  }
}

async function* readReader(
  reader: BlobReader,
  { start, end }: ByteRange,
  buffer: Buffer,
): AsyncGenerator<Piece, void> {
  try {
    for (let at = start; at <= end;) {
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
