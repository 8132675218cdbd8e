// Letters in the forms in which software writes them where a file system, a URL or a keyboard does not
// have them.

/** Letters that are no letter with an accent in Unicode, as software without accents writes them. */
const BARE: ReadonlyMap<string, string> = new Map(
  'ø o,æ ae,œ oe,ł l,đ d,ð d,þ th,ħ h,ŧ t,ŋ n,ə e'
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)
const ALL_BARE = new RegExp(`[${[...BARE.keys()].join('')}]`, 'gu')

/** @param text in small letters, without accents. */
export const withBareLetters = (text: string): string =>
  text.replace(ALL_BARE, (letter) => BARE.get(letter) ?? letter)

/** Two letters for one: `Maerchen` for `Märchen`. */
const DIGRAPHS: ReadonlyMap<string, string> = new Map(
  'ä ae,ö oe,ü ue,å aa,ø oe,đ dj'.split(',').map((pair) => pair.split(' ') as [string, string]),
)
const HAS_DIGRAPH = new RegExp(`[${[...DIGRAPHS.keys()].join('')}]`, 'u')
const ALL_DIGRAPHS = new RegExp(HAS_DIGRAPH, 'gu')

/** Null: it has no letter that is written as two. @param text in small letters, in NFC. */
export const withDigraphs = (text: string): string | null =>
  HAS_DIGRAPH.test(text)
    ? text.replace(ALL_DIGRAPHS, (letter) => DIGRAPHS.get(letter) ?? letter)
    : null

/** Hiragana as katakana. */
export const inKatakana = (text: string): string =>
  text.replace(/[\u3041-\u3096\u309d\u309e]/g, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) + 0x60),
  )

const APOSTROPHES = /['‘’‛ʼʻˈʹ′`´＇ꞌ՚׳]/gu
export const withPlainApostrophes = (text: string): string => text.replace(APOSTROPHES, "'")
