// Letters of Cyrillic and Greek that look like Latin ones: typed on the wrong keyboard, they make a word
// or a code that no one can tell from the right one.

const pairs = (ours: string, latin: string): [string, string][] =>
  [...ours].map((letter, at) => [letter, latin.charAt(at)])

type Foreign = 'Cyrillic' | 'Greek'

/** Small letters look alike less often than capitals: `В` is like `B`, and `в` like nothing. */
const LATIN_OF: Readonly<Record<Foreign, ReadonlyMap<string, string>>> = {
  Cyrillic: new Map([
    ...pairs('АВСЕНІЈКМОРЅТХУҮѴԚԜӀ', 'ABCEHIJKMOPSTXYYVQWI'),
    ...pairs('асеіјорѕхуүһԁԛԝѵ', 'aceijopsxyyhdqwv'),
  ]),
  Greek: new Map([
    ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ', 'ABEZHIKMNOPTYXCJ'),
    ...pairs('αικνορυχϲϳ', 'aikvopuxcj'),
  ]),
}
/** Of several twins the first, which is the common one. */
const turned = (map: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...map].reverse().map(([letter, latin]) => [latin, letter]))
const FOREIGN_OF = { Cyrillic: turned(LATIN_OF.Cyrillic), Greek: turned(LATIN_OF.Greek) }

const HAS_FOREIGN = /[\p{sc=Cyrillic}\p{sc=Greek}]/u
const WORDS = /[\p{L}\p{M}]+/gu
const IS: Readonly<Record<Foreign | 'Latin', RegExp>> = {
  Cyrillic: /\p{sc=Cyrillic}/u,
  Greek: /\p{sc=Greek}/u,
  Latin: /\p{sc=Latin}/u,
}

const isWithin = (letters: readonly string[], map: ReadonlyMap<string, string>) =>
  letters.every((letter) => map.has(letter))
const mapped = (word: string, map: ReadonlyMap<string, string>) =>
  Array.from(word, (letter) => map.get(letter) ?? letter).join('')

/** Each word that has letters of two scripts in one of them, if all letters of the other have a twin. */
export function inOneScript(text: string): string {
  if (!HAS_FOREIGN.test(text)) return text
  return text
    .normalize('NFD')
    .replace(WORDS, (word) => {
      const latin = [...word].filter((letter) => IS.Latin.test(letter))
      if (latin.length === 0) return word
      const script = IS.Cyrillic.test(word) ? 'Cyrillic' : 'Greek'
      const foreign = [...word].filter((letter) => IS[script].test(letter))
      if (foreign.length === 0) return word
      if (isWithin(foreign, LATIN_OF[script])) return mapped(word, LATIN_OF[script])
      return isWithin(latin, FOREIGN_OF[script]) ? mapped(word, FOREIGN_OF[script]) : word
    })
    .normalize('NFC')
}

/**
 * A word of Cyrillic or Greek in the Latin letters that look like it; null: one of its letters looks
 * like none, or it is one small letter, as in `α`.
 */
export function latinTwinOf(word: string): string | null {
  const script = IS.Cyrillic.test(word) ? 'Cyrillic' : 'Greek'
  const letters = [...word.normalize('NFD')].filter((letter) => /\p{L}/u.test(letter))
  if (letters.length === 0 || !isWithin(letters, LATIN_OF[script])) return null
  if (letters.length === 1 && word === word.toLowerCase()) return null
  return mapped(word.normalize('NFD'), LATIN_OF[script]).normalize('NFC')
}
