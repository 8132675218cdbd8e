// Covers of the demo shop's products: drawn from shapes and the standard fonts of PDF documents, the same on
// every machine. A cover is the first page of a document and, rendered, the picture of a product.
import {
  degrees,
  PDFDocument,
  rgb,
  StandardFonts,
  type Color,
  type PDFFont,
  type PDFPage,
} from 'pdf-lib'
import type { PDFiumLibrary } from '@hyzyla/pdfium'
import sharp from 'sharp'
import { ownValue } from '../../plugins/contract/index.ts'
import { elementAt } from '../core/lazy.ts'

export interface CoverText {
  title: string
  vendor: string
  /** `Audio`; what is drawn follows from it. */
  type: string
}

/** The background, the shapes, and the text on it, as `rrggbb`. */
const PALETTES: readonly (readonly [string, string, string, string])[] = [
  ['1d3d47', '2f6f73', 'e8a55a', 'f6ecd9'],
  ['f3e3cc', 'd97b4f', '2b4a5e', '2a2320'],
  ['2b2440', '6a4c93', 'f2a65a', 'f7efe2'],
  ['dfe9e2', '5f8d6b', 'c4513a', '1f2d25'],
  ['7a2e2e', 'b5533c', 'f0c987', 'fdf3e3'],
  ['e9e4f0', '7a6ea8', 'e07a5f', '29243a'],
  ['12343b', 'c89666', '2d545e', 'f5e6d0'],
  ['f7d9c4', '8a5a44', '3d5a80', '33211a'],
]

const colourOf = (hex: string): Color => {
  const part = (at: number) => parseInt(hex.slice(at, at + 2), 16) / 255
  return rgb(part(0), part(2), part(4))
}

/** A number from a text, the same on every machine (FNV-1a). */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

interface Sheet {
  page: PDFPage
  width: number
  height: number
  /** A number from 0 up to 1 that follows from the title. */
  random: () => number
  second: Color
  third: Color
}

type Drawing = (sheet: Sheet) => void

const waves: Drawing = ({ page, width, height, second, third, random }) => {
  const sun = { x: width * (0.3 + random() * 0.4), y: height * 0.54, size: width * 0.15 }
  page.drawCircle({ ...sun, color: third })
  for (let n = 0; n < 5; n++) {
    const top = height * (0.45 - n * 0.08)
    const step = width / 4
    const rise = 10 + random() * 14
    let path = `M ${-step * random()} 0`
    for (let x = 0; x < 6; x++) path += ` q ${step / 2} ${x % 2 ? rise : -rise} ${step} 0`
    path += ` L ${width * 2} ${height} L ${-width} ${height} Z`
    page.drawSvgPath(path, { x: 0, y: top, color: second, opacity: 0.35 + n * 0.12 })
  }
}

const hills: Drawing = ({ page, width, height, second, third, random }) => {
  page.drawCircle({ x: width * 0.74, y: height * 0.72, size: width * 0.1, color: third })
  for (let n = 0; n < 4; n++) {
    const peak = width * (0.1 + random() * 0.8)
    const top = height * (0.26 + random() * 0.1 - n * 0.02)
    const path = `M ${peak - width} ${top * 2} L ${peak} 0 L ${peak + width} ${top * 2} Z`
    page.drawSvgPath(path, {
      x: 0,
      y: top * 1.5,
      color: n % 2 ? third : second,
      opacity: 0.35 + n * 0.15,
    })
  }
}

const stitches: Drawing = ({ page, width, height, second, third, random }) => {
  const [columns, rows] = [14, 10]
  const size = width / columns
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const isMark = (Math.abs(column - 6.5) + row * 2 + Math.floor(random() * 2)) % 6 < 3
      const path = `M 0 0 L ${size / 2} ${size * 0.6} L ${size} 0 L ${size} ${size * 0.4} L ${size / 2} ${size} L 0 ${size * 0.4} Z`
      const at = { x: column * size, y: height * 0.16 + (row + 1) * size * 0.7 }
      page.drawSvgPath(path, { ...at, color: isMark ? third : second, opacity: 0.9 })
    }
}

const staff: Drawing = ({ page, width, height, second, third, random }) => {
  for (let system = 0; system < 2; system++) {
    const base = height * (0.22 + system * 0.24)
    for (let line = 0; line < 5; line++)
      page.drawRectangle({
        x: width * 0.08,
        y: base + line * 12,
        width: width * 0.84,
        height: 1.5,
        color: second,
      })
    for (let note = 0; note < 9; note++) {
      const [x, y] = [width * (0.14 + note * 0.087), base + Math.floor(random() * 8) * 6]
      page.drawEllipse({ x, y, xScale: 8, yScale: 6, rotate: degrees(20), color: third })
      page.drawRectangle({ x: x + 6, y, width: 2, height: 42, color: third })
    }
  }
}

const sound: Drawing = ({ page, width, height, second, third, random }) => {
  const bars = 36
  for (let n = 0; n < bars; n++) {
    const loud = Math.sin((n / bars) * Math.PI) * (0.25 + random() * 0.75)
    const size = Math.max(6, loud * height * 0.42)
    page.drawRectangle({
      x: width * 0.08 + (n * width * 0.84) / bars,
      y: height * 0.38 - size / 2,
      width: (width * 0.84) / bars - 4,
      height: size,
      color: n % 5 === 2 ? third : second,
    })
  }
}

