// An index of one shop's titles for searches by similarity: tens of thousands of names against tens
// of thousands of titles. A name's rarest trigrams are looked up first, and the search ends as soon
// as no other title can be good enough: the result is the same as if every title had been compared.
import { firstOf } from '../core/lazy.ts'
import { SYSTEMS, soundOf, type System } from './romanised.ts'
import { STRAY_NUMBER } from './score.ts'
import { otherwise, wordsOf, type Words } from './words.ts'

export interface TitleHit {
  id: string
  /** The likeness, 0 to 1. */
  score: number
}

export interface TitleIndex {
  /** The number of its entries: a title that has other spellings has two. */
  readonly size: number
  /** Does a title have other spellings? */
  readonly hasSpellings: boolean
  /**
   * The titles that score at least `floor` and less than `margin` below the best, best first.
   * @param limit of several with the same score, those whose ids come first are kept.
   */
  search(words: Words, options: { floor: number; margin: number; limit: number }): TitleHit[]
  /** The titles of other scripts that sound like these words in Latin letters. */
  soundingLike(words: Words): string[]
}

export interface TitleIndexBuilder {
  add(id: string, title: string): void
  /** Builds the index. The builder cannot be used afterwards. */
  build(): TitleIndex
}

/**
 * The similarity of a name and a title, to find the titles worth scoring: the share of common
 * trigrams. A number in the title always counts; a number in the name counts if the title has it
 * too, and otherwise costs a little.
 * Exported for tests and benches: the index has to find what this scores highest.
 */
export function scoreTitle(name: Words, title: Words): number {
  const numbers = name.numbers.filter((number) => title.numbers.includes(number))
  const [own, other] = [
    gramsOf([...name.letters, ...numbers]),
    gramsOf([...title.letters, ...title.numbers]),
  ]
  const shared = [...own].filter((gram) => other.has(gram)).length
  const stray = numbers.length < name.numbers.length ? STRAY_NUMBER : 0
  return Math.max(0, likeness(shared, own.size, other.size) - stray)
}

export function titleIndexBuilder(): TitleIndexBuilder {
  const gramIds = new Map<string, number>()
  const ids: string[] = []
  const numbers = new Map<number, readonly string[]>()
  const sounds = new Map<string, string[]>()
  const ends: number[] = []
  let grams = new Uint32Array(1024)
  let used = 0
  let count = 0
  const addWords = (id: string, words: Words) => {
    if (words.numbers.length > 0) numbers.set(ids.length, words.numbers)
    const own = gramsOf([...words.letters, ...words.numbers])
    if (used + own.size > grams.length) grams = grown(grams, used + own.size)
    for (const gram of own) grams[used++] = idOf(gramIds, gram)
    ids.push(id)
    ends.push(used)
  }
  return {
    add: (id, title) => {
      const words = wordsOf(title)
      addWords(id, words)
      for (const others of otherwise(words)) addWords(id, others)
      if (words.romanised !== null) addSounds(sounds, id, words.romanised)
      count++
    },
    build: () => {
      const titles = { grams: grams.slice(0, used), ends: Uint32Array.from(ends) }
      const holders = invert(titles, gramIds.size)
      const hasSpellings = ids.length > count
      return searchable({ gramIds, ids, hasSpellings, numbers, titles, holders, sounds })
    },
  }
}

/** Lists of numbers in one array; `ends` has the end of each list. */
interface Lists {
  grams: Uint32Array
  ends: Uint32Array
}

interface Tables {
  gramIds: ReadonlyMap<string, number>
  ids: readonly string[]
  hasSpellings: boolean
  /** The numbers of the titles that have some. */
  numbers: ReadonlyMap<number, readonly string[]>
  /** The trigrams of each title. */
  titles: Lists
  /** The titles that have each trigram. */
  holders: Lists
  /** The titles with each sound, by its system. */
  sounds: ReadonlyMap<string, readonly string[]>
}

const soundKey = (system: System, sound: string) => `${system} ${sound}`

function addSounds(
  all: Map<string, string[]>,
  id: string,
  { system, sounds }: NonNullable<Words['romanised']>,
): void {
  for (const sound of sounds) {
    const key = soundKey(system, sound)
    const there = all.get(key)
    if (there) there.push(id)
    else all.set(key, [id])
  }
}

const grown = (from: Uint32Array<ArrayBuffer>, atLeast: number) => {
  const larger = new Uint32Array(Math.max(atLeast, from.length * 2))
  larger.set(from)
  return larger
}

function idOf(gramIds: Map<string, number>, gram: string): number {
  const there = gramIds.get(gram)
  if (there !== undefined) return there
  gramIds.set(gram, gramIds.size)
  return gramIds.size - 1
}

const startOf = ({ ends }: Lists, at: number) => (at === 0 ? 0 : ends[at - 1]!)
const lengthOf = (lists: Lists, at: number) => lists.ends[at]! - startOf(lists, at)

