// Compares every page of every document of the corpus with its source page, as an image and as text,
// and what the document has in addition to its pages.
import { availableParallelism } from 'node:os'
import { beforeAll, expect, test } from 'vitest'
import { present } from '../../server/core/lazy.ts'
import { CARRYING_DOCUMENTS } from '../carried-documents.ts'
import { documentCorpus, type CorpusDocument } from '../corpus.ts'
import { DAMAGED_DOCUMENTS, ODD_BUT_SOUND } from '../damaged-documents.ts'
import { factDifferences, factsOf, joinedFacts, type DocumentFacts } from '../document-facts.ts'
import { openDocumentHouse, type DocumentHouse } from '../document-house.ts'
import { ODD_DOCUMENTS } from '../odd-documents.ts'
import { differences, imagesAndTitles, type Looks } from '../page-pictures.ts'

/** `SLICE=2/6 npm run test:soak -- documents`: the second of six parts of the corpus, one after another. */
const [SLICE, SLICES] = (process.env.SLICE ?? '1/1').split('/').map(Number) as [number, number]
/** Each action runs in its own process, and so does what reads a document. */
const AT_ONCE = availableParallelism()
const REFUSALS = ['pdf_encrypted']
/** Of 255: an image that was compressed again has different noise. */
const NOISE = 40

interface Compared {
  looks: Looks
  facts: DocumentFacts
}

/** What an action changed in a document; empty: nothing. */
type Compare = (house: DocumentHouse, source: Compared, bytes: Buffer) => Promise<string[]>

const ACTIONS: Readonly<Record<string, Compare>> = {
  'a watermark changes only what it covers': async (house, source, bytes) => {
    const { document } = await house.watermark(bytes, { opacity: 0 })
    return differencesOf(source, await read(document))
  },
  'the parts of a split have the pages unchanged, with what belongs to them': async (
    house,
    source,
    bytes,
  ) => {
    const { parts, warnings } = await house.split(bytes, { every: 5 })
    const made: Compared[] = []
    for (const { document } of parts) made.push(await read(document))
    const looks = {
      pictures: made.flatMap(({ looks: { pictures } }) => pictures),
      texts: made.flatMap(({ looks: { texts } }) => texts),
    }
    const facts = joinedFacts(made.map((part) => part.facts))
    const text = JSON.stringify(warnings)
    const { attachments } = source.facts
    const named = attachments.every((name) => text.includes(name)) ? attachments : []
    return differencesOf(source, { looks, facts: { ...facts, attachments: named } })
  },
  'a merged document has all that its sources have': async (house, source, bytes) => {
    const { document } = await house.merge([bytes])
    return differencesOf(source, await read(document))
  },
  'a compressed document looks as it did': async (house, source, bytes) => {
    const result = await house.optimize(bytes)
    return 'document' in result ? differencesOf(source, await read(result.document), NOISE) : []
  },
}

async function read(bytes: Buffer): Promise<Compared> {
  const [looks, facts] = await Promise.all([imagesAndTitles(bytes), factsOf(bytes)])
  return { looks, facts }
}

const differencesOf = (before: Compared, after: Compared, shades?: number) => [
  ...differences(before.looks, after.looks, shades),
  ...factDifferences(before.facts, after.facts),
]

let [count, compared] = [0, 0]
/** The differences by action and document. */
const found = new Map(Object.keys(ACTIONS).map((name) => [name, {} as Record<string, string[]>]))

beforeAll(async () => {
  const made = { ...ODD_DOCUMENTS, ...CARRYING_DOCUMENTS, ...DAMAGED_DOCUMENTS, ...ODD_BUT_SOUND }
  const own = Object.entries(made).map(([name, bytes]) => ({ name, bytes }))
  const corpus = [...(await documentCorpus()), ...own]
  count = corpus.length
  const house = await openDocumentHouse()
  try {
    const left = corpus.filter((_, at) => at % SLICES === SLICE - 1).values()
    const worker = async () => {
      for (const document of left) await compare(house, document)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  } finally {
    await house.close()
  }
})

/** The source is read once for all actions. */
async function compare(house: DocumentHouse, { name, bytes }: CorpusDocument): Promise<void> {
  // A document that other programs cannot read has nothing to be compared.
  const source = await read(bytes).catch(() => null)
  if (source === null) return
  compared++
  for (const [action, differences] of found) {
    const make = present(ACTIONS[action], action)
    const what = await make(house, source, bytes).catch(
      (error: { code?: string; message: string }) =>
        REFUSALS.includes(error.code ?? '') ? [] : [error.message],
    )
    if (what.length > 0) differences[name] = what
  }
}

test('the corpus has at least 300 documents', () => {
  expect(count).toBeGreaterThanOrEqual(300)
})

test('nearly all of them are compared', () => {
  expect(compared).toBeGreaterThan((0.95 * count) / SLICES)
})

test.each(Object.keys(ACTIONS))('%s', (action) => {
  expect(found.get(action)).toEqual({})
})
