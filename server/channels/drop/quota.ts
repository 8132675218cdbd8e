// Limits the waiting bytes of a shop: those of its rows, read at most once a second, plus the bytes
// that this process has received since.
import type { Database } from '../../db/database.ts'
import { forShop } from '../../db/for-shop.ts'
import { waitingBytes } from './entries.ts'

const FRESH_MS = 1000
/** Above this age, the sum is read again before a transfer starts. */
const STALE_MS = 5000
const MAX_SHOPS = 10_000

export interface Allowance {
  /** Takes bytes from the quota; false: too few are left. */
  take(bytes: number): boolean
  close(): void
}

export interface Quota {
  open(shop: number): Promise<Allowance>
}

interface Known {
  /** The bytes in the rows, plus the bytes that were taken since they were read. */
  used: number
  readAt: number
  reading: Promise<void> | null
  open: number
}

/** `limit`: the bytes of a shop; `fileLimit`: those of one file. */
export function createQuota(database: Database, limit: number, fileLimit: number): Quota {
  const shops = new Map<number, Known>()
  const read = async (shop: number, known: Known) => {
    try {
      known.used = await waitingBytes(forShop(database, shop))
      known.readAt = performance.now()
    } finally {
      known.reading = null
    }
  }
  const refreshed = (shop: number, known: Known) => (known.reading ??= read(shop, known))
  const age = ({ readAt }: Known) => performance.now() - readAt
  const refreshOld = (shop: number, known: Known) => {
    if (age(known) > FRESH_MS) refreshed(shop, known).catch(() => {})
  }
  const knownOf = (shop: number): Known => {
    const known = shops.get(shop) ?? { used: 0, readAt: -Infinity, reading: null, open: 0 }
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
      const isNear = known.open === 0 && known.used + fileLimit > limit
      if (age(known) > STALE_MS || isNear) await refreshed(shop, known)
      known.open++
      return {
        take: (bytes) => {
          refreshOld(shop, known)
          if (known.used + bytes > limit) return false
          known.used += bytes
          return true
        },
        close: () => void known.open--,
      }
    },
  }
}
