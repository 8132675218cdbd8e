// A storage location on a disk: `<folder>/<shop>/<hash>`, with temporary names in `<folder>/tmp`.
// Why a shop has one folder for all of its blobs: docs/decisions/0009.
import fs, { closeSync, fstatSync } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { makeFolderSync } from '../make-folder.ts'
import {
  copy,
  isAbsent,
  mayWrite,
  open,
  readAll,
  readAt,
  stat,
  unlessAbsent,
  unlink,
  append,
  createLayout,
  syncIntoPlace,
} from './disk-calls.ts'
import { adoptOnDisk, takeOnDisk } from './disk-adopt.ts'
import { orphansOnDisk, removePlacedOnDisk, removeShopFolder, sweepDisk } from './disk-sweep.ts'
import {
  StoreError,
  type BlobStore,
  type ByteSource,
  type WrittenBlob,
  abortable,
  asBuffer,
} from './store.ts'

/** Large reads: with the default of 64 KB the calls cost more than the bytes. */
const READ_BYTES = 256 * 1024

/**
 * Creates `folder` if it is missing. Several processes may share it. Throws the system's error if
 * that fails: a location that does not work is found at start-up.
 */
export function createDiskStore({ folder }: { folder: string }): BlobStore {
  const layout = createLayout(folder)
  makeFolderSync(layout.temporaryFolder, 0o750)
  const write: BlobStore['write'] = async (shop, bytes, signal) => {
    signal?.throwIfAborted()
    const temporary = layout.temporary()
    return writeHashed(temporary, bytes, signal, (fd, { hash }) =>
      syncIntoPlace(fd, temporary, layout.blob(shop, hash)),
    )
  }
  // Copies a file that is on another disk, or on one without hard links.
  const copied = (shop: number, path: string, signal: AbortSignal | undefined) =>
    write(shop, fs.createReadStream(path, { highWaterMark: READ_BYTES }), signal)
  return {
    // The folder may exist and belong to another user, or be on a disk that can only be read.
    check: () => mayWrite(layout.temporaryFolder),
    write,
    adopt: async (shop, path, signal, known) => {
      const written = await adoptOnDisk(layout, shop, path, signal, known)
      return written ?? copied(shop, path, signal)
    },
    take: (shop, path, options) =>
      takeOnDisk(layout, shop, path, options, () => copied(shop, path, options.signal)),
    read: async (shop, hash, range) => {
      const fd = await openBlob(layout.blob(shop, hash))
      return fs.createReadStream('', { fd, highWaterMark: READ_BYTES, ...range })
    },
    open: async (shop, hash) => {
      const fd = await openBlob(layout.blob(shop, hash))
      const { size } = fstatSync(fd)
      return {
        size,
        read: (into, position) => readAt(fd, into, position),
        close: async () => closeSync(fd),
      }
    },
    copyOut: async (shop, hash, path) => {
      try {
        await copy(layout.blob(shop, hash), path)
      } catch (error) {
        throw isAbsent(error) ? new StoreError('missing', { cause: error }) : error
      }
    },
    readWhole: async (shop, hash) => {
      const fd = await openBlob(layout.blob(shop, hash))
      try {
        return await readAll(fd, fstatSync(fd).size)
      } finally {
        closeSync(fd)
      }
    },
    size: async (shop, hash) => (await unlessAbsent(stat(layout.blob(shop, hash))))?.size ?? null,
    removePlaced: (shop, hash, placed) => removePlacedOnDisk(layout, { shop, hash }, placed),
    remove: async (shop, hash) => void (await unlessAbsent(unlink(layout.blob(shop, hash)))),
    removeShop: (shop, signal) => removeShopFolder(layout, shop, signal),
    sweep: (olderThan, known, shops) => sweepDisk(layout, { olderThan, known, shops }),
    orphans: (olderThan, known) => orphansOnDisk(layout, olderThan, known),
  }
}

async function openBlob(file: string): Promise<number> {
  try {
    return await open(file, 'r')
  } catch (error) {
    throw isAbsent(error) ? new StoreError('missing', { cause: error }) : error
  }
}

// Writes one stream of bytes to a temporary file while hashing it. Small bodies are one write;
// large ones are written in pieces: one piece is filled and hashed while the previous one is
// written.

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
async function writeHashed(
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
