// How much more a shop may send: what waits by its rows, looked up at most once a second, and what
// this process has taken since.
import type { Database } from '../../db/database.ts'
import { forShop } from '../../db/for-shop.ts'
import { waitingBytes } from './entries.ts'

const FRESH_MS = 1000

export interface Allowance {
  /** Takes so many bytes of the quota; false: they are not left. */
  take(bytes: number): boolean
  close(): void
}

export interface Quota {
  open(shop: number): Promise<Allowance>
}

interface Known {
  /** By the rows, and what was taken since they were read. */
  used: number
  readAt: number
  reading: Promise<void> | null
  open: number
}

export function createQuota(database: Database, most: number): Quota {
  const shops = new Map<number, Known>()
  const read = async (shop: number, known: Known) => {
    known.used = await waitingBytes(forShop(database, shop))
    known.readAt = performance.now()
    known.reading = null
  }
  const refreshed = (shop: number, known: Known) => (known.reading ??= read(shop, known))
  return {
    open: async (shop) => {
      const known = shops.get(shop) ?? { used: 0, readAt: -Infinity, reading: null, open: 0 }
      shops.set(shop, known)
      if (performance.now() - known.readAt > FRESH_MS) await refreshed(shop, known)
      known.open++
      return {
        take: (bytes) => {
          if (performance.now() - known.readAt > FRESH_MS)
            refreshed(shop, known).catch(() => (known.reading = null))
          if (known.used + bytes > most) return false
          known.used += bytes
          return true
        },
        close: () => {
          if (--known.open === 0) shops.delete(shop)
        },
      }
    },
  }
}
