// Adds tags to the files that match each rule. Existing tags stay.
import { z } from 'zod'
import {
  conditionSchema,
  definePlugin,
  matchesCondition,
  planEach,
  say,
  sayPlain,
  tag,
} from '../contract/index.ts'

const MB = 1024 ** 2

/** The four rules of the specification. */
const USUAL = [
  { when: { search: 'ebook' }, tags: ['ebook'] },
  { when: { search: 'course' }, tags: ['course'] },
  { when: { type: ['pdf'] }, tags: ['pdf'] },
  { when: { larger_than: 100 * MB }, tags: ['large-file'] },
]

const options = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        when: conditionSchema.meta({ title: 'Files' }),
        tags: z
          .array(tag)
          .min(1, sayPlain('Name at least one tag'))
          .max(50)
          .meta({ title: 'get the tags', widget: 'tags' }),
      }),
    )
    .min(1, sayPlain('Enter at least one rule'))
    .max(100)
    // `prefault`, not `default`: tags and conditions are normalized while they are parsed, and JSON
    // Schema would lose a default that is not.
    .prefault(USUAL)
    .meta({
      title: 'Rules',
      help: 'A file gets the tags of every rule that it matches.',
      widget: 'rules',
    }),
})
type Options = z.output<typeof options>

export const tagByRule = definePlugin({
  id: 'tag-by-rule',
  kind: 'act',
  title: 'Tag by rule',
  actions: [
    {
      group: 'tags',
      labels: {
        action: 'Tag by rule',
        title: 'Tag {count, plural, one {# file} other {# files}} by rule',
        result: 'changed',
      },
    },
  ],
  options,
  undo: 'fields',
  summary: ({ rules }) => {
    const tags = [...new Set(rules.flatMap((rule) => rule.tags))]
    return say('{count, plural, one {# rule} other {# rules}}: {tags}', {
      count: rules.length,
      tags: `${tags.slice(0, 5).join(', ')}${tags.length > 5 ? ' …' : ''}`,
    })
  },
  conditions: ({ rules }) => rules.map(({ when }) => when),
  plan: planEach(({ file }, { rules }: Options, timeZone) => {
    const add = rules
      .filter(({ when }) => matchesCondition(file, when, { timeZone }))
      .flatMap(({ tags }) => tags)
    if (add.length === 0)
      return { status: 'ok', unchanged: sayPlain('It matches none of the rules') }
    if (add.every((one) => file.tags.includes(one)))
      return { status: 'ok', unchanged: sayPlain('It has these tags') }
    return { status: 'ok', change: { tags: { add: [...new Set(add)] } } }
  }),
})
