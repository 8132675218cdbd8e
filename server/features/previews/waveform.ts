// The waveform of a WAV file as a picture. Only a sample of its bytes is read: a recording of an hour costs the
// same as one of a second.
import { open, type FileHandle } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'

const BARS = 20
const SIDE = 160
/** On each side of a bar. */
const GAP = 1
/** Read for each bar: some milliseconds, which is enough to hear how loud it is. */
const WINDOW_BYTES = 8192
/** Where the chunks before the sound may end: long comments come first in some files. */
const HEADER_BYTES = 64 * 1024
const COLOUR = [0x6d, 0x5a, 0xc4]
const BACKGROUND = '#ece6fb'

interface Sound {
  /** Where the samples begin, and their length in bytes. */
  start: number
  length: number
  channels: number
  /** Bytes of one sample. */
  width: number
  float: boolean
}

/** Null: it is no WAV file with plain samples. */
export async function drawWaveform(from: string): Promise<Sharp | null> {
  const file = await open(from)
  try {
    const header = await readAt(file, 0, HEADER_BYTES)
    const sound = soundOf(header, (await file.stat()).size)
    if (!sound) return null
    const levels: number[] = []
    for (let bar = 0; bar < BARS; bar++) levels.push(await levelOf(file, sound, bar))
    return drawBars(levels)
  } finally {
    await file.close()
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const [PCM, FLOAT, EXTENSIBLE] = [1, 3, 0xfffe]

function soundOf(header: Buffer, size: number): Sound | null {
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8, 12) !== 'WAVE')
    return null
  let format: Pick<Sound, 'channels' | 'width' | 'float'> | null = null
  for (let at = 12; at + 8 <= header.length;) {
    const [name, length] = [header.toString('latin1', at, at + 4), header.readUInt32LE(at + 4)]
    const body = at + 8
    if (name === 'data')
      return format && { ...format, start: body, length: Math.min(length, size - body) }
    if (name === 'fmt ') format = formatOf(header.subarray(body, body + length))
    // Chunks have an even length.
    at = body + length + (length % 2)
  }
  return null
}

function formatOf(chunk: Buffer) {
  if (chunk.length < 16) return null
  const named = chunk.readUInt16LE(0)
  const code = named === EXTENSIBLE && chunk.length >= 26 ? chunk.readUInt16LE(24) : named
  const [channels, bits] = [chunk.readUInt16LE(2), chunk.readUInt16LE(14)]
  const isKnown = code === FLOAT ? bits === 32 : code === PCM && [8, 16, 24, 32].includes(bits)
  return isKnown && channels > 0 ? { channels, width: bits / 8, float: code === FLOAT } : null
}

/** How loud the middle of a bar is, from 0 to 1: the mean of its samples' sizes. */
async function levelOf(file: FileHandle, sound: Sound, bar: number): Promise<number> {
  const { start, length, channels, width } = sound
  const frame = channels * width
  const frames = Math.floor(length / frame)
  const first = Math.floor((frames * (bar + 0.5)) / BARS)
  const bytes = await readAt(file, start + first * frame, WINDOW_BYTES)
  const count = Math.floor(bytes.length / width)
  let sum = 0
  for (let n = 0; n < count; n++) sum += Math.abs(sampleAt(bytes, n * width, sound))
  return count === 0 ? 0 : sum / count
}

function sampleAt(bytes: Buffer, at: number, { width, float }: Sound): number {
  if (float) return bytes.readFloatLE(at)
  if (width === 1) return (bytes.readUInt8(at) - 128) / 128
  return bytes.readIntLE(at, width) / 2 ** (8 * width - 1)
}

/** Pixels, not SVG: the child that draws opens no documents with text. */
function drawBars(levels: readonly number[]): Sharp {
  const pixels = Buffer.alloc(SIDE * SIDE * 3, BACKGROUND.slice(1), 'hex')
  const loudest = Math.max(...levels.filter(Number.isFinite), 0.001)
  const step = SIDE / BARS
  levels.forEach((level, n) => {
    const share = Number.isFinite(level) ? level / loudest : 0
    const height = 2 * Math.round(Math.max(4, share * SIDE * 0.8) / 2)
    for (let y = (SIDE - height) / 2; y < (SIDE + height) / 2; y++)
      for (let x = n * step + GAP; x < (n + 1) * step - GAP; x++)
        pixels.set(COLOUR, (y * SIDE + x) * 3)
  })
  return sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
}
