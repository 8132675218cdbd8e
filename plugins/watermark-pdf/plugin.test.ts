import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { inEnglish } from '../../test/english.ts'
import { documentItem, documentOf, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, StagedBlob, Watermark, WriteContext } from '../contract/index.ts'
import { watermarkPdf } from './plugin.ts'

let house: TestEngine
beforeAll(async () => void (house = await createTestEngine([], [])))
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
const document = documentOf(numberedPages(2))
const item = async (filename: string, bytes: Uint8Array = document) =>
  documentItem(await context(), filename, bytes)
const run = async (items: readonly Item[], options: Record<string, unknown>) => {
  const outcomes = watermarkPdf.run!(items, watermarkPdf.options.parse(options), await context())
  return new Map<string, Outcome>(
    (await Array.fromAsync(outcomes)).map((outcome) => [outcome.item, outcome]),
  )
}

pluginSuite(watermarkPdf, async () => ({
  items: [
    await item('guide.pdf'),
    await item('broken.pdf', document.subarray(0, 100)),
    await item('words.txt'),
  ],
  options: { text: 'Sample' },
  context: await context(),
  state: async () => (await readdir(path.join(house.folder, 'primary', String(house.shop)))).sort(),
}))

describe('watermark-pdf', () => {
  it('accepts a text, an image or the shop’s watermark', () => {
    const accepts = (options: unknown) => watermarkPdf.options.safeParse(options).success
    expect(accepts({ text: 'Sample', position: 'top-left', opacity: 0.5, font_size: 30 })).toBe(
      true,
    )
    expect(accepts({ picture: `file_${'0'.repeat(32)}` })).toBe(true)
    expect(accepts({ saved: true })).toBe(true)
    for (const wrong of [
      {},
      { saved: true, text: 'a' },
      { text: ' ' },
      { text: 'a', picture: `file_${'0'.repeat(32)}` },
      { picture: 'logo.png' },
    ])
      expect(accepts(wrong), JSON.stringify(wrong)).toBe(false)
    for (const wrong of [{ opacity: 0 }, { opacity: 2 }, { position: 'left' }, { font_size: 0 }])
      expect(accepts({ text: 'a', ...wrong }), JSON.stringify(wrong)).toBe(false)
  })
  soakTest('applies the watermark of the file’s pack instead of the shop’s', async () => {
    const pack = '01234567-89ab-4def-8123-456789abcdef'
    const OTHER = '01234567-89ab-4def-8123-456789abcdee'
    const inPack = (given: Item): Item => ({
      ...given,
      file: { ...given.file, packs: [OTHER, pack] },
    })
    const guide = await item('guide.pdf')
    const given = await context()
    const mark = (text: string): Watermark => ({ text, position: 'center', opacity: 0.5 })
    const hashes = async (items: readonly Item[], watermark: Watermark | null) => {
      const pack_watermarks = { [`pack_${pack.replaceAll('-', '')}`]: mark('Almanac') }
      const settings = { ...given.shop.settings, watermark, pack_watermarks }
      const own = { ...given, shop: { ...given.shop, settings } }
      const saved = watermarkPdf.options.parse({ saved: true })
      // As it is frozen when an operation starts, and as a trial runs it.
      const frozen = watermarkPdf.withSettings!(saved, settings)
      expect(watermarkPdf.options.safeParse(frozen).success).toBe(true)
      const ran = await Promise.all(
        [saved, frozen].map((options) => Array.fromAsync(watermarkPdf.run!(items, options, own))),
      )
      return ran.map(([outcome]) => (outcome as { bytes?: StagedBlob }).bytes?.hash)
    }
    const hashOf = async (text: string) =>
      ((await run([guide], mark(text))).get('guide.pdf') as { bytes?: StagedBlob }).bytes?.hash
    const [almanac, harbour] = [await hashOf('Almanac'), await hashOf('Harbour')]
    expect(almanac).not.toBe(harbour)
    expect(await hashes([inPack(guide)], mark('Harbour'))).toEqual([almanac, almanac])
    expect(await hashes([inPack(guide)], null)).toEqual([almanac, almanac])
    expect(await hashes([guide], mark('Harbour'))).toEqual([harbour, harbour])
    expect(await hashes([guide], null)).toEqual([undefined, undefined])
  })
  it('applies the shop’s watermark, and says if there is none', async () => {
    const items = [await item('guide.pdf'), await item('words.txt')]
    const options = watermarkPdf.options.parse({ saved: true })
    const given = await context()
    const outcomes = async (watermark: Watermark | null) => {
      const settings = { ...given.shop.settings, watermark }
      const own = { ...given, shop: { ...given.shop, settings } }
      const planned = await Array.fromAsync(watermarkPdf.plan(items, options, own))
      const ran = await Array.fromAsync(watermarkPdf.run!(items, options, own))
      return [planned, ran] as const
    }
    const mark: Watermark = { text: 'Harbour', position: 'center', opacity: 0.5 }
    const [planned, ran] = await outcomes(mark)
    expect(planned[0]).toMatchObject({ item: 'guide.pdf', status: 'ok' })
    const same = await run([items[0]!], mark)
    const hashOf = (outcome: Outcome | undefined) => (outcome as { bytes?: StagedBlob }).bytes?.hash
    expect(hashOf(ran.find(({ item: id }) => id === 'guide.pdf'))).toBe(
      hashOf(same.get('guide.pdf')),
    )
    for (const missing of await outcomes(null)) {
      expect(missing[0]).toMatchObject({ item: 'guide.pdf', code: 'no_watermark' })
      expect(missing[1]).toMatchObject({ item: 'words.txt', status: 'ok' })
    }
  })
  soakTest('names letters that it cannot draw, and a missing image', async () => {
    const letters = await run([await item('a.pdf')], { text: 'Sample 😀' })
    expect(inEnglish(letters.get('a.pdf'))).toMatchObject({
      code: 'glyph_missing',
      message: 'No installed font has 😀',
    })
    const picture = await run([await item('a.pdf')], { picture: `file_${'0'.repeat(32)}` })
    expect(picture.get('a.pdf')).toMatchObject({
      status: 'failed',
      code: 'file_not_found',
      retryable: false,
    })
  })
  it('describes in a line what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(watermarkPdf.summary!(watermarkPdf.options.parse(options)))
    expect(summary({ text: 'Sample' })).toBe('“Sample” on every page, diagonal')
    expect(summary({ picture: `file_${'0'.repeat(32)}`, position: 'top-left' })).toBe(
      'An image on every page, top-left',
    )
  })
})
