// Precision and recall at the default threshold, compared with the share of common trigrams alone
// over the same names.
import { decideMatch, hitOfTitle } from '../../../server/matching/hits.ts'
import { scoreWords } from '../../../server/matching/score.ts'
import { scoreTitle } from '../../../server/matching/title-index.ts'
import { wordsOf, wordsOfName, type Words } from '../../../server/matching/words.ts'
import type { Row } from '../bench.ts'
import { judge, makeLabelled, TITLES } from './labelled.ts'

const THRESHOLD = 0.8

function judged(score: (name: Words, title: Words) => number) {
  const names = makeLabelled()
  const titles = TITLES.map((title) => ({ title, words: wordsOf(title) }))
  const found = names.map(({ name }) => {
    const words = wordsOfName(name)
    const hits = titles.map((one) => hitOfTitle(one.title, one.title, score(words, one.words)))
    return decideMatch(hits, THRESHOLD).match?.mapping?.product_title ?? null
  })
  return judge(names, found)
}

export function qualityRows(): Row[] {
  const [ours, trigrams] = [judged(scoreWords), judged(scoreTitle)]
  const row = (what: 'precision' | 'recall', floor: number): Row => ({
    what: `${what} at ${THRESHOLD * 100} %, against trigrams alone`,
    ours: ours[what] * 100,
    theirs: trigrams[what] * 100,
    unit: '%',
    ratio: ours[what] / trigrams[what],
    floor,
  })
  return [row('precision', 1), row('recall', 1)]
}
