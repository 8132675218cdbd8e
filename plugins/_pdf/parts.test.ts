import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import {
  bookmarksOf,
  documentOf,
  encrypted,
  faultsOf,
  numberedPages,
  protectionOf,
  streamOf,
  textsOf,
  unpacked,
  type PageSpec,
} from '../../test/documents.ts'
import { sized, soakTest, someOf } from '../../test/scale.ts'
import { withWorkFolder } from '../../server/ports/children/work-folder.ts'
import { createDocuments, LIMITS, SCRIPT } from './documents.ts'
import { ANSWERS } from './tasks.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

const names = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `page ${from + at}`)
const ten = documentOf(numberedPages(10))

describe('a split', () => {
  const WANTED = [
    [{ every: 4 }, [names(1, 4), names(5, 8), names(9, 10)]],
    [{ ranges: ['1-3', '5', '7-'] }, [names(1, 3), ['page 5'], names(7, 10)]],
    [{ every: 1 }, names(1, 10).map((name) => [name])],
    [{ every: 50 }, [names(1, 10)]],
    [{ ranges: ['2', '2', '1-10'] }, [['page 2'], ['page 2'], names(1, 10)]],
  ] as const
  it.each(someOf(WANTED, (_, at) => at < 2))(
    'has the requested pages: %j',
    async (wanted, expected) => {
      const { parts, warnings } = await house.split(ten, wanted)
      expect(await Promise.all(parts.map(({ document }) => textsOf(document)))).toEqual(expected)
      for (const { document } of parts) expect(await faultsOf(document)).toBe('')
      expect(warnings).toEqual([])
    },
  )
  it('names the pages of each part', async () => {
    expect((await house.split(ten, { every: 4 })).parts.map(({ pages }) => pages)).toEqual([
      '1-4',
      '5-8',
      '9-10',
    ])
    expect(
      (await house.split(ten, { ranges: ['3', '9-'] })).parts.map(({ pages }) => pages),
    ).toEqual(['3', '9-10'])
  })
  soakTest('counts the existing pages, not the declared number', async () => {
    const lying = Buffer.from(ten.toString('latin1').replace('/Count 10', '/Count 99'), 'latin1')
    expect((await house.split(lying, { every: 9 })).parts.map(({ pages }) => pages)).toEqual([
      '1-9',
      '10',
    ])
    await expect(house.split(lying, { ranges: ['1-11'] })).rejects.toMatchObject({
      code: 'pdf_page_out_of_range',
      message: 'The document has 10 pages: there is no 1-11 in it',
    })
  })
  soakTest('creates at most 2,000 documents from one', async () => {
    await expect(house.split(documentOf(numberedPages(2001)), { every: 1 })).rejects.toMatchObject({
      code: 'pdf_page_out_of_range',
      message: 'This would make 2,001 documents: at most 2,000 can be made from one',
    })
  })
  soakTest(
    'stops if its parts would fill the disk: each has an image that all pages share',
    async () => {
      const documents = createDocuments({
        ...(await house.engine.parts.ports(house.engine.scope)),
        folderBytes: 1e6,
      })
      const picture = streamOf(
        '/Type /XObject /Subtype /Image /Width 400 /Height 400 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
        randomBytes(480_000),
      )
      const page = { resources: '/XObject << /P 10 0 R >>', draws: '/P Do' }
      const heavy = await house.item(
        documentOf(Array(20).fill(page) as PageSpec[], { extra: [picture] }),
      )
      await expect(
        documents.split(heavy, { every: 1 }, new AbortController().signal),
      ).rejects.toMatchObject({
        code: 'document_too_large',
        message: 'The result of this document would be too large',
      })
    },
  )
  it('reads its parts again, also those of protected documents, and refuses an incomplete one', () =>
    withWorkFolder(async (folder) => {
      const { sandbox } = await house.engine.parts.ports(house.engine.scope)
      const check = async (part: Buffer, password?: string) => {
        await writeFile(path.join(folder, 'part-1.pdf'), part)
        const finishing = { repaired: false, carries: false, encryptedLike: null }
        await writeFile(path.join(folder, 'finishing.json'), JSON.stringify(finishing))
        const input = {
          do: 'check',
          folder,
          files: ['part-1.pdf'],
          ...(password ? { password } : {}),
        }
        return sandbox.run(SCRIPT, {
          input,
          answer: ANSWERS.check,
          limits: LIMITS,
          signal: new AbortController().signal,
        })
      }
      expect(await check(ten)).toEqual({ checked: 1 })
      expect(await check(await encrypted(ten, 'user', 'owner'), 'user')).toEqual({ checked: 1 })
      await expect(check(ten.subarray(0, 900))).rejects.toMatchObject({ code: 'pdf_damaged' })
    }))
  it('keeps form fields and bookmarks with their pages', async () => {
    const field = (name: string) =>
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${name}) /V (filled) /DA (/F 12 Tf) /Rect [10 10 90 30] >>`
    const form = documentOf(
      [10, 11].map((annotation): PageSpec => ({
        says: `/MediaBox [0 0 200 300] /Annots [${annotation} 0 R]`,
      })),
      {
        extra: [
          field('first'),
          field('second'),
          '<< /Type /Outlines /First 13 0 R /Last 13 0 R /Count 1 >>',
          '<< /Title (A bookmark) /Parent 12 0 R /Dest [14 0 R /Fit] >>',
        ],
        catalog:
          '/AcroForm << /Fields [10 0 R 11 0 R] /DR << /Font << /F 3 0 R >> >> >> /Outlines 12 0 R',
      },
    )
    const { parts } = await house.split(form, { every: 1 })
    for (const { document } of parts) expect(await faultsOf(document)).toBe('')
    const [first, second] = await Promise.all(parts.map(({ document }) => unpacked(document)))
    expect([first!.includes('(first)'), first!.includes('(second)')]).toEqual([true, false])
    expect([second!.includes('(first)'), second!.includes('(second)')]).toEqual([false, true])
    for (const part of [first, second]) {
      expect(part).toMatch(/\/AcroForm/)
    }
    expect(await bookmarksOf(parts[0]!.document)).toEqual(['A bookmark 1'])
    expect(await bookmarksOf(parts[1]!.document)).toEqual([])
  })
  soakTest('of a document with a password keeps the password', async () => {
    const { parts } = await house.split(await encrypted(ten, 'user', 'owner'), {
      every: 5,
      password: 'user',
    })
    for (const { document } of parts) {
      expect(await faultsOf(document, 'user')).toBe('')
      expect(await faultsOf(document)).toContain('invalid password')
    }
  })
})

describe('a merge', () => {
  it('has all pages, in the order of the documents', async () => {
    const [one, two] = [documentOf(numberedPages(2)), documentOf(numberedPages(3))]
    const { document, warnings } = await house.merge([two, one, two])
    expect(await faultsOf(document)).toBe('')
    expect(await textsOf(document)).toEqual([...names(1, 3), ...names(1, 2), ...names(1, 3)])
    expect(warnings).toEqual([])
  })
  soakTest('keeps fields of the same name apart', async () => {
    const form = documentOf([{ says: '/MediaBox [0 0 200 300] /Annots [10 0 R]' }], {
      extra: [
        '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ann) /DA (/F 12 Tf) /Rect [10 10 90 30] >>',
      ],
      catalog: '/AcroForm << /Fields [10 0 R] /DR << /Font << /F 3 0 R >> >> >>',
    })
    const { document } = await house.merge([form, form])
    expect(await faultsOf(document)).toBe('')
    const names = [...(await unpacked(document)).matchAll(/\/T \((.*?)\)/g)].map(([, name]) => name)
    expect(new Set(names).size).toBe(2)
  })
  it('of documents with a password has none, and says so', async () => {
    const { document, warnings } = await house.merge(
      [ten, await encrypted(ten, 'open', 'owner')],
      'open',
    )
    expect(await protectionOf(document)).toBe('')
    expect(warnings).toMatchObject([{ code: 'pdf_unprotected' }])
  })
  soakTest('of many documents keeps their order', async () => {
    const documents = names(1, sized(10, 40)).map((name) =>
      documentOf([{ draws: `BT /F 24 Tf 40 150 Td (${name}) Tj ET` }]),
    )
    expect(await textsOf((await house.merge(documents)).document)).toEqual(names(1, sized(10, 40)))
  })
})
