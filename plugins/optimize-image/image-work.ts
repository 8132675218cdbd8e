// The child's work on one image: opens it with limits, rotates it upright, limits its size,
// and encodes it again. No path is used: an image that refers to other files gets none of them.
import sharp, { type Metadata, type Sharp } from 'sharp'
import type { AnyText } from '../contract/index.ts'
import { Refusal, say, sayPlain } from '../contract/sandbox.ts'

export interface ImageTask {
  /** Limit of the longer side, in pixels. */
  max_px: number
  quality: number
  format: 'webp' | 'same'
}

export type ImageResult = { bytes: Buffer; format: ImageFormat } | { unchanged: AnyText }

/** The formats that are opened at all, by sharp's names. */
const FORMATS = ['jpeg', 'png', 'gif', 'webp', 'tiff', 'avif'] as const
export type ImageFormat = (typeof FORMATS)[number]

const TOO_LARGE =
  'The image is too large to be opened: the limit is 100 million pixels over all frames, and 300 MB'
const MAX_PIXELS = 100_000_000
// The effort of the WebP encoder: half the time of sharp's default of 4, for about 8 % more bytes.
const WEBP_EFFORT = 2
const AVIF_EFFORT = 2

/**
 * Works on one image. Throws `Refusal` with `not_an_image`, `image_damaged` or `image_too_large`.
 */
export async function workOnImage(source: Buffer, task: ImageTask): Promise<ImageResult> {
  const other = otherFormat(source)
  if (other !== null)
    return { unchanged: say('Images of the type {type} stay as they are', { type: other }) }
  try {
    return await encodeSmaller(source, task)
  } catch (error) {
    throw refusalOf(error, source)
  }
}

async function encodeSmaller(
  source: Buffer,
  { max_px, quality, format }: ImageTask,
): Promise<ImageResult> {
  const about = await sharp(source, OPENING).metadata()
  const had = formatOf(about)
  const pages = about.pages ?? 1
  const animated = pages > 1 && (had === 'gif' || had === 'webp')
  if (pages > 1 && !animated) return { unchanged: sayPlain('It has several pages') }
  if (had === 'jpeg' && hasSeveralPictures(source))
    return { unchanged: sayPlain('It has several pictures') }
  if (isUnsupportedAnimation(source, had))
    return { unchanged: sayPlain('Its kind of animation cannot be written') }
  const wanted = format === 'same' ? had : 'webp'
  const opened = sharp(source, { ...OPENING, animated })
  // Animated frames cannot be rotated, but are never stored rotated.
  const upright = animated ? opened : opened.autoOrient()
  const sized = upright.resize({
    width: max_px,
    height: max_px,
    fit: 'inside',
    withoutEnlargement: true,
  })
  const encoded = await withFormat(
    withColourSpace(sized, about, wanted),
    about,
    wanted,
    quality,
  ).toBuffer()
  const bytes = wanted === 'webp' && about.hasAlpha ? withTransparency(encoded) : encoded
  // A picture with fewer pixels may still be larger: a black and white scan takes several times as
  // many bytes in grey.
  if (bytes.length >= source.length) return { unchanged: sayPlain('It would not become smaller') }
  return { bytes, format: wanted }
}

// Errors in the data mean a damaged image; warnings of decoders do not.
const OPENING = { failOn: 'error', limitInputPixels: MAX_PIXELS } as const

function formatOf({ format, compression }: Metadata): ImageFormat {
  const name = format === 'heif' && compression === 'av1' ? 'avif' : format
  const found = FORMATS.find((one) => one === name)
  if (!found) throw refusalFor('not_an_image')
  return found
}

/**
 * Whether it is an animation that sharp does not read (PNG, AVIF): only one frame would be kept.
 */
function isUnsupportedAnimation(source: Buffer, format: ImageFormat): boolean {
  if (format === 'avif') return source.toString('latin1', 8, 12) === 'avis'
  return format === 'png' && source.subarray(0, source.indexOf('IDAT')).includes('acTL')
}

/**
 * Keeps the profile of colours outside sRGB; sRGB colours need none. CMYK stays CMYK only if the
 * format supports it.
 */
function withColourSpace(
  image: Sharp,
  { space, icc, depth }: Metadata,
  wanted: ImageFormat,
): Sharp {
  const exact = wanted === 'png' || wanted === 'tiff'
  switch (space) {
    case 'cmyk':
      return wanted === 'jpeg' || wanted === 'tiff'
        ? image.pipelineColourspace('cmyk').toColourspace('cmyk').keepIccProfile()
        : image
    case 'srgb':
    case 'rgb16': {
      const kept = icc && !isStandard(icc) ? image.keepIccProfile() : image
      return exact && depth === 'ushort' ? kept.toColourspace('rgb16') : kept
    }
    case 'grey16':
    case 'b-w':
      return exact || wanted === 'jpeg' ? image.toColourspace(exact ? space : 'b-w') : image
    default:
      return image
  }
}

/** Whether the profile is named sRGB. */
const isStandard = (icc: Buffer): boolean =>
  icc.includes('sRGB', 0, 'latin1') || icc.includes(Buffer.from('sRGB', 'utf16le').swap16())

/** Encodes in this format. PNG and TIFF stay lossless. */
function withFormat(
  image: Sharp,
  { isPalette }: Metadata,
  wanted: ImageFormat,
  quality: number,
): Sharp {
  switch (wanted) {
    case 'webp':
      return image.webp({ quality, effort: WEBP_EFFORT })
    case 'jpeg':
      return image.jpeg({ quality })
    case 'png':
      return image.png({ compressionLevel: 9, palette: isPalette === true })
    case 'gif':
      return image.gif()
    case 'tiff':
      return image.tiff({ compression: 'deflate', predictor: 'horizontal' })
    case 'avif':
      return image.avif({ quality, effort: AVIF_EFFORT })
  }
}

