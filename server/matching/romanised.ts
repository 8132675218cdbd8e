// Words of Japanese syllabaries, Korean and Chinese in Latin letters, by their sound. Such letters leave
// much open: a name that sounds like a title is only suggested.
import { createRequire } from 'node:module'
import type { pinyin } from 'pinyin-pro'
import { elementAt, firstOf } from '../core/lazy.ts'

/** What the letters of a text are, as far as its sound is known. */
export type System = 'kana' | 'hangul' | 'han'
export const SYSTEMS: readonly System[] = ['kana', 'hangul', 'han']

export interface Romanised {
  system: System
  /** The words in Latin letters, as most people write them. */
  words: readonly string[]
  /** What `soundOf` gives for names that sound like the words. */
  sounds: readonly string[]
}

/** A shorter sound is that of too many words. */
const LEAST = 4

const WRITTEN_IN: Readonly<Record<System, RegExp>> = {
  kana: /[\p{sc=Hiragana}\p{sc=Katakana}]/u,
  hangul: /\p{sc=Hangul}/u,
  han: /\p{sc=Han}/u,
}
const LATIN = /^\p{sc=Latin}+$/u
const RUNS =
  /\p{sc=Han}+|\p{sc=Hangul}+|[\p{sc=Hiragana}\p{sc=Katakana}ー]+|[^\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}ー]+/gu

/** Null: the text has no such words, or also others: the sound of Japanese kanji depends on the word. */
export function romanisedFrom(words: readonly string[]): Romanised | null {
  const text = words.join('')
  const [system, ...others] = SYSTEMS.filter((one) => WRITTEN_IN[one].test(text))
  if (system === undefined || others.length > 0) return null
  const runs = words.map((word) => word.match(RUNS) ?? [])
  const isKnown = (run: string) => LATIN.test(run) || WRITTEN_IN[system].test(run)
  if (!runs.flat().every(isKnown)) return null
  const readings = READINGS[system].map((read) =>
    runs.map((own) => own.map((run) => (LATIN.test(run) ? run : read(run))).join('')),
  )
  const sounds = readings.map((read) => soundOf(system, read))
  if (sounds.some((sound) => sound.length < LEAST)) return null
  return { system, words: firstOf(readings), sounds: [...new Set(sounds)] }
}

/** Words in Latin letters without what the systems of romanisation do differently, and without spaces. */
export const soundOf = (system: System, words: readonly string[]): string =>
  SOUNDS[system](words.join('').replaceAll(/['’-]/g, ''))

const replaced = (text: string, pairs: readonly (readonly [RegExp, string])[]): string =>
  pairs.reduce((now, [from, to]) => now.replace(from, to), text)

const SOUNDS: Readonly<Record<System, (text: string) => string>> = {
  // Hepburn, Kunrei and the keys of a keyboard; long vowels are written or not.
  kana: (text) =>
    replaced(text, [
      [/tch|cch/g, 'tch'],
      [/sh(?=[aueo])/g, 'sy'],
      [/shi/g, 'si'],
      [/ch(?=[aueo])/g, 'ty'],
      [/chi/g, 'ti'],
      [/j(?=[aueo])/g, 'zy'],
      [/ji|di/g, 'zi'],
      [/ts/g, 't'],
      [/dzu|du/g, 'zu'],
      [/f(?=u)/g, 'h'],
      [/f/g, 'hu'],
      [/m(?=[bpm])/g, 'n'],
      [/([aiueo])h(?![aiueoy])/g, '$1'],
      [/ou|oo/g, 'o'],
      [/([aiueo])\1+/g, '$1'],
    ]),
  // Revised, McCune-Reischauer without its signs, and as names are written in English.
  hangul: (text) =>
    replaced(text, [
      [/sh/g, 's'],
      [/ch|j/g, 'z'],
      [/(?<![nm])g|k|c|q/g, 'k'],
      [/(?<=[nm])g(?=[aeiouyw])/g, 'k'],
      [/d/g, 't'],
      [/b|v|f/g, 'p'],
      [/r/g, 'l'],
      [/eo/g, 'o'],
      [/eu|oo|woo/g, 'u'],
      [/ee/g, 'i'],
      [/ae|e/g, 'e'],
      [/([^aeiou])\1+/g, '$1'],
    ]),
  han: (text) =>
    replaced(text.normalize('NFC'), [
      [/lyu|lü|lv/g, 'lu'],
      [/nyu|nü|nv/g, 'nu'],
    ]),
}

const table = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]))

