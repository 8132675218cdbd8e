// Files that clients of this process have just sent. In real time an import moves a file away within
// a second, but clients ask for its size or set its time after the transfer, and report a failure
// and send it again if it is gone.

const KEPT_MS = 10 * 60 * 1000
const MAX_KEPT = 10_000

export interface RecentFile {
  size: number
  modified: Date
}

export interface RecentFiles {
  add(shop: number, path: string, file: RecentFile): void
  /**
   * Finds a received file; null: it was not received in the last ten minutes, or was removed or
   * renamed by a client.
   */
  find(shop: number, path: string): RecentFile | null
  forget(shop: number, path: string): void
  /** Follows a client's rename: clients ask for the size of a file that they have renamed, too. */
  move(shop: number, from: string, to: string): void
}

/** Creates the list for all sessions of a process. */
export function createReceived(now: () => number = Date.now): RecentFiles {
  const files = new Map<string, RecentFile & { at: number }>()
  const keyOf = (shop: number, path: string) => `${shop}${path}`
  const add = (shop: number, path: string, file: RecentFile) => {
    const key = keyOf(shop, path)
    files.delete(key)
    files.set(key, { ...file, at: now() })
    for (const [oldest, { at }] of files)
      if (files.size > MAX_KEPT || at < now() - KEPT_MS) files.delete(oldest)
      else break
  }
  const find = (shop: number, path: string) => {
    const file = files.get(keyOf(shop, path))
    return file && file.at >= now() - KEPT_MS ? file : null
  }
  const forget = (shop: number, path: string) => void files.delete(keyOf(shop, path))
  return {
    add,
    find,
    forget,
    move: (shop, from, to) => {
      const file = find(shop, from)
      forget(shop, from)
      forget(shop, to)
      if (file) add(shop, to, file)
    },
  }
}
