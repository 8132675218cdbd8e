import { expect, test } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { english, textOf } from '../contract/index.ts'
import { ask } from './plugin.ts'

const items = ['book.pdf', 'map.pdf'].map((filename) => fileItem(filename, { filename }))
pluginSuite(ask, () =>
  Promise.resolve({ items, options: {}, context: writeContext(), state: () => null }),
)

test('it asks the named people, or anyone, and says so', () => {
  const anyone = ask.options.parse({})
  expect(ask.waits?.(anyone)).toEqual({
    ask: { who: [], seconds: 259_200, no_answer: 'remind', starter_may_approve: true },
  })
  expect(english(textOf(ask.summary?.(anyone) ?? ''))).toBe('Continues when it is approved')
  const given = { who: [' anna@example.com'], within: 90, unit: 'minutes', no_answer: 'reject' }
  const named = ask.options.parse({ ...given, starter_may_approve: false })
  expect(ask.waits?.(named)).toEqual({
    ask: {
      who: ['anna@example.com'],
      seconds: 5400,
      no_answer: 'reject',
      starter_may_approve: false,
    },
  })
  expect(english(textOf(ask.summary?.(named) ?? ''))).toBe(
    'Continues when it is approved by anna@example.com',
  )
})

test.each([
  { who: ['anna'] },
  { who: ['anna@example.com', 'Anna@example.com'] },
  { who: Array.from({ length: 11 }, (_, n) => `a${n}@example.com`) },
  { within: 0 },
  { within: 91 },
  { within: 2161, unit: 'hours' },
  { no_answer: 'wait' },
])('%j is refused', (options) => {
  expect(ask.options.safeParse(options).success).toBe(false)
})
