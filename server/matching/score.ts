// How well a name fits a title: a normalised edit distance over words. Differences that distinguish
// products (numbers, volumes, sizes, languages, signs) are never typos. docs/merchants/mapping.md has the
// same rules.
import leven from 'leven'
import { distinctionOf, isOtherWord } from './distinctions.ts'
import { soundOf } from './romanised.ts'
import { loosely } from './spellings.ts'
import type { Words } from './words.ts'

/** A number that only the name has: a date, a version, a copy. */
export const STRAY_NUMBER = 0.06
/** A number that only the title has: such a match is never sure. */
const MISSING_NUMBER = 0.25
/**
 * A word of the title that was replaced by another; a language, a size or a volume that only one of
 * them has.
 */
const OTHER_WORD = 0.2
/** Both have signs, accents or an order of numbers, and they differ: a person decides. */
const OTHER_SIGNS = 0.25
/** Words in another spelling: a title that is written as the name is better. */
const OTHER_SPELLING = 0.06
/** A name that only sounds like the title: below the usual threshold, so that a person decides. */
const SAME_SOUND = 0.3
/** Words that are joined, or a word that is cut in two. */
const JOINED = 0.5
// oxfmt-ignore
const STOP_WORDS: ReadonlySet<string> = new Set('the a an and of for in to der die das und le la les et el los y'.split(' '))

/** The likeness of a name and a title, 0 to 1; 0: something identifies another product. */
export function scoreWords(name: Words, title: Words): number {
  const same = inSpellingOf(title, name)
  const spelled =
    same === name
      ? scoreSpelled(name, title)
      : Math.max(0, scoreSpelled(same, title) - OTHER_SPELLING)
  if (spelled >= 1 - SAME_SOUND || !hasSameSound(name, title)) return spelled
  return Math.max(spelled, scoreSpelled(inWordsOf(title, name), title) - SAME_SOUND)
}

/** One of them is in Latin letters, and sounds like the other. */
function hasSameSound(name: Words, title: Words): boolean {
  const [written, latin] = name.romanised === null ? [title, name] : [name, title]
  if (written.romanised === null || latin.romanised !== null) return false
  const { system, sounds } = written.romanised
  return sounds.includes(soundOf(system, latin.letters))
}

const inWordsOf = ({ letters }: Words, name: Words): Words => ({ ...name, letters })

/** Is the name the title but for the spelling of words? */
export function isOtherSpelling(name: Words, title: Words): boolean {
  const same = inSpellingOf(title, name)
  if (same !== name && scoreSpelled(same, title) === 1) return true
  return hasSameSound(name, title) && scoreSpelled(inWordsOf(title, name), title) === 1
}

/** The name with words of the title for its own that are the same in another spelling. */
function inSpellingOf(title: Words, name: Words): Words {
  if (name.spellings.size === 0 && title.spellings.size === 0) return name
  const open = without(title.letters, name.letters)
  let isChanged = false
  const letters = name.letters.map((word) => {
    const at = title.letters.includes(word)
      ? -1
      : open.findIndex((other) => isSpelledAs(spellingsIn(name, word), spellingsIn(title, other)))
    if (at === -1) return word
    isChanged = true
    return open.splice(at, 1).join('')
  })
  return isChanged ? { ...name, letters } : name
}

interface Spellings {
  word: string
  others: readonly string[]
}

const spellingsIn = ({ spellings }: Words, word: string): Spellings => ({
  word,
  others: spellings.get(word) ?? [],
})

/**
 * Two words with spellings are not compared by them, as `мой` and `мои` are both `moi`: only those of
 * Japanese.
 */
const isSpelledAs = (one: Spellings, other: Spellings): boolean =>
  one.others.includes(loosely(other.word)) ||
  other.others.includes(loosely(one.word)) ||
  one.others.some((spelling) => KATAKANA.test(spelling) && other.others.includes(spelling))

const KATAKANA = /\p{sc=Katakana}/u

