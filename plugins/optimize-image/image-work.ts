// The child's work on one image: opens it with limits, rotates it upright, limits its size,
// and encodes it again. No path is used: an image that refers to other files gets none of them.
import sharp, { type Metadata, type Sharp } from 'sharp'
import type { AnyText } from '../contract.ts'
import { Refusal, say, sayPlain } from '../sandbox.ts'
import { hasSeveralPictures, otherFormat, withTransparency } from './image-bytes.ts'

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
