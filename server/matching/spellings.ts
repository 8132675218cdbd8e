// Other spellings of a word, by which a name is a title although their letters differ: as software
// transliterates names, in the other syllabary of Japanese, on the keyboard of another script.
import { inKatakana, withBareLetters, withDigraphs } from '../core/letters.ts'
import { latinTwinOf } from '../core/look-alikes.ts'

const table = (text: string): ReadonlyMap<string, string> =>
  new Map(text.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]))

const CYRILLIC = table(
  'аa бb вv гg ґg дd ђdj еe єie жzh зz иi іi їi йi јj кk ќk лl љlj мm нn њnj оo пp рr сs тt ћc уu ўu фf хh цc чch џdz шsh щsch ъ ыi ь эe юiu яia ѓg ѕz',
)
const GREEK = table('αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υi φf χch ψps ωo')

const written = (word: string, letters: ReadonlyMap<string, string>) =>
  Array.from(word, (letter) => letters.get(letter) ?? letter).join('')

/** Software differs in these: `kh` or `h`, `y`, `i` or `j`. */
export const loosely = (word: string): string =>
  word
    .replace(/shch/g, 'sch')
    .replace(/kh/g, 'h')
    .replace(/t[sz]/g, 'c')
    .replace(/[yj]/g, 'i')
    .replace(/ii+/g, 'i')

const bare = (text: string) =>
  withBareLetters(text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC'))

/**
 * The spellings of a word, in the form of `loosely`; none: only itself.
 * @param word as it is written, in NFC
 */
export function otherSpellings(word: string): string[] {
  const small = word.toLowerCase()
  if (/^\p{sc=Latin}/u.test(small)) {
    const digraphs = withDigraphs(small)
    return digraphs === null ? [] : [loosely(bare(digraphs))]
  }
  if (/\p{sc=Cyrillic}/u.test(small)) {
    const yo = /ё/.test(small)
      ? [loosely(written(bare(small.replaceAll('ё', 'ио')), CYRILLIC))]
      : []
    return [loosely(written(bare(small), CYRILLIC)), ...twinsOf(word), ...yo]
  }
  if (/\p{sc=Greek}/u.test(small)) {
    const plain = bare(small)
      .replaceAll('ου', 'u')
      .replace(/(?<=[αε])υ/gu, 'v')
    return [loosely(written(plain, GREEK)), ...twinsOf(word)]
  }
  if (/\p{sc=Hiragana}/u.test(small)) return [inKatakana(small)]
  return /[ةۃ]/.test(small) ? [bare(small).replace(/[ةۃ]/g, 'ه')] : []
}

const twinsOf = (word: string): string[] => {
  const twin = latinTwinOf(word)
  return twin === null ? [] : [loosely(bare(twin.toLowerCase()))]
}