// oxfmt-ignore
const SYLLABLES = table('あa いi うu えe おo かka きki くku けke こko がga ぎgi ぐgu げge ごgo さsa しshi すsu せse そso ざza じji ずzu ぜze ぞzo たta ちchi つtsu てte とto だda ぢji づzu でde どdo なna にni ぬnu ねne のno はha ひhi ふfu へhe ほho ばba びbi ぶbu べbe ぼbo ぱpa ぴpi ぷpu ぺpe ぽpo まma みmi むmu めme もmo やya ゆyu よyo らra りri るru れre ろro わwa ゐi ゑe をo んn ゔvu ぁa ぃi ぅu ぇe ぉo ゃya ゅyu ょyo ゎwa')
/** Small letters that change the vowel of the syllable before. */
const SMALL = new Set('ゃゅょぁぃぅぇぉゎ')

/** Katakana with their places in hiragana. */
const inHiragana = (text: string): string =>
  text.replace(/[\u30a1-\u30f6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))

function readKana(text: string): string {
  let latin = ''
  let isDoubled = false
  for (const letter of inHiragana(text)) {
    const sound = SYLLABLES.get(letter)
    if (letter === 'っ') isDoubled = true
    else if (letter === 'ー') latin += latin.slice(-1)
    else if (sound !== undefined) {
      if (SMALL.has(letter)) latin = withVowel(latin, sound)
      else latin += (isDoubled ? sound.slice(0, 1) : '') + sound
      isDoubled = false
    }
  }
  return latin
}

/** `shi` and a small `ya` are `sha`, `ki` and it `kya`, `fu` and a small `a` `fa`. */
function withVowel(latin: string, sound: string): string {
  const stem = latin.replace(/[aiueo]$/, '')
  if (/(?:sh|ch|j)$/.test(stem)) return stem + sound.slice(-1)
  return stem + sound
}

// oxfmt-ignore
const INITIALS = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
// oxfmt-ignore
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
/** The sound of a final before a consonant, and what moves to a vowel that follows. */
// oxfmt-ignore
const FINALS = ' ,k g,k kk,k ks,n n,n nj,n n,t d,l r,k lg,m lm,l lb,l ls,l lt,p lp,l r,m m,p b,p ps,t s,t ss,ng ng,t j,t ch,k k,t t,p p,t '
  .split(',')
  .map((pair) => pair.split(' ') as [string, string])

interface Syllable {
  initial: string
  vowel: string
  /** Its sound before a consonant, and before a vowel. */
  final: [closed: string, moved: string]
}
const FIRST_SYLLABLE = 0xac00

const syllablesOf = (text: string): Syllable[] =>
  Array.from(text.normalize('NFC'), (letter) => letter.charCodeAt(0) - FIRST_SYLLABLE)
    .filter((code) => code >= 0 && code < 11_172)
    .map((code) => ({
      initial: elementAt(INITIALS, Math.floor(code / 588)),
      vowel: elementAt(VOWELS, Math.floor((code % 588) / 28)),
      final: elementAt(FINALS, code % 28),
    }))

/** Letter by letter, as software does it. */
const readLetters = (text: string): string =>
  syllablesOf(text)
    .map(({ initial, vowel, final: [closed] }) => initial + vowel + closed)
    .join('')

/** As it is spoken: a final sounds like what follows it. */
function readSpoken(text: string): string {
  const syllables = syllablesOf(text)
  return syllables
    .map(({ initial, vowel, final }, at) => {
      const [before] = syllables[at - 1]?.final ?? ['']
      return initialAfter(before, initial) + vowel + finalBefore(final, syllables[at + 1])
    })
    .join('')
}

const initialAfter = (before: string, initial: string): string => {
  if (initial === 'r') return before === 'l' ? 'l' : before === '' || before === 'n' ? 'r' : 'n'
  return initial === 'n' && before === 'l' ? 'l' : initial
}

function finalBefore([closed, moved]: Syllable['final'], next: Syllable | undefined): string {
  if (next === undefined) return closed
  if (next.initial === '') return moved
  if (!['n', 'm', 'r'].includes(next.initial)) return closed
  const isBeforeR = next.initial === 'r'
  return NASALS.get(closed) ?? (closed === 'n' && isBeforeR ? 'l' : closed)
}

const NASALS: ReadonlyMap<string, string> = new Map([
  ['k', 'ng'],
  ['t', 'n'],
  ['p', 'm'],
])

let loaded: { pinyin: typeof pinyin } | undefined
/** Its tables are read when the first Chinese title is met. */
const pinyinOf = (text: string): string[] => {
  loaded ??= createRequire(import.meta.url)('pinyin-pro') as { pinyin: typeof pinyin }
  return loaded.pinyin(text, { toneType: 'none', type: 'array', v: true })
}

const readHan = (text: string): string => pinyinOf(text).join('')

const READINGS: Readonly<Record<System, readonly ((text: string) => string)[]>> = {
  kana: [readKana],
  hangul: [readSpoken, readLetters],
  han: [readHan],
}
