// The file system calls of the disk store, with its errors. Plain descriptors and callbacks: file
// handles and streams cost more than writing a small blob does.
import fs, { fstatSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { ownValue } from '../../../plugins/contract/index.ts'
import { StoreError, checkedName, checkedShop } from './store.ts'

const CODES: Readonly<Record<string, StoreError['code']>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
}

/** Turns a system error into a store's error. */
export function storeError(error: unknown): StoreError {
  return new StoreError(ownValue(CODES, systemCode(error)) ?? 'unavailable', { cause: error })
}

export function systemCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException | null)?.code)
}

/** Does the path not exist? */
export function isAbsent(error: unknown): boolean {
  return error instanceof StoreError && systemCode(error.cause) === 'ENOENT'
}

/** The result of `work`, or null if its path does not exist. */
export async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

type Call<A extends unknown[], R> = (...args: A) => Promise<R>
const asStore =
  <A extends unknown[], R>(call: Call<A, R>): Call<A, R> =>
  (...args) =>
    call(...args).catch((error: unknown) => {
      throw storeError(error)
    })

export const open: Call<[path: string, flags: string, mode?: number], number> = asStore(
  promisify(fs.open),
)
export const sync: Call<[fd: number], void> = asStore(promisify(fs.fsync))
export const rename: Call<[from: string, to: string], void> = asStore(promisify(fs.rename))
export const unlink: Call<[path: string], void> = asStore(promisify(fs.unlink))
/** Gives the same bytes a second name. */
export const link: Call<[from: string, to: string], void> = asStore(promisify(fs.link))
/**
 * Errors of `link`: another disk, a file system without hard links, or too many names of one file.
 */
export const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])
/** Copies a file without reading it here: the system moves the bytes. */
export const copy: Call<[from: string, to: string], void> = asStore((from, to) =>
  fs.promises.copyFile(from, to),
)
export const touch: Call<[path: string, at: Date], void> = asStore((path, at) =>
  fs.promises.utimes(path, at, at),
)
export const stat: Call<[path: string], fs.Stats> = asStore(
  promisify(fs.stat) as Call<[string], fs.Stats>,
)
const makeFolder: Call<[path: string], string | undefined> = asStore((path) =>
  fs.promises.mkdir(path, { recursive: true }),
)
/** Removes a folder with its contents; does nothing if it does not exist. */
export const removeFolder: Call<[path: string], void> = asStore((path) =>
  fs.promises.rm(path, { recursive: true, force: true, maxRetries: 3 }),
)
/** Throws if this process may not create files in the folder. */
export const mayWrite: Call<[path: string], void> = asStore((path) =>
  fs.promises.access(path, fs.constants.W_OK),
)
export const list: Call<[path: string], string[]> = asStore((path) => fs.promises.readdir(path))

const writeOnce = asStore((fd: number, pieces: readonly Uint8Array[]) => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const done = (error: Error | null, written: number) => (error ? reject(error) : resolve(written))
  const [piece] = pieces
  if (piece && pieces.length === 1) fs.write(fd, piece, done)
  else fs.writev(fd, pieces, done)
  return promise
})

/** Appends all of `pieces`, in several calls if the system writes only a part. */
export async function append(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
  let left = pieces
  while (left.length > 0) {
    const written = await writeOnce(fd, left)
    left = remainingPieces(left, written)
  }
}

function remainingPieces(pieces: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let skip = written
  for (const [at, piece] of pieces.entries()) {
    if (skip < piece.length) return [piece.subarray(skip), ...pieces.slice(at + 1)]
    skip -= piece.length
  }
  return []
}

/** Reads into `into` from `position`, as much as one call gives. */
export const readAt = asStore((fd: number, into: Buffer, position: number) => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  fs.read(fd, into, 0, into.length, position, (error, read) =>
    error ? reject(error) : resolve(read),
  )
  return promise
})

/** The first `size` bytes of a file, or all if it is shorter. */
export async function readAll(fd: number, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size)
  let filled = 0
  while (filled < size) {
    const read = await readAt(fd, filled === 0 ? bytes : bytes.subarray(filled), filled)
    if (read === 0) return bytes.subarray(0, filled)
    filled += read
  }
  return bytes
}

