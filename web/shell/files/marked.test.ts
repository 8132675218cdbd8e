import { describe, expect, test } from 'vitest'
import { cutParts, markedParts } from './marked.ts'

const shown = (text: string, find: string) =>
  markedParts(text, find)
    .map((part) => (part.marked ? `[${part.text}]` : part.text))
    .join('')

describe('the words of a search', () => {
  test.each([
    ['Weather almanac.pdf', '', 'Weather almanac.pdf'],
    ['Weather almanac.pdf', 'ALMANAC weather', '[Weather] [almanac].pdf'],
    ['a (1).pdf', '(1)', 'a [(1)].pdf'],
    ['Überfahrt.pdf', 'über', '[Über]fahrt.pdf'],
    ['chart charts', 'chart charts', '[chart] [charts]'],
    ['bonus.pdf', 'almanac', 'bonus.pdf'],
  ])('%s for “%s”', (text, find, expected) => expect(shown(text, find)).toBe(expected))
})

test('a long name keeps its end, which begins with a letter', () => {
  expect(cutParts('short.pdf')).toEqual(['short.pdf', ''])
  expect(cutParts('Watercolour worksheet, lesson 20.pdf')).toEqual([
    'Watercolour worksheet, ',
    'lesson 20.pdf',
  ])
})
