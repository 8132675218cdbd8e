// Words that distinguish products: numbers in words, sizes, languages, levels. Two different words
// of a kind are never typos of each other.
import { firstOf } from '../core/present.ts'

type Kind = 'number' | 'size' | 'language' | 'level'

const LISTS: Readonly<Record<Kind, readonly string[]>> = {
  // Each entry has all words for one value.
  number:
    // oxfmt-ignore
    'one first i,two second ii,three third iii,four fourth iv,five fifth v,six sixth vi,seven seventh vii,eight eighth viii,nine ninth ix,ten tenth x,eleven eleventh xi,twelve twelfth xii'.split(','),
  size: [
    'xs',
    's small',
    'm medium',
    'l large',
    'xl',
    'xxl',
    'xxxl',
    'mini',
    'standard',
    'big',
    'huge',
  ],
  language: [
    'de deu ger german deutsch',
    'en eng english englisch',
    'fr fra french francais',
    'es spa spanish espanol',
    'it ita italian italiano',
    'nl dut dutch nederlands',
    'pt por portuguese portugues',
    'pl pol polish polski',
    'sv swe swedish svenska',
    'da dan danish dansk',
    'no nb nor norwegian norsk',
    'fi fin finnish suomi',
    'cs cze czech',
    'hu hun hungarian',
    'ru rus russian',
    'uk ukr ukrainian',
    'tr tur turkish',
    'ja jp jpn japanese',
    'zh cn chi chinese',
    'ko kr kor korean',
    'ar ara arabic',
  ],
  level: [
    'beginner beginners beginning',
    'intermediate',
    'advanced',
    'basic basics',
    'expert',
    'teacher',
    'student',
    'pro',
  ],
}

const KINDS = new Map(
  Object.entries(LISTS).flatMap(([kind, list]) =>
    list.flatMap((words, at) =>
      words.split(' ').map((word) => [word, { kind: kind as Kind, value: at + 1 }] as const),
    ),
  ),
)

/** The distinction that a word makes; null: it is an ordinary word. */
export const distinctionOf = (word: string): { kind: Kind; value: number } | null =>
  KINDS.get(word) ?? null

/** Words before a number, each with the first word of its kind. */
const LABELS = new Map(
  'volume vol,book,part pt,chapter ch,episode ep,season,edition ed,level,grade,class,lesson,module,unit,issue,week,day,step,stage,series,set'
    .split(',')
    .map((same) => same.split(' '))
    .flatMap((words) => words.map((word) => [word, firstOf(words)] as const)),
)

/**
 * `volume 2`: each label with the number after it: digits, a word for a number, or a single letter.
 */
export function labelsOf(parts: readonly string[]): string[] {
  return parts.flatMap((part, at) => {
    const [label, next] = [LABELS.get(part), parts[at + 1]]
    if (label === undefined || next === undefined) return []
    const found = distinctionOf(next)
    if (found?.kind === 'number') return [`${label} ${found.value}`]
    return /^(\p{N}+|\p{L})$/u.test(next) ? [`${label} ${next.replace(/^0+(?=.)/, '')}`] : []
  })
}
