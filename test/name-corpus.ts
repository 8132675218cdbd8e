// Names in many languages and scripts, from the data of the Unicode CLDR that Node has, and the forms in
// which software writes such a name as that of a file.
import { withDigraphs } from '../server/core/letters.ts'

/** Languages in which a shop may sell, of 26 scripts. */
export const LOCALES =
  'de da nb sv fi is fr es pt pl cs hu ro tr az vi hr ru uk bg sr mk kk el hy ka he ar fa ur ps hi bn pa gu or ta te kn ml si th lo km my am ti ja ko zh zh-Hant'.split(
    ' ',
  )

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const REGIONS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

/** The different names of countries and territories in a language. */
export function namesIn(locale: string): string[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
  const known = REGIONS.flatMap((code) => names.of(code) ?? [])
  return [...new Set(known.filter((name) => !/^[A-Z]{2}$/.test(name)))].sort()
}

type Form = (name: string, locale: string) => string | null

const changed = (name: string, to: string) => (to === name ? null : to)
const bare = (text: string) =>
  text
    .normalize('NFD')
    .replace(/(?<=\p{sc=Latin})\p{M}+/gu, '')
    .normalize('NFC')

/** Cyrillic letters as programs write them: by ISO 9 without its accents, by BGN, by Unidecode. */
const RUSSIAN = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
const ROMANISED: readonly (readonly string[])[] = [
  'a b v g d e e zh z i j k l m n o p r s t u f h c ch sh shch  y  e yu ya',
  'a b v g d e yo zh z i y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya',
  'a b v g d e io zh z i i k l m n o p r s t u f kh ts ch sh shch  y  e iu ia',
].map((letters) => letters.split(' '))

const romanised =
  (scheme: readonly string[]): Form =>
  (name, locale) =>
    locale === 'ru'
      ? Array.from(name.toLowerCase(), (letter) => {
          const at = RUSSIAN.indexOf(letter)
          return at === -1 ? letter : (scheme[at] ?? '')
        }).join('')
      : null

const LIKE: ReadonlyMap<string, string> = new Map(
  Array.from('АВЕКМНОРСТХаеорсхΑΒΕΖΗΙΚΜΝΟΡΤΥΧο', (letter, at) => [
    letter,
    'ABEKMHOPCTXaeopcxABEZHIKMNOPTYXo'.charAt(at),
  ]),
)
const HALF = 'ｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜｦﾝｧｨｩｪｫｯｬｭｮｰ゙゚'
const HALF_OF: ReadonlyMap<string, string> = new Map(
  Array.from(HALF, (half) => [half.normalize('NFKC'), half]),
)

/** Each form; null: this name has none. */
export const FORMS: Readonly<Record<string, Form>> = {
  itself: (name) => name,
  'decomposed, as macOS writes it': (name) => changed(name, name.normalize('NFD')),
  'small letters': (name, locale) => changed(name, name.toLocaleLowerCase(locale)),
  capitals: (name, locale) => changed(name, name.toLocaleUpperCase(locale)),
  underscores: (name) => changed(name, name.replaceAll(' ', '_')),
  hyphens: (name) => changed(name, name.toLowerCase().replace(/[\s,()’']+/gu, '-')),
  'from an address': (name) => changed(name, encodeURIComponent(name)),
  'spaces of an address': (name) => changed(name, name.replaceAll(' ', '%20')),
  'full width': (name) =>
    changed(
      name,
      name.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
    ),
  'a copy': (name) => `${name} (1)`,
  'a version': (name) => `${name}_v2`,
  'final version': (name) => `${name} - final`,
  'no-break spaces': (name) => changed(name, name.replaceAll(' ', '\u00a0')),
  'characters that cannot be seen': (name) =>
    `\ufeff${name.slice(0, 1)}\u2060${name.slice(1)}\u200e`,
  'typed apostrophes and dashes': (name) =>
    changed(name, name.replace(/[’ʼ‘]/gu, "'").replace(/\p{Pd}/gu, '-')),
  'printed apostrophes and dashes': (name) =>
    changed(name, name.replaceAll("'", '’').replaceAll('-', '–')),
  'without accents': (name, locale) =>
    /\p{sc=Latin}/u.test(name) && locale !== 'vi' ? changed(name, bare(name)) : null,
  'two letters for one': (name, locale) =>
    /^(?:de|da|nb|sv)$/.test(locale) ? bareDigraphs(name) : null,
  'one letter of another script': (name) => {
    const at = Array.from(name).findIndex((letter) => LIKE.has(letter))
    const letters = Array.from(name)
    return at === -1 ? null : letters.with(at, LIKE.get(letters[at] ?? '') ?? '').join('')
  },
  'romanised by ISO 9': romanised(ROMANISED[0] ?? []),
  'romanised by BGN': romanised(ROMANISED[1] ?? []),
  'romanised by Unidecode': romanised(ROMANISED[2] ?? []),
  'katakana of half width': (name, locale) =>
    locale === 'ja'
      ? changed(
          name,
          Array.from(name.normalize('NFD'), (kana) => HALF_OF.get(kana) ?? kana).join(''),
        )
      : null,
  hiragana: (name, locale) =>
    locale === 'ja'
      ? changed(
          name,
          name.replace(/[\u30a1-\u30f6]/g, (kana) =>
            String.fromCharCode(kana.charCodeAt(0) - 0x60),
          ),
        )
      : null,
  'the keyboard of a neighbour': (name, locale) =>
    locale === 'ar'
      ? changed(name, name.replaceAll('ي', 'ی').replaceAll('ك', 'ک'))
      : locale === 'fa' || locale === 'ur'
        ? changed(name, name.replaceAll('ی', 'ي').replaceAll('ک', 'ك').replaceAll('ہ', 'ه'))
        : null,
}

const bareDigraphs = (name: string) => {
  const digraphs = withDigraphs(name.toLowerCase().normalize('NFC'))
  return digraphs === null ? null : bare(digraphs)
}
