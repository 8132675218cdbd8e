import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distinctionOf } from './distinctions.ts'
import { scoreWords } from './score.ts'
import { wordsOf, wordsOfName } from './words.ts'

const score = (name: string, title: string) => scoreWords(wordsOfName(name), wordsOf(title))
const rounded = (value: number) => Math.round(value * 1000) / 1000

test.each([
  ['Winter Harbor.pdf', 'Winter Harbour', 0.923],
  ['slow bred.pdf', 'Slow Bread', 0.889],
  ['solw-bread.pdf', 'Slow Bread', 0.889],
  ['slowbread_final.pdf', 'Slow Bread', 0.944],
  ['Light House.pdf', 'Lighthouse', 0.95],
  ['bread, slow.pdf', 'Slow Bread', 1],
  ['slow-bread_v3 (1).pdf', 'Slow Bread', 0.94],
  ['slow-bread 2025 (1).pdf', 'Slow Bread', 0.88],
  ['slow-bread 2025 (1).pdf', 'Slow Bread 2025', 0.94],
  ['Lighthouse Keeper Ledger.pdf', 'The Lighthouse Keeper’s Ledger', 0.904],
  ['Guide, second edition.pdf', 'Guide 2nd Edition', 1],
  ['Course deutsch.pdf', 'Course (DE)', 1],
  ['Volume II.pdf', 'Volume 2', 1],
])('%s is like %s: %d', (name, title, expected) =>
  expect(rounded(score(name, title))).toBe(expected),
)

test.each([
  ['Volume 1', 'Volume 2'],
  ['Volume 1 (2)', 'Volume 2'],
  ['Vol. 1, part 2', 'Volume 2, part 1'],
  ['Season 1 Episode 1', 'Season 1 Episode 2'],
  ['Volume One', 'Volume Two'],
  ['Volume I', 'Volume II'],
  ['A Handbook of the Sea, part A', 'A Handbook of the Sea, part B'],
  ['Course (DE)', 'Course (EN)'],
  ['The Complete Course in German', 'The Complete Course in English'],
  ['The Complete Handbook, 1st Edition', 'The Complete Handbook, 2nd Edition'],
  ['Harbour Print Poster A4', 'Harbour Print Poster A3'],
  ['Harbour Print Poster Small', 'Harbour Print Poster Large'],
  ['Harbour Print Poster S', 'Harbour Print Poster XL'],
  ['Tide Tables of the Harbour 2025', 'Tide Tables of the Harbour 2026'],
  ['Knitting for Beginners', 'Knitting for Advanced'],
])('%s is never %s, nor the other way round', (one, other) => {
  expect([score(`${one}.pdf`, other), score(`${other}.pdf`, one)]).toEqual([0, 0])
})

test.each([
  ['Tide Tables.pdf', 'Tide Tables 2025'],
  ['The Complete Guide to Knitting Volume 2.pdf', 'The Complete Guide to Knitting'],
  ['The Complete Course in Knitting FR.pdf', 'The Complete Course in Knitting'],
  ['The Complete Course in Knitting.pdf', 'The Complete Course in Knitting (DE)'],
  [
    'The Complete Illustrated Poster Collection Red.pdf',
    'The Complete Illustrated Poster Collection Blue',
  ],
])('%s may be %s, and needs a review', (name, title) => {
  expect(score(name, title)).toBeGreaterThanOrEqual(0.6)
  expect(score(name, title)).toBeLessThan(0.8)
})

describe('one typo', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
  const word = (most: number) =>
    fc.array(letter, { minLength: 4, maxLength: most }).map((letters) => letters.join(''))
  const title = fc
    .array(word(8), { minLength: 2, maxLength: 5 })
    .filter((words) => words.join('').length >= 10)
  test('in a title of ten letters or more scores above 0.85', () => {
    fc.assert(
      fc.property(
        title,
        fc.nat(),
        fc.nat(),
        letter,
        fc.constantFrom('change', 'add', 'drop', 'swap'),
        (words, which, where, by, how) => {
          // oxfmt-ignore
          const own = words[which % words.length]!
          const at = where % (own.length - 1)
          // oxfmt-ignore
          const [from, to] = { change: [1, by], add: [0, by], drop: [1, ''], swap: [2, `${own[at + 1]}${own[at]}`] }[how] as [number, string]
          const typed = words.with(
            which % words.length,
            own.slice(0, at) + to + own.slice(at + from),
          )
          // A typo that makes a number of a word, as `vii` of `avii`, names another product.
          fc.pre([...words, ...typed].every((one) => distinctionOf(one) === null))
          const [name, whole] = [
            { ...wordsOf(''), letters: typed },
            { ...wordsOf(''), letters: words },
          ]
          expect(scoreWords(name, whole)).toBeGreaterThan(0.85)
        },
      ),
      { numRuns: 500 },
    )
  })
  test('the title itself scores 1', () => {
    fc.assert(
      fc.property(title, (words) => {
        expect(score(words.join('_'), words.join(' '))).toBe(1)
      }),
    )
  })
})
