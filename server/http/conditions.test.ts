import { expect, test } from 'vitest'
import { evaluateConditions } from './conditions.ts'

const FILE = { etag: '"abc"', modifiedMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678), size: 1000 }
const DATE = 'Fri, 02 Jan 2026 03:04:05 GMT'
const EARLIER = 'Fri, 02 Jan 2026 03:04:04 GMT'
const part = (start: number, end: number) => ({ status: 206, range: { start, end } })

test.each([
  ['bytes=0-0', part(0, 0)],
  ['bytes=0-', part(0, 999)],
  ['bytes=990-5000', part(990, 999)],
  ['bytes=-1', part(999, 999)],
  ['bytes=-5000', part(0, 999)],
  ['BYTES= 5-6 ', part(5, 6)],
  ['bytes=1000-', { status: 416 }],
  ['bytes=99999999999999999999-', { status: 416 }],
  ['bytes=-0', { status: 416 }],
  ['bytes=0-1,3-4', { status: 200 }],
  ['bytes=6-5', { status: 200 }],
  ['bytes=-', { status: 200 }],
  ['bytes=a-b', { status: 200 }],
  ['items=0-5', { status: 200 }],
])('Range: %s', (range, answer) => {
  expect(evaluateConditions('GET', { range }, FILE)).toEqual(answer)
})

test('an empty file has no ranges', () => {
  for (const range of ['bytes=0-', 'bytes=-5'])
    expect(evaluateConditions('GET', { range }, { ...FILE, size: 0 })).toEqual({ status: 416 })
})

test('conditions are evaluated in the standard’s order', () => {
  expect(evaluateConditions('GET', { 'if-none-match': '*' }, FILE).status).toBe(304)
  expect(
    evaluateConditions('GET', { 'if-none-match': '"other"', 'if-modified-since': DATE }, FILE)
      .status,
  ).toBe(200)
  expect(evaluateConditions('GET', { 'if-modified-since': EARLIER }, FILE).status).toBe(200)
  expect(evaluateConditions('GET', { 'if-modified-since': 'soon' }, FILE).status).toBe(200)
  expect(
    evaluateConditions('GET', { 'if-match': '"abc"', 'if-unmodified-since': EARLIER }, FILE).status,
  ).toBe(200)
  expect(evaluateConditions('GET', { 'if-match': 'W/"abc"' }, FILE).status).toBe(412)
  expect(evaluateConditions('GET', { 'if-unmodified-since': EARLIER }, FILE).status).toBe(412)
  expect(evaluateConditions('GET', { 'if-unmodified-since': DATE }, FILE).status).toBe(200)
  expect(
    evaluateConditions('GET', { 'if-none-match': '"abc"', range: 'bytes=5000-' }, FILE).status,
  ).toBe(304)
})

test('a Range with HEAD, or on a changed file, is ignored', () => {
  expect(evaluateConditions('HEAD', { range: 'bytes=5-' }, FILE).status).toBe(200)
  expect(evaluateConditions('GET', { range: 'bytes=5-', 'if-range': EARLIER }, FILE).status).toBe(
    200,
  )
  expect(evaluateConditions('GET', { range: 'bytes=5-', 'if-range': DATE }, FILE)).toEqual(
    part(5, 999),
  )
})
