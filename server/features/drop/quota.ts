// Limits the waiting bytes of a shop: those of its rows, read at most once a second, plus the bytes
// of the transfers of this process, which its rows do not show exactly.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import { waitingBytes } from './entries.ts'

const FRESH_MS = 1000
/** Above this age, the sum is read again before a transfer starts. */
const STALE_MS = 5000
const MAX_SHOPS = 10_000

export interface Allowance {
  /** Takes bytes from the quota; false: too few are left. */
  take(bytes: number): boolean
  /** Must be called after the transfer's row was written, or its bytes were removed. */
  close(): void
}

/** The waiting bytes of a shop, and how many it may have. */
export interface Space {
  limit: number
  used: number
}

export interface Quota {
  open(shop: number): Promise<Allowance>
  space(shop: number): Promise<Space>
}

interface CountedBytes {
  /** The bytes in the rows, without those that this process writes. */
  rows: number
  /** The bytes of open transfers of this process. */
  live: number
  /** The bytes of transfers that have ended since the rows were read. */
  ended: number
  readAt: number
  reading: Promise<void> | null
  open: number
}

const usedOf = ({ rows, live, ended }: CountedBytes): number => rows + live + ended

export interface QuotaLimits {
  /** The bytes of a shop, and of one file. */
  shop: number
  file: number
}

/** Creates the quota of a process. `process`: its number. */
export function createQuota(database: Database, process: number, limits: QuotaLimits): Quota {
  const shops = new Map<number, CountedBytes>()
  const read = async (shop: number, known: CountedBytes) => {
    const before = known.ended
    try {
      known.rows = await waitingBytes(forShop(database, shop), process)
      known.ended -= before
      known.readAt = performance.now()
    } finally {
      known.reading = null
    }
  }
  const refreshed = (shop: number, known: CountedBytes) => (known.reading ??= read(shop, known))
  const age = ({ readAt }: CountedBytes) => performance.now() - readAt
  const refreshOld = (shop: number, known: CountedBytes) => {
    if (age(known) > FRESH_MS) refreshed(shop, known).catch(() => {})
  }
  const knownOf = (shop: number): CountedBytes => {
    const none = { rows: 0, live: 0, ended: 0, readAt: -Infinity, reading: null, open: 0 }
    const known = shops.get(shop) ?? none
    if (shops.size > MAX_SHOPS)
      for (const [other, { open }] of shops) if (open === 0) shops.delete(other)
    shops.set(shop, known)
    return known
  }
  return {
    open: async (shop) => {
      const known = knownOf(shop)
      // Near the quota the rows are read again: bytes of files that were removed in the meantime
      // must not refuse a file.
      const isNear = known.open === 0 && usedOf(known) + limits.file > limits.shop
      if (age(known) > STALE_MS || isNear) await refreshed(shop, known)
      known.open++
      let own = 0
      return {
        take: (bytes) => {
          refreshOld(shop, known)
          if (usedOf(known) + bytes > limits.shop) return false
          own += bytes
          known.live += bytes
          return true
        },
        close: () => {
          known.open--
          known.live -= own
          known.ended += own
          own = 0
        },
      }
    },
    space: async (shop) => {
      const known = knownOf(shop)
      if (age(known) > FRESH_MS) await refreshed(shop, known)
      return { limit: limits.shop, used: usedOf(known) }
    },
  }
}
