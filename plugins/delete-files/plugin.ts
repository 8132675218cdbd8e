// Moves files to the trash, where they stay 7 days. Their links stop at once; those of restored files work again.
import { z } from 'zod'
import { definePlugin, type FileChange } from '../contract.ts'

const options = z.strictObject({
  remove_mappings: z.boolean().default(false).meta({
    title: 'Remove product mappings too',
    help: 'A file that comes back from the trash then belongs to no product; undoing the deletion brings its products back.',
  }),
  backup_first: z.boolean().default(false).meta({
    title: 'Back up first',
    help: 'Copies each file to the backup location and reads the copy back. A file whose copy fails is not deleted.',
  }),
})

export const deleteFiles = definePlugin({
  id: 'delete-files',
  kind: 'act',
  title: 'Delete files',
  options,
  undo: 'fields',
  worksOn: 'files',
  permission: 'files:delete',
  summary: ({ remove_mappings }) => `Moves files to the trash${remove_mappings ? ' and removes their products' : ''}`,
  precededBy: ({ backup_first }) => (backup_first ? 'back-up-files' : null),
  uniform: changeOf,
  async *plan(items, wanted, { signal }) {
    const change = changeOf(wanted)
    for (const item of items) {
      signal.throwIfAborted()
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change })
    }
  },
})

function changeOf({ remove_mappings }: z.output<typeof options>): FileChange {
  return { deleted: true, ...(remove_mappings ? { mappings: { remove: 'all' } } : {}) }
}
