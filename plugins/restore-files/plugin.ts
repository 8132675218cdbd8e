// Restores files from the trash. A file whose name was taken in the meantime gets a number.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract/index.ts'

export const restoreFiles = definePlugin({
  id: 'restore-files',
  kind: 'act',
  title: 'Restore files',
  actions: [
    {
      group: 'trash',
      promoted: true,
      labels: {
        action: 'Restore files',
        menu: 'Restore',
        title: 'Restore {count, plural, one {# file} other {# files}}?',
        button: 'Restore {count, plural, one {# file} other {# files}}',
        running: 'Restoring {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} restored',
        result: 'restored',
        preview:
          '{count, plural, one {# file would be restored} other {# files would be restored}}',
        intro:
          'They are restored with their tags and settings, and the links of those that are mapped to a product work again. A file whose name has been taken since gets a number.',
      },
    },
  ],
  options: z.strictObject({}),
  undo: 'fields',
  worksOn: 'trash',
  permission: 'files:delete',
  summary: () => say('Restores files from the trash'),
  plan: planEach(() => ({ status: 'ok', change: { deleted: false } })),
})
