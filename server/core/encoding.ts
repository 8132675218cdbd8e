// Detects the encoding of a text file: a byte-order mark decides, then zero bytes (UTF-16), then whether
// its other characters are UTF-8, with exceptions. Any other file was written by a program of a
// country, and its letters are compared with those of known languages.
// How libraries compare, and what is left to the merchant: docs/decisions/0047.
import { ownValue } from '../../plugins/contract/index.ts'
import { isAscii, isUtf8 } from 'node:buffer'
import { decodeCodePage, isCodePage } from './code-pages.ts'
import { guessedLabel } from './chardetng.ts'
import { nextTurn } from './turn.ts'
import { fitOf, hasOneLanguage } from './western-letters.ts'

/** Labels of the Encoding Standard, and code pages. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-13',
  'iso-8859-15',
  'koi8-r',
  'koi8-u',
  'macintosh',
  'ibm850',
  'ibm852',
  'ibm866',
  'shift_jis',
  'euc-jp',
  'iso-2022-jp',
  'gb18030',
  'big5',
  'euc-kr',
] as const
export type Encoding = (typeof ENCODINGS)[number]

export interface DetectedEncoding {
  encoding: Encoding
  /**
   * Whether no other encoding fits nearly as well; otherwise a person should look at the result.
   */
  sure: boolean
}

/** How many bytes from the start of the file are searched for zero bytes. */
const HEAD_BYTES = 64 * 1024
/** Bytes of lines with other characters than ASCII that are compared with languages. */
const SAMPLE_BYTES = 6 * 1024
/**
 * ASCII in UTF-16 has a zero in every second byte. A line with few ASCII characters still has its
 * separators.
 */
const ZEROS_OF_UTF16 = 0.05
/** So many zeros may be in a short file of another encoding by mistake. */
const STRAY_ZEROS = 2

export interface EncodingDetector {
  /** Adds the next bytes of the file, in order. */
  add(bytes: Buffer): void
  result(): Promise<DetectedEncoding>
}

export function createEncodingDetector(): EncodingDetector {
  let head = Buffer.alloc(0)
  let rest = Buffer.alloc(0)
  const sample = createSample()
  /** Characters of UTF-8 other than ASCII, and bytes that are none. */
  const counts = { valid: 0, bad: 0 }
  return {
    add: (bytes) => {
      if (head.length < HEAD_BYTES)
        head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)])
      sample.add(bytes)
      if (rest.length === 0 && isAscii(bytes)) return
      const joined = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
      const end = wholeCharacters(joined)
      countCharacters(joined.subarray(0, end), counts)
      rest = Buffer.from(joined.subarray(end))
    },
    result: async () => {
      const plain = markOf(head) ?? zerosOf(head) ?? escapesOf(head)
      if (plain) return { encoding: plain, sure: true }
      const bad = counts.bad + (rest.length > 0 ? 1 : 0)
      // A bad byte in a file of UTF-8 is a fault of its row. In other encodings few characters
      // happen to be UTF-8.
      if (bad === 0 || counts.valid >= bad) return { encoding: 'utf-8', sure: bad === 0 }
      return guessEncoding(sample.result())
    },
  }
}

function countCharacters(bytes: Buffer, counts: { valid: number; bad: number }): void {
  if (isUtf8(bytes)) {
    for (const byte of bytes) if (byte >= 0xc2) counts.valid++
    return
  }
  for (const character of new TextDecoder().decode(bytes))
    if (character === '\ufffd') counts.bad++
    else if (character > '\x7f') counts.valid++
}

/** Collects lines that have other characters than ASCII. */
function createSample() {
  let line: Buffer = Buffer.alloc(0)
  let sample = Buffer.alloc(0)
  const keep = (bytes: Buffer) => {
    if (!isAscii(bytes)) sample = Buffer.concat([sample, bytes])
  }
  return {
    add: (bytes: Buffer) => {
      if (sample.length >= SAMPLE_BYTES) return
      // Most files are ASCII throughout: their lines are not cut one by one.
      if (isAscii(bytes)) {
        keep(line)
        line = bytes.subarray(Math.max(bytes.lastIndexOf(10) + 1, bytes.length - SAMPLE_BYTES))
        return
      }
      let from = 0
      while (from < bytes.length && sample.length < SAMPLE_BYTES) {
        const end = bytes.indexOf(10, from)
        const piece = bytes.subarray(from, end < 0 ? bytes.length : end + 1)
        from += piece.length
        line = Buffer.concat([line, piece])
        if (end < 0 && line.length < SAMPLE_BYTES) continue
        keep(line)
        line = Buffer.alloc(0)
      }
    },
    result: (): Buffer => {
      if (sample.length < SAMPLE_BYTES) keep(line)
      return sample.subarray(0, SAMPLE_BYTES)
    },
  }
}