function openFolder(path: string): number {
  try {
    return fs.openSync(path, 'r')
  } catch (error) {
    throw storeError(error)
  }
}

/**
 * Syncs a folder, so that its names survive a crash. Opening and closing it are look-ups in memory;
 * only the sync needs a thread.
 */
async function syncFolder(path: string): Promise<void> {
  const fd = openFolder(path)
  try {
    await sync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

// Paths on a disk, and moving a file to its final name.

export type Layout = ReturnType<typeof createLayout>

/** The paths of blobs and temporary files in the folder of a storage location. */
export function createLayout(folder: string) {
  const temporaryFolder = path.join(folder, 'tmp')
  return {
    folder,
    temporaryFolder,
    temporary: () => path.join(temporaryFolder, randomBytes(12).toString('hex')),
    /** The folder of a shop's blobs. Throws for an invalid shop. */
    shop: (shop: number) => path.join(folder, checkedShop(shop)),
    /** The path of a blob. Throws for an invalid shop or hash. */
    blob: (shop: number, hash: string) => {
      const name = checkedName(shop, hash)
      return path.join(folder, name.shop, name.hash)
    },
  }
}

/**
 * Renames a synced file to its final name and syncs the folder. Replaces the same bytes if they
 * exist.
 */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  const parent = path.dirname(to)
  try {
    await rename(from, to)
  } catch (error) {
    if (!isAbsent(error)) throw error
    await makeParent(parent)
    await rename(from, to)
  }
  await shareSync(parent)
}

/**
 * Syncs the written file and gives it its final name. A new name is given first, so that the bytes
 * and the folder are synced concurrently: on a journaling file system, this is one commit instead
 * of two. An existing name is replaced only after the sync, so that its durable bytes are not lost.
 * Returns `placed` of `WrittenBlob`.
 */
export async function syncIntoPlace(
  fd: number,
  from: string,
  to: string,
): Promise<string | undefined> {
  if (await linkedFirst(from, to)) {
    // If one fails, no row refers to the blob, and a sweep removes both names.
    const [bytes, folder] = await Promise.allSettled([
      sync(fd),
      shareSync(path.dirname(to)),
      unlessAbsent(unlink(from)),
    ])
    for (const synced of [bytes, folder]) if (synced.status === 'rejected') throw synced.reason
    return placedBy(fstatSync(fd))
  }
  await sync(fd)
  await moveIntoPlace(from, to)
  return undefined
}

/** Tells the file of one writing from that of another under the same name. */
export const placedBy = ({ ino, mtimeMs }: Pick<Stats, 'ino' | 'mtimeMs'>): string =>
  `${ino} ${mtimeMs}`

/** False: the name exists, or this file system has no hard links. */
async function linkedFirst(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch(async (error: unknown) => {
      if (!isAbsent(error)) throw error
      await makeParent(path.dirname(to))
      await link(from, to)
    })
    return true
  } catch (error) {
    const code = systemCode((error as StoreError).cause)
    if (code === 'EEXIST' || NO_LINK.has(code)) return false
    throw error
  }
}

/** Creates the shop's folder, for its first blob. */
async function makeParent(parent: string): Promise<void> {
  await makeFolder(parent)
  await shareSync(path.dirname(parent))
}

interface FolderSync {
  running: Promise<void>
  /**
   * Starts when the running sync ends, for all calls since its start: the running sync may not
   * include their changes.
   */
  next: Promise<void> | null
}
const syncs = new Map<string, FolderSync>()

/**
 * Syncs a folder once for all concurrent calls: a shop's first files all create folders in one
 * place.
 */
export function shareSync(folder: string): Promise<void> {
  const current = syncs.get(folder)
  if (current) return (current.next ??= current.running.catch(() => {}).then(() => start(folder)))
  return start(folder)
}

function start(folder: string): Promise<void> {
  const own: FolderSync = { running: Promise.resolve(), next: null }
  own.running = syncFolder(folder).finally(() => {
    if (own.next === null) syncs.delete(folder)
  })
  syncs.set(folder, own)
  return own.running
}
