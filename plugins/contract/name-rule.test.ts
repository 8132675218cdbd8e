import { expect, test } from 'vitest'
import {
  lastVariableOf,
  matchesRule,
  parseNamePattern,
  reasonOfRule,
  skuOfRule,
  wildcardCountOf,
  writeNamePattern,
} from './name-rule.ts'
import { english } from './text.ts'

test.each([
  ['WS-*', 'starts', 'WS-'],
  ['*lesson*', 'contains', 'lesson'],
  ['Plan', 'is', 'Plan'],
  ['**lesson**', 'contains', 'lesson'],
  ['*.pdf', 'pattern', '*.pdf'],
  ['a*b', 'pattern', 'a*b'],
  ['a*b*', 'pattern', 'a*b*'],
] as const)('%s is read as %s “%s”, and written the same', (pattern, kind, text) => {
  expect(parseNamePattern(pattern)).toEqual({ kind, text })
  expect(writeNamePattern({ kind, text })).toBe(pattern.replaceAll('**', '*'))
})

test.each([
  ['WS-*', 'ws-001.pdf', true],
  ['WS-*', 'my ws-001.pdf', false],
  ['caf\u00e9*', 'CAFE\u0301.pdf', true],
  ['*.**', 'a.pdf', true],
  ['*lesson*', 'The LESSON plan.pdf', true],
  ['Plan', 'plan.pdf', true],
  ['plan.pdf', 'Plan.PDF', true],
  ['plan', 'plan.v2.pdf', false],
  ['*_guide', 'EB-001_Guide.pdf', true],
  ['*_guide', 'EB-001_Guide 2.pdf', false],
  ['*.epub', 'EB-001.pdf', false],
  ['a*a', 'a.pdf', false],
  ['a*b*c', 'a-b-b-c.zip', true],
  ['a*b*c', 'ac.zip', false],
  ['.*', 'abc', false],
])('%s: %s is %s', (pattern, filename, matches) => {
  expect(matchesRule(parseNamePattern(pattern), filename)).toBe(matches)
})

test.each([
  ['WS-*', 'EB-{1}', 'ws-001.pdf', 'EB-001'],
  ['*_*_*', '{2}-{1}', 'Guide_EB_x.pdf', 'EB-Guide'],
  ['*', '{1}', 'EB-002.pdf', 'EB-002'],
  ['*.pdf', '{1}', 'eb-002.pdf', 'eb-002'],
  ['WS-*', 'FIXED', 'ws-1.pdf', 'FIXED'],
  ['WS-*', '{1}', 'WS-.pdf', ''],
  ['WS-*', '{1}', 'other.pdf', ''],
  ['İ*', '{1}', 'İ-7.pdf', '-7'],
])('%s with %s: %s has the SKU “%s”', (pattern, template, filename, sku) => {
  expect(skuOfRule(parseNamePattern(pattern), template, filename)).toBe(sku)
})

test('a pattern of many wildcards takes no time', () => {
  const pattern = parseNamePattern(`${'*a'.repeat(50)}b`)
  expect(matchesRule(pattern, `${'a'.repeat(250)}.pdf`)).toBe(false)
})

test('the variables of a template and the wildcards of a pattern are counted', () => {
  expect(lastVariableOf('A{2}{1}')).toBe(2)
  expect(lastVariableOf('A{0}')).toBe(0)
  expect(wildcardCountOf('a**b*')).toBe(2)
})

test('a reason quotes the rule', () => {
  expect(english(reasonOfRule({ kind: 'contains', text: 'plan' }))).toBe(
    'The shop’s rule: names that contain plan',
  )
})
