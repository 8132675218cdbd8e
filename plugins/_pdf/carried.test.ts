// What a document has in addition to its pages, in merged documents and in parts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sized, soakDescribe, soakTest, someOf } from '../../test/scale.ts'
import { attached, described, layered, linked, tagged } from '../../test/carried-documents.ts'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import {
  attachmentsOf,
  bookmarksOf,
  documentOf,
  faultsOf,
  numberedPages,
  objectsOf,
  textsOf,
} from '../../test/documents.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

const plain = documentOf(numberedPages(1))

/** The texts of the headings that the structure gives for each page, by its number. */
async function headingsOf(bytes: Buffer): Promise<(string | undefined)[]> {
  const { pages, at, entry, value } = await objectsOf(bytes)
  const list = at('/Root /StructTreeRoot /ParentTree /Nums') as (string | number)[]
  return pages.map((page) => {
    const number = list.indexOf(entry(page, '/StructParents') as number)
    const [element] = value(list[number + 1]) as string[]
    const isHere = String((value(element) as Record<string, string>)['/Pg']) === page
    return isHere ? String(entry(element, '/S')) : undefined
  })
}

describe('layers', () => {
  const HIDDEN = {
    'a list of hidden ones': '/OFF [11 0 R]',
    'a list of shown ones': '/BaseState /OFF /ON [10 0 R]',
  }
  it.each(someOf(Object.entries(HIDDEN), (_, at) => at === 0))(
    'of merged documents stay hidden, by %s',
    async (_by, says) => {
      const { document, warnings } = await house.merge([
        layered(says),
        plain,
        layered('/OFF [10 0 R] /Locked [11 0 R] /RBGroups [[10 0 R 11 0 R]]'),
      ])
      expect(await textsOf(document)).toEqual(['Size 12', 'page 1', 'Size 14'])
      expect(await faultsOf(document)).toBe('')
      const { at, entry } = await objectsOf(document)
      const layers = at('/Root /OCProperties /OCGs') as string[]
      expect(layers.map((layer) => entry(layer, '/Name'))).toEqual(
        ['12', '14', '12', '14'].map((size) => `u:Size ${size}`),
      )
      expect(at('/Root /OCProperties /D /Order')).toEqual(layers)
      expect(at('/Root /OCProperties /D /Locked')).toEqual([layers[3]])
      expect(at('/Root /OCProperties /D /RBGroups')).toEqual([[layers[2], layers[3]]])
      expect(warnings).toEqual([])
    },
  )
  it('of parts stay hidden, in each, with their groups and configurations', async () => {
    const source = layered(
      '/BaseState /OFF /ON [10 0 R] /RBGroups [[10 0 R 11 0 R]]',
      3,
      '/Configs [<< /Name (Print) /OFF [10 0 R] >>]',
    )
    for (const wanted of sized([{ every: 1 }], [{ every: 1 }, { ranges: ['2', '1-2', '2-3'] }])) {
      const { parts, warnings } = await house.split(source, wanted)
      expect(warnings).toEqual([])
      for (const { document } of parts) {
        expect(new Set(await textsOf(document))).toEqual(new Set(['Size 12']))
        expect(await faultsOf(document)).toBe('')
        const { at } = await objectsOf(document)
        const layers = at('/Root /OCProperties /OCGs') as string[]
        expect(layers.length).toBe(2)
        expect(at('/Root /OCProperties /D')).toMatchObject({
          '/BaseState': '/OFF',
          '/ON': [layers[0]],
          '/RBGroups': [layers],
        })
        expect(at('/Root /OCProperties /Configs')).toMatchObject([{ '/OFF': [layers[0]] }])
      }
    }
  })
  soakTest('stay hidden in optimized and marked documents', async () => {
    const source = layered('/OFF [11 0 R]', 40)
    const documents = [
      (await house.watermark(source, { opacity: 0.1 })).document,
      await house.smaller(source),
    ]
    for (const document of documents)
      expect(new Set(await textsOf(document))).toEqual(new Set(['Size 12']))
  })
})

describe('attached files', () => {
  it('are kept by a merge, those of the same name apart', async () => {
    const { document, warnings } = await house.merge([attached('one'), plain, attached('two')])
    expect(await attachmentsOf(document)).toEqual(['cutting.txt', 'cutting.txt (2)'])
    expect((await objectsOf(document)).at('/Root /AF')).toHaveLength(2)
    expect(warnings).toEqual([])
  })
  soakTest('are named if parts do not have them', async () => {
    const { parts, warnings } = await house.split(attached('one'), { every: 1 })
    expect(await attachmentsOf(parts[0]!.document)).toEqual([])
    expect(warnings).toMatchObject([
      {
        code: 'pdf_parts_lost',
        message: {
          message: 'The attached files are not in the parts: {names}',
          values: { names: 'cutting.txt' },
        },
      },
    ])
  })
})

