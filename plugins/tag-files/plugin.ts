// Replaces files' tags, adds tags, or removes some.
import { z } from 'zod'
import { definePlugin, tag, type FileChange } from '../contract.ts'

const options = z
  .strictObject({
    mode: z
      .enum(['replace', 'add', 'remove'])
      .default('replace')
      .meta({
        title: 'How',
        help: 'Replace the tags that a file has, add to them, or remove these.',
        choices: {
          replace: 'Replace the tags they have',
          add: 'Add to the tags they have',
          remove: 'Remove these tags',
        },
      }),
    tags: z
      .array(tag)
      .max(250)
      .meta({
        title: 'Tags',
        widget: 'tags',
        placeholder: 'Type a tag and press Enter',
        confirm_empty: {
          when: { mode: 'replace' },
          text: 'No tag is named here: every tag that these files have will be removed.',
          button: 'Remove all tags',
        },
      }),
  })
  .superRefine(({ mode, tags }, context) => {
    if (mode !== 'replace' && tags.length === 0)
      context.addIssue({
        code: 'custom',
        path: ['tags'],
        message: `Name at least one tag to ${mode}`,
      })
  })

export const tagFiles = definePlugin({
  id: 'tag-files',
  kind: 'act',
  title: 'Tag files',
  actions: [
    {
      group: 'tags',
      promoted: true,
      labels: {
        action: 'Tag files',
        menu: 'Change tags',
        title: 'Tags of {count, plural, one {# file} other {# files}}',
        button: '{mode, select, add {Add tags} remove {Remove tags} other {Replace tags}}',
        running: 'Changing the tags of {count, plural, one {# file} other {# files}}',
        done: 'Tags of {count, plural, one {# file} other {# files}} changed',
        result: 'changed',
      },
    },
  ],
  options,
  undo: 'fields',
  summary: ({ mode, tags }) => {
    if (tags.length === 0) return 'Removes all tags'
    const verbs = { replace: 'Replaces all tags with', add: 'Adds', remove: 'Removes' }
    return `${verbs[mode]} ${tags.join(', ')}`
  },
  async *plan(items, wanted, { signal }) {
    const change = changeOf(wanted)
    for (const item of items) {
      signal.throwIfAborted()
      yield await Promise.resolve({ item: item.id, status: 'ok' as const, change })
    }
  },
})

function changeOf({ mode, tags }: z.output<typeof options>): FileChange {
  return { tags: mode === 'replace' ? { replace: tags } : { [mode]: tags } }
}
