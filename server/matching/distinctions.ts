// Words that distinguish products: numbers in words, sizes, languages, levels. Two different words
// of a kind are never typos of each other.
import { firstOf } from '../core/lazy.ts'

type Kind = 'number' | 'size' | 'language' | 'level' | 'sign' | 'mode' | 'gender'

const LISTS: Readonly<Record<Kind, readonly string[]>> = {
  // Each entry has all words for one value.
  number:
    // oxfmt-ignore
    'one first i,two second ii,three third iii,four fourth iv,five fifth v,six sixth vi,seven seventh vii,eight eighth viii,nine ninth ix,ten tenth x,eleven eleventh xi,twelve twelfth xii,thirteen thirteenth xiii,fourteen fourteenth xiv,fifteen fifteenth xv,sixteen sixteenth xvi,seventeen seventeenth xvii,eighteen eighteenth xviii,nineteen nineteenth xix,twenty twentieth xx'.split(','),
  size: [
    'xs',
    's small',
    'm medium',
    'l large',
    'xl',
    'xxl',
    'xxxl',
    'xxxxl',
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
  sign: ['sharp', 'flat', 'natural', 'plus', 'minus', 'star', 'dot'],
  mode: ['major maj dur majeur', 'minor min moll mineur'],
  gender: ['male men mens', 'female women womens'],
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

/** Words that are never typos of others, although a letter or two make one of another. */
const KNOWN: ReadonlySet<string> = new Set(
  // oxfmt-ignore
  (
    'violin viola violone violino violine bratsche viol cello celli violoncello flute lute oboe clarinet horn corn trumpet trombone ' +
    'soprano sopranino alto alti tenor baritone bass brass harp organ piano guitar sax ' +
    'left right front back before after inside outside upper lower top bottom north south east west ' +
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august ' +
    'september october november december spring summer autumn winter writer ' +
    'mother father brother sister grandmother grandfather grandma grandpa uncle aunt daughter king ring queen boy boys toy toys girl girls ' +
    'black white brown crown blue glue green pink gold cold silver grey gray purple yellow orange red ' +
    'austria australia iran iraq slovakia slovenia niger nigeria greek greece creek latin satin ' +
    'word world sword house horse mouse letter later better butter needle noodle heart hearth angel angle desert dessert ' +
    'diary dairy quiet quite trial trail casual causal bread beard board broad addition edition public ' +
    'planning planting painting cooking looking booking sewing sowing reading leading writing waiting baking making biking hiking ' +
    'farming framing poster roster coaster planner planter dinner diner winner inner vegan java lava hand band land sand ' +
    'human woman women wine vine wind wing night light right sight might eight weight height'
  ).split(' '),
)

/**
 * Is the word spelled right, so that it is no typo of the other one? A plural is no other word.
 */
export function isOtherWord(word: string, title: string): boolean {
  if (!KNOWN.has(word) && distinctionOf(word) === null) return false
  const [short, long] = word.length < title.length ? [word, title] : [title, word]
  // Celli are several cellos.
  if (short.length === long.length && short.slice(0, -1) === long.slice(0, -1))
    if (/^(?:oi|io)$/.test(short.slice(-1) + long.slice(-1))) return false
  return !(long.startsWith(short) && /^(?:s|es|n|en|e)$/.test(long.slice(short.length)))
}

/** `Bb` before or after these words is B flat. */
const MUSICAL: ReadonlySet<string> = new Set(
  'major minor maj dur moll clarinet trumpet cornet horn saxophone sax tuba instruments'.split(' '),
)

/** Is `bb` the key of *Concerto in Bb*, and not a word? */
export const isFlatKey = (part: string, before = '', after = ''): boolean =>
  part.length === 2 && /^[a-g]b$/.test(part) && (before === 'in' || MUSICAL.has(after))

/** Words before a number, each with the first word of its kind. */
export const LABELS: ReadonlyMap<string, string> = new Map(
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
