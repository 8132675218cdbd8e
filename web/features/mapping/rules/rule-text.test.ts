import { expect, test } from 'vitest'
import { commonStart } from './rule-text.ts'

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
