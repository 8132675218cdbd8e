// Deletes files for good, with their versions, mappings and links. Nothing brings them back.
import { z } from 'zod'
import { definePlugin } from '../contract.ts'

export const purgeFiles = definePlugin({
  id: 'purge-files',
  kind: 'act',
  title: 'Delete permanently',
  options: z.strictObject({}),
  undo: 'none',
  worksOn: 'all',
  permission: 'files:purge',
  summary: () => 'Deletes files for good',
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change: { purged: true } })
    }
  },
})
