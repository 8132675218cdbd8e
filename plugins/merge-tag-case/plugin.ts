// Merges tags that differ only in case: each becomes its lower-case form.
import { z } from 'zod'
import { definePlugin, nameKey, say, sayPlain } from '../contract/index.ts'

export const mergeTagCase = definePlugin({
  id: 'merge-tag-case',
  kind: 'act',
  title: 'Merge tags that differ in case',
  actions: [
    {
      group: 'tags',
      labels: {
        action: 'Merge tags that differ in case',
        menu: 'Merge tags that differ in capitals',
        title: 'Merge tags in {count, plural, one {# file} other {# files}}',
        button: 'Merge tags',
        running: 'Merging the tags of {count, plural, one {# file} other {# files}}',
        done: '{count, plural, one {# file} other {# files}} done',
        result: 'changed',
        intro:
          'Every tag that has capitals becomes the same tag in small letters: “Summer”, “SUMMER” and “summer” become one tag, “summer”, in each file. {capitals, select, none {} other {{known, select, true {These change} other {Among them}}: {capitals}}}',
      },
      fits: {
        rules: [
          { rule: 'some', files: { capitals: true }, why: 'None of their tags has capitals' },
        ],
      },
    },
  ],
  options: z.strictObject({}),
  undo: 'fields',
  summary: () => say('Makes all tags lower-case: Summer and SUMMER become summer'),
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      const outcome = { item: item.id, status: 'ok' as const }
      const { tags } = item.file
      const lower = tags.map(nameKey)
      if (tags.every((one, at) => one === lower[at]))
        yield {
          ...outcome,
          unchanged: sayPlain('None of its tags has capitals'),
        }
      else yield { ...outcome, change: { tags: { replace: [...new Set(lower)] } } }
    }
  },
})
