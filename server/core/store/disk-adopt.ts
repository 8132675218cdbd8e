// Makes a blob of a file that is on the same disk already: reads it once for its hash, syncs it,
// and gives it a second name or renames it.
import { closeSync, fstatSync } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import {
  link,
  NO_LINK,
  open,
  readAt,
  sync,
  systemCode,
  touch,
  unlessAbsent,
  unlink,
  moveIntoPlace,
  syncIntoPlace,
  type Layout,
} from './disk-calls.ts'
import { StoreError, type TakeOptions, type WrittenBlob } from './store.ts'

const PIECE = 256 * 1024
/** Reused buffers: a new buffer for each small file would cost more than reading it. */
const spare: Buffer[] = []
const MAX_SPARE = 8
/**
 * The modification time of a file that was written this recently is kept; a sweep judges a file's
 * age by it.
 */
const RECENT_MS = 60_000

/**
 * Gives a file its blob's name as a second name. Null if that is impossible here; then nothing was
 * done.
 */
export async function adoptOnDisk(
  layout: Layout,
  shop: number,
  path: string,
  signal: AbortSignal | undefined,
  known?: WrittenBlob,
): Promise<WrittenBlob | null> {
  signal?.throwIfAborted()
  const temporary = layout.temporary()
  if (!(await tryLink(path, temporary))) return null
  try {
    const fd = await open(temporary, 'r+')
    try {
      const written = known ?? (await hash(fd, fstatSync(fd).size, signal))
      // A sweep judges its age by this time, and the file may have waited for hours to be imported.
      await touch(temporary, new Date())
      const placed = await syncIntoPlace(fd, temporary, layout.blob(shop, written.hash))
      return placed === undefined ? written : { ...written, placed }
    } finally {
      closeSync(fd)
    }
  } finally {
    // It still exists after a failure, and if the blob's name was a name of this file already: then
    // the rename did nothing.
    await unlessAbsent(unlink(temporary)).catch(() => {})
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (error instanceof StoreError && NO_LINK.has(systemCode(error.cause))) return false
    throw error
  }
}

/**
 * Renames the file into place. `copy` makes the blob if that is impossible: the file is on another
 * disk.
 */
export async function takeOnDisk(
  layout: Layout,
  shop: number,
  path: string,
  { size, signal, onFirst }: TakeOptions,
  copy: () => Promise<WrittenBlob>,
): Promise<WrittenBlob | null> {
  signal?.throwIfAborted()
  const fd = await open(path, 'r+')
  let written: WrittenBlob
  try {
    const found = fstatSync(fd)
    if (found.size !== size) return null
    written = await hash(fd, size, signal, onFirst)
    await sync(fd)
    if (found.mtimeMs < Date.now() - RECENT_MS) await touch(path, new Date())
  } finally {
    closeSync(fd)
  }
  try {
    await moveIntoPlace(path, layout.blob(shop, written.hash))
  } catch (error) {
    if (!(error instanceof StoreError && systemCode(error.cause) === 'EXDEV')) throw error
    written = await copy()
    await unlink(path)
  }
  return written
}

async function hash(
  fd: number,
  total: number,
  signal: AbortSignal | undefined,
  onFirst?: (bytes: Uint8Array) => void,
): Promise<WrittenBlob> {
  const hasher = new Blake3Hasher()
  const piece = spare.pop() ?? Buffer.allocUnsafeSlow(PIECE)
  try {
    let size = 0
    while (size < total) {
      signal?.throwIfAborted()
      const read = await readAt(fd, piece, size)
      if (read === 0) break
      const bytes = piece.subarray(0, read)
      if (size === 0) onFirst?.(bytes)
      hasher.update(bytes)
      size += read
    }
    return { hash: hasher.digest('hex'), size_bytes: size }
  } finally {
    if (spare.length < MAX_SPARE) spare.push(piece)
  }
}
