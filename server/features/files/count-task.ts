// Adds the noted downloads of all shops to the numbers of their files, each minute. A list that is
// sorted by downloads adds those of its shop itself; this keeps the notes of all others few.
import type { Database } from '../../core/db/database.ts'
import { forShop } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { addNotedDownloads } from '../../files/download-counts.ts'

const EVERY_MS = 60 * 1000

export interface CountTaskParts {
  database: Database
}

export const countTask = ({ database }: CountTaskParts): BackgroundTask => ({
  name: 'file-downloads',
  concurrency: 1,
  atStart: true,
  run: async ({ signal }) => {
    const { rows } = await database.pool.query<{ shop_id: number }>(
      'select distinct shop_id from file_download_changes',
    )
    for (const { shop_id } of rows) {
      signal.throwIfAborted()
      await addNotedDownloads(forShop(database, shop_id))
    }
    return new Date(Date.now() + EVERY_MS)
  },
})
