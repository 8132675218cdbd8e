// Replaces a tag by another one. A file that has both tags keeps the new one, once.
import { z } from 'zod'
import { definePlugin, nameKey, say, sayPlain, tag } from '../contract/index.ts'

const options = z
  .strictObject({
    find: tag.meta({
      title: 'Tag to find',
      help: 'The whole tag, not a part of it.',
      widget: 'tag',
    }),
    replace: tag.meta({ title: 'New tag', widget: 'tag' }),
    case_sensitive: z.boolean().default(true).meta({
      title: 'Match case',
      help: 'Off: Summer, SUMMER and summer are all replaced.',
    }),
  })
  .superRefine(({ find, replace, case_sensitive }, context) => {
    if (case_sensitive && find === replace)
      context.addIssue({
        code: 'custom',
        path: ['replace'],
        message: sayPlain('This is the same tag'),
      })
  })

export const replaceTag = definePlugin({
  id: 'replace-tag',
  kind: 'act',
  title: 'Replace a tag',
  actions: [
    {
      group: 'tags',
      labels: {
        action: 'Replace a tag',
        menu: 'Find and replace a tag',
        title: 'Replace a tag in {count, plural, one {# file} other {# files}}',
        button: 'Replace tag',
        running: 'Replacing a tag in {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} done',
        result: 'changed',
        note: 'Files that don’t have the first tag stay as they are. A file that has both keeps the second one.',
      },
      fits: { rules: [{ rule: 'some', files: { tagged: true }, why: 'None of them has a tag' }] },
    },
  ],
  options,
  undo: 'fields',
  summary: ({ find, replace, case_sensitive }) =>
    case_sensitive
      ? say('Replaces the tag {find} by {replace}', { find, replace })
      : say('Replaces the tag {find} in any case by {replace}', { find, replace }),
  async *plan(items, { find, replace, case_sensitive }, { signal }) {
    const sought = nameKey(find)
    const matchesTag = (one: string) => (case_sensitive ? one === find : nameKey(one) === sought)
    for (const item of items) {
      signal.throwIfAborted()
      const outcome = { item: item.id, status: 'ok' as const }
      if (!item.file.tags.some((one) => matchesTag(one) && one !== replace))
        yield {
          ...outcome,
          unchanged: sayPlain('It does not have this tag'),
        }
      else {
        const tags = new Set(item.file.tags.map((one) => (matchesTag(one) ? replace : one)))
        yield { ...outcome, change: { tags: { replace: [...tags] } } }
      }
    }
  },
})
