// The file system calls of the disk store, with its errors. Plain descriptors and callbacks: file
// handles and streams cost more than writing a small blob does.
import { ownValue } from '../../../plugins/contract.ts'
import fs from 'node:fs'
import { promisify } from 'node:util'
import { StoreError } from './store.ts'

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
export const makeFolder: Call<[path: string], string | undefined> = asStore((path) =>
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
export async function syncFolder(path: string): Promise<void> {
  const fd = openFolder(path)
  try {
    await sync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
