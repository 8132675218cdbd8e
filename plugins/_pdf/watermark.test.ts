import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addFile } from '../../test/deliveries.ts'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import {
  documentOf,
  faultsOf,
  inkOf,
  numberedPages,
  renderPages,
  textsOf,
  type PageSpec,
  type PagePicture,
} from '../../test/documents.ts'
import { sized, soakTest, someOf } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

/** Empty pages of every kind on which a watermark could be misplaced. */
const ODD_PAGES: Record<string, string> = {
  plain: '/MediaBox [0 0 200 300]',
  'on its side': '/MediaBox [0 0 200 300] /Rotate 90',
  'upside down': '/MediaBox [0 0 200 300] /Rotate 180',
  'on its other side': '/MediaBox [0 0 200 300] /Rotate 270',
  'turned the other way': '/MediaBox [0 0 200 300] /Rotate -90',
  'turned more than once': '/MediaBox [0 0 200 300] /Rotate 450',
  'turned by what is no turn': '/MediaBox [0 0 200 300] /Rotate 45',
  cropped: '/MediaBox [0 0 200 300] /CropBox [50 100 190 290]',
  'cropped and turned': '/MediaBox [0 0 200 300] /CropBox [50 100 190 290] /Rotate 90',
  'cropped to more than there is': '/MediaBox [0 0 200 300] /CropBox [0 0 400 300]',
  'cropped to nothing': '/MediaBox [0 0 200 300] /CropBox [50 50 50 50]',
  'trimmed to nothing': '/MediaBox [0 0 200 300] /TrimBox [0 0 0 0]',
  'not from zero': '/MediaBox [-100 -150 100 150]',
  'corners the other way round': '/MediaBox [200 300 0 0]',
  'of another unit': '/MediaBox [0 0 200 300] /UserUnit 2',
  'of another unit, turned': '/MediaBox [0 0 200 300] /UserUnit 2 /Rotate 90',
  inherited: '',
}
const odd = documentOf(
  Object.values(ODD_PAGES).map((says): PageSpec => ({ says })),
  { tree: '/MediaBox [0 0 150 250] /Rotate 180' },
)

const sizesOf = (pages: readonly PagePicture[]) => pages.map(({ width, height }) => [width, height])

