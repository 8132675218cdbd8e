// Copies files to the backup location, reads the copies back, and stores settings and mappings with
// them. A file whose copy fails takes no further steps, so that a later step cannot delete it.
import { z } from 'zod'
import { definePlugin, eachItem, planEach, say, type Decision } from '../contract/index.ts'

const CONCURRENCY = 4
const COPIED: Decision = { status: 'ok' }

export const backUpFiles = definePlugin({
  id: 'back-up-files',
  kind: 'act',
  title: 'Back up files',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Back up files',
        title: 'Back up {count, plural, one {# file} other {# files}}',
        running: 'Backing up {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} backed up',
        result: 'backed up',
        intro: 'Each file is copied to the backup location, and its copy is read back.',
        preview: '{count, plural, one {# file would be copied} other {# files would be copied}}',
      },
    },
  ],
  options: z.strictObject({}),
  undo: 'none',
  needs: ['stored'],
  worksOn: 'files',
  bytes: true,
  summary: () => say('Copies files to the backup location and reads the copies back'),
  plan: planEach(() => COPIED),
  run: (items, _options, { stored, signal }) =>
    eachItem(items, CONCURRENCY, signal, async (item) => {
      await stored.backUp(item, signal)
      return COPIED
    }),
})
