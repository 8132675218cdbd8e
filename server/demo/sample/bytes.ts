// The bytes of the sample shop's files: real documents, pictures and archives, so that they can be
// opened, previewed and downloaded.
import { ownValue } from '../../../plugins/contract/index.ts'
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { layoutZip } from '../../features/downloads/zip.ts'
import { elementAt } from '../../core/lazy.ts'
import { coveredDocument, numberOf, productPicture, type CoverText } from '../art.ts'
import { SAMPLES_PATH } from './path.ts'

const MODIFIED_MS = Date.UTC(2026, 0, 2)

/** What is drawn where an address names no title. */
const COVER: CoverText = { title: 'A Guide to the Coast', vendor: 'Harbour Press', type: 'E-book' }

const drawn = async (cover: CoverText, side: number): Promise<Sharp> =>
  sharp(await productPicture(cover, side))

const KINDS: Readonly<Record<string, (cover: CoverText) => Promise<Buffer>>> = {
  'guide.pdf': (cover) => coveredDocument(cover, 64),
  'workbook.pdf': (cover) => coveredDocument(cover, 24),
  'score.pdf': (cover) => coveredDocument(cover, 8),
  'pattern.pdf': (cover) => coveredDocument(cover, 12),
  'print.jpg': async (cover) => (await drawn(cover, 1600)).jpeg({ quality: 90 }).toBuffer(),
  'poster.jpg': async (cover) => (await drawn(cover, 3000)).jpeg({ quality: 90 }).toBuffer(),
  'template.png': async (cover) => (await drawn(cover, 900)).png().toBuffer(),
  'recording.wav': ({ title }) => Promise.resolve(recordingOf(20, numberOf(title))),
  'presets.zip': () => Promise.resolve(archiveOf('presets.bin', 400_000)),
  'brushes.zip': () => Promise.resolve(archiveOf('brushes.bin', 2_500_000)),
  'licence.txt': ({ title }) =>
    Promise.resolve(Buffer.from(`${title}\n\nFor personal use: print it as often as you like.\n`)),
}

/** Their names, one for each kind of file. */
export const SAMPLE_NAMES: readonly string[] = Object.keys(KINDS)

/**
 * The bytes of an address below `SAMPLES_PATH`, which may name the title, vendor and type of the
 * cover; null: there is no such sample.
 */
export async function sampleBytes(address: string): Promise<Buffer | null> {
  const [path = '', query] = address.split('?')
  const make = path.startsWith(SAMPLES_PATH)
    ? ownValue(KINDS, path.slice(SAMPLES_PATH.length))
    : undefined
  return make ? make({ ...COVER, ...Object.fromEntries(new URLSearchParams(query)) }) : null
}

const RATE = 8000
const HEADER_BYTES = 44
/** The notes of a slow melody, in hertz. */
const MELODY = [220, 261.6, 329.6, 293.7, 246.9, 220, 196, 261.6]

/** A WAV file: one voice whose notes swell and fade, each as loud as `seed` says. */
function recordingOf(seconds: number, seed: number): Buffer {
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
      Math.sin((time % 1) * Math.PI) *
      (0.35 + 0.65 * Math.sin((time / seconds) * Math.PI)) *
      (0.3 + ((seed >>> (Math.floor(time) % 24)) & 7) / 10)
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
