import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  animation,
  bomb,
  delaysOf,
  halves,
  photo,
  pixelOf,
  profileOf,
  shownAt,
  withProfile,
} from '../../test/images.ts'
import { promisedMs, soakTest, someOf } from '../../test/scale.ts'
import { prepareSharp } from '../contract/sharp.ts'
import { workOnImage, type ImageTask } from './image-work.ts'

beforeAll(prepareSharp)

const work = (source: Buffer, task: Partial<ImageTask> = {}) =>
  workOnImage(source, { max_px: 2000, quality: 80, format: 'webp', ...task })
/** The result, with the new bytes decoded. */
async function made(source: Buffer, task: Partial<ImageTask> = {}) {
  const result = await work(source, task)
  if ('unchanged' in result) throw new Error(JSON.stringify(result))
  return { ...result, about: await sharp(result.bytes, { animated: true }).metadata() }
}
const near = (got: readonly number[], wanted: readonly number[], within: number) =>
  got.forEach((value, at) =>
    expect(Math.abs(value - wanted[at]!), `${got} is not ${wanted}`).toBeLessThanOrEqual(within),
  )

describe('size', () => {
  test('the longer side is reduced to the requested size; the other keeps the ratio', async () => {
    const wide = await made(await photo(900, 600).jpeg().toBuffer(), { max_px: 300 })
    expect([wide.about.width, wide.about.height, wide.format]).toEqual([300, 200, 'webp'])
    const tall = await made(await photo(600, 900).png().toBuffer(), { max_px: 300 })
    expect([tall.about.width, tall.about.height]).toEqual([200, 300])
  })
  test('no image is enlarged', async () => {
    const { about } = await made(await photo(300, 200).png().toBuffer())
    expect([about.width, about.height]).toEqual([300, 200])
  })
  test('an image that would not become smaller stays unchanged', async () => {
    const small = await photo(300, 200).webp({ quality: 30 }).toBuffer()
    expect(await work(small)).toEqual({ unchanged: 'It would not become smaller' })
    const dot = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
      .gif()
      .toBuffer()
    expect(await work(dot)).toEqual({ unchanged: 'It would not become smaller' })
  })
  soakTest(
    'a black and white scan stays unchanged if fewer grey pixels would take more bytes',
    async () => {
      const scan = await sharp(Buffer.from(stripes(1200)), {
        raw: { width: 1200, height: 1200, channels: 1 },
      })
        .png({ palette: true, colours: 2 })
        .toBuffer()
      for (const format of ['webp', 'same'] as const)
        expect(await work(scan, { max_px: 1000, format }), format).toEqual({
          unchanged: 'It would not become smaller',
        })
    },
  )
  test('a lower quality takes fewer bytes', async () => {
    const source = await photo(600, 400).png().toBuffer()
    const sizes = []
    for (const quality of [20, 80, 100]) sizes.push((await made(source, { quality })).bytes.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })
})

describe('the appearance is kept', () => {
  test.each(someOf([1, 2, 3, 4, 5, 6, 7, 8] as const, (_, at) => at === 5))(
    'upright, for the camera orientation %i',
    async (orientation) => {
      // A picture that shows red above blue in a viewer that applies the orientation.
      const upright = await halves(60, 40).removeAlpha().png().toBuffer()
      const turned = await askew(upright, orientation)
      const { bytes, about } = await made(
        await sharp(turned).withMetadata({ orientation }).jpeg({ quality: 100 }).toBuffer(),
        { max_px: 30 },
      )
      expect([about.width, about.height, about.orientation]).toEqual([30, 20, undefined])
      near(await shownAt(bytes, 15, 3), [255, 0, 0], 12)
      near(await shownAt(bytes, 15, 16), [0, 0, 255], 12)
    },
  )
  test.each(['webp', 'same'] as const)('transparency, as %s', async (format) => {
    const { bytes, about } = await made(await halves(400, 400, true).png().toBuffer(), {
      max_px: 100,
      format,
    })
    expect(about.hasAlpha).toBe(true)
    expect((await pixelOf(bytes, 20, 20))[3]).toBe(0)
    expect((await pixelOf(bytes, 80, 20))[3]).toBe(255)
  })
  test('colours outside sRGB keep their profile', async () => {
    const profile = await profileOf('p3')
    const green = {
      create: { width: 64, height: 64, channels: 3, background: { r: 0, g: 255, b: 0 } },
    } as const
    const source = withProfile(await sharp(green).jpeg({ quality: 100 }).toBuffer(), profile)
    for (const format of ['webp', 'same'] as const) {
      const { bytes, about } = await made(source, { max_px: 32, format })
      expect(about.icc?.equals(profile)).toBe(true)
      near(await pixelOf(bytes, 16, 16), [0, 255, 0], 4)
    }
  })
  test('an sRGB profile is removed without shifting colours', async () => {
    const source = withProfile(
      await photo(300, 200).jpeg({ quality: 95 }).toBuffer(),
      await standardProfile(),
    )
    const { bytes, about } = await made(source, { max_px: 150, quality: 95 })
    expect(about.icc).toBeUndefined()
    near(
      await shownAt(bytes, 75, 50),
      await shownAt(await sharp(source).resize(150).png().toBuffer(), 75, 50),
      10,
    )
  })
  test('CMYK is converted to the printed colours, and stays CMYK if the format supports it', async () => {
    const colour = { r: 30, g: 155, b: 200 }
    const cmyk = await sharp({
      create: { width: 600, height: 600, channels: 3, background: colour },
    })
      .toColourspace('cmyk')
      .withIccProfile('cmyk')
      .jpeg({ quality: 100 })
      .toBuffer()
    const shown = await shownAt(cmyk, 300, 300)
    const webp = await made(cmyk)
    expect([webp.about.space, webp.about.icc]).toEqual(['srgb', undefined])
    near(await shownAt(webp.bytes, 300, 300), shown, 4)
    const same = await made(cmyk, { format: 'same', max_px: 300 })
    expect([same.about.space, same.about.channels, same.about.hasProfile]).toEqual([
      'cmyk',
      4,
      true,
    ])
    near(await shownAt(same.bytes, 150, 150), shown, 4)
  })
  test('a grey image stays grey, and a 16-bit one keeps its depth if the format is lossless', async () => {
    const grey = await made(await photo(300, 200).toColourspace('b-w').png().toBuffer(), {
      format: 'same',
      max_px: 150,
    })
    expect(grey.about.channels).toBe(1)
    const deep = await photo(300, 200).toColourspace('rgb16').png().toBuffer()
    expect((await made(deep, { format: 'same', max_px: 150 })).about.depth).toBe('ushort')
    expect((await made(deep)).about.depth).toBe('uchar')
  })
})

describe('animations stay animated', () => {
  test.each(someOf(['gif', 'webp'] as const, (_, at) => at < 1))(
    'a %s of 200 frames: as WebP, with its delays and loops',
    async (format) => {
      const delay = delaysOf(200)
      const moving = animation(120, 80, 200)
      const words = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${'words '.repeat(50_000)}</x:xmpmeta>`
      const source = await (
        format === 'gif'
          ? moving.gif({ delay, loop: 3 })
          : moving.webp({ delay, loop: 3, lossless: true }).withXmp(words)
      ).toBuffer()
      const { about, bytes } = await made(source, { max_px: 60 })
      expect(about).toMatchObject({
        format: 'webp',
        pages: 200,
        delay,
        loop: 3,
        width: 60,
        pageHeight: 40,
        hasAlpha: true,
      })
      expect((await pixelOf(bytes, 59, 5))[3]).toBe(0)
    },
  )
  soakTest('a GIF that must stay one stays animated', async () => {
    const source = await animation(120, 80, 20)
      .gif({ delay: delaysOf(20), loop: 0 })
      .toBuffer()
    const { about, format } = await made(source, { max_px: 60, format: 'same' })
    expect(format).toBe('gif')
    expect(about).toMatchObject({ format: 'gif', pages: 20, delay: delaysOf(20), loop: 0 })
  })
  test('images with pages, or whose animation would be lost, are skipped', async () => {
    expect(await work(animatedPng(await photo(300, 200).png().toBuffer()))).toEqual({
      unchanged: 'Its kind of animation cannot be written',
    })
    const pages = await animation(300, 200, 3).tiff({ compression: 'none' }).toBuffer()
    expect(await work(pages)).toEqual({ unchanged: 'It has several pages' })
  })
})

describe('a transparent animation', () => {
  // In each frame only an opaque part is drawn, so the encoder stores no transparency at all.
  const corner = (frame: number, width: number, height: number) => {
    const pixels = Buffer.alloc(width * height * 4)
    for (let y = 0; y < height / 2; y++)
      for (let x = 0; x < width / 2; x++) pixels.set([255, 60 * frame, 0, 255], (y * width + x) * 4)
    return pixels
  }
  test.each(someOf(['gif', 'webp'] as const, (_, at) => at < 1))(
    'of opaque corners stays transparent: %s',
    async (format) => {
      const [width, height] = [120, 80]
      const frames = Buffer.concat([0, 1, 2].map((frame) => corner(frame, width, height)))
      const raw = { width, height: height * 3, channels: 4, pageHeight: height } as const
      const source = await sharp(frames, { raw })
        [format]({ delay: [90, 80, 70], loop: 2, ...(format === 'webp' ? { lossless: true } : {}) })
        .toBuffer()
      const words = Buffer.concat([source, Buffer.alloc(5000)])
      const { bytes, about } = await made(words, { max_px: 60 })
      expect(about).toMatchObject({ hasAlpha: true, delay: [90, 80, 70], loop: 2, pages: 3 })
      // The flag of transparency, without which browsers show black behind the frames.
      expect(bytes[20]! & 0x10).toBe(0x10)
      expect([...bytes.subarray(38, 42)]).toEqual([0, 0, 0, 0])
      expect((await pixelOf(bytes, 50, 35))[3]).toBe(0)
    },
  )
})

describe('formats that are not opened stay as they are, under any name', () => {
  const box = (brand: string, more = 'mif1') =>
    Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0${more}heic\0\0\0\x08mdat`, 'latin1')
  test.each([
    ['HEIC', box('heic')],
    ['HEIC', box('mif1')],
    ['CR3', box('crx ')],
    ['JXL', Buffer.from('\xff\x0a\x7f', 'latin1')],
    ['JXL', Buffer.from('\0\0\0\x0cJXL \r\n\x87\n', 'latin1')],
    ['JP2', Buffer.from('\0\0\0\x0cjP  \r\n\x87\n', 'latin1')],
    ['BMP', Buffer.from('BM\x46\0\0\0\0\0\0\0', 'latin1')],
    ['ICO', Buffer.from('\0\0\x01\0\x01\0', 'latin1')],
    ['PSD', Buffer.from('8BPS\0\x01', 'latin1')],
    ['PNM', Buffer.from('P6\n2 2\n255\n', 'latin1')],
  ])('%s', async (type, source) =>
    expect(await work(source)).toEqual({
      unchanged: { message: 'Images of the type {type} stay as they are', values: { type } },
    }),
  )
  test('a JPEG with several views, but not one with its thumbnails', async () => {
    const jpeg = await photo(300, 200).jpeg({ quality: 100 }).toBuffer()
    expect(await work(withPictures(jpeg, 0x02_00_02))).toEqual({
      unchanged: 'It has several pictures',
    })
    expect(await work(withPictures(jpeg, 0x01_00_01))).toMatchObject({ format: 'webp' })
  })
})

/** The JPEG with a list of two pictures of this type, in the form of cameras. */
function withPictures(jpeg: Buffer, type: number): Buffer {
  const body = Buffer.alloc(26 + 32)
  body.write('II*\0', 'latin1')
  body.writeUInt32LE(8, 4)
  body.writeUInt16LE(1, 8)
  body.writeUInt16LE(0xb0_02, 10)
  body.writeUInt16LE(7, 12)
  body.writeUInt32LE(32, 14)
  body.writeUInt32LE(26, 18)
  for (const at of [26, 42]) body.writeUInt32LE(type, at)
  const segment = Buffer.concat([Buffer.from('MPF\0'), body])
  const head = Buffer.from([0xff, 0xe2, 0, segment.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, segment, jpeg.subarray(2)])
}

describe('the format is kept', () => {
  test.each(someOf(['jpeg', 'png', 'gif', 'webp', 'tiff', 'avif'] as const, (_, at) => at < 2))(
    '%s stays that format, and becomes smaller',
    async (format) => {
      const source = await photo(300, 180)
        [format]({ quality: 100 } as never)
        .toBuffer()
      const result = await made(source, { format: 'same', max_px: 150 })
      expect([result.format, result.about.width]).toEqual([format, 150])
      expect(result.bytes.length).toBeLessThan(source.length)
    },
  )
  test('PNG and TIFF stay lossless', async () => {
    const source = await photo(300, 200).tiff({ compression: 'none' }).toBuffer()
    const { bytes } = await made(source, { format: 'same' })
    expect((await sharp(bytes).raw().toBuffer()).equals(await sharp(source).raw().toBuffer())).toBe(
      true,
    )
  })
})

describe('an image that cannot be opened has a reason', () => {
  test.each(someOf(['jpeg', 'png', 'gif', 'webp', 'avif', 'tiff'] as const, (_, at) => at < 2))(
    'half a %s is damaged',
    async (format) => {
      const whole = await photo(300, 200)[format]().toBuffer()
      for (const part of [0.5, 0.9])
        await expect(work(whole.subarray(0, whole.length * part)), `${part}`).rejects.toMatchObject(
          {
            code: 'image_damaged',
          },
        )
    },
  )
  test('so is one with wrong bytes in the middle', async () => {
    const wrong = await photo(300, 200).png().toBuffer()
    wrong.fill(0, wrong.length / 2, wrong.length / 2 + 50)
    await expect(work(wrong)).rejects.toMatchObject({ code: 'image_damaged' })
  })
  test.each([
    [
      'SVG',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    ],
    ['HTML', '<!doctype html><title>404</title>'],
    ['PDF', '%PDF-1.7\n%%EOF'],
    ['nothing much', '\0'],
  ])('%s is not an image, regardless of its name', async (_what, text) => {
    await expect(work(Buffer.from(text))).rejects.toMatchObject({ code: 'not_an_image' })
  })
  test('too many pixels, in one image or over all frames, are refused immediately', async () => {
    const [still, frame] = [await bomb(30_000), await halves(1000, 1000).gif().toBuffer()]
    const moving = repeated(frame, 101)
    const started = performance.now()
    await expect(work(still)).rejects.toMatchObject({ code: 'image_too_large' })
    await expect(work(moving)).rejects.toMatchObject({ code: 'image_too_large' })
    expect(performance.now() - started).toBeLessThan(promisedMs(5000))
  })
})

/** The picture as a camera stores it when it is held as `orientation` says. */
async function askew(upright: Buffer, orientation: number): Promise<Buffer> {
  const image = sharp(upright)
  const turned: Record<number, () => Sharp> = {
    1: () => image,
    2: () => image.flop(),
    3: () => image.rotate(180),
    4: () => image.flip(),
    5: () => sharp(upright).rotate(270).flop(),
    6: () => image.rotate(270),
    7: () => sharp(upright).rotate(90).flop(),
    8: () => image.rotate(90),
  }
  return turned[orientation]!().png().toBuffer()
}

/** A PNG with an animation chunk after its header. */
function animatedPng(png: Buffer): Buffer {
  const chunk = Buffer.from('000000086163544c0000000200000000f38d9370', 'hex')
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

/** A GIF that shows its single frame this many times. */
function repeated(gif: Buffer, times: number): Buffer {
  const start = gif.indexOf(Buffer.from('21f904', 'hex'))
  return Buffer.concat([
    gif.subarray(0, start),
    ...Array<Buffer>(times).fill(gif.subarray(start, -1)),
    gif.subarray(-1),
  ])
}

/** An sRGB profile with a name, as cameras write it: sharp's profile has none. */
async function standardProfile(): Promise<Buffer> {
  const named = Buffer.concat([await profileOf('srgb'), Buffer.from('sRGB IEC61966-2.1   ')])
  named.writeUInt32BE(named.length, 0)
  return named
}

/** Thin diagonal lines, which become grey when the picture is reduced. */
const stripes = (side: number): number[] =>
  Array.from({ length: side * side }, (_, at) =>
    ((at % side) + Math.floor(at / side)) % 8 < 2 ? 0 : 255,
  )
