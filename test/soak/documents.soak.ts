// Compares every page of every document of the corpus with its source page, as an image and as text,
// and what the document has in addition to its pages.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CARRYING_DOCUMENTS } from '../carried-documents.ts'
import { documentCorpus, type CorpusDocument } from '../corpus.ts'
import { DAMAGED_DOCUMENTS, ODD_BUT_SOUND } from '../damaged-documents.ts'
import { factDifferences, factsOf, joinedFacts, type DocumentFacts } from '../document-facts.ts'
import { openDocumentHouse, type DocumentHouse } from '../document-house.ts'
import { ODD_DOCUMENTS } from '../odd-documents.ts'
import { differences, imagesAndTitles, type Looks } from '../page-pictures.ts'

let house: DocumentHouse
let corpus: CorpusDocument[]
beforeAll(async () => {
  const made = { ...ODD_DOCUMENTS, ...CARRYING_DOCUMENTS, ...DAMAGED_DOCUMENTS, ...ODD_BUT_SOUND }
  const own = Object.entries(made).map(([name, bytes]) => ({ name, bytes }))
  corpus = [...(await documentCorpus()), ...own]
  house = await openDocumentHouse()
})
afterAll(() => house.close())

test('the corpus has at least 300 documents', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300)
})

const REFUSALS = ['pdf_encrypted']
/** Of 255: an image that was compressed again has different noise. */
const NOISE = 40

interface Compared {
  looks: Looks
  facts: DocumentFacts
}

const read = async (bytes: Buffer): Promise<Compared> => {
  const [looks, facts] = await Promise.all([imagesAndTitles(bytes), factsOf(bytes)])
  return { looks, facts }
}

const differencesOf = (before: Compared, after: Compared, shades?: number) => [
  ...differences(before.looks, after.looks, shades),
  ...factDifferences(before.facts, after.facts),
]

/** The differences of each document that is not refused. */
async function differing(
  make: (source: Compared, bytes: Buffer) => Promise<string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { name, bytes } of corpus) {
    // A document that other programs cannot read has nothing to be compared.
    const source = await read(bytes).catch(() => null)
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
    return differencesOf(source, await read(document))
  })
  expect(found).toEqual({})
})

test('the parts of a split have the pages unchanged, with what belongs to them', async () => {
  const found = await differing(async (source, bytes) => {
    const { parts, warnings } = await house.split(bytes, { every: 5 })
    const made = await Promise.all(parts.map(({ document }) => read(document)))
    const looks = {
      pictures: made.flatMap(({ looks: { pictures } }) => pictures),
      texts: made.flatMap(({ looks: { texts } }) => texts),
    }
    const facts = joinedFacts(made.map((part) => part.facts))
    const text = JSON.stringify(warnings)
    const { attachments } = source.facts
    const named = attachments.every((name) => text.includes(name)) ? attachments : []
    return differencesOf(source, { looks, facts: { ...facts, attachments: named } })
  })
  expect(found).toEqual({})
})

test('a merged document has all that its sources have', async () => {
  const found = await differing(async (source, bytes) => {
    const { document } = await house.merge([bytes])
    return differencesOf(source, await read(document))
  })
  expect(found).toEqual({})
})

test('a compressed document looks as it did', async () => {
  const found = await differing(async (source, bytes) => {
    const result = await house.optimize(bytes)
    return 'document' in result ? differencesOf(source, await read(result.document), NOISE) : []
  })
  expect(found).toEqual({})
})
