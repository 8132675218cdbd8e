// Replaces files' tags, adds tags, or removes some or all.
import { z } from 'zod'
import { definePlugin, type FileChange, say, sayFixed, sayPlain, tag } from '../contract/index.ts'

/** Only to remove all tags may they be absent: a forgotten list must not clear what files have. */
const options = z
  .strictObject({
    mode: z
      .enum(['replace', 'add', 'remove', 'clear'])
      .default('replace')
      .meta({
        title: 'How',
        help: 'Replace the tags that a file has, add to them, or remove these.',
        choices: {
          replace: 'Replace the tags they have',
          add: 'Add to the tags they have',
          remove: 'Remove these tags',
          clear: 'Remove all tags',
        },
        // The question needs the numbers of tags, which are known for the files of the page.
        confirm: {
          when: ['replace', 'clear'],
          text: '{known, select, true {{lost_files, plural, one {# file loses} other {# files lose}} {lost_tags, plural, one {the tag {lost_names}} other {# tags: {lost_names}}}.} other {All tags that are not named here are removed from the files, of which there are {count}.}} An undo is possible for 7 days.',
          button: '{mode, select, clear {Remove all tags} other {Replace the tags}}',
        },
      }),
    tags: z
      .array(tag)
      .max(250, sayFixed('At most {count} tags', { count: 250 }))
      .optional()
      .meta({
        title: 'Tags',
        widget: 'tags',
        placeholder: 'Type a tag and press Enter',
        needed: {
          when: { mode: 'replace' },
          text: 'Name at least one tag, or choose “Remove all tags”',
        },
      }),
  })
  .refine(({ mode, tags }) => tags !== undefined || mode === 'clear', {
    path: ['tags'],
    message: sayPlain('This is required'),
    params: { code: 'required' },
    // Also if the mode is invalid, so that all problems are named.
    when: ({ value, issues }) =>
      typeof value === 'object' &&
      value !== null &&
      !issues.some(({ path }) => path?.[0] === 'tags'),
  })
  .superRefine(({ mode, tags }, context) => {
    if (!tags) return
    if (mode === 'clear' && tags.length > 0)
      context.addIssue({
        code: 'custom',
        path: ['tags'],
        message: sayPlain('Name no tag to remove all tags'),
      })
    if ((mode === 'add' || mode === 'remove') && tags.length === 0)
      context.addIssue({
        code: 'custom',
        path: ['tags'],
        message: sayPlain('Name at least one tag to add or remove'),
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
        button:
          '{mode, select, add {Add tags} remove {Remove tags} clear {Remove all tags} other {Replace tags}}',
        running: 'Changing the tags of {count, plural, one {# file} other {# files}}',
        done: 'Tags of {count, plural, one {# file} other {# files}} changed',
        result: 'changed',
      },
    },
  ],
  options,
  undo: 'fields',
  summary: ({ mode, tags = [] }) => {
    if (tags.length === 0) return say('Removes all tags')
    const values = { tags: tags.join(', ') }
    if (mode === 'add') return say('Adds {tags}', values)
    if (mode === 'remove') return say('Removes {tags}', values)
    return say('Replaces all tags with {tags}', values)
  },
  async *plan(items, wanted, { signal }) {
    const change = changeOf(wanted)
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, status: 'ok' as const, change }
    }
  },
})

function changeOf({ mode, tags = [] }: z.output<typeof options>): FileChange {
  if (mode === 'clear') return { tags: { replace: [] } }
  return { tags: mode === 'replace' ? { replace: tags } : { [mode]: tags } }
}