/** The detector's names of encodings that have other names in the Encoding Standard. */
const ALIASES: Readonly<Record<string, Encoding>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
  macroman: 'macintosh',
  gbk: 'gb18030',
  gb2312: 'gb18030',
}
/** Fewer bytes than this, none of them adjacent, are the accents of a few Western words. */
const FEW_BYTES = 12
const WORD_BYTES = 4
/**
 * Their second bytes may be ASCII, so that an accent and the letter after it (`Üb`) look like one
 * character. A text of these scripts has two of the other bytes in a row somewhere.
 */
const DOUBLE_BYTE: ReadonlySet<Encoding> = new Set(['shift_jis', 'gb18030', 'big5', 'euc-kr'])
/** Encodings of Latin letters: of others, a text has words, three letters in a row. */
const LATIN_LETTERS: ReadonlySet<Encoding> = new Set([
  'windows-1250',
  'windows-1252',
  'windows-1254',
  'windows-1257',
  'windows-1258',
  'iso-8859-2',
  'iso-8859-15',
])
/** Below this confidence the text is too short to distinguish encodings. */
const LEAST_CONFIDENCE = 0.03
/** From this share of the best score, another encoding fits nearly as well. */
const NEARLY = 0.9

async function guessEncoding(sample: Buffer): Promise<DetectedEncoding> {
  const latin = latinEncoding(sample)
  if (latin) return latin
  if (hasFewAccents(sample)) return { encoding: ofFewLetters(sample), sure: false }
  const { detectAll } = await import('jschardet')
  // Each of the detectors needs some 20 ms.
  await nextTurn()
  const run = longestRun(sample)
  const usual = new TextDecoder('windows-1252').decode(sample)
  const texts = new Set<string>()
  const candidates: { encoding: Encoding; confidence: number }[] = []
  for (const { encoding: name, confidence } of detectAll(sample)) {
    const encoding = supported(name)
    const text = encoding && new TextDecoder(encoding).decode(sample)
    if (!text || NOT_IN_TEXTS.test(text.slice(0, -1)) || texts.has(text)) continue
    if (DOUBLE_BYTE.has(encoding) ? run === 1 : run < 3 && !LATIN_LETTERS.has(encoding)) continue
    texts.add(text)
    candidates.push({ encoding: text === usual ? 'windows-1252' : encoding, confidence })
  }
  await nextTurn()
  const [best, second] = candidates
  if (!best) return { encoding: ofFewLetters(sample), sure: false }
  const isClear =
    best.confidence >= LEAST_CONFIDENCE && !(second && second.confidence > best.confidence * NEARLY)
  const firefox = supported(guessedLabel(sample))
  if (!isClear && firefox && DOUBLE_BYTE.has(firefox) && run > 1)
    return { encoding: firefox, sure: false }
  // Two detectors that agree: one alone is often sure of a few letters.
  return { encoding: best.encoding, sure: isClear && firefox === best.encoding }
}

/**
 * The encoding of a few accents: the one in which the letters are those of one language. Firefox's
 * detector decides between several; without one, it is by far the most frequent
 * (docs/decisions/0116-two-detectors-of-encodings.md).
 */
function ofFewLetters(sample: Buffer): Encoding {
  const firefox = supported(guessedLabel(sample))
  if (firefox && DOUBLE_BYTE.has(firefox) && longestRun(sample) > 1) return firefox
  const isOfOneLanguage = (encoding: Encoding) => {
    const text = decoderOf(encoding).decode(sample)
    return !NOT_IN_TEXTS.test(text) && hasOneLanguage(text)
  }
  const candidates = [...(firefox ? [firefox] : []), ...FEW_LETTERS]
  return candidates.find(isOfOneLanguage) ?? 'windows-1252'
}

/** Control characters of Latin-1 stand for letters of another encoding. */
const NOT_IN_TEXTS = /[\u0080-\u009f\ufffd]/

const FEW_LETTERS = ['windows-1252', 'windows-1250', 'windows-1254', 'windows-1257'] as const

/** Encodings of Latin letters other than Windows-1252, the first of several that fit. */
const LATIN = [
  ['macintosh', 'western'],
  ['ibm850', 'western'],
  ['ibm852', 'central'],
] as const

/** At most one letter of so many is at a place where texts have none. */
const MOST_ARE_WORDS = 10

/** In Windows-1252 `…‘’“”•–—™©®·×` and the wide space: the only such characters of most English texts. */
const ENGLISH_SIGNS = new Set(Buffer.from('859192939495969799a0a9aeb7d7', 'hex'))
/** `Kid’s`, `don’t`, `girls’ dress`; `Brand™`, `“word”`. */
const WORDS_OF_ENGLISH =
  /[a-z]’(?:s|t|d|m|ll|re|ve)(?!\p{L})|s’(?=\s)|(?<=\p{L})[®™](?!\p{L})|(?<!\p{L})“[^“”\n]+”(?!\p{L})/giu
