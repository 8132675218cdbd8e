// Compares every page of every document of the corpus with its source page, as an image and as
// text.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentCorpus, type CorpusDocument } from '../corpus.ts'
import { openDocumentHouse, type DocumentHouse } from '../document-house.ts'
import { ODD_DOCUMENTS } from '../odd-documents.ts'
import { differences, imagesAndTitles, type Looks } from '../page-pictures.ts'

let house: DocumentHouse
let corpus: CorpusDocument[]
beforeAll(async () => {
  const odd = Object.entries(ODD_DOCUMENTS).map(([name, bytes]) => ({ name, bytes }))
  corpus = [...(await documentCorpus()), ...odd]
  house = await openDocumentHouse()
})
afterAll(() => house.close())

const REFUSALS = ['pdf_damaged', 'pdf_encrypted']
/** Of 255: an image that was compressed again has different noise. */
const NOISE = 40

/** The differences of each document that is not refused. */
async function differing(
  make: (source: Looks, bytes: Buffer) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { name, bytes } of corpus) {
    // A document that poppler cannot read has no images to compare.
    const source = await imagesAndTitles(bytes).catch(() => null)
    if (source === null) continue
    const what = await make(source, bytes).catch((error: { code?: string; message: string }) => {
      if (REFUSALS.includes(error.code ?? '')) return []
      return [error.message]
    })
    if (what.length > 0) found[name] = what
  }
  return found
}

test('a watermark changes only what it covers', async () => {
  const found = await differing(async (source, bytes) => {
    const { document } = await house.watermark(bytes, { opacity: 0 })
    return differences(source, await imagesAndTitles(document))
  })
  expect(found).toEqual({})
})

test('a part of a split has its pages unchanged', async () => {
  const found = await differing(async (source, bytes) => {
    const { parts } = await house.split(bytes, { every: 5 })
    const looks = await Promise.all(parts.map(({ document }) => imagesAndTitles(document)))
    const all = {
      pictures: looks.flatMap(({ pictures }) => pictures),
      texts: looks.flatMap(({ texts }) => texts),
    }
    return differences(source, all)
  })
  expect(found).toEqual({})
})

test('a merged document has the pages of its sources unchanged', async () => {
  const found = await differing(async (source, bytes) => {
    const { document } = await house.merge([bytes])
    return differences(source, await imagesAndTitles(document))
  })
  expect(found).toEqual({})
})

test('a compressed document looks as it did', async () => {
  const found = await differing(async (source, bytes) => {
    const result = await house.optimize(bytes)
    return 'document' in result
      ? differences(source, await imagesAndTitles(result.document), NOISE)
      : []
  })
  expect(found).toEqual({})
})