describe('a watermark', () => {
  it.each(someOf(['diagonal', 'bottom-right', 'top-left'] as const, (_, at) => at === 0))(
    'has the right position on any page: %s',
    async (position) => {
      const { document } = await house.watermark(odd, { position })
      expect(await faultsOf(document)).toBe('')
      const pages = await renderPages(document, 60)
      for (const [at, name] of Object.keys(ODD_PAGES).entries()) {
        const ink = inkOf(pages[at]!)
        expect(ink, name).not.toBeNull()
        const { left, top, right, bottom } = ink!
        const middle = [(left + right) / 2, (top + bottom) / 2]
        if (position === 'top-left')
          expect([left < 0.1, top < 0.1, right < 0.5, bottom < 0.15], name).not.toContain(false)
        if (position === 'bottom-right')
          expect([left > 0.5, top > 0.85, right > 0.9, bottom > 0.9], name).not.toContain(false)
        if (position === 'diagonal') {
          for (const one of middle) expect(one, name).toBeCloseTo(0.5, 1)
          expect(right - left, name).toBeGreaterThan(0.4)
        }
      }
    },
  )
  const INDIRECT = ['[0 0 10 0 R 11 0 R]', '12 0 R', '[10 0 R 11 0 R 0 0]']
  it.each(
    someOf(
      [...INDIRECT, '[0.5 0.5 250.5 50.5]', '[0 0 0.5 0.5]'] as const,
      (_, at) => at === 1 || at === 3,
    ),
  )('leaves the page as large as it is, with the box %s', async (box) => {
    const extra = ['250', '50', '[0 0 10 0 R 11 0 R]', '90']
    const pages = [
      { says: `/MediaBox ${box}` },
      { says: '/Rotate 13 0 R' },
      { says: `/MediaBox [0 0 400 400] /CropBox ${box}` },
    ]
    const source = documentOf(pages, { extra, tree: `/MediaBox ${box}` })
    const { document } = await house.watermark(source)
    const sizes = (from: Buffer) => renderPages(from, 200).then(sizesOf)
    expect(await sizes(document)).toEqual(await sizes(source))
  })
  soakTest(
    'is upright: an image’s upper half is on top on every page, and its transparent half shows the page',
    async () => {
      const black = { r: 0, g: 0, b: 0, alpha: 1 }
      const picture = await sharp({
        create: { width: 60, height: 40, channels: 4, background: { ...black, alpha: 0 } },
      })
        .composite([
          {
            input: { create: { width: 60, height: 20, channels: 4, background: black } },
            gravity: 'north',
          },
        ])
        .png()
        .toBuffer()
      const file = await addFile(house.engine, 'logo.png', picture)
      const { document } = await house.watermark(odd, {
        picture: file,
        position: 'center',
        opacity: 1,
      })
      expect(await faultsOf(document)).toBe('')
      for (const [at, page] of (await renderPages(document, 60)).entries()) {
        const { left, top, right, bottom } = inkOf(page)!
        const name = Object.keys(ODD_PAGES)[at]
        expect((left + right) / 2, name).toBeCloseTo(0.5, 1)
        // The dark half ends at the middle of the page.
        expect(top, name).toBeLessThan(0.49)
        expect(bottom, name).toBeCloseTo(0.5, 1)
      }
    },
  )
  it('has the requested opacity, and keeps the content below', async () => {
    const document = documentOf([{ draws: '0 0 200 300 re f' }, {}])
    const { document: marked } = await house.watermark(document, { opacity: 0.5 })
    // Grey, because the watermark is half transparent.
    expect((await renderPages(marked, 60)).map(mostCommonBut([0, 255]))).toEqual([64, 191])
  })
  soakTest('has the requested size in points', async () => {
    const page = documentOf([{ says: '/MediaBox [0 0 600 600]' }])
    const { document } = await house.watermark(page, {
      text: 'H',
      position: 'center',
      font_size: 100,
    })
    const [rendered] = await renderPages(document, 72)
    const { top, bottom } = inkOf(rendered!)!
    // A capital letter's height is about 0.7 of the font size.
    expect((bottom - top) * 600).toBeGreaterThan(68)
    expect((bottom - top) * 600).toBeLessThan(76)
  })
  it('keeps the text, the links and the linearization', async () => {
    const link =
      '<< /Type /Annot /Subtype /Link /Rect [0 0 50 50] /A << /S /URI /URI (https://example.com/) >> >>'
    const linked = documentOf(
      numberedPages(3).map(({ draws = '' }) => ({
        draws: draws + '\n% '.padEnd(5000, 'words '),
        says: '/MediaBox [0 0 200 300] /Annots [10 0 R]',
      })),
      { extra: [link] },
    )
    const { document } = await house.watermark(await house.smaller(linked))
    expect(await textsOf(document)).toEqual(['page 1', 'page 2', 'page 3'])
    expect(document.subarray(0, 1024).toString('latin1')).toContain('/Linearized')
    expect((await renderPages(document, 30)).length).toBe(3)
  })
  soakTest('is drawn if the page’s content ends within a string', async () => {
    const { document } = await house.watermark(
      documentOf([{ draws: '0 0 5 5 re f BT /F 9 Tf (cut off' }]),
    )
    expect(await faultsOf(document)).toBe('')
    expect(inkOf((await renderPages(document, 30))[0]!)!.right).toBeGreaterThan(0.5)
  })
  soakTest('is drawn a second time next to the first', async () => {
    const { document } = await house.watermark(documentOf([{}]), {
      position: 'top-left',
      opacity: 1,
    })
    const again = await house.watermark(document, {
      text: 'B',
      position: 'bottom-right',
      opacity: 0.2,
    })
    const ink = inkOf((await renderPages(again.document, 60))[0]!)!
    expect([ink.left < 0.1, ink.top < 0.1, ink.right > 0.9, ink.bottom > 0.9]).not.toContain(false)
  })
  soakTest('is drawn in any script, and refused if no font has its letters', async () => {
    const texts = [
      'Образец',
      'نموذج',
      'नमूना',
      '样本',
      ...sized([], ['Δείγμα', 'דוגמה', 'ตัวอย่าง', '見本です', '견본']),
    ]
    for (const text of texts) {
      const { document } = await house.watermark(documentOf([{}]), { text })
      expect(await faultsOf(document)).toBe('')
      expect(inkOf((await renderPages(document, 30))[0]!), text).not.toBeNull()
    }
    await expect(house.watermark(documentOf([{}]), { text: 'A 😀 and 𓀀' })).rejects.toMatchObject({
      code: 'glyph_missing',
      message: 'No installed font has 😀 𓀀',
    })
  })
  it('refuses invalid images, and drawings that could read other files', async () => {
    for (const bytes of [
      'no picture',
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    ]) {
      const picture = await addFile(house.engine, `${bytes.length}.png`, Buffer.from(bytes))
      await expect(house.watermark(odd, { picture })).rejects.toMatchObject({
        code: 'image_damaged',
        retryable: false,
      })
    }
  })
  it('refuses a file that is not an image by its name, and an image that is too large, before copying it', async () => {
    const refused = async (filename: string, size: number) => {
      const picture = await addFile(house.engine, filename, Buffer.from(filename))
      const { scope } = house.engine
      // oxfmt-ignore
      await scope.query(`update versions set size_bytes = :size where shop_id = :shop
        and file_id = :picture`, { picture, size })
      return house.watermark(odd, { picture }).catch(({ code }: { code: string }) => code)
    }
    expect(await refused('film.mp4', 100)).toBe('not_an_image')
    expect(await refused('large.png', 60e6)).toBe('image_too_large')
  })
})

const mostCommonBut =
  (others: readonly number[]) =>
  ({ grey }: PagePicture): number => {
    const counts = Array.from({ length: 256 }, () => 0)
    for (const value of grey) if (!others.includes(value)) counts[value]!++
    return counts.indexOf(Math.max(...counts))
  }
