// Every format with every kind of colour that it can have: an optimized image looks as it did.
import sharp, { type Sharp } from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { prepareSharp } from '../../plugins/contract/sharp.ts'
import { workOnImage } from '../../plugins/optimize-image/image-work.ts'
import { halves, photo } from '../images.ts'

beforeAll(prepareSharp)

const [WIDTH, HEIGHT] = [300, 200]
const KINDS: Record<string, () => Sharp> = {
  photo: () => photo(WIDTH, HEIGHT),
  grey: () => photo(WIDTH, HEIGHT).toColourspace('b-w'),
  'grey with transparency': () => halves(WIDTH, HEIGHT, true).toColourspace('b-w'),
  transparent: () => halves(WIDTH, HEIGHT, true),
  'sixteen bits': () => photo(WIDTH, HEIGHT).toColourspace('rgb16'),
  'grey of sixteen bits': () => photo(WIDTH, HEIGHT).toColourspace('grey16'),
  'a wide gamut': () => photo(WIDTH, HEIGHT).withIccProfile('p3'),
  CMYK: () => photo(WIDTH, HEIGHT).toColourspace('cmyk').withIccProfile('cmyk'),
  'on its side': () => photo(WIDTH, HEIGHT).withMetadata({ orientation: 6 }),
  mirrored: () => photo(WIDTH, HEIGHT).withMetadata({ orientation: 5 }),
}
const FORMATS: Record<string, (image: Sharp) => Sharp> = {
  jpeg: (image) => image.jpeg({ quality: 100 }),
  'progressive jpeg': (image) => image.jpeg({ quality: 100, progressive: true }),
  png: (image) => image.png({ compressionLevel: 0 }),
  'png with a palette': (image) => image.png({ palette: true, compressionLevel: 0 }),
  'interlaced png': (image) => image.png({ progressive: true, compressionLevel: 0 }),
  gif: (image) => image.gif(),
  webp: (image) => image.webp({ lossless: true }),
  tiff: (image) => image.tiff({ compression: 'none' }),
  'tiff in tiles': (image) => image.tiff({ compression: 'none', tile: true }),
  avif: (image) => image.avif({ quality: 100, effort: 0 }),
}
/** Of 255, on average over all pixels, in sRGB and on grey where it is transparent. */
const NOISE = 6

const shown = (bytes: Buffer) =>
  sharp(bytes)
    .autoOrient()
    .toColourspace('srgb')
    .flatten({ background: '#808080' })
    .resize(150, 150, { fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true })

async function difference(before: Buffer, after: Buffer): Promise<number> {
  const [a, b] = [await shown(before), await shown(after)]
  if (a.info.width !== b.info.width || a.info.height !== b.info.height) return 255
  const at = (pixels: typeof a, pixel: number, channel: number) =>
    pixels.data[pixel * pixels.info.channels + Math.min(channel, pixels.info.channels - 1)] ?? 0
  const count = a.info.width * a.info.height
  let sum = 0
  for (let pixel = 0; pixel < count; pixel++)
    for (const channel of [0, 1, 2]) sum += Math.abs(at(a, pixel, channel) - at(b, pixel, channel))
  return sum / count / 3
}

test.each(Object.keys(FORMATS))('%s looks as it did in every colour', async (format) => {
  const found: Record<string, string> = {}
  let made = 0
  for (const [kind, image] of Object.entries(KINDS)) {
    const source = await FORMATS[format]!(image()).toBuffer()
    for (const to of ['webp', 'same'] as const) {
      const result = await workOnImage(source, { max_px: 200, quality: 95, format: to })
      if ('unchanged' in result) continue
      made++
      const by = await difference(source, result.bytes)
      if (by > NOISE) found[`${kind} to ${to}`] = by.toFixed(1)
    }
  }
  expect(found).toEqual({})
  expect(made).toBeGreaterThan(5)
})
