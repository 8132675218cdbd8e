// Which encoding gives words in a text of Latin letters: too short for statistics, or in a code page
// that the detector does not know. `Žt‚` is no word, `été` is one. docs/decisions/0103.

const WESTERN = 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿß'
const CENTRAL = 'áâăąäćčçďđéęěëíîĺľłńňóôőöŕřśšşťţúůűüýźžżß'

/** The letters of languages that are written in Latin letters, beside ASCII. */
const LANGUAGES = Object.values({
  albanian: 'ëç',
  catalan: 'àçèéíïòóúü·',
  croatian: 'čćđšž',
  czech: 'áčďéěíňóřšťúůýž',
  danish: 'åæøé',
  dutch: 'áéëèïíóöüú',
  estonian: 'äõöüšž',
  finnish: 'äöåšž',
  french: 'àâæçèéêëîïôœùûüÿ',
  german: 'äöüßé',
  hungarian: 'áéíóöőúüű',
  icelandic: 'áðéíóúýþæö',
  italian: 'àèéìíîòóùú',
  latvian: 'āčēģīķļņšūž',
  lithuanian: 'ąčęėįšųūž',
  norwegian: 'åæøéòóôä',
  polish: 'ąćęłńóśźż',
  portuguese: 'áâãàçéêíóôõúü',
  romanian: 'ăâîşţșț',
  slovak: 'áäčďéíĺľňóôŕšťúýž',
  slovenian: 'čšž',
  spanish: 'áéíñóúüªº',
  swedish: 'åäöéü',
  turkish: 'âçğıiîöşüû\u0307',
}).map((letters) => new Set(letters))

/** `µ`, and the ordinals after a number, are signs. */
const LETTER = /[^\0-\x7f\P{L}µªº]/gu
const BESIDE_DIGIT = /\p{N}[^\0-\x7f\P{L}µªº]|[^\0-\x7f\P{L}µªº]\p{N}/u

/** Signs that no word has inside: `pocz¹tek` is `początek` in another encoding. */
const INSIDE_A_WORD = /\p{L}[¡¢£¤¥¦¨¬¯±³¸¹¼½¾¿]\p{L}/u

/** Whether the text has letters beside ASCII, and one language has all of them. */
export function hasOneLanguage(text: string): boolean {
  const letters = new Set(text.toLowerCase().match(LETTER))
  if (letters.size === 0 || BESIDE_DIGIT.test(text) || INSIDE_A_WORD.test(text)) return false
  return LANGUAGES.some((language) => [...letters].every((letter) => language.has(letter)))
}

export interface Fit {
  /** The number of letters and signs that are at a place where texts have them. */
  good: number
  /** The number of others. */
  bad: number
}

type Kind = 'good' | 'bad' | 'neutral'

/** @param script the letters of its languages, beside ASCII. */
export function fitOf(text: string, script: 'western' | 'central'): Fit {
  const lower = new Set(script === 'western' ? WESTERN : CENTRAL)
  const characters = [...text]
  const closes = /[“”‘’]/.test(text)
  const opensLow = /[„‚]/.test(text)
  const found: Record<Kind, number> = { good: 0, bad: 0, neutral: 0 }
  for (const [at, character] of characters.entries()) {
    if (character <= '\u007f') continue
    const [before = '', after = ''] = [characters[at - 1], characters[at + 1]]
    const place = { before, after, closes, opensLow }
    found[isLetter(character) ? letterAt(character, lower, place) : signAt(character, place)]++
  }
  return { good: found.good, bad: found.bad }
}

interface Place {
  before: string
  after: string
  /** Whether the text has a closing quotation mark. */
  closes: boolean
  /** Whether it has a low one: then high ones close words, as in German. */
  opensLow: boolean
}

const isLetter = (text: string) => /^\p{L}$/u.test(text)
const isUpper = (text: string) => /^\p{Lu}$/u.test(text)
const isLower = (text: string) => /^\p{Ll}$/u.test(text)
/** Letters of Windows-1252 that its languages seldom have. */
const SELDOM = /[šŠžŽœŒ]/
const ORDINALS = /[ªº]/

function letterAt(letter: string, lower: ReadonlySet<string>, { before, after }: Place): Kind {
  if (letter === 'µ') return isLetter(before) ? 'bad' : 'neutral'
  if (ORDINALS.test(letter)) return isLetter(after) ? 'bad' : 'neutral'
  if (isUpper(letter)) {
    if (isLower(before) || (isLetter(before) && isLower(after))) return 'bad'
  } else if (isUpper(after)) {
    // `GUíA`, by a program that changes only the letters of ASCII.
    return lower.has(letter) && isUpper(before) ? 'neutral' : 'bad'
  }
  if (!lower.has(letter.toLowerCase()) || letter === 'Ÿ')
    return SELDOM.test(letter) ? 'neutral' : 'bad'
  return isLetter(before) || isLetter(after) ? 'good' : 'neutral'
}

function signAt(sign: string, { before, after, closes, opensLow }: Place): Kind {
  const inside = isLetter(before) && isLetter(after)
  if (sign === '’') return isLetter(before) ? 'good' : 'neutral'
  if (/[“‘]/.test(sign) && opensLow) return isLetter(after) ? 'bad' : 'good'
  if (/[“‘«¿¡]/.test(sign)) return isLetter(before) ? 'bad' : 'good'
  if (/[„‚]/.test(sign)) return isLetter(before) || !closes ? 'bad' : 'good'
  if (/[”»…]/.test(sign)) return isLetter(after) ? 'bad' : 'good'
  if (/[–—•]/.test(sign)) return inside ? 'neutral' : 'good'
  if (sign === '‹') return isLetter(before) ? 'bad' : 'neutral'
  if (/[†‡›˜]/.test(sign)) return isLetter(after) ? 'bad' : 'neutral'
  if (/[\u00a0€£¥™®©°§¦²³×±½¼¾·´]/.test(sign)) return inside ? 'bad' : 'neutral'
  return 'bad'
}
