// Limits the waiting bytes of a shop, by their own limit and by what is left of the shop's storage:
// those of its rows, read at most once a second, plus the bytes
// of the transfers of this process, which its rows do not show exactly.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Limits } from '../../core/configuration/limits.ts'
import { freeBytes, type ShopQuotas } from '../../files/quotas.ts'
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
  /** How many bytes may wait. */
  limit: number
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

const NOTHING = { rows: 0, live: 0, ended: 0, readAt: -Infinity, reading: null, open: 0 }

const usedOf = ({ rows, live, ended }: CountedBytes): number => rows + live + ended

export interface QuotaLimits {
  /** The bytes of a shop, and of one file. */
  shop: number
  file: number
  /** Of all that the shop stores. */
  storage: Partial<ShopQuotas>
}

export type DropLimits = Pick<Limits, 'file_bytes' | 'drop_waiting_bytes'> & Partial<ShopQuotas>

export const quotaLimits = ({
  drop_waiting_bytes,
  file_bytes,
  ...storage
}: DropLimits): QuotaLimits => ({
  shop: drop_waiting_bytes,
  file: file_bytes,
  storage,
})

/** How many bytes may wait in all: their own limit, or less if the shop's storage is nearly full. */
export async function waitingLimit(scope: ShopScope, limits: QuotaLimits): Promise<number> {
  const free = await freeBytes(scope, limits.storage)
  if (free === Infinity) return limits.shop
  // Waiting files count in the shop's storage too.
  return Math.min(limits.shop, Math.max(0, (await waitingBytes(scope, null)) + free))
}

/** Creates the quota of a process. `process`: its number. */
export function createQuota(database: Database, process: number, limits: QuotaLimits): Quota {
  const shops = new Map<number, CountedBytes>()
  const read = async (shop: number, known: CountedBytes) => {
    const before = known.ended
    try {
      const scope = forShop(database, shop)
      const [rows, limit] = [await waitingBytes(scope, process), await waitingLimit(scope, limits)]
      Object.assign(known, { rows, limit })
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
    const known = shops.get(shop) ?? { ...NOTHING, limit: limits.shop }
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
      const isNear = known.open === 0 && usedOf(known) + limits.file > known.limit
      if (age(known) > STALE_MS || isNear) await refreshed(shop, known)
      known.open++
      let own = 0
      return {
        take: (bytes) => {
          refreshOld(shop, known)
          if (usedOf(known) + bytes > known.limit) return false
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
      return { limit: known.limit, used: usedOf(known) }
    },
  }
}