function invert({ grams, ends }: Lists, count: number): Lists {
  const next = new Uint32Array(count + 1)
  for (const gram of grams) next[gram + 1]!++
  for (let gram = 0; gram < count; gram++) next[gram + 1]! += next[gram]!
  const inverted = { grams: new Uint32Array(grams.length), ends: next.slice(1) }
  for (let title = 0, at = 0; title < ends.length; title++)
    for (; at < ends[title]!; at++) inverted.grams[next[grams[at]!]!++] = title
  return inverted
}

function searchable(tables: Tables): TitleIndex {
  const { gramIds, ids, titles, holders, sounds } = tables
  // Marks of the current search: trigrams of the name's letters, and titles that it has scored.
  const marked = new Uint8Array(gramIds.size)
  const seen = new Uint32Array(ids.length)
  let search = 0

  return {
    size: ids.length,
    hasSpellings: tables.hasSpellings,
    search: (words, { floor, margin, limit }) => {
      search++
      const name = nameGrams(gramIds, words)
      const rarest = [...name.letters, ...name.ofNumbers].sort(
        (a, b) => lengthOf(holders, a) - lengthOf(holders, b),
      )
      for (const gram of name.letters) marked[gram] = 1
      const hits: { title: number; score: number }[] = []
      let least = floor
      for (let at = 0; at < rarest.length; at++) {
        // A title without any of the trigrams so far shares at most the remaining ones.
        const left = rarest.length - at
        if (left / name.size < least) break
        const own = Math.max(name.size, left) - left
        const end = holders.ends[rarest[at]!]!
        for (let place = startOf(holders, rarest[at]!); place < end; place++) {
          const title = holders.grams[place]!
          const length = lengthOf(titles, title)
          // Divided like the score: a product may be rounded above a bound that the score reaches.
          if (
            left / (own + length) < least ||
            name.whole / length < least ||
            length / name.size < least
          )
            continue
          if (seen[title] === search) continue
          seen[title] = search
          const score = scoreOf(tables, marked, name, title)
          if (score < least) continue
          hits.push({ title, score })
          least = Math.max(least, score - margin)
        }
      }
      for (const gram of name.letters) marked[gram] = 0
      return hits
        .filter(({ score }) => score >= least)
        .map(({ title, score }) => ({ id: ids[title]!, score }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
    },
    soundingLike: ({ letters, romanised }) => {
      if (sounds.size === 0 || romanised !== null) return []
      return SYSTEMS.flatMap(
        (system) => sounds.get(soundKey(system, soundOf(system, letters))) ?? [],
      )
    },
  }
}

interface NameGrams {
  /** Trigrams of its letters that some title has. */
  letters: number[]
  ofNumbers: number[]
  /** The number of trigrams of its letters, including those that no title has. */
  size: number
  /** The number of trigrams including all its numbers. */
  whole: number
  numbers: readonly { number: string; grams: ReadonlySet<string> }[]
}

function nameGrams(gramIds: ReadonlyMap<string, number>, { letters, numbers }: Words): NameGrams {
  const known = (grams: ReadonlySet<string>) =>
    [...grams].map((gram) => gramIds.get(gram)).filter((id) => id !== undefined)
  const own = gramsOf(letters)
  const ofNumbers = gramsOf(numbers)
  return {
    letters: known(own),
    ofNumbers: known(ofNumbers),
    size: own.size,
    whole: own.size + ofNumbers.size,
    numbers: numbers.map((number) => ({ number, grams: gramsOf([number]) })),
  }
}

function scoreOf(
  { titles, numbers }: Tables,
  marked: Uint8Array,
  name: NameGrams,
  title: number,
): number {
  let shared = 0
  for (let at = startOf(titles, title); at < titles.ends[title]!; at++)
    shared += marked[titles.grams[at]!]!
  let { size } = name
  let stray = 0
  if (name.numbers.length > 0) {
    const there = numbers.get(title) ?? []
    const common = name.numbers.filter(({ number }) => there.includes(number))
    // Numbers that the title contains completely, so that their trigrams are common.
    const more =
      common.length === 1
        ? firstOf(common).grams.size
        : new Set(common.flatMap(({ grams }) => [...grams])).size
    size += more
    shared += more
    if (common.length < name.numbers.length) stray = STRAY_NUMBER
  }
  return Math.max(0, likeness(shared, size, lengthOf(titles, title)) - stray)
}

// Trigrams as in pg_trgm: of each word with two spaces before it and one after it. The similarity
// of two texts is the share of their trigrams that both have.

/** All different trigrams of the words. */
function gramsOf(words: readonly string[]): Set<string> {
  const grams = new Set<string>()
  for (const word of words) {
    const padded = `  ${word} `
    for (let at = 0; at + 3 <= padded.length; at++) grams.add(padded.slice(at, at + 3))
  }
  return grams
}

/** @param shared how many trigrams both have. */
const likeness = (shared: number, a: number, b: number): number =>
  a + b === shared ? (shared === 0 ? 0 : 1) : shared / (a + b - shared)
