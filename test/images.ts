// Images for tests, made by sharp, the library that reads them: of every format, and with many
// defects.
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

/** Similar to a photograph: shapes, gradients and grain, the same for the same size. */
export function photo(width: number, height: number): Sharp {
  const pixels = Buffer.allocUnsafe(width * height * 3)
  let at = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const grain = (((x * 374_761_393 + y * 668_265_263) ^ (x * y)) >>> 13) % 24
      pixels[at++] = 128 + 70 * Math.sin(x / 190 + Math.sin(y / 77) * 2) + grain
      pixels[at++] = 110 + 60 * Math.sin(y / 130 + Math.cos(x / 50)) + grain
      pixels[at++] = 90 + 70 * Math.cos((x + y) / 260) + (((x >> 5) + (y >> 5)) % 7 === 0 ? 40 : 0)
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** Red above, blue below; optionally transparent in the left half. */
export const halves = (width: number, height: number, transparent = false): Sharp =>
  sharp({
    create: { width, height, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 1 } },
  }).composite([
    {
      input: plain(width, Math.floor(height / 2), '#0000ff'),
      raw: raw(width, Math.floor(height / 2)),
      gravity: 'south',
    },
    ...(transparent
      ? [
          {
            input: plain(Math.floor(width / 2), height, '#000000'),
            raw: raw(Math.floor(width / 2), height),
            gravity: 'west',
            blend: 'dest-out' as const,
          },
        ]
      : []),
  ])

const raw = (width: number, height: number) => ({ width, height, channels: 4 as const })
function plain(width: number, height: number, colour: string): Buffer {
  const pixel = Buffer.from(`${colour.slice(1)}ff`, 'hex')
  return Buffer.alloc(width * height * 4, pixel)
}

/** A moving bar on a transparent background; each frame has a different delay. */
export function animation(width: number, height: number, frames: number): Sharp {
  const pixels = Buffer.alloc(width * height * frames * 4)
  for (let frame = 0; frame < frames; frame++)
    for (let at = 0; at < width * height; at++) {
      if (Math.abs((at % width) - (frame % width)) > width / 8) continue
      pixels.set([255, (frame * 3) % 256, 50, 255], (frame * width * height + at) * 4)
    }
  return sharp(pixels, { raw: { width, height: height * frames, channels: 4, pageHeight: height } })
}

export const delaysOf = (frames: number): number[] =>
  Array.from({ length: frames }, (_, n) => 40 + (n % 3) * 10)

/** The pixel at (x, y) as stored, without its profile applied. */
export async function pixelOf(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image, { ignoreIcc: true })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [
    ...data.subarray(
      (y * info.width + x) * info.channels,
      (y * info.width + x + 1) * info.channels,
    ),
  ]
}

/** The colour at (x, y) as an sRGB screen shows it. */
export async function shownAt(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image)
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [
    ...data.subarray(
      (y * info.width + x) * info.channels,
      (y * info.width + x) * info.channels + 3,
    ),
  ]
}

/** The same JPEG with this colour profile embedded; no pixel changes. */
export function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile])
  const head = Buffer.from([0xff, 0xe2, (body.length + 2) >> 8, (body.length + 2) & 255])
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

/** A profile that sharp knows by name: Display P3, sRGB or CMYK. */
export async function profileOf(name: 'p3' | 'srgb' | 'cmyk'): Promise<Buffer> {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'white' } })
  const made = name === 'cmyk' ? image.toColourspace('cmyk') : image
  const { icc } = await sharp(await made.withIccProfile(name).jpeg().toBuffer()).metadata()
  return icc!
}

/** One flat colour. */
const flat = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })

/** A few bytes that declare an image of `side` × `side` pixels. */
export async function bomb(side: number): Promise<Buffer> {
  const png = await flat(100, 100).png({ palette: true }).toBuffer()
  png.writeUInt32BE(side, 16)
  png.writeUInt32BE(side, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}
