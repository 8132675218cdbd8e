// File names labelled with the title that a person would choose, or none. Precision and recall are
// computed over them.
import { createRandom } from './names.ts'

export interface LabelledName {
  name: string
  /** null: the shop has no such product. */
  title: string | null
}

// oxfmt-ignore
const SUBJECTS = 'Winter Harbour,Slow Bread,The Lighthouse Keeper’s Ledger,Tide Tables,Sea Shanties,Coastal Foraging,Knots and Splices,Salt and Starboard,The Driftwood Workshop,Sewing for Small Boats,Letters from the Pier,Island Herbs,Night Ferry,Watercolour Skies,Marine Engines,Sourdough at Sea,The Quiet Anchor,Mending Nets,Garden by the Shore,Northern Stars'.split(',')
const KINDS: readonly (readonly string[])[] = [
  ['Volume 1', 'Volume 2'],
  ['(DE)', '(EN)'],
  ['2025', '2026'],
  ['Small', 'Large'],
  ['1st Edition', '2nd Edition'],
  ['for Beginners', 'for Experts'],
  ['Workbook', 'Audiobook'],
]
/** Products of the same kinds that the shop does not have. */
const ABSENT = ['Volume 3', '(FR)', '2019', 'Medium', '5th Edition', 'for Teachers', 'Calendar']

/** Each subject alone, and in the two forms of one kind. */
export const TITLES = SUBJECTS.flatMap((subject, at) => [
  subject,
  ...KINDS[at % KINDS.length]!.map((kind) => `${subject} ${kind}`),
])

/**
 * Spelled as people do: other delimiters, versions, other case, a typo in every second name, a
 * missing word in some.
 */
export function makeLabelled(): LabelledName[] {
  const random = createRandom(3)
  const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const typed = (title: string) => {
    let words = title.replace(/[’()]/g, '').split(' ')
    if (random() < 0.15) words = words.filter((word) => !/^(the|for|and)$/i.test(word))
    if (random() < 0.5)
      words = withTypo(words, Math.floor(random() * 100), oneOf(['swap', 'drop', 'double']))
    const name = words.join(oneOf(['-', '_', ' '])) + oneOf(['', '', '_final', ' (1)', '-v2'])
    return `${random() < 0.5 ? name.toLowerCase() : name}.pdf`
  }
  const known = TITLES.flatMap((title) =>
    Array.from({ length: 6 }, () => ({ name: typed(title), title })),
  )
  const others = SUBJECTS.flatMap((subject, at) =>
    Array.from({ length: 6 }, () => ({
      name: typed(`${subject} ${ABSENT[at % KINDS.length]!}`),
      title: null,
    })),
  )
  return [...known, ...others]
}

/** Changes a word of at least four letters: a typo in `DE` would name another language. */
function withTypo(
  words: readonly string[],
  place: number,
  how: 'swap' | 'drop' | 'double',
): string[] {
  const long = [...words.keys()].filter((at) => /^\p{L}{4,}$/u.test(words[at]!))
  const which = long[place % long.length]!
  const word = words[which]!
  const at = 1 + (place % (word.length - 2))
  const typos = {
    swap: word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
    drop: word.slice(0, at) + word.slice(at + 1),
    double: word.slice(0, at) + word[at] + word.slice(at),
  }
  return words.with(which, typos[how])
}

/** `found`: the matcher's titles in the order of the names; null: none, or a review by a person. */
export function judge(names: readonly LabelledName[], found: readonly (string | null)[]) {
  const right = names.filter(({ title }, at) => title !== null && found[at] === title).length
  return {
    precision: right / found.filter((title) => title !== null).length,
    recall: right / names.filter(({ title }) => title !== null).length,
  }
}