/** `Guía`, `política`, `España`, `canción`: in Windows-1252 `Gu’a`, `pol’tica`, `Espa–a`, `canci—n`. */
const SPANISH_OF_MAC = String.raw`\p{L}\p{Ll}(?:’as?|’[ft]ic[ao]s?|–[ao]s?|—n)(?!\p{L})`
/** `ideeën`, `Noël`: `idee‘n`, `No‘l`; not `Hawai‘i`, or `Kid‘s` and `rock‘n’roll` with a wrong quote. */
const DIAERESES_OF_MAC = String.raw`\p{Ll}‘(?!(?:s|t|d|m|ll|re|ve)(?!\p{L})|n’)(?=[b-df-hj-np-tv-z])`
/** `hôtel`: `h™tel`; not `Pad™s`. */
const CIRCUMFLEXES_OF_MAC = String.raw`\p{Ll}™(?!s(?!\p{L}))\p{Ll}`
const WORDS_OF_MAC = new RegExp(
  `${SPANISH_OF_MAC}|${DIAERESES_OF_MAC}|${CIRCUMFLEXES_OF_MAC}`,
  'gu',
)

/**
 * The one in which nearly all letters are in words, if they are not in Windows-1252, which is by far
 * the most frequent: old programs, and “CSV (MS-DOS)” and “CSV (Macintosh)” of Excel. Null: there is
 * none.
 */
function latinEncoding(sample: Buffer): DetectedEncoding | null {
  const text = decoderOf('windows-1252').decode(sample)
  if (sample.every((byte) => byte <= 0x7f || ENGLISH_SIGNS.has(byte))) return englishOr(text)
  const usual = fitOf(text, 'western')
  if (usual.bad * MOST_ARE_WORDS <= usual.good) return null
  let best: { encoding: Encoding; good: number } | null = null
  for (const [encoding, script] of LATIN) {
    const { good, bad } = fitOf(decoderOf(encoding).decode(sample), script)
    if (bad * MOST_ARE_WORDS <= good && good > (best?.good ?? usual.good)) best = { encoding, good }
  }
  return best && { encoding: best.encoding, sure: best.good >= FEW_BYTES }
}

/** @param text has no other signs than those of English. */
function englishOr(text: string): DetectedEncoding {
  const countOf = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  const [english, mac] = [countOf(WORDS_OF_ENGLISH), countOf(WORDS_OF_MAC)]
  const [least, most] = [Math.min(english, mac), Math.max(english, mac)]
  return {
    encoding: mac > english ? 'macintosh' : 'windows-1252',
    sure: most >= FEW_BYTES && least * MOST_ARE_WORDS <= most,
  }
}

/** Statistics say nothing about so few letters. Scripts other than Latin write whole words of them. */
function hasFewAccents(sample: Buffer): boolean {
  const count = sample.filter((byte) => byte > 0x7f).length
  const text = new TextDecoder('windows-1252').decode(sample)
  return count < FEW_BYTES && longestRun(sample) < WORD_BYTES && !/[\u0080-\u009f]/.test(text)
}

/** The most bytes other than ASCII in a row. */
function longestRun(sample: Buffer): number {
  let [run, longest] = [0, 0]
  for (const byte of sample) {
    run = byte > 0x7f ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

function supported(name: string | null): Encoding | null {
  const lower = (name ?? '').toLowerCase()
  const label = ownValue(ALIASES, lower) ?? labelOf(lower)
  return ENCODINGS.find((one) => one === label) ?? null
}

function labelOf(name: string): string | null {
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function markOf(head: Buffer): Encoding | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return null
}

function zerosOf(head: Buffer): Encoding | null {
  let [even, odd] = [0, 0]
  for (const [at, byte] of head.entries())
    if (byte === 0) {
      if (at % 2 === 0) even++
      else odd++
    }
  const enough = Math.max((head.length / 2) * ZEROS_OF_UTF16, STRAY_ZEROS)
  if (odd > enough && even * 4 < odd) return 'utf-16le'
  if (even > enough && odd * 4 < even) return 'utf-16be'
  return null
}

/** ISO-2022-JP is ASCII with escape sequences that begin Japanese characters. */
const escapesOf = (head: Buffer): Encoding | null =>
  /\x1b\$[@B]|\x1b\([IJ]/.test(head.toString('latin1')) ? 'iso-2022-jp' : null

/**
 * The offset of an incomplete last character, which the next bytes may complete; the length if the
 * last character is complete.
 */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes.readUInt8(bytes.length - back)
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? bytes.length - back : bytes.length
  }
  return bytes.length
}

export interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string
}

/** A decoder of pieces. Without `stream` a piece is the last one. */
export const decoderOf = (encoding: Encoding): Decoder =>
  isCodePage(encoding)
    ? { decode: (bytes) => (bytes ? decodeCodePage(encoding, bytes) : '') }
    : new TextDecoder(encoding)

/** Decodes bytes that arrive in pieces; drops the byte-order mark. */
export async function* decode(
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = decoderOf(encoding)
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const last = decoder.decode()
  if (last !== '') yield last
}
