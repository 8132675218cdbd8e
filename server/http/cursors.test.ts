import { expect, it } from 'vitest'
import { cutPage } from './cursors.ts'

const rows = (...ids: string[]) => ids.map((id) => ({ id }))
const cut = (all: { id: string }[], query: { limit?: number; cursor?: string }) =>
  cutPage(all, query, ({ id }) => id)

it('cuts a list that was read whole into pages, and without a limit returns all of it', () => {
  const all = rows('a', 'b', 'c', 'd', 'e')
  const first = cut(all, { limit: 2 })
  const second = cut(all, { limit: 2, cursor: first.next_cursor! })
  const third = cut(all, { limit: 2, cursor: second.next_cursor! })
  expect([first.data, second.data, third]).toEqual([
    rows('a', 'b'),
    rows('c', 'd'),
    { data: rows('e'), next_cursor: null },
  ])
  expect(cut(all, { limit: 5 }).next_cursor).toBeNull()
  expect(cut(all, {})).toEqual({ data: all, next_cursor: null })
  expect(cut([], {})).toEqual({ data: [], next_cursor: null })
  expect(cut(all, { cursor: first.next_cursor! }).data).toEqual(rows('c', 'd', 'e'))
})

it('continues at the same row if rows before it were added, or it was deleted', () => {
  const cursor = cut(rows('a', 'b', 'c'), { limit: 2 }).next_cursor!
  expect(cut(rows('new', 'a', 'b', 'c'), { cursor }).data).toEqual(rows('c'))
  expect(cut(rows('a', 'c'), { cursor }).data).toEqual(rows('c'))
  expect(() => cut(rows('a'), { cursor: 'nonsense' })).toThrow('The request contains')
})
