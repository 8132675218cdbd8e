import { expect, test } from 'vitest'
import { matchesRule, reasonOfRule } from './name-rules.ts'
import { english } from './texts.ts'

test.each([
  ['starts', 'WS-', 'ws-001.pdf', true],
  ['starts', 'WS-', 'my ws-001.pdf', false],
  ['starts', 'caf\u00e9', 'CAFE\u0301.pdf', true],
  ['contains', '.*', 'a.pdf', false],
  ['contains', 'lesson', 'The LESSON plan.pdf', true],
  ['is', 'Plan', 'plan.pdf', true],
  ['is', 'plan.pdf', 'Plan.PDF', true],
  ['is', 'plan', 'plan.v2.pdf', false],
  ['is', '', '.pdf', false],
] as const)('a name that %s “%s”: %s is %s', (kind, text, filename, matches) => {
  expect(matchesRule({ kind, text }, filename)).toBe(matches)
})

test('a reason quotes the rule', () => {
  expect(english(reasonOfRule({ kind: 'contains', text: 'plan' }))).toBe(
    'The shop’s rule: names that contain plan',
  )
})
