// The bytes of the sample shop's files: real documents, pictures and archives, so that they can be
// opened, previewed and downloaded.
import { ownValue } from '../../../plugins/contract/index.ts'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { layoutZip } from '../../features/downloads/zip.ts'
import { elementAt } from '../../core/lazy.ts'
import { coveredDocument, productPicture } from '../art.ts'
import { SAMPLES_PATH } from './path.ts'

const MODIFIED_MS = Date.UTC(2026, 0, 2)

const VENDOR = 'Harbour Press'
const ebook = (title: string) => ({ title, vendor: VENDOR, type: 'E-book' })
const drawn = async (title: string, type: string, side: number): Promise<Sharp> =>
  sharp(await productPicture({ title, type, vendor: VENDOR }, side))

const KINDS: Readonly<Record<string, () => Promise<Buffer>>> = {
  'guide.pdf': () => coveredDocument(ebook('A Guide to the Coast'), 4),
  'workbook.pdf': () => coveredDocument(ebook('Workbook: Twelve Winter Evenings'), 24),
  'score.pdf': () =>
    coveredDocument({ title: 'Nocturnes', vendor: VENDOR, type: 'Sheet music' }, 60),
  'pattern.pdf': () =>
    coveredDocument({ title: 'Fisherman’s Gansey', vendor: VENDOR, type: 'Knitting pattern' }, 12),
  'print.jpg': async () =>
    (await drawn('Morning Ferry', 'Wall art', 1600)).jpeg({ quality: 90 }).toBuffer(),
  'poster.jpg': async () =>
    (await drawn('Harbour Lights', 'E-book', 3000)).jpeg({ quality: 90 }).toBuffer(),
  'template.png': async () => (await drawn('Season Planner', 'Template', 900)).png().toBuffer(),
  'recording.wav': () => Promise.resolve(recordingOf(20)),
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

const RATE = 8000
const HEADER_BYTES = 44
/** The notes of a slow melody, in hertz. */
const MELODY = [220, 261.6, 329.6, 293.7, 246.9, 220, 196, 261.6]

/** A WAV file: one voice whose notes swell and fade. */
function recordingOf(seconds: number): Buffer {
  const samples = RATE * seconds
  const bytes = Buffer.alloc(HEADER_BYTES + samples * 2)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(RATE, 24)
  bytes.writeUInt32LE(RATE * 2, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++) {
    const time = at / RATE
    const note = elementAt(MELODY, Math.floor(time) % MELODY.length)
    const swell =
      Math.sin((time % 1) * Math.PI) * (0.35 + 0.65 * Math.sin((time / seconds) * Math.PI))
    const level = Math.sin(2 * Math.PI * note * time) * swell
    bytes.writeInt16LE(Math.round(level * 12_000), HEADER_BYTES + at * 2)
  }
  return bytes
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