const PROBLEMS = {
  image_damaged: 'The image is damaged and cannot be opened',
  image_too_large: TOO_LARGE,
  not_an_image: 'The name is that of an image, but the content is not',
} as const

const refusalFor = (code: keyof typeof PROBLEMS, cause?: unknown) =>
  new Refusal(code, PROBLEMS[code], { cause })

/** A lack of memory is not an error of the image: `serveRequests` reports it. */
function refusalOf(error: unknown, source: Buffer): unknown {
  if (!(error instanceof Error) || error instanceof Refusal) return error
  if (/pixel limit/i.test(error.message)) return refusalFor('image_too_large', error)
  if (/memory/i.test(error.message)) return error
  return refusalFor(beginsLikeImage(source) ? 'image_damaged' : 'not_an_image', error)
}

const BEGINNINGS = [
  '\xff\xd8\xff',
  '\x89PNG\r\n',
  'GIF8',
  'RIFF',
  'II*\0',
  'MM\0*',
  'II+\0',
  'MM\0+',
  '....ftypavif',
  '....ftypavis',
]

const beginsLikeImage = (source: Buffer): boolean =>
  BEGINNINGS.some((beginning) =>
    [...beginning].every((char, at) => char === '.' || source[at] === char.charCodeAt(0)),
  )

// What the bytes of an image say that sharp does not: formats that it does not open, further
// pictures behind the first, and the transparency of an animation.

/** Beginnings of formats that stay as they are; a dot is any byte. */
const OTHERS: readonly (readonly [type: string, beginning: string])[] = [
  ['JXL', '\xff\x0a'],
  ['JXL', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['JP2', '\0\0\0\x0cjP  \r\n\x87\n'],
  ['JP2', '\xff\x4f\xff\x51'],
  ['JXR', 'II\xbc\x01'],
  ['CR2', 'II*\0....CR\x02'],
  ['BMP', 'BM....\0\0\0\0'],
  ['ICO', '\0\0\x01\0.\0'],
  ['ICO', '\0\0\x02\0.\0'],
  ['PSD', '8BPS\0'],
  ['XCF', 'gimp xcf'],
  ['EXR', 'v/1\x01'],
  ['HDR', '#?RADIANCE'],
  ['QOI', 'qoif'],
  ['RAF', 'FUJIFILMCCD-RAW'],
  ['RW2', 'IIU\0'],
  ['ORF', 'IIRO'],
  ['ORF', 'IIRS'],
]
/** Brands of the container that video has too. AVIF is opened. */
const BRANDS =
  /^....ftyp(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|mif2|miaf|1pic|avci|avcs|j2ki|jpeg|crx )/s

/** The type of an image in a format that is not opened; null: it is opened, or no image. */
function otherFormat(source: Buffer): string | null {
  const start = source.toString('latin1', 0, 256)
  const [type] = OTHERS.find(([, beginning]) => beginsWith(start, beginning)) ?? []
  if (type !== undefined) return type
  if (/^P[1-7]\s/.test(start)) return 'PNM'
  const brand = BRANDS.exec(start)?.[1]
  if (brand === undefined) return null
  if (brand === 'crx ') return 'CR3'
  const compatible = start.slice(8, source.readUInt32BE(0) || 8)
  return /avi[fs]/.test(compatible) ? null : 'HEIC'
}

const beginsWith = (start: string, beginning: string): boolean =>
  [...beginning].every((char, at) => char === '.' || start[at] === char)

const MULTI_PICTURE = Buffer.from('MPF\0')
const IFD_ENTRY = 12
const PICTURE_ENTRY = 16
/** Panoramas, stereo pairs and views from several angles; thumbnails have other types. */
const VIEWS = 0x02

/** Whether other views follow the first picture of a JPEG, as stereo cameras store them. */
function hasSeveralPictures(jpeg: Buffer): boolean {
  const at = jpeg.subarray(0, 2 ** 16).indexOf(MULTI_PICTURE)
  if (at < 0) return false
  const body = jpeg.subarray(at + MULTI_PICTURE.length)
  try {
    return viewsIn(body) > 1
  } catch {
    // Offsets outside the file: no reader finds the other pictures.
    return false
  }
}

function viewsIn(body: Buffer): number {
  const little = body.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (little ? body.readUInt16LE(at) : body.readUInt16BE(at))
  const long = (at: number) => (little ? body.readUInt32LE(at) : body.readUInt32BE(at))
  const first = long(4)
  for (let number = 0; number < short(first); number++) {
    const entry = first + 2 + number * IFD_ENTRY
    if (short(entry) !== 0xb0_02) continue
    const [size, list] = [long(entry + 4), long(entry + 8)]
    const types = Array.from(
      { length: Math.min(size / PICTURE_ENTRY, 64) },
      (_, at) => (long(list + at * PICTURE_ENTRY) >> 16) & 0xff,
    )
    return types.filter((type) => type === VIEWS).length
  }
  return 0
}

const ALPHA = 0x10

/**
 * An animated WebP that is declared as transparent. The encoder stores the changed part of each frame,
 * and declares it as opaque if all parts are: then browsers show black where no frame draws.
 */
function withTransparency(webp: Buffer): Buffer {
  const isExtended = webp.toString('latin1', 12, 16) === 'VP8X'
  if (!isExtended || webp.toString('latin1', 30, 34) !== 'ANIM') return webp
  const made = Buffer.from(webp)
  made.writeUInt8(made.readUInt8(20) | ALPHA, 20)
  // The background colour, which some readers show behind the frames.
  made.fill(0, 38, 42)
  return made
}
