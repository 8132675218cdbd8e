import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentItem, documentOf, numberedPages } from '../../test/documents.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, WriteContext } from '../contract.ts'
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
  it('accepts either a text or an image', () => {
    const accepts = (options: unknown) => watermarkPdf.options.safeParse(options).success
    expect(accepts({ text: 'Sample', position: 'top-left', opacity: 0.5, font_size: 30 })).toBe(
      true,
    )
    expect(accepts({ picture: `file_${'0'.repeat(32)}` })).toBe(true)
    for (const wrong of [
      {},
      { text: ' ' },
      { text: 'a', picture: `file_${'0'.repeat(32)}` },
      { picture: 'logo.png' },
    ])
      expect(accepts(wrong), JSON.stringify(wrong)).toBe(false)
    for (const wrong of [{ opacity: 0 }, { opacity: 2 }, { position: 'left' }, { font_size: 0 }])
      expect(accepts({ text: 'a', ...wrong }), JSON.stringify(wrong)).toBe(false)
  })
  it('names letters that it cannot draw, and a missing image', async () => {
    const letters = await run([await item('a.pdf')], { text: 'Sample 😀' })
    expect(letters.get('a.pdf')).toMatchObject({
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
    const summary = (options: unknown) => watermarkPdf.summary!(watermarkPdf.options.parse(options))
    expect(summary({ text: 'Sample' })).toBe('“Sample” on every page, diagonal')
    expect(summary({ picture: `file_${'0'.repeat(32)}`, position: 'top-left' })).toBe(
      'An image on every page, top-left',
    )
  })
})
