// The bytes of the sample shop's files: real documents, pictures and archives, so that they can be
// opened, previewed and downloaded.
import { ownValue } from '../../../plugins/contract/index.ts'
import { crc32 } from 'node:zlib'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import sharp, { type Sharp } from 'sharp'
import { layoutZip } from '../../features/downloads/zip.ts'
import { SAMPLES_PATH } from './path.ts'

const MODIFIED_MS = Date.UTC(2026, 0, 2)

const KINDS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'guide.pdf': () => documentOf('A guide', 4),
  'workbook.pdf': () => documentOf('A workbook', 24),
  'score.pdf': () => documentOf('A score', 60),
  'print.jpg': () => pictureOf(1600, '#4f7c8a').jpeg({ quality: 90 }).toBuffer(),
  'poster.jpg': () => pictureOf(3000, '#c98b6b').jpeg({ quality: 90 }).toBuffer(),
  'template.png': () => pictureOf(900, '#8f9f6b').png().toBuffer(),
  'presets.zip': () => Promise.resolve(archiveOf('presets.bin', 400_000)),
  'brushes.zip': () => Promise.resolve(archiveOf('brushes.bin', 2_500_000)),
  'licence.txt': () => Promise.resolve(Buffer.from('For personal use.\n')),
}

/** Their names, one for each kind of file. */
export const SAMPLE_NAMES: readonly string[] = Object.keys(KINDS)

/** The bytes of a path below `SAMPLES_PATH`; null: there is no such sample. */
export async function sampleBytes(path: string): Promise<Buffer | null> {
  const make = path.startsWith(SAMPLES_PATH)
    ? ownValue(KINDS, path.slice(SAMPLES_PATH.length))
    : undefined
  return make ? make() : null
}

async function documentOf(title: string, pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  document.setTitle(title)
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++) {
    const sheet = document.addPage([420, 595])
    sheet.drawText(title, { x: 40, y: 520, size: 24, font })
    sheet.drawText(`Page ${page} of ${pages}`, { x: 40, y: 480, size: 12, font })
  }
  return Buffer.from(await document.save())
}

/** A square picture of coarse noise, which looks like paper. */
function pictureOf(size: number, colour: string): Sharp {
  const noise = { type: 'gaussian', mean: 128, sigma: 24 } as const
  return sharp({ create: { width: size, height: size, channels: 3, background: colour, noise } })
    .tint(colour)
    .blur(2)
}

/** A ZIP file with one entry of pseudo-random bytes. */
function archiveOf(filename: string, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  let state = size
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  const entry = { filename, size, crc32: crc32(bytes), modifiedMs: MODIFIED_MS, hash: filename }
  const { segments } = layoutZip([entry])
  return Buffer.concat(segments.map((segment) => ('bytes' in segment ? segment.bytes : bytes)))
}
