import { expect, test } from 'vitest'
import { parseNamePattern } from '../../../../plugins/_page/name-patterns.ts'
import { commonStart, patternOf } from './rule-text.ts'

test.each([
  ['WS-*', 'starts', 'WS-'],
  ['*lesson*', 'contains', 'lesson'],
  ['plan.pdf', 'is', 'plan.pdf'],
  ['*.pdf', 'pattern', '*.pdf'],
  ['a*b*', 'pattern', 'a*b*'],
] as const)('%s is shown as %s “%s”, and saved the same', (pattern, kind, text) => {
  expect(parseNamePattern(pattern)).toEqual({ kind, text })
  expect(patternOf({ kind, text })).toBe(pattern)
})

test('a text without a letter is no pattern', () => {
  expect(patternOf({ kind: 'starts', text: '' })).toBe('')
  expect(patternOf({ kind: 'pattern', text: '**' })).toBe('')
})

test.each([
  [['WS-001 plan.pdf', 'ws-002 plan.pdf'], { kind: 'starts', text: 'WS-' }],
  [['Workshop 1.pdf', 'Workshop 2.pdf'], { kind: 'starts', text: 'Workshop' }],
  [['Lesson.pdf', 'Lessons.pdf'], { kind: 'starts', text: 'Lesson' }],
  [['a.pdf', 'b.pdf'], { kind: 'starts', text: '' }],
  [['TWIN_1.pdf'], { kind: 'starts', text: 'TWIN_' }],
  [['Almanac.pdf'], { kind: 'is', text: 'Almanac.pdf' }],
])('a rule for %j is offered as %j', (names, pattern) => {
  expect(commonStart(names)).toEqual(pattern)
})
