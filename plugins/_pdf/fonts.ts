// The fonts for drawing text: Noto Sans, one script after another, each split into parts by their
// characters.
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Blob, Face, Font, Variation } from 'harfbuzzjs'
import decompress from 'woff2-encoder/decompress'

/** The fonts of a script come before others that contain its characters too. */
const SCRIPTS = [
  '',
  'arabic',
  'hebrew',
  'armenian',
  'georgian',
  'ethiopic',
  'bengali',
  'gujarati',
  'gurmukhi',
  'kannada',
  'malayalam',
  'tamil',
  'telugu',
  'sinhala',
  'thai',
  'lao',
  'khmer',
  'myanmar',
] as const
const CHINESE = 'sc'
const JAPANESE = 'jp'
const KOREAN = 'kr'

const WEIGHT = 500
const { resolve } = createRequire(import.meta.url)

export interface LoadedFont {
  font: Font
  /** The thousandths of an em that a unit of the font has. */
  scale: number
  has(codePoint: number): boolean
}

/** A part of a script's font. */
interface Part {
  file: string
  ranges: readonly (readonly [number, number])[]
}

export interface Fonts {
  /** The first font that has all these characters, or null. */
  find(codePoints: readonly number[]): Promise<LoadedFont | null>
}

/**
 * Opens the fonts for this text. Chinese, Japanese and Korean share characters, which are drawn in
 * the style of the text's other characters.
 */
export async function openFonts(text: string): Promise<Fonts> {
  const eastern = [CHINESE, JAPANESE, KOREAN].sort(
    (a, b) => Number(isOf(b, text)) - Number(isOf(a, text)),
  )
  const parts = (await Promise.all([...SCRIPTS, ...eastern].map(partsOf))).flat()
  const loaded = new Map<string, Promise<LoadedFont>>()
  const load = (file: string) => {
    const found = loaded.get(file) ?? loadFont(file)
    loaded.set(file, found)
    return found
  }
  return {
    find: async (codePoints) => {
      const [first] = codePoints
      if (first === undefined) return null
      const inRange = ({ ranges }: Part) =>
        ranges.some(([from, to]) => first >= from && first <= to)
      for (const { file } of parts.filter(inRange)) {
        const font = await load(file)
        if (codePoints.every(font.has)) return font
      }
      return null
    },
  }
}

const isOf = (script: string, text: string): boolean =>
  (script === JAPANESE && /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) ||
  (script === KOREAN && /\p{Script=Hangul}/u.test(text))

async function partsOf(script: string): Promise<Part[]> {
  const name = script === '' ? 'noto-sans' : `noto-sans-${script}`
  const listed = resolve(`@fontsource-variable/${name}/unicode.json`)
  const ranges = JSON.parse(await readFile(listed, 'utf8')) as Record<string, string>
  return Object.entries(ranges).map(([part, text]) => ({
    file: path.join(
      path.dirname(listed),
      'files',
      `${name}-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`,
    ),
    ranges: text.split(',').map(rangeOf),
  }))
}

/** The first and the last character of `U+61` or `U+61-7a`. */
function rangeOf(text: string): [number, number] {
  const [from = '', to = from] = text.replace('U+', '').split('-')
  return [parseInt(from, 16), parseInt(to, 16)]
}

async function loadFont(file: string): Promise<LoadedFont> {
  const face = new Face(new Blob(await decompress(await readFile(file))))
  const font = new Font(face)
  font.setVariations([new Variation('wght', WEIGHT)])
  const known = new Set(face.collectUnicodes())
  return { font, scale: 1000 / face.upem, has: (codePoint) => known.has(codePoint) }
}
