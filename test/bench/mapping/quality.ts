// Precision and recall at the default threshold, compared with the share of common trigrams alone
// over the same names.
import { decideMatch, hitOfTitle, suggestionsOf } from '../../../server/matching/hits.ts'
import { present } from '../../../server/core/lazy.ts'
import { exactOrAll } from '../../../server/matching/match.ts'
import { scoreWords } from '../../../server/matching/score.ts'
import { scoreTitle } from '../../../server/matching/title-index.ts'
import { wordsOf, wordsOfName, type Words } from '../../../server/matching/words.ts'
import type { Row } from '../bench.ts'
import { judge, makeLabelled, TITLES, type LabelledName } from './labelled.ts'
import { REPORTED_CASES } from './reported.ts'
import { ROMANISED_CASES } from './romanised.ts'
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
    ...rowsOf(' of all', [
      ...spelled,
      ...SIGN_CASES,
      ...REPORTED_CASES,
      // A sound is never enough for a mapping.
      ...ROMANISED_CASES.map((one) => ({ ...one, title: null })),
    ]),
    suggestedRow(),
  ]
}

/** Names in the letters of another script: how many are suggested for their title, before others. */
function suggestedRow(): Row {
  const share = (score: typeof scoreWords) => {
    const right = ROMANISED_CASES.filter(({ name, title, titles }) => {
      const words = wordsOfName(name)
      const hits = titles.map((one) => hitOfTitle(one, one, score(words, wordsOf(one))))
      const { match, near } = decideMatch(hits, THRESHOLD)
      return match === null && (suggestionsOf(near)[0]?.product_title ?? null) === title
    })
    return (right.length / ROMANISED_CASES.length) * 100
  }
  const [ours, theirs] = [share(scoreWords), share(scoreTitle)]
  const what = 'romanised names suggested for their title alone, against trigrams alone'
  return { what, ours, theirs, unit: '%', ratio: ours / theirs, floor: 1 }
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
