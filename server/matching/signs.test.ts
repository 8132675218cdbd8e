import { expect, test } from 'vitest'
import { REPORTED_AMONG, REPORTED_OTHER, REPORTED_SAME } from '../../test/bench/mapping/reported.ts'
import {
  AMONG_OTHERS,
  DOUBTFUL,
  OTHER_PRODUCTS,
  SAME_PRODUCTS,
} from '../../test/bench/mapping/signs.ts'
import { decideMatch, hitOfTitle } from './hits.ts'
import { exactOrAll } from './match.ts'
import { scoreWords } from './score.ts'
import { wordsOf, wordsOfName } from './words.ts'

const THRESHOLD = 0.8
/** What a shop with these titles does with a file: the title, `review`, or `none`. */
function find(name: string, ...titles: readonly string[]): string {
  const words = wordsOfName(name)
  const hits = titles
    .map((title) => hitOfTitle(title, title, scoreWords(words, wordsOf(title))))
    .filter(({ score }) => score >= 0.6)
  const { match, near } = decideMatch(exactOrAll(name, hits), THRESHOLD)
  return match?.mapping?.product_title ?? (match || near.length > 0 ? 'review' : 'none')
}

test.each([...OTHER_PRODUCTS, ...REPORTED_OTHER])(
  'a title with another sign is another one: %s, not %s',
  (title, name) => expect(find(name, title)).not.toBe(title),
)

test.each(DOUBTFUL)('a word that is spelled right is no typo: %s, %s: %s', (title, name, becomes) =>
  expect(find(name, title)).toBe(becomes),
)

test.each([...SAME_PRODUCTS, ...REPORTED_SAME])(
  'another spelling is the same title: %s, %s',
  (title, name) => expect(find(name, title)).toBe(title),
)

test.each([...AMONG_OTHERS, ...REPORTED_AMONG])(
  'the exact title wins: %s of %j',
  (name, titles, becomes) => expect(find(name, ...titles)).toBe(becomes),
)
