// 50,000 product titles and 10,000 similar file names, the same in each run.
import { wordsOf } from '../../../server/matching/words.ts'

const TITLES = 50_000
export const NAMES = 10_000
const VOCABULARY = 6000
// oxfmt-ignore
const SYLLABLES = 'ba be bri ca cho co da del di dor e fa fen fi ga gra ha hi in ka ki la le li lo ma mer mi mo na ne no o pa per po qui ra re ri ro sa se shi so sta ta te ti tor tu u va ve vi wa win ya zo'.split(' ')
const ENDINGS = ['', '', 'n', 'r', 's', 't', 'l', 'ck', 'ng', 'sh']

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const upTo = (random: () => number, most: number) => Math.floor(random() * most)
const oneOf = <T>(random: () => number, list: readonly T[]): T => list[upTo(random, list.length)]!

/**
 * Words with the frequencies of a natural language: a few words make up most of the text. A third
 * of the titles are volumes of a series.
 */
export function makeTitles(): string[] {
  const random = createRandom(1)
  const syllables = () =>
    Array.from({ length: 1 + upTo(random, 3) }, () => oneOf(random, SYLLABLES)).join('')
  const words = Array.from({ length: VOCABULARY }, () => syllables() + oneOf(random, ENDINGS))
  const word = () => words[Math.floor(VOCABULARY ** random()) - 1]!
  return Array.from({ length: TITLES }, () => {
    const own = Array.from({ length: 2 + upTo(random, 5) }, word)
    return [...own, ...(random() < 0.3 ? [String(1 + upTo(random, 12))] : [])].join(' ')
  })
}

/**
 * A title spelled as a file name: other delimiters, a typo, a missing word, a version, an
 * extension.
 */
export function makeNames(titles: readonly string[]): string[] {
  const random = createRandom(2)
  return Array.from({ length: NAMES }, () => {
    let words = oneOf(random, titles).split(' ')
    if (words.length > 3 && random() < 0.2) words = words.toSpliced(upTo(random, words.length), 1)
    let name = words.join(oneOf(random, ['-', '_', ' ', '.']))
    if (random() < 0.4) {
      const at = upTo(random, name.length)
      name = name.slice(0, at) + oneOf(random, ['x', 'e', 'nn', '']) + name.slice(at + 1)
    }
    if (random() < 0.3) name += oneOf(random, ['_final', '-copy', ' draft', '_rev'])
    return `${random() < 0.3 ? name.toUpperCase() : name}.${oneOf(random, ['pdf', 'zip', 'epub', 'mp3'])}`
  })
}

/** The text that pg_trgm compares: the same words. */
export function textOf(title: string): string {
  const { letters, numbers } = wordsOf(title)
  return [...letters, ...numbers].join(' ')
}
