// Purges files, with their versions, mappings and links. This cannot be undone.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract/index.ts'

export const purgeFiles = definePlugin({
  id: 'purge-files',
  kind: 'act',
  title: 'Delete permanently',
  actions: [
    {
      group: 'trash',
      promoted: true,
      labels: {
        action: 'Delete permanently',
        title: 'Delete {count, plural, one {# file} other {# files}} permanently?',
        running: 'Deleting {count, plural, one {# file} other {# files}} permanently',
        done: '{count, plural, one {# file} other {# files}} deleted permanently',
        result: 'permanently deleted',
      },
      fits: { places: ['trash'] },
      destructive: true,
      warning: {
        tone: 'critical',
        title: 'This can’t be undone',
        text: 'The files are deleted with their versions, mappings and links. They cannot be restored.',
      },
    },
  ],
  report: { background: 'delete' },
  options: z.strictObject({}),
  undo: 'none',
  announces: ['file.deleted'],
  worksOn: 'all',
  permission: 'files:purge',
  summary: () => say('Deletes files permanently'),
  plan: planEach(() => ({ status: 'ok', change: { purged: true } })),
})
