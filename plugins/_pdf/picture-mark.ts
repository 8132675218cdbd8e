// A picture as a mark: upright, no larger than pages need, keeping its transparency.
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import createBidi from 'bidi-js'
import { Buffer as TextBuffer, Direction, DrawFuncs, shape } from 'harfbuzzjs'
import { Refusal, isOutOfMemory, sayPlain, say } from '../contract/sandbox.ts'
import type { Dictionary } from './objects.ts'
import type { WatermarkOptions } from './tasks.ts'
import type { Box } from './geometry.ts'
import { openFonts, type LoadedFont } from './fonts.ts'

const MAX_PX = 1500
const MAX_PIXELS = 100_000_000

/** A picture as a mark. Throws `Refusal` `image_damaged`. */
export async function pictureMark(bytes: Buffer): Promise<Mark> {
  try {
    const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS })
      .autoOrient()
      .resize({ width: MAX_PX, height: MAX_PX, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const raw = sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    const alpha = await raw.clone().extractChannel(3).raw().toBuffer()
    if (alpha.every((one) => one === 255)) {
      const jpeg = await raw.clone().removeAlpha().jpeg({ quality: 90 }).toBuffer()
      return imageOf(info, { '/ColorSpace': '/DeviceRGB', '/Filter': '/DCTDecode' }, jpeg, null)
    }
    const colours = await raw.clone().removeAlpha().raw().toBuffer()
    return imageOf(info, { '/ColorSpace': '/DeviceRGB' }, colours, alpha)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    throw new Refusal('image_damaged', sayPlain('The image for the watermark cannot be opened'), {
      cause: error,
    })
  }
}

/** The image's object; `alpha` is its transparency, as a separate mask. */
function imageOf(
  { width, height }: { width: number; height: number },
  coding: Dictionary,
  colours: Buffer,
  alpha: Buffer | null,
): Mark {
  const image = {
    '/Type': '/XObject',
    '/Subtype': '/Image',
    '/Width': width,
    '/Height': height,
    '/BitsPerComponent': 8,
  }
  return {
    box: { left: 0, bottom: 0, right: width, top: height },
    // An image is one unit wide and one unit high.
    content: `${width} 0 0 ${height} 0 0 cm /Mark Do`,
    scale: null,
    drawing: streamOf({ ...image, ...coding }, colours),
    mask: alpha && streamOf({ ...image, '/ColorSpace': '/DeviceGray' }, alpha),
  }
}

// A mark: a drawing, and the objects that it adds to the document.

export interface Mark {
  box: Box
  /**
   * The points of each unit of the mark, if the merchant chose its size; null: as large as
   * possible.
   */
  scale: number | null
  /** Its drawing operators. */
  content: string
  /** The form or picture that `content` draws as `/Mark`. */
  drawing: Stream
  /** A picture's soft mask. */
  mask: Stream | null
}

export type Stream = { stream: { dict: Dictionary; data: string } }

export function streamOf(dict: Dictionary, data: string | Buffer): Stream {
  const packed = dict['/Filter'] ? Buffer.from(data) : deflateSync(data)
  return {
    stream: { dict: { '/Filter': '/FlateDecode', ...dict }, data: packed.toString('base64') },
  }
}

const GREY = 0.5

/** A text as a mark. Throws `Refusal` `glyph_missing`. */
export async function textMark({ text = '', font_size }: WatermarkOptions): Promise<Mark> {
  const { path: outline, ...box } = await outlineOf(text)
  const form = {
    '/Type': '/XObject',
    '/Subtype': '/Form',
    '/BBox': [box.left, box.bottom, box.right, box.top],
  }
  // The text is filled as one path, so that overlapping letters are not denser.
  const mark = streamOf({ ...form, '/Resources': {} }, `${GREY} g\n${outline}\nf`)
  return {
    box,
    scale: font_size === undefined ? null : font_size / 1000,
    content: '/Mark Do',
    drawing: mark,
    mask: null,
  }
}

// Turns a text into an outline: its letters are shaped and joined by the rules of their script, in
// visual order. An outline needs no font in the document, and looks the same in every reader.

/** The outline of a text, in thousandths of the font size, from the beginning of the base line. */
export interface Outline {
  /** A path in PDF's operators, to be filled. */
  path: string
  left: number
  bottom: number
  right: number
  top: number
}

/** A part of the text that is drawn with one font, in one direction. */
interface Piece {
  text: string
  font: LoadedFont
  /** The embedding level; an odd one is drawn from right to left. */
  level: number
}

// The import is the function itself, although its types describe a module.
const bidi = (createBidi as unknown as typeof createBidi.default)()
const IGNORED = /\p{Default_Ignorable_Code_Point}/u
const MAX_NAMED = 10

/**
 * Draws one line of text.
 * @throws `Refusal` `glyph_missing`, which lists the letters that no font here has
 */
