// Where things are on a disk, and the way to a final name.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { isAbsent, makeFolder, rename, syncFolder } from './disk-calls.ts'

export type Layout = ReturnType<typeof createLayout>

export function createLayout(folder: string) {
  const temporaryFolder = path.join(folder, 'tmp')
  return {
    folder,
    temporaryFolder,
    temporary: () => path.join(temporaryFolder, randomBytes(12).toString('hex')),
    /** Throws on what is no shop or no hash: neither may ever name another path. */
    blob: (shop: number, hash: string) => {
      if (!Number.isSafeInteger(shop) || shop < 0) throw new TypeError('A shop is named by its number')
      if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('A blob is named by 64 lower-case hex digits')
      return path.join(folder, String(shop), hash.slice(0, 2), hash)
    },
  }
}

/** Renames a synced file to its final name and makes that name last. The same bytes there already are replaced. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  const parent = path.dirname(to)
  try {
    await rename(from, to)
  } catch (error) {
    if (!isAbsent(error)) throw error
    await makeFolder(parent)
    await rename(from, to)
    await syncFolder(path.dirname(parent))
    await syncFolder(path.dirname(path.dirname(parent)))
  }
  await syncFolder(parent)
}