function scoreSpelled(name: Words, title: Words): number {
  if (isContrary(name.labels, title.labels) || isContrary(name.units, title.units)) return 0
  const [ofName, ofTitle] = [
    without(name.letters, title.letters),
    without(title.letters, name.letters),
  ]
  const numbers = scoreNumbers(name, title, ofName, ofTitle)
  if (numbers === null) return 0
  const words = costOfWords(ofName, ofTitle)
  if (words === null) return 0
  const most = Math.max(lengthOf(name.letters), lengthOf(title.letters))
  const signs = hasOtherSigns(name, title) ? OTHER_SIGNS : 0
  return Math.max(0, 1 - (most === 0 ? 0 : words.cost / most) - words.penalty - numbers - signs)
}

/**
 * The pictures, the accents of a word or the order of numbers differ, where both have some, or the
 * letter of a number.
 */
function hasOtherSigns(name: Words, title: Words): boolean {
  if (name.pictures.length > 0 && title.pictures.length > 0)
    if (name.pictures.join() !== title.pictures.join()) return true
  for (const [word, accented] of name.accents)
    if ((title.accents.get(word) ?? accented) !== accented) return true
  if (name.lettered.length + title.lettered.length > 0)
    if (name.lettered.toSorted().join() !== title.lettered.toSorted().join()) return true
  const ofName = name.numbers.filter((one) => title.numbers.includes(one))
  const ofTitle = title.numbers.filter((one) => name.numbers.includes(one))
  return ofName.join() !== ofTitle.join()
}

const lengthOf = (words: readonly string[]) => words.reduce((sum, { length }) => sum + length, 0)