export async function outlineOf(text: string): Promise<Outline> {
  const line = text.normalize('NFC').replace(/\s+/gu, ' ').trim()
  const pieces = await piecesOf(line)
  const drawing = openDrawing()
  for (const piece of inVisualOrder(pieces)) drawPiece(piece, drawing)
  const outline = drawing.end()
  if (outline.path === '')
    throw new Refusal('glyph_missing', sayPlain('This text has no visible characters'))
  return outline
}

async function piecesOf(line: string): Promise<Piece[]> {
  const fonts = await openFonts(line)
  const { levels } = bidi.getEmbeddingLevels(line)
  const pieces: Piece[] = []
  const missing = new Set<string>()
  for (const { segment, index } of new Intl.Segmenter().segment(line)) {
    const seen = [...segment]
      .filter((char) => !IGNORED.test(char))
      .map((char) => char.codePointAt(0)!)
    const last = pieces.at(-1)
    if (seen.length === 0) {
      // A joiner alone, or an invisible character.
      if (last) last.text += segment
      continue
    }
    const level = levels[index]!
    const font = last && seen.every(last.font.has) ? last.font : await fonts.find(seen)
    if (font === null) missing.add(segment)
    else if (last?.font === font && last.level === level) last.text += segment
    else pieces.push({ text: segment, font, level })
  }
  if (missing.size > 0) throw missingGlyphs([...missing])
  return pieces
}

const missingGlyphs = (letters: readonly string[]) =>
  new Refusal(
    'glyph_missing',
    say('No installed font has {letters}{more, select, yes { and others} other {}}', {
      letters: letters.slice(0, MAX_NAMED).join(' '),
      more: letters.length > MAX_NAMED ? 'yes' : 'no',
    }),
  )

/**
 * The pieces from left to right: right-to-left runs, and the runs inside them, are reversed (rule
 * L2 of the bidirectional algorithm).
 */
function inVisualOrder(pieces: readonly Piece[]): Piece[] {
  const ordered = [...pieces]
  const highest = Math.max(...pieces.map(({ level }) => level))
  for (let level = highest; level > 0; level--)
    for (let from = 0; from < ordered.length; from++) {
      const rest = ordered.findIndex((piece, at) => at >= from && piece.level < level)
      const to = rest === -1 ? ordered.length : rest
      ordered.splice(from, to - from, ...ordered.slice(from, to).reverse())
      from = Math.max(from, to - 1)
    }
  return ordered
}

function drawPiece({ text, font, level }: Piece, drawing: ReturnType<typeof openDrawing>): void {
  const buffer = new TextBuffer()
  buffer.addText(text)
  buffer.guessSegmentProperties()
  buffer.setDirection(level % 2 === 1 ? Direction.RTL : Direction.LTR)
  shape(font.font, buffer)
  for (const {
    codepoint: glyph,
    xAdvance = 0,
    xOffset = 0,
    yOffset = 0,
  } of buffer.getGlyphInfosAndPositions()) {
    if (glyph === 0) throw missingGlyphs([text])
    drawing.place(xOffset, yOffset, font.scale)
    font.font.drawGlyph(glyph, drawing.pen)
    drawing.advance(xAdvance * font.scale)
  }
}

type Point = [x: number, y: number]

/** Places glyphs next to each other. */
function openDrawing() {
  const operators: string[] = []
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity }
  let [at, dx, dy, scale] = [0, 0, 0, 1]
  let last: Point = [0, 0]
  const point = (x: number, y: number): string => {
    const placed: Point = [Math.round(at + (x + dx) * scale), Math.round((y + dy) * scale)]
    box.left = Math.min(box.left, placed[0])
    box.right = Math.max(box.right, placed[0])
    box.bottom = Math.min(box.bottom, placed[1])
    box.top = Math.max(box.top, placed[1])
    return placed.join(' ')
  }
  const add = (operator: string, ...points: Point[]) => {
    operators.push(`${points.map(([x, y]) => point(x, y)).join(' ')} ${operator}`)
    last = points.at(-1) ?? last
  }
  const pen = new DrawFuncs()
  pen.setMoveToFunc((x, y) => add('m', [x, y]))
  pen.setLineToFunc((x, y) => add('l', [x, y]))
  pen.setCubicToFunc((ax, ay, bx, by, x, y) => add('c', [ax, ay], [bx, by], [x, y]))
  // PDF has only cubic curves.
  pen.setQuadraticToFunc((cx, cy, x, y) =>
    add('c', pointBetween(last, [cx, cy]), pointBetween([x, y], [cx, cy]), [x, y]),
  )
  pen.setClosePathFunc(() => void operators.push('h'))
  return {
    pen,
    place: (x: number, y: number, by: number) => void ([dx, dy, scale] = [x, y, by]),
    advance: (by: number) => void (at += by),
    end: (): Outline => ({ path: operators.join('\n'), ...box }),
  }
}

const pointBetween = ([x, y]: Point, [cx, cy]: Point): Point => [
  x + ((cx - x) * 2) / 3,
  y + ((cy - y) * 2) / 3,
]
