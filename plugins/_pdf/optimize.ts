// Makes a document smaller: recompresses pictures if that saves enough, compresses streams, and
// linearizes it.
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32, inflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import type { Warning } from '../contract/index.ts'
import { ownValue, isOutOfMemory, say, sayPlain } from '../contract/sandbox.ts'
import { readClaims } from './claims.ts'
import { RESULT, writeResult } from './finish.ts'
import { writeChanges } from './changes.ts'
import {
  idOf,
  readObjects,
  isDictionary,
  isList,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import { HERE } from './qpdf.ts'
import type { OptimizeTask } from './tasks.ts'

export type OptimizeResult = { unchanged: string } | { warnings: Warning[] }

// The part of the time limit for reading pictures; the rest is for writing.
const PICTURES_MS = 30_000
// Recompressing other streams costs time and saves little: not for documents above this size.
const REPACKED_BYTES = 4 * 1024 ** 2
// A linearized result may be larger than the original by this factor.
const LINEARIZED = 1.05

/** Makes the document smaller, or says why it stays unchanged. Throws `Refusal` `pdf_damaged`. */
export async function optimizeDocument(
  opened: OpenedDocument,
  task: OptimizeTask,
): Promise<OptimizeResult> {
  if (opened.signed)
    return { unchanged: sayPlain('It is signed: any change would break its signature') }
  const { folder } = task
  const pictures = await writePictures(opened, task)
  const { isOld } = await readClaims(folder, opened)
  const before = (await stat(path.join(folder, 'in.pdf'))).size
  // Streams of a repaired document may be undecodable.
  const repack = !opened.repaired && before - pictures.bytes < REPACKED_BYTES
  await writeResult(folder, opened, [
    `${HERE}/${opened.file}`,
    ...(await writeChanges(folder, pictures.changes)),
    `--object-streams=${isOld ? 'disable' : 'generate'}`,
    ...(repack ? ['--recompress-flate', '--compression-level=9'] : []),
    ...(task.linearize || opened.linearized ? ['--linearize'] : []),
  ])
  const after = (await stat(path.join(folder, RESULT))).size
  const wasWanted = task.linearize && !opened.linearized
  // A repaired document may be larger than the damaged one.
  if (!opened.repaired && after >= before * (wasWanted ? LINEARIZED : 1))
    return { unchanged: sayPlain('It would not become smaller') }
  return { warnings: pictures.left > 0 ? [PICTURES_LEFT] : [] }
}

const PICTURES_LEFT: Warning = {
  code: 'pictures_left',
  message: say(
    'It has too many images to optimize in the time allowed: the smaller ones are unchanged',
  ),
}

/** Writes the reduced pictures next to the document, and returns the changes for qpdf. */
async function writePictures(opened: OpenedDocument, task: OptimizeTask) {
  const { folder } = task
  const pictures = picturesOf(await readObjects(folder, opened)).sort((a, b) => b.bytes - a.bytes)
  const changes: Record<string, unknown> = {}
  const bytes = pictures.reduce((sum, picture) => sum + picture.bytes, 0)
  if (pictures.length === 0) return { changes, bytes, left: 0 }
  const ids = pictures.map(({ reference }) => idOf(reference))
  await readObjects(folder, opened, ids, [
    '--json-stream-data=file',
    `--json-stream-prefix=${HERE}/picture`,
  ])
  const until = performance.now() + PICTURES_MS
  for (const [at, picture] of pictures.entries()) {
    if (performance.now() > until) return { changes, bytes, left: pictures.length - at }
    const number = parseInt(picture.reference)
    const smaller = await smallerOrNot(
      picture,
      await readFile(path.join(folder, `picture-${number}`)),
      task,
    )
    if (smaller === null) continue
    await writeFile(path.join(folder, `smaller-${number}`), smaller.bytes)
    changes[`obj:${picture.reference}`] = {
      stream: { datafile: `${HERE}/smaller-${number}`, dict: dictionaryOf(picture, smaller) },
    }
  }
  return { changes, bytes, left: 0 }
}

/** An unreadable picture stays unchanged. */
async function smallerOrNot(
  picture: Picture,
  bytes: Buffer,
  task: OptimizeTask,
): Promise<SmallerPicture | null> {
  try {
    return await madeSmaller(picture, bytes, task)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    return null
  }
}

/** Everything except the bytes stays: colours, masks, position. */
function dictionaryOf({ dictionary }: Picture, { width, height }: SmallerPicture) {
  const kept = Object.entries(dictionary).filter(
    ([name]) => name !== '/DecodeParms' && name !== '/Length',
  )
  return {
    ...Object.fromEntries(kept),
    '/Filter': '/DCTDecode',
    '/Width': width,
    '/Height': height,
  }
}

// Finds the pictures of a document that can be reduced by changing only their bytes. When in
// doubt, a picture stays unchanged: masks, inks, palettes, and everything with a colour key or a
// special meaning of values.

export interface Picture {
  /** The picture's object, `12 0 R`. */
  reference: string
  dictionary: Dictionary
  width: number
  height: number
  /** The number of stored bytes. */
  bytes: number
  /** The channels of a pixel: 1 for grey, 3 for red, green and blue. */
  channels: 1 | 3
  /** How the pixels are stored. `png`: deflated as a PNG's rows are, each with its own filter. */
  packed: 'jpeg' | 'plain' | 'png'
}

const SMALLEST_BYTES = 8 * 1024
// Limit of pixels for pictures that are not JPEG: all pixels are in memory together.
const MAX_BYTES = 150 * 1024 ** 2
const MAX_PIXELS = 100_000_000

/** The pictures that may be changed, in the order of their objects. */
function picturesOf(objects: Objects): Picture[] {
  const matted = mattedOf(objects)
  return [...objects.streams].flatMap((reference) => {
    const dictionary = objects.values.get(reference) as Dictionary
    return matted.has(reference) ? [] : (pictureOf(reference, dictionary, objects) ?? [])
  })
}

function pictureOf(
  reference: string,
  dictionary: Dictionary,
  { resolve }: Objects,
): Picture | null {
  const of = (name: string) => resolve(ownValue(dictionary, name))
  if (of('/Subtype') !== '/Image' || of('/ImageMask') === true || of('/BitsPerComponent') !== 8)
    return null
  const [width, height, bytes] = [of('/Width'), of('/Height'), of('/Length')]
  const channels = channelsOf(of('/ColorSpace'), resolve)
  if (typeof width !== 'number' || typeof height !== 'number' || channels === null) return null
  const packed = packingOf(dictionary, { width, channels }, resolve)
  if (packed === null || width * height > MAX_PIXELS) return null
  if (packed !== 'jpeg' && width * height * channels > MAX_BYTES) return null
  if (typeof bytes !== 'number' || bytes < SMALLEST_BYTES) return null
  const odd = ['/Decode', '/Alternates', '/SMaskInData'].some((name) => of(name) !== null)
  // A colour key names exact colours, which a JPEG does not keep.
  return odd || isList(of('/Mask'))
    ? null
    : { reference, dictionary, width, height, bytes, channels, packed }
}

/**
 * Pictures whose colours were mixed with a background by their soft mask: both must match pixel by
 * pixel.
 */
function mattedOf({ values, streams, resolve }: Objects): Set<string> {
  const found = [...streams].filter((reference) => {
    const mask = resolve((values.get(reference) as Dictionary)['/SMask'])
    return isDictionary(mask) && mask['/Matte'] !== undefined
  })
  return new Set(found)
}

function channelsOf(space: Value, resolve: Objects['resolve']): 1 | 3 | null {
  if (space === '/DeviceGray') return 1
  if (space === '/DeviceRGB') return 3
  if (!isList(space)) return null
  if (space[0] === '/CalGray') return 1
  if (space[0] === '/CalRGB') return 3
  const profile = resolve(space[1])
  const channels = space[0] === '/ICCBased' && isDictionary(profile) ? resolve(profile['/N']) : null
  return channels === 1 || channels === 3 ? channels : null
}

function packingOf(
  dictionary: Dictionary,
  { width, channels }: Pick<Picture, 'width' | 'channels'>,
  resolve: Objects['resolve'],
): Picture['packed'] | null {
  const given = ['/Filter', '/DecodeParms'].map((name) => resolve(ownValue(dictionary, name))) as [
    Value,
    Value,
  ]
  // Readers disagree about a list of filters with a list of one.
  if (given[1] !== null && isList(given[0]) !== isList(given[1])) return null
  if (given.some((value) => isList(value) && value.length !== 1)) return null
  const [filter, parameters] = given.map((value) =>
    isList(value) ? resolve(value[0]) : value,
  ) as [Value, Value]
  if (filter === '/DCTDecode') return parameters === null ? 'jpeg' : null
  if (filter !== '/FlateDecode') return null
  if (!isDictionary(parameters)) return parameters === null ? 'plain' : null
  const [predictor, columns, colors] = ['/Predictor', '/Columns', '/Colors'].map((name) =>
    resolve(ownValue(parameters, name)),
  )
  if (predictor === null || predictor === 1) return 'plain'
  return Number(predictor) >= 10 && columns === width && (colors ?? 1) === channels ? 'png' : null
}

export interface SmallerPicture {
  bytes: Buffer
  width: number
  height: number
}

/**
 * The picture as a JPEG with at most `max_px` on a side. Null: the saving is too small for the loss
 * of quality. Throws if the bytes are not such a picture.
 */
async function madeSmaller(
  picture: Picture,
  bytes: Buffer,
  wanted: { max_px: number; quality: number },
): Promise<SmallerPicture | null> {
  const source = await openPicture(picture, bytes)
  if (source === null) return null
  const { data, info } = await source
    .resize({
      width: wanted.max_px,
      height: wanted.max_px,
      fit: 'inside',
      withoutEnlargement: true,
    })
    .jpeg({ quality: wanted.quality })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== picture.channels) return null
  // A lossless picture may be a drawing as well as a photograph: it becomes a JPEG only if that
  // saves much.
  const maxBytes = bytes.length * (picture.packed === 'jpeg' ? 0.9 : 0.5)
  return data.length < maxBytes ? { bytes: data, width: info.width, height: info.height } : null
}

async function openPicture(
  { packed, width, height, channels }: Picture,
  bytes: Buffer,
): Promise<Sharp | null> {
  const opening = { failOn: 'error', limitInputPixels: MAX_PIXELS } as const
  if (packed === 'png') return sharp(asPng(bytes, width, height, channels), opening)
  if (packed === 'plain') {
    const size = width * height * channels
    // Some writers end the rows with a line break.
    const pixels = inflateSync(bytes, { maxOutputLength: size + 64 })
    return sharp(pixels.subarray(0, size), { raw: { width, height, channels } })
  }
  // The document defines the colour space; a profile inside the JPEG is ignored.
  const jpeg = sharp(bytes, { ...opening, ignoreIcc: true })
  const about = await jpeg.metadata()
  const same = about.width === width && about.height === height && about.channels === channels
  return same && about.format === 'jpeg' ? jpeg : null
}

/** Rows with PNG filters, compressed as in a PNG: with a PNG header they are one. */
function asPng(packed: Buffer, width: number, height: number, channels: 1 | 3): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, channels === 3 ? 2 : 0, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    pngChunk('IHDR', head),
    pngChunk('IDAT', packed),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([size, named, sum])
}
