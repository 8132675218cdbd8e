// Paths on a disk, and moving a file to its final name.
import { randomBytes } from 'node:crypto'
import { fstatSync, type Stats } from 'node:fs'
import path from 'node:path'
import { checkedName, checkedShop } from './names.ts'
import {
  isAbsent,
  link,
  makeFolder,
  NO_LINK,
  rename,
  sync,
  syncFolder,
  systemCode,
  unlessAbsent,
  unlink,
} from './disk-calls.ts'
import type { StoreError } from './store.ts'

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
