import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import {
  documentOf,
  faultsOf,
  numberedPages,
  renderPages,
  streamOf,
  textsOf,
  type PagePicture,
} from '../../test/documents.ts'
import { photo } from '../../test/images.ts'
import { soakTest } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

/**
 * A green page covered by an image. `says`: the image's dictionary; `extra`: objects from number
 * 11.
 */
const pictured = (says: string, data: Buffer, ...extra: (string | Buffer)[]): Buffer =>
  documentOf(
    [
      {
        says: '/MediaBox [0 0 300 200]',
        resources: '/XObject << /P 10 0 R >>',
        draws: '0 0.6 0 rg 0 0 300 200 re f q 300 0 0 200 0 0 cm /P Do Q',
      },
    ],
    { extra: [streamOf(`/Type /XObject /Subtype /Image ${says}`, data), ...extra] },
  )

/** The mean difference between the pixels of two renderings, from 0 to 255. */
const distance = (a: PagePicture, b: PagePicture): number =>
  a.grey.reduce((sum, value, at) => sum + Math.abs(value - b.grey[at]!), 0) / a.grey.length

async function expectAlike(before: Buffer, after: Buffer, most: number): Promise<void> {
  expect(await faultsOf(after)).toBe('')
  const [old, made] = [await renderPages(before, 60), await renderPages(after, 60)]
  expect(made.length).toBe(old.length)
  for (const [at, page] of old.entries()) expect(distance(page, made[at]!)).toBeLessThan(most)
}

const [WIDTH, HEIGHT] = [600, 400]
const SIZE = `/Width ${WIDTH} /Height ${HEIGHT} /BitsPerComponent 8`
const RGB = `${SIZE} /ColorSpace /DeviceRGB`
const big = (quality: number) => photo(WIDTH, HEIGHT).jpeg({ quality }).toBuffer()
const raw = () => photo(WIDTH, HEIGHT).raw().toBuffer()
/** Rows in PNG format, each with filter type 0 (none). */
async function filtered(): Promise<Buffer> {
  const [pixels, row] = [await raw(), WIDTH * 3]
  const rows = Buffer.alloc((row + 1) * HEIGHT)
  for (let y = 0; y < HEIGHT; y++) pixels.copy(rows, y * (row + 1) + 1, y * row, (y + 1) * row)
  return rows
}

