// Makes a blob of a file that is on the same disk already: read once for its hash, synced, then
// named a second time.
import { closeSync } from 'node:fs'
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { link, open, readAt, sync, systemCode, touch, unlessAbsent, unlink } from './disk-calls.ts'
import { moveIntoPlace, type Layout } from './disk-layout.ts'
import { StoreError, type WrittenBlob } from './store.ts'

const PIECE = 1024 * 1024
/** Another disk, a file system without hard links, or too many names of one file already. */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** Null where the file cannot have a second name here; then nothing has been done. */
export async function adoptOnDisk(
  layout: Layout,
  shop: number,
  path: string,
  signal: AbortSignal | undefined,
  known?: WrittenBlob,
): Promise<WrittenBlob | null> {
  signal?.throwIfAborted()
  const temporary = layout.temporary()
  if (!(await linked(path, temporary))) return null
  try {
    const written = known ? await synced(temporary, known) : await hashAndSync(temporary, signal)
    // Its age counts from now: a sweep goes by that, and it may have waited for hours to be
    // imported.
    await touch(temporary, new Date())
    await moveIntoPlace(temporary, layout.blob(shop, written.hash))
    return written
  } finally {
    // Still there after a failure, and where the blob's name was this very file already: then the
    // rename did nothing.
    await unlessAbsent(unlink(temporary)).catch(() => {})
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (error instanceof StoreError && NO_LINK.has(systemCode(error.cause))) return false
    throw error
  }
}

async function synced(path: string, known: WrittenBlob): Promise<WrittenBlob> {
  const fd = await open(path, 'r+')
  try {
    await sync(fd)
    return known
  } finally {
    closeSync(fd)
  }
}

async function hashAndSync(path: string, signal: AbortSignal | undefined): Promise<WrittenBlob> {
  const fd = await open(path, 'r+')
  try {
    const hasher = new Blake3Hasher()
    const piece = Buffer.allocUnsafeSlow(PIECE)
    let size = 0
    while (true) {
      signal?.throwIfAborted()
      const read = await readAt(fd, piece, size)
      if (read === 0) break
      hasher.update(piece.subarray(0, read))
      size += read
    }
    await sync(fd)
    return { hash: hasher.digest('hex'), size_bytes: size }
  } finally {
    closeSync(fd)
  }
}