const circles: Drawing = ({ page, width, height, second, third, random }) => {
  // On a square its top stays below three lines of a title.
  const [x, y] = [width * (0.4 + random() * 0.2), height * 0.38]
  for (let n = 5; n > 0; n--)
    page.drawCircle({ x, y, size: (width * 0.26 * n) / 5, color: n % 2 ? second : third })
}

const panes: Drawing = ({ page, width, height, second, third, random }) => {
  const size = width / 6
  for (let n = 0; n < 18; n++) {
    const at = { x: (n % 6) * size, y: height * 0.14 + Math.floor(n / 6) * size }
    page.drawRectangle({
      ...at,
      width: size - 6,
      height: size - 6,
      color: random() > 0.45 ? second : third,
      opacity: 0.35 + random() * 0.65,
    })
  }
}

const BY_TYPE: Readonly<Record<string, Drawing>> = {
  Audio: sound,
  'Sheet music': staff,
  'Knitting pattern': stitches,
  'Sewing pattern': stitches,
  'Wall art': hills,
  'Photo preset': hills,
  Template: panes,
  Software: panes,
  Font: circles,
  '3D model': circles,
}
const OTHERS: readonly Drawing[] = [waves, hills, circles]

/** What the standard fonts of PDF documents can write. */
const written = (text: string): string => text.replaceAll(/[^\u0020-\u00ff–—‘’“”…]/g, '').trim()

interface Fonts {
  title: PDFFont
  small: PDFFont
}

const embedFonts = async (document: PDFDocument): Promise<Fonts> => ({
  title: await document.embedFont(StandardFonts.TimesRomanBold),
  small: await document.embedFont(StandardFonts.Helvetica),
})

export function drawCover(page: PDFPage, fonts: Fonts, { title, vendor, type }: CoverText): void {
  const { width, height } = page.getSize()
  let state = numberOf(title)
  const [ground, second, third, ink] = elementAt(PALETTES, state % PALETTES.length)
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  page.drawRectangle({ x: 0, y: 0, width, height, color: colourOf(ground) })
  const draw = ownValue(BY_TYPE, type) ?? elementAt(OTHERS, numberOf(type + title) % OTHERS.length)
  draw({ page, width, height, random, second: colourOf(second), third: colourOf(third) })
  const color = colourOf(ink)
  const size = width * 0.085
  const margin = width * 0.08
  wrapped(written(title), fonts.title, size, width - 2 * margin).forEach((line, at) =>
    page.drawText(line, {
      x: margin,
      y: height - margin - size * (0.8 + at * 1.12),
      size,
      font: fonts.title,
      color,
    }),
  )
  const label = written([vendor, type].filter(Boolean).join('  ·  '))
  page.drawText(label, { x: margin, y: margin * 0.8, size: size * 0.42, font: fonts.small, color })
}

const MAX_LINES = 4

function wrapped(text: string, font: PDFFont, size: number, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && font.widthOfTextAtSize(longer, size) <= width)
      lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.slice(0, MAX_LINES)
}

const PAGE = [420, 595] as const
const PARAGRAPH =
  'The harbour is quiet before the first boats go out. Lay the tools on the table, in the order in which you need them, and read each step to its end before you begin.'

/** A document with a cover and pages of text. */
export async function coveredDocument(cover: CoverText, pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.setTitle(cover.title)
  // The same bytes at every start.
  document.setCreationDate(new Date(Date.UTC(2026, 0, 2)))
  document.setModificationDate(new Date(Date.UTC(2026, 0, 2)))
  const fonts = await embedFonts(document)
  drawCover(document.addPage([...PAGE]), fonts, cover)
  for (let number = 2; number <= pages; number++) {
    const page = document.addPage([...PAGE])
    page.drawText(`Part ${number - 1}`, { x: 40, y: 530, size: 22, font: fonts.title })
    wrapped(PARAGRAPH, fonts.small, 11, 340).forEach((line, at) =>
      page.drawText(line, { x: 40, y: 490 - at * 17, size: 11, font: fonts.small }),
    )
    page.drawText(String(number), { x: 205, y: 32, size: 9, font: fonts.small })
  }
  return Buffer.from(await document.save())
}

const SIDE = 480

/** The picture of a product as PNG. */
export async function productPicture(cover: CoverText, side: number = SIDE): Promise<Buffer> {
  const document = await PDFDocument.create()
  drawCover(document.addPage([SIDE, SIDE]), await embedFonts(document), cover)
  const library = await (loading ??= import('@hyzyla/pdfium').then((pdfium) =>
    pdfium.PDFiumLibrary.init(),
  ))
  const drawn = await library.loadDocument(await document.save())
  try {
    const size = { width: side, height: side }
    const { data } = await drawn.getPage(0).render({ ...size, scale: 1, render: 'bitmap' })
    return await sharp(data, { raw: { ...size, channels: 4 } })
      .png()
      .toBuffer()
  } finally {
    drawn.destroy()
  }
}

let loading: Promise<PDFiumLibrary> | undefined