describe('an image in a document', () => {
  it('is reduced to the requested size, and looks the same', async () => {
    const document = pictured(`${RGB} /Filter /DCTDecode`, await big(98))
    const smaller = await house.smaller(document, { max_px: 400 })
    expect(smaller.length).toBeLessThan(document.length / 8)
    expect(smaller.toString('latin1')).toMatch(/\/Width 400\b/)
    await expectAlike(document, smaller, 4)
  })
  soakTest('becomes a JPEG if that saves much, with any row filter', async () => {
    const plain = pictured(`${RGB} /Filter /FlateDecode`, deflateSync(await raw()))
    const parameters = `/DecodeParms [<< /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns ${WIDTH} >>]`
    const png = pictured(
      `${RGB} /Filter [/FlateDecode] ${parameters}`,
      deflateSync(await filtered()),
    )
    for (const document of [plain, png]) {
      const smaller = await house.smaller(document)
      expect(smaller.length).toBeLessThan(document.length / 4)
      expect(smaller.toString('latin1')).toContain('/DCTDecode')
      await expectAlike(document, smaller, 4)
    }
  })
  soakTest('keeps its grey values, mask and colour space', async () => {
    const grey = await photo(WIDTH, HEIGHT).greyscale().jpeg({ quality: 98 }).toBuffer()
    const greyDocument = pictured(`${SIZE} /ColorSpace /DeviceGray /Filter /DCTDecode`, grey)
    const greySmaller = await house.smaller(greyDocument)
    expect(greySmaller.toString('latin1')).toContain('/DeviceGray')
    await expectAlike(greyDocument, greySmaller, 4)
    const clear = Buffer.alloc(WIDTH * HEIGHT, 255).fill(0, 0, (WIDTH * HEIGHT) / 2)
    const mask = streamOf(
      `/Type /XObject /Subtype /Image ${SIZE} /ColorSpace /DeviceGray /Filter /FlateDecode`,
      deflateSync(clear),
    )
    const masked = pictured(`${RGB} /Filter /DCTDecode /SMask 11 0 R`, await big(98), mask)
    const smaller = await house.smaller(masked)
    await expectAlike(masked, smaller, 4)
    const profiled = pictured(
      `${SIZE} /ColorSpace [/ICCBased 11 0 R] /Filter /DCTDecode`,
      await big(98),
      streamOf('/N 3 /Alternate /DeviceRGB', 'no profile that anyone could read'),
    )
    expect((await house.smaller(profiled)).toString('latin1')).toContain('/ICCBased')
  })
  soakTest('stays unchanged if anything else could change', async () => {
    const jpeg = await big(98)
    const ink = await photo(WIDTH, HEIGHT).toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer()
    const pixels = deflateSync(await raw())
    const matte = streamOf(
      `/Subtype /Image ${SIZE} /ColorSpace /DeviceGray /Matte [0 0 0] /Filter /FlateDecode`,
      deflateSync(Buffer.alloc(WIDTH * HEIGHT, 99)),
    )
    const kept: Record<string, Buffer> = {
      'of inks': pictured(`${SIZE} /ColorSpace /DeviceCMYK /Filter /DCTDecode`, ink),
      'with a special meaning of values': pictured(
        `${RGB} /Filter /DCTDecode /Decode [1 0 1 0 1 0]`,
        jpeg,
      ),
      'packed as readers don’t agree': pictured(
        `${RGB} /Filter [/FlateDecode] /DecodeParms << /Predictor 15 /Colors 3 /BitsPerComponent 8 /Columns ${WIDTH} >>`,
        deflateSync(await filtered()),
      ),
      'with a colour key': pictured(`${RGB} /Filter /FlateDecode /Mask [0 9 0 9 0 9]`, pixels),
      'of a palette': pictured(
        `${SIZE} /ColorSpace [/Indexed /DeviceRGB 255 <${'00ff80'.repeat(256)}>] /Filter /FlateDecode`,
        deflateSync((await raw()).subarray(0, WIDTH * HEIGHT)),
      ),
      'mixed with its background': pictured(`${RGB} /Filter /DCTDecode /SMask 11 0 R`, jpeg, matte),
      'that is another than it says': pictured(
        `/Width 99 /Height 99 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode`,
        jpeg,
      ),
      'that unfolds to more than it says': pictured(
        `/Width 100 /Height 100 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode`,
        deflateSync(Buffer.alloc(3_000_000), { level: 1 }),
      ),
    }
    for (const [name, document] of Object.entries(kept)) {
      const result = await house.optimize(document)
      const made = 'unchanged' in result ? document : result.document
      expect(widthOf(made), name).toBe(widthOf(document))
      // The JPEG is byte for byte the same, and no other image has become a JPEG.
      if (document.includes('/DCTDecode'))
        expect(
          [jpeg, ink].some((data) => made.includes(data)),
          name,
        ).toBe(true)
      else expect(made.includes('/DCTDecode'), name).toBe(false)
    }
  })
})

const widthOf = (document: Buffer) => /\/Width (\d+)/.exec(document.toString('latin1'))![1]

describe('a document', () => {
  const wordy = documentOf(
    numberedPages(30).map(({ draws = '' }) => ({ draws: `${draws}\n${'% words '.repeat(300)}` })),
  )

  it('is compressed, linearized, and keeps its text', async () => {
    const smaller = await house.smaller(wordy)
    expect(smaller.subarray(0, 1024).toString('latin1')).toContain('/Linearized')
    expect(smaller.length).toBeLessThan(wordy.length / 2)
    expect(await faultsOf(smaller)).toBe('')
    expect(await textsOf(smaller)).toEqual(await textsOf(wordy))
    expect(
      (await house.smaller(wordy, { linearize: false })).subarray(0, 1024).toString('latin1'),
    ).not.toContain('/Linearized')
  })
  soakTest('is skipped if it is already optimized', async () => {
    const once = await house.smaller(wordy)
    expect(await house.optimize(once)).toEqual({ unchanged: 'It would not become smaller' })
  })
  soakTest('may become slightly larger by linearization, and by nothing else', async () => {
    const packed = await house.smaller(wordy, { linearize: false })
    expect(await house.optimize(packed, { linearize: false })).toEqual({
      unchanged: 'It would not become smaller',
    })
    const result = await house.optimize(packed)
    if (!('unchanged' in result)) expect(result.document.length).toBeLessThan(packed.length * 1.05)
  })
  it('stays unchanged if it is signed', async () => {
    const signed = documentOf(numberedPages(2), {
      extra: ['<< /Type /Sig /ByteRange [0 10 20 30] /Contents <00> >>'],
      catalog: '/Extra 10 0 R',
    })
    expect(await house.optimize(signed)).toEqual({
      unchanged: 'It is signed: any change would break its signature',
    })
    expect((await house.watermark(signed)).warnings).toMatchObject([{ code: 'signature_lost' }])
  })
})
