import { expect, test } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { english, textOf } from '../contract/index.ts'
import { wait } from './plugin.ts'

const items = ['book.pdf', 'map.pdf'].map((filename) => fileItem(filename, { filename }))
pluginSuite(wait, () =>
  Promise.resolve({ items, options: { for: 1 }, context: writeContext(), state: () => null }),
)

const parse = (options: object) => wait.options.safeParse(options)

test.each([
  [{ for: 1, unit: 'minutes' }, { seconds: 60 }, 'Continues after 1 minute'],
  [{ for: 2160, unit: 'hours' }, { seconds: 7_776_000 }, 'Continues after 2,160 hours'],
  [{ for: 2 }, { seconds: 172_800 }, 'Continues after 2 days'],
  [{ until: '2027-01-31' }, { until: '2027-01-31' }, 'Continues on 2027-01-31'],
])('%j waits and says so', (given, waits, summary) => {
  const options = wait.options.parse(given)
  expect(wait.waits?.(options)).toEqual(waits)
  expect(english(textOf(wait.summary?.(options) ?? ''))).toBe(summary)
})

test.each([
  {},
  { for: 0 },
  { for: 1.5 },
  { for: 91 },
  { for: 2161, unit: 'hours' },
  { for: 129_601, unit: 'minutes' },
  { for: 1, until: '2027-01-31' },
  { until: '2027-02-30' },
  { until: '2027-01-31T12:00:00Z' },
])('%j is refused', (options) => {
  expect(parse(options).success).toBe(false)
})

test('it changes no file', async () => {
  const items = [fileItem('a', {}), fileItem('b', {}, 1)]
  const outcomes = await Array.fromAsync(
    wait.plan(items, wait.options.parse({ for: 1 }), writeContext()),
  )
  expect(outcomes).toEqual(items.map(({ id }) => ({ item: id, status: 'ok' })))
})
