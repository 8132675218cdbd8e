// Where things are on a disk, and the way to a final name.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { checkedName, checkedShop } from './names.ts'
import { isAbsent, makeFolder, rename, syncFolder } from './disk-calls.ts'

export type Layout = ReturnType<typeof createLayout>

export function createLayout(folder: string) {
  const temporaryFolder = path.join(folder, 'tmp')
  return {
    folder,
    temporaryFolder,
    temporary: () => path.join(temporaryFolder, randomBytes(12).toString('hex')),
    /** Throws on what is no shop. */
    shop: (shop: number) => path.join(folder, checkedShop(shop)),
    /** Throws on what is no shop or no hash. */
    blob: (shop: number, hash: string) => {
      const name = checkedName(shop, hash)
      return path.join(folder, name.shop, name.hash)
    },
  }
}

/**
 * Renames a synced file to its final name and makes that name last. The same bytes there already
 * are replaced.
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
  await syncTogether(parent)
}

/** The shop's folder, with its first blob. */
async function makeParent(parent: string): Promise<void> {
  await makeFolder(parent)
  await syncTogether(path.dirname(parent))
}

interface FolderSync {
  running: Promise<void>
  /**
   * Begins when the running one ends, for all who came since: what they did is not surely part of
   * the running one.
   */
  next: Promise<void> | null
}
const syncs = new Map<string, FolderSync>()

/**
 * Syncs a folder once for all who ask at the same time: a shop's first files all make folders in
 * one place.
 */
export function syncTogether(folder: string): Promise<void> {
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
