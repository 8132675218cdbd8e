// Moves files to the trash for 7 days. Their links stop working immediately; those of restored
// files work again.
import { z } from 'zod'
import { definePlugin, FILES, planEach, say, type FileChange } from '../contract/index.ts'

const options = z.strictObject({
  remove_mappings: z.boolean().default(false).meta({
    title: 'Remove product mappings too',
    help: 'A file restored from the trash then has no product; undoing the deletion restores its products.',
  }),
  backup_first: z.boolean().default(false).meta({
    title: 'Back up first',
    help: 'Copies each file to the backup location and reads the copy back. A file whose copy fails is not deleted.',
  }),
})

/** Texts of the two delete actions. */
const moving = {
  running: `Deleting ${FILES}`,
  done: `${FILES} moved to the trash`,
  result: 'moved to the trash',
  preview:
    '{count, plural, one {# file would be moved to the trash} other {# files would be moved to the trash}}',
}
type Options = z.output<typeof options>

export const deleteFiles = definePlugin({
  id: 'delete-files',
  kind: 'act',
  title: 'Delete files',
  actions: [
    {
      group: 'organize',
      promoted: true,
      body: 'delete',
      labels: {
        action: 'Delete files',
        menu: 'Delete',
        title: 'Delete {count, plural, one {# file} other {# files}}?',
        button: 'Delete {count, plural, one {# file} other {# files}}',
        ...moving,
      },
      previewRequired: 'filter',
      destructive: true,
    },
    {
      id: 'delete-by-filter',
      group: 'organize',
      body: 'delete-by-filter',
      labels: {
        action: 'Delete files',
        menu: 'Delete by conditions',
        button: 'Delete {count, plural, one {# file} other {# files}}',
        ...moving,
      },
      fits: { places: ['list'] },
      previewRequired: 'always',
      destructive: true,
    },
  ],
  report: { background: 'delete', next: 'Files in the trash can be restored for 7 days.' },
  options,
  undo: 'fields',
  announces: ['file.deleted', 'mapping.changed'],
  worksOn: 'files',
  permission: 'files:delete',
  summary: ({ remove_mappings }) =>
    remove_mappings
      ? say('Moves files to the trash and removes their products')
      : say('Moves files to the trash'),
  precededBy: ({ backup_first }) => (backup_first ? 'back-up-files' : null),
  plan: planEach((_, wanted: Options) => ({ status: 'ok', change: changeOf(wanted) })),
})

function changeOf({ remove_mappings }: Options): FileChange {
  return { deleted: true, ...(remove_mappings ? { mappings: { remove: 'all' } } : {}) }
}
