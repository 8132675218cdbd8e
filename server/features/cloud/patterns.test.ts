import { expect, test } from 'vitest'
import { pathFilter, patternProblem } from './patterns.ts'

test.each([
  ['*.pdf', ['a.pdf', 'x/y/a.pdf'], ['a.pdf.txt', 'apdf']],
  ['/*.pdf', ['a.pdf'], ['x/a.pdf']],
  ['drafts/**', ['drafts/a', 'x/drafts/y/a'], ['drafts', 'mydrafts/a']],
  ['drafts/', ['drafts/a', 'x/drafts/a'], ['drafts']],
  ['a?c', ['abc', 'x/abc'], ['ac', 'a/c']],
  ['[ab].txt', ['a.txt'], ['c.txt']],
  ['[!ab].txt', ['c.txt'], ['a.txt']],
  ['a/**/z', ['a/z', 'a/b/c/z'], ['az']],
  ['sum (1)+.txt', ['sum (1)+.txt'], ['sum 1.txt']],
])('%s', (pattern, matching, others) => {
  const filter = pathFilter([pattern], [])
  expect(matching.filter((path) => !filter(path))).toEqual([])
  expect(others.filter(filter)).toEqual([])
})

test('an exclude pattern wins, and a pattern with many stars is matched quickly', () => {
  const filter = pathFilter(['*.pdf'], ['secret*'])
  expect([filter('a.pdf'), filter('secret a.pdf')]).toEqual([true, false])
  expect(pathFilter(['*a'.repeat(50)], [])('a'.repeat(1000) + 'b')).toBe(false)
})

test('an invalid pattern is refused', () => {
  expect(patternProblem('*.pdf')).toBe(null)
  expect(patternProblem(' ')).toMatch(/Enter a pattern/)
  expect(patternProblem('[z-a]')).toMatch(/cannot be read/)
})
