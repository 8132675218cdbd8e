// Releases files from quarantine: a person has judged that what the virus scanner found is harmless.
import { z } from 'zod'
import { definePlugin, planEach, say } from '../contract/index.ts'

const MAX_REASON = 500

const options = z.strictObject({
  reason: z.string().trim().min(1).max(MAX_REASON).meta({
    title: 'Reason',
    help: 'Why the file is harmless. It is kept in the history of the file.',
  }),
})

/** Items that are not in quarantine fail with `conflict`. */
export const releaseFiles = definePlugin({
  id: 'release-files',
  kind: 'act',
  title: 'Release from quarantine',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Release from quarantine',
        title: 'Release {count, plural, one {# file} other {# files}} from quarantine',
        running: 'Releasing {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} released',
        result: 'taken out of quarantine',
        intro: 'Buyers can download the files again.',
        preview:
          '{count, plural, one {# file would be released} other {# files would be released}}',
      },
    },
  ],
  options,
  undo: 'none',
  worksOn: 'files',
  summary: ({ reason }) => say('Releases files from quarantine: {reason}', { reason }),
  plan: planEach((_item, { reason }) => ({ status: 'ok', quarantine: { released: reason } })),
})
