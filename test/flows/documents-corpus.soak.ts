// Document actions on real documents: each is processed correctly, as qpdf and poppler check it, or
// refused with a code that gives the reason.
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentCorpus, MIN, type CorpusDocument } from '../corpus.ts'
import { openDocumentHouse, type DocumentHouse } from '../document-house.ts'
import { countPages, faultsOf, renderPages, type PagePicture } from '../documents.ts'

let house: DocumentHouse
let corpus: CorpusDocument[]
beforeAll(async () => {
  corpus = await documentCorpus()
  house = await openDocumentHouse()
})
afterAll(() => house.close())

/** The errors that a real document may have. */
const REFUSALS = ['pdf_damaged', 'pdf_encrypted']
const DPI = 40
/** Every n-th document is also compared visually. */
const LOOKED_AT = 4

type Verdict = 'right' | 'unchanged' | string

/** Runs two at a time. */
async function sideBySide<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const queue = [...all]
  const take = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, take))
}

/** Judges each document; documents that are neither correct nor refused are named. */
async function judged(
  documents: readonly CorpusDocument[],
  judge: (document: CorpusDocument, looked: boolean) => Promise<Verdict>,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>()
  await sideBySide([...documents.entries()], async ([at, document]) => {
    const verdict = await judge(document, at % LOOKED_AT === 0).catch(
      (error: { code?: string; message: string }) =>
        REFUSALS.includes(error.code ?? '') ? error.code! : `${error.code}: ${error.message}`,
    )
    verdicts.set(document.name, verdict)
  })
  expect(
    [...verdicts].filter(([, verdict]) => !['right', 'unchanged', ...REFUSALS].includes(verdict)),
  ).toEqual([])
  expect(verdicts.size).toBeGreaterThanOrEqual(MIN)
  // Most real documents are valid: only a few may be refused.
  const refused = [...verdicts]
    .filter(([, verdict]) => REFUSALS.includes(verdict))
    .map(([name]) => name)
  expect(refused.length, refused.join(', ')).toBeLessThan(verdicts.size * 0.05)
  return verdicts
}

const firstPage = async (bytes: Uint8Array): Promise<PagePicture> =>
  (await renderPages(bytes, DPI, [1, 1]))[0]!

/** The share of the page where the two differ by more than `shades` of 255. */
function difference(a: PagePicture, b: PagePicture, shades: number): number {
  expect([b.width, b.height]).toEqual([a.width, a.height])
  let differing = 0
  for (const [at, value] of a.grey.entries())
    if (Math.abs(value - b.grey[at]!) > shades) differing++
  return differing / a.grey.length
}

test('compressed documents look as they did', async () => {
  let [before, after] = [0, 0]
  const verdicts = await judged(corpus, async ({ bytes }, looked) => {
    const result = await house.optimize(bytes)
    if ('unchanged' in result) return 'unchanged'
    before += bytes.length
    after += result.document.length
    if (looked) {
      const differs = difference(await firstPage(bytes), await firstPage(result.document), 40)
      if (differs > 0.02) return `${Math.round(differs * 100)} % of the first page look otherwise`
    }
    return (await faultsOf(result.document)) || 'right'
  })
  expect(after).toBeLessThan(before)
  expect([...verdicts.values()].filter((verdict) => verdict === 'right').length).toBeGreaterThan(
    corpus.length / 2,
  )
})

test('watermarked documents have the watermark on the first page, and all their pages', async () => {
  await judged(corpus, async ({ bytes }, looked) => {
    const { document } = await house.watermark(bytes, { text: 'نموذج SAMPLE', opacity: 0.6 })
    if (looked) {
      const [old, made] = [await firstPage(bytes), await firstPage(document)]
      if (difference(old, made, 20) < 0.005) return 'no mark is to be seen'
      if (difference(old, made, 20) > 0.4) return 'there is more than a mark'
      if ((await countPages(bytes)) !== (await countPages(document))) return 'it has other pages'
    }
    return (await faultsOf(document)) || 'right'
  })
})

test('split documents have all their pages in the parts', async () => {
  await judged(corpus, async ({ bytes }, looked) => {
    const pages = await countPages(bytes)
    const { parts } = await house.split(bytes, { every: Math.max(1, Math.ceil(pages / 3)) })
    const counts = await Promise.all(parts.map(({ document }) => countPages(document)))
    if (counts.reduce((sum, count) => sum + count, 0) !== pages)
      return `${pages} pages became ${counts.join(' + ')}`
    if (
      looked &&
      difference(await firstPage(bytes), await firstPage(parts[0]!.document), 20) > 0.001
    )
      return 'its first page looks otherwise'
    for (const { document } of parts) {
      const faults = await faultsOf(document)
      if (faults) return faults
    }
    return 'right'
  })
})

test('documents merged ten at a time have all their pages', async () => {
  const refused: string[] = []
  const tens = Array.from({ length: Math.ceil(corpus.length / 10) }, (_, at) =>
    corpus.slice(at * 10, at * 10 + 10),
  )
  await sideBySide(tens, async (ten) => {
    let rest = ten
    while (rest.length > 0) {
      const merged = await house
        .merge(rest.map(({ bytes }) => bytes))
        .catch((error: Error) => error)
      if (!(merged instanceof Error)) {
        const counts = await Promise.all(rest.map(({ bytes }) => countPages(bytes)))
        expect(await countPages(merged.document)).toBe(
          counts.reduce((sum, count) => sum + count, 0),
        )
        expect(await faultsOf(merged.document)).toBe('')
        break
      }
      // The message names the invalid document; the others are merged without it.
      const [, number] = /^(\d+)\.pdf: /.exec(merged.message) ?? []
      expect(REFUSALS).toContain((merged as { code?: string }).code)
      refused.push(rest[Number(number) - 1]!.name)
      rest = rest.filter((_, at) => at !== Number(number) - 1)
    }
  })
  expect(refused.length, refused.join(', ')).toBeLessThan(corpus.length * 0.05)
})