describe('bookmarks and links', () => {
  it('of merged documents lead to their own pages, also by equal names', async () => {
    const { document, warnings } = await house.merge([
      linked('A'),
      linked('B', 'old names'),
      plain,
      linked('C', 'numbers'),
    ])
    expect(await faultsOf(document)).toBe('')
    expect(await bookmarksOf(document)).toEqual([
      'A 1',
      '- A two 2',
      'B 3',
      '- B two 4',
      'C 6',
      '- C two 7',
    ])
    const { at, entry, pages } = await objectsOf(document)
    const targets = [0, 2, 5].map((page) => {
      const [link] = entry(pages[page], '/Annots') as string[]
      return pages.indexOf(String((entry(entry(link, '/A'), '/D') as string[])[0])) + 1
    })
    expect(targets).toEqual([2, 4, 7])
    expect(at('/Root /Outlines /Count')).toBe(6)
    expect(warnings).toEqual([])
  })
  it('of a part are those of its pages, below the bookmarks above them', async () => {
    for (const by of someOf(['names', 'old names', 'numbers'] as const, (_, at) => at === 0)) {
      const { parts } = await house.split(linked('A', by), { ranges: ['1', '2', '1-2'] })
      const found = await Promise.all(parts.map(({ document }) => bookmarksOf(document)))
      expect(found, by).toEqual([['A 1'], ['A 0', '- A two 1'], ['A 1', '- A two 2']])
    }
  })
})

describe('the structure for screen readers', () => {
  it('is kept by a merge, and found from each page', async () => {
    const { document, warnings } = await house.merge([tagged('A', 2), plain, tagged('B', 2)])
    const { at, pages } = await objectsOf(document)
    expect(await faultsOf(document)).toBe('')
    expect(pages.length).toBe(5)
    const two = await house.merge([tagged('A', 2), tagged('B', 2)])
    expect(await headingsOf(two.document)).toEqual(['/Head', '/Head', '/Head', '/Head'])
    expect(at('/Root /StructTreeRoot /K')).toHaveLength(2)
    expect(at('/Root /StructTreeRoot /RoleMap')).toEqual({ '/Head': '/H1' })
    expect(at('/Root /MarkInfo')).toEqual({ '/Marked': true })
    expect(warnings).toEqual([])
  })
  it('of a part is that of its pages', async () => {
    const { parts, warnings } = await house.split(tagged('A', 5), { every: 2 })
    for (const { document } of parts) {
      const { at, pages, entry } = await objectsOf(document)
      expect(await headingsOf(document)).toEqual(pages.map(() => '/Head'))
      const [whole] = at('/Root /StructTreeRoot /K') as string[]
      expect(entry(whole, '/K')).toHaveLength(pages.length)
      expect(at('/Root /Lang')).toBe('u:de')
    }
    expect(warnings).toEqual([])
  })
})

soakDescribe('what describes the whole document', () => {
  const DESCRIPTION = {
    '/ViewerPreferences': { '/Direction': '/R2L' },
    '/PageLayout': '/TwoColumnLeft',
    '/PageMode': '/UseOutlines',
  }
  it('is in each part', async () => {
    const { parts } = await house.split(described, { every: 1 })
    for (const { document } of parts) {
      const { at } = await objectsOf(document)
      expect(at('/Root')).toMatchObject({ ...DESCRIPTION, '/Lang': 'u:fr' })
      expect(at('/Root /Metadata /Type')).toBe('/Metadata')
      expect(at('/Root /Names /JavaScript /Names')).toHaveLength(2)
      expect(at('/Root /OutputIntents')).toHaveLength(1)
      expect(at('/Root /PageLabels')).not.toBeNull()
    }
  })
  it('is that of the first document in a merge', async () => {
    const { document } = await house.merge([described, plain])
    const { at } = await objectsOf(document)
    expect(at('/Root')).toMatchObject(DESCRIPTION)
    expect(at('/Root /Metadata /Type')).toBe('/Metadata')
    expect(at('/Root /Lang')).toBeNull()
    expect(at('/Root /OpenAction')).toEqual([(await objectsOf(document)).pages[0], '/Fit'])
  })
})

it('what a merge cannot keep is named, with its document', async () => {
  const signed = documentOf(numberedPages(1), {
    extra: ['<< /Type /Sig /ByteRange [0 1 2 3] >>'],
    catalog: '/Collection << /View /T >> /AcroForm << /Fields [] /XFA [] /CO [] >>',
  })
  const { warnings } = await house.merge([plain, signed])
  const about = (message: string) => ({
    message: '{filename}: {reason}',
    values: { filename: '2.pdf', reason: { message, values: {} } },
  })
  expect(warnings.map(({ message }) => message)).toEqual([
    about('The result is not a portfolio'),
    about('The XFA form is not in the result, only its pages and fields'),
    about('The form of the result does not calculate'),
    about('The document was signed. The result is not signed'),
  ])
})