/** The words without the others, each of which removes one word. */
function without(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    const at = left.indexOf(word)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

/** Do both have a label with different numbers? */
const isContrary = (labels: readonly string[], others: readonly string[]) => {
  const start = (label: string) => label.slice(0, label.indexOf(' ') + 1)
  return labels.some(
    (label) =>
      !others.includes(label) &&
      others.some((other) => start(other) === start(label) && !labels.includes(other)),
  )
}

/** The cost of the numbers; null: they identify different products. */
function scoreNumbers(
  name: Words,
  title: Words,
  ofName: string[],
  ofTitle: string[],
): number | null {
  const versions = new Set(name.versions)
  const plain = new Set([
    ...name.numbers.filter((one) => !versions.has(one)),
    ...takeNumbers(ofName, title.numbers),
  ])
  const wanted = new Set([...title.numbers, ...takeNumbers(ofTitle, name.numbers)])
  const missing = beyond(wanted, plain)
  const stray = beyond(plain, wanted)
  if (missing.length > 0 && stray.length > 0) return null
  // Half of a thing is another thing.
  if (stray.some((one) => one.includes('⁄'))) return MISSING_NUMBER
  const lacking = beyond(missing, versions)
  const others = beyond(versions, wanted)
  if (others.length > 0 && lacking.some((one) => title.versions.includes(one))) return null
  const isPart =
    title.labels.length === 0 &&
    name.labels.some((label) => stray.includes(label.slice(label.indexOf(' ') + 1)))
  if (isPart) return OTHER_WORD
  const ofOthers = (stray.length > 0 ? STRAY_NUMBER : 0) + (others.length > 0 ? STRAY_NUMBER : 0)
  return lacking.length > 0 ? MISSING_NUMBER + ofOthers : ofOthers
}

const beyond = (some: Iterable<string>, others: Iterable<string>): string[] => {
  const there = new Set(others)
  return [...some].filter((one) => !there.has(one))
}

/**
 * Removes words for numbers from the list, and gives them as digits; a single letter stays, unless
 * the other text has its number.
 */
function takeNumbers(words: string[], others: readonly string[]): string[] {
  const numbers: string[] = []
  for (const [at, word] of [...words.entries()].reverse()) {
    const found = distinctionOf(word)
    if (found?.kind !== 'number') continue
    if (word.length === 1 && !others.includes(String(found.value))) continue
    numbers.push(String(found.value))
    words.splice(at, 1)
  }
  return numbers
}

interface Cost {
  /** The number of letters. */
  cost: number
  penalty: number
}

/** The cost of the words that are not in both; null: they identify different products. */
function costOfWords(ofName: readonly string[], ofTitle: readonly string[]): Cost | null {
  const [own, other] = withoutSharedDistinction(ofName, ofTitle)
  if (own.some((word) => other.some((one) => distinguish(word, one)))) return null
  if (own.length !== other.length && own.length > 0 && other.length > 0) {
    const [joined, whole] = [own.join(''), other.join('')]
    const typos = typosIn(joined, whole)
    if (typos <= maxTypos(joined, whole)) return { cost: Math.max(JOINED, typos), penalty: 0 }
  }
  const pairs = own
    .flatMap((word) => other.map((one) => ({ word, one, typos: typosIn(word, one) })))
    .filter(({ word, one, typos }) => typos <= maxTypos(word, one))
    .sort((a, b) => a.typos - b.typos)
  const [left, open] = [[...own], [...other]]
  let cost = 0
  let isReplaced = false
  for (const { word, one, typos } of pairs) {
    if (!left.includes(word) || !open.includes(one)) continue
    left.splice(left.indexOf(word), 1)
    open.splice(open.indexOf(one), 1)
    cost += typos
    isReplaced ||= !isSpelledByLetters(word) || isOtherWord(word, one)
  }
  const isOther =
    [left, open].every((words) => words.some((word) => !STOP_WORDS.has(word))) ||
    isOtherLetter(left, open)
  const isDistinct = [...left, ...open].some((word) => distinctionOf(word) !== null)
  return {
    cost: cost + lossOf(left) + lossOf(open),
    penalty: isOther || isDistinct || isReplaced ? OTHER_WORD : 0,
  }
}

/** `Clarinet in A` is not `Clarinet in B`: such an `a` is no article. */
const isOtherLetter = (left: readonly string[], open: readonly string[]) =>
  left.length === 1 && open.length === 1 && left[0]?.length === 1 && open[0]?.length === 1

/** The cost of words that only one text has: their letters, half of them for little words. */
const lossOf = (words: readonly string[]) =>
  words.reduce((sum, word) => sum + word.length * (STOP_WORDS.has(word) ? 0.5 : 1), 0)

/** The words without those of one meaning that both have: `german` and `de` are the same. */
function withoutSharedDistinction(
  ofName: readonly string[],
  ofTitle: readonly string[],
): [string[], string[]] {
  const valueOf = (word: string) => {
    const found = distinctionOf(word)
    return found && `${found.kind} ${found.value}`
  }
  const others = (words: readonly string[], there: readonly string[]) => {
    const values = new Set(there.map(valueOf).filter((value) => value !== null))
    return words.filter((word) => !values.has(valueOf(word) ?? ''))
  }
  return [others(ofName, ofTitle), others(ofTitle, ofName)]
}

const distinguish = (word: string, other: string) => {
  const [one, two] = [distinctionOf(word), distinctionOf(other)]
  return one !== null && two !== null && one.kind === two.kind
}

/** Letters that were changed, added or left out; two swapped letters count as one. */
function typosIn(word: string, other: string): number {
  if (word.length === other.length) {
    const at = [...word].findIndex((letter, place) => letter !== other[place])
    if (
      at !== -1 &&
      word[at] === other[at + 1] &&
      word[at + 1] === other[at] &&
      word.slice(at + 2) === other.slice(at + 2)
    )
      // oxfmt-ignore
      return 1
  }
  return leven(word, other)
}

/** In other scripts a sign is a syllable or a word, and another one is no typo. */
const isSpelledByLetters = (word: string) =>
  /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Hebrew}\p{sc=Arabic}]*$/u.test(
    word,
  )

/** With more typos it is another word. A word of up to three letters has no typos. */
function maxTypos(word: string, other: string): number {
  if (Math.min(word.length, other.length) < 2) return 0
  const longer = Math.max(word.length, other.length)
  if (longer <= 3) return 0
  return longer <= 5 ? 1 : longer <= 9 ? 2 : 3
}
