// FTP files whose clients have shown that they are still connected: written to the database for
// many files at a time.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { confirm } from './entries.ts'
import type { Waker } from './wake.ts'

export interface Confirmations {
  /**
   * Confirms a file; resolves when that is written. `soon`: a moment later, together with others of
   * the shop.
   */
  add(shop: number, entry: string, soon: boolean): Promise<void>
}

const SOON_MS = 50

export function createConfirmations(database: Database, waker: Waker): Confirmations {
  const gathering = new Map<number, { entries: string[]; written: Promise<void> }>()
  const write = async (shop: number, entries: readonly string[]) => {
    await confirm(forShop(database, shop), entries)
    waker.wake(shop)
  }
  const gather = (shop: number) => {
    const entries: string[] = []
    const written = new Promise<void>((resolve) => setTimeout(resolve, SOON_MS)).then(() => {
      gathering.delete(shop)
      return write(shop, entries)
    })
    const gathered = { entries, written }
    gathering.set(shop, gathered)
    return gathered
  }
  return {
    add: (shop, entry, soon) => {
      if (!soon) return write(shop, [entry])
      const { entries, written } = gathering.get(shop) ?? gather(shop)
      entries.push(entry)
      return written
    },
  }
}
