// A sample plugin that reads bytes: it counts the words of text files and tags each file with their
// number.
import { createReadStream } from 'node:fs'
import { z } from 'zod'
import {
  concurrently,
  definePlugin,
  extensionOf,
  failed,
  FILES,
  tag,
  type Item,
} from '../../../plugins/contract/index.ts'

const TEXTS = ['txt', 'md', 'csv'] as const
const CONCURRENCY = 4

const options = z.strictObject({
  prefix: tag.default('words').meta({ title: 'Tag', help: 'The number follows it: words-1200.' }),
  round_to: z.int().min(1).max(1_000_000).default(1).meta({
    title: 'Round to',
    suffix: 'words',
    help: 'Files of similar length then share a tag.',
  }),
})

export const countWords = definePlugin({
  id: 'count-words',
  kind: 'act',
  title: 'Count words',
  actions: [
    {
      group: 'tags',
      labels: {
        action: 'Count words',
        title: `Count the words of ${FILES}`,
        running: `Counting the words of ${FILES}`,
        done: `Words of ${FILES} counted`,
        result: 'counted',
        preview: '{count, plural, one {# file would be counted} other {# files would be counted}}',
      },
      fits: {
        noun: { one: 'text file', many: 'text files', files: { extensions: TEXTS } },
        rules: [{ rule: 'some', files: { extensions: TEXTS }, why: 'No text file is selected' }],
      },
    },
  ],
  options,
  undo: 'fields',
  worksOn: 'files',
  needs: ['bytes'],
  bytes: true,
  summary: ({ prefix }) =>
    `Tags text files with the number of their words, as ${prefix}-1200`.slice(0, 200),
  async *plan(items, _options, { signal }) {
    for (const item of items) {
      signal.throwIfAborted()
      yield { item: item.id, status: 'ok' as const, ...whyNot(item) }
    }
  },
  run: (items, { prefix, round_to }, { bytes, signal }) =>
    concurrently(items, CONCURRENCY, signal, async (item) => {
      const passed = whyNot(item)
      if (passed) return { item: item.id, status: 'ok' as const, ...passed }
      try {
        const words = await bytes.withFile(item, ({ path }) => wordsIn(path), signal)
        const add = [`${prefix}-${Math.round(words / round_to) * round_to}`]
        return { item: item.id, status: 'ok' as const, change: { tags: { add } } }
      } catch (error) {
        return failed(item, error)
      }
    }),
})

const whyNot = ({ file }: Item) =>
  (TEXTS as readonly string[]).includes(extensionOf(file.filename))
    ? null
    : { unchanged: 'It is not a text file' }

/** Runs of characters between white space. A word may be split over two chunks. */
async function wordsIn(path: string): Promise<number> {
  let [words, inside] = [0, false]
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>)
    for (const character of chunk) {
      const space = /\s/.test(character)
      if (!space && !inside) words++
      inside = !space
    }
  return words
}
