import { expect, it } from 'vitest'
import type { Bench, Row } from './bench.ts'
import { briefly, mainRows } from './brief.ts'

const row = (what: string, about: Partial<Row>): Row => ({
  what,
  unit: 'ms',
  ours: 1,
  theirs: 1,
  ratio: 1,
  ...about,
})

it('shows the rows of a bench that are nearest to their bounds', () => {
  const rows = [
    row('without a bound', { ratio: 9 }),
    row('far', { ratio: 3, floor: 1 }),
    row('near', { ratio: 0.9, ceiling: 1 }),
    row('beyond', { ratio: 0.5, floor: 1 }),
  ]
  expect(mainRows(rows).map(({ what }) => what)).toEqual(['near', 'beyond'])
  expect(mainRows(rows.slice(0, 1))).toEqual(rows.slice(0, 1))
  expect(mainRows([])).toEqual([])
})

it('runs every bench, also after one that fails, which falls short', async () => {
  const load = () => Promise.reject<Bench>(new Error('not loaded here'))
  const rows = await briefly(
    ['one', 'two', 'three'].map((name) => [name, load] as const),
    (name, load) => (name === 'two' ? load().then(() => []) : Promise.resolve([row('main', {})])),
  )
  expect(rows.map(({ what }) => what)).toEqual(['one: main', 'two: failed', 'three: main'])
  expect(rows.map(({ ratio }) => ratio)).toEqual([1, NaN, 1])
})
