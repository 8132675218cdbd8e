// Moves files' bytes to another storage location, or keeps a copy there. Links work all the time:
// rows point at the new location only after the bytes were read back there, and the old bytes stay
// until they are unused.
import { z } from 'zod'
import { definePlugin, eachItem, say, type Decision, type StoredAt } from '../contract/index.ts'

/** The most concurrent files: all bytes pass through this process. */
const CONCURRENCY = 4

const options = z.strictObject({
  location: z.enum(['primary', 'backup']).meta({
    title: 'To',
    help: 'The storage location',
    start: 'backup',
    choices: { primary: 'Primary storage', backup: 'Backup storage' },
  }),
  keep: z.boolean().default(false).meta({
    title: 'Keep the original',
    help: 'The files stay where they are, and a copy of each is kept in the other location',
  }),
})
type Options = z.output<typeof options>

export const changeStorage = definePlugin({
  id: 'change-storage',
  kind: 'act',
  title: 'Change storage',
  actions: [
    {
      group: 'organize',
      labels: {
        action: 'Change storage',
        title: 'Change the storage of {count, plural, one {# file} other {# files}}',
        button: '{keep, select, true {Copy files} other {Move files}}',
        running: 'Moving {count, plural, one {# file} other {# files}} to other storage',
        done: '{count, plural, one {# file} other {# files}} stored there',
        result: 'moved',
        preview:
          '{count, plural, one {# file would be moved or copied} other {# files would be moved or copied}}',
        note: 'Every byte is read back and compared before anything is deleted. Download links keep working meanwhile.',
      },
    },
  ],
  options,
  undo: 'none',
  needs: ['stored'],
  worksOn: 'files',
  bytes: true,
  summary: ({ location, keep }) =>
    keep
      ? say('Copies files to {location} storage, and leaves them where they are', { location })
      : say('Moves files to {location} storage', { location }),
  async *plan(items, options, { stored, signal }) {
    signal.throwIfAborted()
    const found = await stored.locate(items.flatMap(({ file }) => file.id ?? []))
    for (const { id, file } of items) {
      signal.throwIfAborted()
      const at = file.id === null ? undefined : found.get(file.id)
      yield { item: id, ...plannedDecision(at ?? null, options) }
    }
  },
  run: (items, { location, keep }, { stored, signal }) =>
    eachItem(items, CONCURRENCY, signal, async (item) => {
      const { unchanged, bytes } = await stored.relocate(item, location, { keep }, signal)
      if (unchanged) return isThere(location)
      return { status: 'ok', ...(bytes ? { bytes } : {}) }
    }),
})

function plannedDecision(at: StoredAt | null, { location, keep }: Options): Decision {
  if (!at)
    return {
      status: 'failed',
      code: 'file_not_found',
      message: 'There is no such file',
      retryable: false,
    }
  const there = keep
    ? at.copies.includes(location) ||
      at.versions.some((version) => version.current && version.location === location)
    : at.versions.every((version) => version.location === location)
  return there ? isThere(location) : { status: 'ok' }
}

const isThere = (location: Options['location']): Decision => ({
  status: 'ok',
  unchanged: say('It is in {location} storage already', { location }),
})
