// A picture as a mark: upright, no larger than pages need, keeping its transparency.
import sharp from 'sharp'
import { Refusal, isOutOfMemory, sayPlain } from '../sandbox.ts'
import { streamOf, type Mark } from './marks.ts'
import type { Dictionary } from './objects.ts'

const MAX_PX = 1500
const MAX_PIXELS = 100_000_000

/** A picture as a mark. Throws `Refusal` `image_damaged`. */
export async function pictureMark(bytes: Buffer): Promise<Mark> {
  try {
    const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS })
      .autoOrient()
      .resize({ width: MAX_PX, height: MAX_PX, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const raw = sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } })
    const alpha = await raw.clone().extractChannel(3).raw().toBuffer()
    if (alpha.every((one) => one === 255)) {
      const jpeg = await raw.clone().removeAlpha().jpeg({ quality: 90 }).toBuffer()
      return imageOf(info, { '/ColorSpace': '/DeviceRGB', '/Filter': '/DCTDecode' }, jpeg, null)
    }
    const colours = await raw.clone().removeAlpha().raw().toBuffer()
    return imageOf(info, { '/ColorSpace': '/DeviceRGB' }, colours, alpha)
  } catch (error) {
    if (error instanceof Error && isOutOfMemory(error.message)) throw error
    throw new Refusal('image_damaged', sayPlain('The image for the watermark cannot be opened'), {
      cause: error,
    })
  }
}

/** The image's object; `alpha` is its transparency, as a separate mask. */
function imageOf(
  { width, height }: { width: number; height: number },
  coding: Dictionary,
  colours: Buffer,
  alpha: Buffer | null,
): Mark {
  const image = {
    '/Type': '/XObject',
    '/Subtype': '/Image',
    '/Width': width,
    '/Height': height,
    '/BitsPerComponent': 8,
  }
  return {
    box: { left: 0, bottom: 0, right: width, top: height },
    // An image is one unit wide and one unit high.
    content: `${width} 0 0 ${height} 0 0 cm /Mark Do`,
    scale: null,
    drawing: streamOf({ ...image, ...coding }, colours),
    mask: alpha && streamOf({ ...image, '/ColorSpace': '/DeviceGray' }, alpha),
  }
}
