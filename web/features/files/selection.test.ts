import { expect, test } from 'vitest'
import { type File } from '../../shell/client/types.ts'
import { type Click, selectionAfter, type TickedFiles } from './selection.ts'

const page = (ids: string) => [...ids].map((id) => ({ id }) as File)
const shown = page('abcd')
const none: TickedFiles = { list: 'x', files: new Map(), all: false }
const idsOf = ({ files }: TickedFiles) => [...files.keys()].join('')
const after = (...clicks: [click: Click, shown: readonly File[]][]) =>
  clicks.reduce((ticked, [click, files]) => selectionAfter(ticked, click, files), none)

test('rows are selected one by one, as a range, and as a page', () => {
  const one = selectionAfter(none, { kind: 'one', id: 'b', on: true }, shown)
  expect(idsOf(one)).toBe('b')
  expect(idsOf(selectionAfter(one, { kind: 'range', from: 1, to: 3, on: true }, shown))).toBe('bcd')
  expect(idsOf(selectionAfter(one, { kind: 'page', on: true }, shown))).toBe('bacd')
  expect(idsOf(selectionAfter(one, { kind: 'one', id: 'b', on: false }, shown))).toBe('')
})

test('the selection keeps its order: the direction of a range, the order of a page', () => {
  const first = selectionAfter(none, { kind: 'one', id: 'd', on: true }, shown)
  expect(idsOf(selectionAfter(first, { kind: 'range', from: 3, to: 1, on: true }, shown))).toBe(
    'dcb',
  )
  expect(idsOf(selectionAfter(none, { kind: 'page', on: true }, shown, shown.toReversed()))).toBe(
    'dcba',
  )
  expect(idsOf(selectionAfter(first, { kind: 'page', on: true }, shown, page('abcd')))).toBe('dabc')
})

test('other pages keep their selection', () => {
  const both = after(
    [{ kind: 'one', id: 'c', on: true }, shown],
    [{ kind: 'page', on: true }, page('ef')],
  )
  expect(idsOf(both)).toBe('cef')
  expect(idsOf(selectionAfter(both, { kind: 'page', on: false }, page('ef')))).toBe('c')
  expect(idsOf(selectionAfter(both, { kind: 'one', id: 'c', on: true }, page('ef')))).toBe('cef')
})

test('removing one from all leaves the rest of the page', () => {
  const all = selectionAfter(none, { kind: 'all' }, shown)
  expect(all.all).toBe(true)
  const rest = selectionAfter(all, { kind: 'one', id: 'c', on: false }, shown)
  expect([idsOf(rest), rest.all]).toEqual(['abd', false])
  expect(selectionAfter(all, { kind: 'page', on: false }, shown)).toEqual(none)
  const page = selectionAfter(all, { kind: 'page', on: true }, shown)
  expect([idsOf(page), page.all]).toEqual(['abcd', false])
})

test('after selecting all, pages can be changed and a row removed there', () => {
  const all = selectionAfter(none, { kind: 'all' }, shown)
  expect(idsOf(selectionAfter(all, { kind: 'one', id: 'e', on: false }, page('ef')))).toBe('f')
})

test('with Shift and an arrow key the selection grows, shrinks, and turns at its first file', () => {
  const extend = (ticked: TickedFiles, anchor: number, from: number, to: number) =>
    selectionAfter(ticked, { kind: 'extent', anchor, from, to }, shown)
  const grown = extend(extend(none, 1, 1, 2), 1, 2, 3)
  expect(idsOf(grown)).toBe('bcd')
  expect(idsOf(extend(grown, 1, 3, 2))).toBe('bc')
  expect(idsOf(extend(grown, 1, 3, 0))).toBe('ba')
  const other = selectionAfter(none, { kind: 'one', id: 'x', on: true }, page('xy'))
  expect(idsOf(extend(other, 1, 1, 2))).toBe('xbc')
  expect(idsOf(extend({ ...none, all: true }, 3, 3, 2))).toBe('abcd')
})
