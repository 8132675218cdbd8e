// Writes one stream of bytes to a temporary file while hashing it. Small bodies are one write;
// large ones are written in pieces: one piece is filled and hashed while the previous one is
// written.
import { closeSync } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { abortable, asBuffer } from './abortable.ts'
import { append, open, unlink } from './disk-calls.ts'
import type { ByteSource, WrittenBlob } from './store.ts'

/** A write holds twice this: one piece that is filled and one that is written. */
const PIECE = 256 * 1024
/**
 * Shorter chunks are joined first, so that a slow source does not make a piece of thousands of
 * buffers.
 */
const SHORT = 4096
const MAX_SHORT = 64

/**
 * Writes `bytes` to the new file `path`; `place` syncs it and gives it its final name. If this
 * rejects, `path` has been removed. The source must not reuse the memory of a chunk before the
 * chunk is released.
 */
export async function writeHashed(
  path: string,
  bytes: ByteSource,
  signal: AbortSignal | undefined,
  place: (fd: number, written: WrittenBlob) => Promise<string | undefined>,
): Promise<WrittenBlob> {
  const hasher = new Blake3Hasher()
  const file = createFile(path, (chunks) => bytes.release?.(chunks))
  const pieces = createPieces()
  let size = 0
  try {
    for await (const chunk of abortable(bytes, signal)) {
      hasher.update(asBuffer(chunk))
      size += chunk.length
      pieces.add(chunk)
      if (pieces.bytes() >= PIECE) await file.queue(pieces.take())
    }
    const fd = await file.finish(pieces.take())
    signal?.throwIfAborted()
    const written = { hash: hasher.digest('hex'), size_bytes: size }
    const placed = await place(fd, written)
    file.close()
    return placed === undefined ? written : { ...written, placed }
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Creates the file with its first write, and writes one piece behind the reader. */
function createFile(path: string, release: (chunks: readonly Uint8Array[]) => void) {
  let fd = -1
  let made = false
  let running: Promise<void> = Promise.resolve()
  const start = async (pieces: readonly Uint8Array[]) => {
    if (fd < 0) fd = await open(path, 'wx', 0o640)
    made = true
    await append(fd, pieces)
    release(pieces)
  }
  const close = () => {
    if (fd >= 0) closeSync(fd)
    fd = -1
  }
  return {
    /**
     * Resolves when the previous piece is written; an error of this piece is thrown by the next
     * call.
     */
    queue: async (pieces: readonly Uint8Array[]) => {
      await running
      running = start(pieces)
      running.catch(() => {})
    },
    finish: async (pieces: readonly Uint8Array[]): Promise<number> => {
      await running
      await start(pieces)
      return fd
    },
    close,
    discard: async () => {
      await running.catch(() => {})
      close()
      if (made) await unlink(path).catch(() => {})
    },
  }
}

/** Chunks that are to be written. */
function createPieces() {
  let whole: Uint8Array[] = []
  let short: Uint8Array[] = []
  let bytes = 0
  const gather = () => {
    if (short.length > 1) whole.push(Buffer.concat(short))
    else whole.push(...short)
    short = []
  }
  return {
    bytes: () => bytes,
    add: (chunk: Uint8Array) => {
      bytes += chunk.length
      if (chunk.length < SHORT) short.push(chunk)
      if (chunk.length >= SHORT || short.length === MAX_SHORT) gather()
      if (chunk.length >= SHORT) whole.push(chunk)
    },
    take: () => {
      gather()
      const taken = whole
      whole = []
      bytes = 0
      return taken
    },
  }
}
