// The bytes of the sample shop's files: real documents, pictures and archives, so that they can be
// opened, previewed and downloaded.
import { crc32 } from 'node:zlib'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import sharp, { type Sharp } from 'sharp'

export const SAMPLES_PATH = '/demo/samples/'

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
  const make = path.startsWith(SAMPLES_PATH) ? KINDS[path.slice(SAMPLES_PATH.length)] : undefined
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

/** A ZIP file with one stored entry of pseudo-random bytes. */
function archiveOf(name: string, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = length
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  const about = Buffer.alloc(26)
  about.writeUInt16LE(20, 0) // the version that reads it
  about.writeUInt32LE(0x5821_0000, 6) // time and date
  about.writeUInt32LE(crc32(bytes), 10)
  about.writeUInt32LE(length, 14)
  about.writeUInt32LE(length, 18)
  about.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), about, Buffer.from(name)])
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00'),
    about,
    Buffer.alloc(14),
    Buffer.from(name),
  ])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length + length, 16)
  return Buffer.concat([local, bytes, central, end])
}
