import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { inEnglish } from '../../test/english.ts'
import { documentItem, documentOf, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, WriteContext } from '../contract/index.ts'
import { splitPdf } from './plugin.ts'

let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
const document = documentOf(numberedPages(10))
const item = async (filename: string, bytes: Uint8Array = document) =>
  documentItem(await context(), filename, bytes)
const run = async (items: readonly Item[], options: Record<string, unknown> = {}) => {
  const outcomes = splitPdf.run!(items, splitPdf.options.parse(options), await context())
  return new Map<string, Outcome>(
    (await Array.fromAsync(outcomes)).map((outcome) => [outcome.item, outcome]),
  )
}
const namesOf = (outcome: Outcome | undefined) =>
  outcome?.status === 'ok' ? outcome.created?.map(({ filename }) => filename) : outcome

pluginSuite(splitPdf, async () => ({
  items: [
    await item('guide.pdf'),
    await item('broken.pdf', document.subarray(0, 100)),
    await item('words.txt'),
  ],
  options: { every: 5 },
  context: await context(),
  state: async () => (await readdir(path.join(house.folder, 'primary', String(house.shop)))).sort(),
}))

describe('split-pdf', () => {
  soakTest('numbers the parts so that their names sort in order', async () => {
    const pages = namesOf((await run([await item('Big guide.PDF')])).get('Big guide.PDF'))
    expect(pages).toEqual(
      [...'123456789'].map((n) => `Big guide-0${n}.pdf`).concat('Big guide-10.pdf'),
    )
    const halves = namesOf((await run([await item('guide.pdf')], { every: 6 })).get('guide.pdf'))
    expect(halves).toEqual(['guide-1.pdf', 'guide-2.pdf'])
    const ranges = namesOf(
      (await run([await item('guide.pdf')], { ranges: ['1-3', '5', '7-'] })).get('guide.pdf'),
    )
    expect(ranges).toEqual(['guide-1.pdf', 'guide-2.pdf', 'guide-3.pdf'])
  })
  it('skips a document that would be a single part', async () => {
    const outcome = (await run([await item('guide.pdf')], { every: 10 })).get('guide.pdf')
    expect(outcome).toEqual({
      item: 'guide.pdf',
      status: 'ok',
      unchanged: 'It has no more pages than one part',
    })
  })
  it('names the pages that a document does not have', async () => {
    const outcome = (await run([await item('guide.pdf')], { ranges: ['1-3', '9-11', '12'] })).get(
      'guide.pdf',
    )
    expect(inEnglish(outcome)).toMatchObject({
      code: 'pdf_page_out_of_range',
      message: 'The document has 10 pages: there is no 9-11, 12 in it',
    })
  })
  it('accepts a number or ascending ranges', () => {
    const accepts = (options: unknown) => splitPdf.options.safeParse(options).success
    expect(accepts({ ranges: ['1-3', ' 5 ', '7-'] })).toBe(true)
    for (const ranges of [
      [],
      ['0'],
      ['3-1'],
      ['a'],
      ['-3'],
      ['1,2'],
      ['z'],
      ['1-2-3'],
      Array(201).fill('1'),
    ])
      expect(accepts({ ranges }), JSON.stringify(ranges)).toBe(false)
    for (const wrong of [{ every: 0 }, { every: 1.5 }, { every: 2, ranges: ['1'] }])
      expect(accepts(wrong)).toBe(false)
  })
  it('describes in a line what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(splitPdf.summary!(splitPdf.options.parse(options)))
    expect(summary({})).toBe('Makes a document of every page')
    expect(summary({ every: 4 })).toBe('Makes a document of every 4 pages')
    expect(summary({ ranges: ['1-3', '7-'] })).toBe('Makes parts of the pages 1-3, 7-')
  })
})
