import { expect, test } from 'vitest'
import { clicked, type Ticked } from './selection.ts'

const shown = ['a', 'b', 'c', 'd']
const none: Ticked = { list: 'x', ids: [], all: false }

test('rows are ticked one by one, by range, and as a page', () => {
  const one = clicked(none, { kind: 'one', id: 'b', on: true }, shown)
  expect(one.ids).toEqual(['b'])
  expect(clicked(one, { kind: 'range', from: 1, to: 3, on: true }, shown).ids).toEqual(['b', 'c', 'd'])
  expect(clicked(one, { kind: 'page', on: true }, shown)).toEqual({ list: 'x', ids: shown, all: false })
  expect(clicked(one, { kind: 'one', id: 'b', on: false }, shown).ids).toEqual([])
})

test('one taken away from all leaves the rest of the page', () => {
  const all = clicked(none, { kind: 'all', on: true }, shown)
  expect(all.all).toBe(true)
  expect(clicked(all, { kind: 'one', id: 'c', on: false }, shown)).toEqual({
    list: 'x',
    ids: ['a', 'b', 'd'],
    all: false,
  })
  expect(clicked(all, { kind: 'page', on: false }, shown)).toEqual(none)
  expect(clicked(all, { kind: 'all', on: false }, shown)).toEqual(none)
})
