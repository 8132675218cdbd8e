// Adds the noted downloads and the noted changes of files of all shops to the kept counts, each
// minute. Readers sum both; this keeps the notes few.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { addNotedDownloads } from '../../files/download-counts.ts'
import { addNotedCounts } from '../../files/file-counts.ts'

const EVERY_MS = 60 * 1000

/** Tables of notes, and what adds the notes of one shop. */
const NOTES = [
  ['file_download_changes', addNotedDownloads],
  ['file_count_changes', addNotedCounts],
] as const satisfies [string, (scope: ShopScope, signal: AbortSignal) => Promise<void>][]

export interface CountTaskParts {
  database: Database
}

export const countTask = ({ database }: CountTaskParts): BackgroundTask => ({
  name: 'file-downloads',
  concurrency: 1,
  atStart: true,
  run: async ({ signal }) => {
    for (const [table, add] of NOTES) {
      const { rows } = await database.pool.query<{ shop_id: number }>(
        `select distinct shop_id from ${table}`,
      )
      for (const { shop_id } of rows) {
        signal.throwIfAborted()
        await add(forShop(database, shop_id), signal)
      }
    }
    return EVERY_MS
  },
})
