// Finds the pictures of a document that can be reduced by changing only their bytes. When in
// doubt, a picture stays unchanged: masks, inks, palettes, and everything with a colour key or a
// special meaning of values.
import { ownValue } from '../contract.ts'
import { crc32, inflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { isDictionary, isList, type Dictionary, type Objects, type Value } from './objects.ts'

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
export function picturesOf(objects: Objects): Picture[] {
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
export async function madeSmaller(
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
