// Precision and recall at the default threshold, compared with the share of common trigrams alone
// over the same names.
import { decideMatch, hitOfTitle } from '../../../server/matching/hits.ts'
import { present } from '../../../server/core/lazy.ts'
import { exactOrAll } from '../../../server/matching/match.ts'
import { scoreWords } from '../../../server/matching/score.ts'
import { scoreTitle } from '../../../server/matching/title-index.ts'
import { wordsOf, wordsOfName, type Words } from '../../../server/matching/words.ts'
import type { Row } from '../bench.ts'
import { judge, makeLabelled, TITLES, type LabelledName } from './labelled.ts'
import { REPORTED_CASES } from './reported.ts'
import { SIGN_CASES } from './signs.ts'

const THRESHOLD = 0.8

/** `names`, each with the titles of its catalog. */
function judged(
  score: (name: Words, title: Words) => number,
  names: readonly (LabelledName & { titles: readonly string[] })[],
) {
  const known = new Map(
    names.flatMap(({ titles }) => titles).map((title) => [title, wordsOf(title)]),
  )
  const found = names.map(({ name, titles }) => {
    const words = wordsOfName(name)
    const hits = titles.map((title) =>
      hitOfTitle(title, title, score(words, present(known.get(title), title))),
    )
    return decideMatch(exactOrAll(name, hits), THRESHOLD).match?.mapping?.product_title ?? null
  })
  return judge(names, found)
}

export function qualityRows(): Row[] {
  const spelled = makeLabelled().map((one) => ({ ...one, titles: TITLES }))
  return [
    ...rowsOf('', spelled),
    ...rowsOf(' of signs and scripts', SIGN_CASES),
    ...rowsOf(' of reported names', REPORTED_CASES),
    ...rowsOf(' of all', [...spelled, ...SIGN_CASES, ...REPORTED_CASES]),
  ]
}

function rowsOf(which: string, names: Parameters<typeof judged>[1]): Row[] {
  const [ours, trigrams] = [judged(scoreWords, names), judged(scoreTitle, names)]
  const row = (what: 'precision' | 'recall', floor: number): Row => ({
    what: `${what}${which} at ${THRESHOLD * 100} %, against trigrams alone`,
    ours: ours[what] * 100,
    theirs: trigrams[what] * 100,
    unit: '%',
    ratio: ours[what] / trigrams[what],
    floor,
  })
  return [row('precision', 1), row('recall', 1)]
}
