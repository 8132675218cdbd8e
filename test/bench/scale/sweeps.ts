// The sweeps of the hourly upkeep that read many rows: one turn of them against all shops.
import type { Database } from '../../../server/core/db/database.ts'
import { forShop } from '../../../server/core/db/for-shop.ts'
import { sweepDownloads } from '../../../server/features/downloads/record.ts'
import { sweepBlobs } from '../../../server/files/blobs.ts'
import { checkCounts } from '../../../server/files/file-counts.ts'
import { compare, type Row } from '../bench.ts'

interface Shops {
  small: number
  large: number
  say(text: string): void
}

export async function sweepRows(database: Database, { small, large, say }: Shops): Promise<Row[]> {
  const timed = async (what: string, sweep: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now()
    await sweep()
    const ms = performance.now() - begun
    say(`${what}: ${ms.toFixed(0)} ms`)
    return ms
  }
  const { pool } = database
  const now = new Date()
  const [ofSmall, all] = [
    await timed('unused blobs of the small shop', () => sweepBlobs(pool, now, [small])),
    await timed('unused blobs of all shops', () => sweepBlobs(pool, now)),
  ]
  const [countSmall, countLarge] = [
    await timed('counts of the small shop', () => checkCounts(forShop(database, small))),
    await timed('counts of the large shop', () => checkCounts(forShop(database, large))),
  ]
  const downloads = await timed('orphaned downloads', () => sweepDownloads(pool, now))
  return [
    compare('unused blobs: all shops, against the small one', 'ms', [all], [ofSmall]),
    compare('kept counts: the large shop, against the small one', 'ms', [countLarge], [countSmall]),
    compare('downloads of deleted files and old ones', 'ms', [downloads], [downloads]),
  ]
}
