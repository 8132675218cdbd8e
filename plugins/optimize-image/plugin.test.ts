import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { createTestEngine, type TestEngine } from '../../test/engine.ts'
import { fileItem, importItem, writeContext } from '../../test/fakes/context.ts'
import { photo } from '../../test/images.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, WriteContext } from '../contract/index.ts'
import { optimizeImage } from './plugin.ts'

let house: TestEngine
let jpeg: Buffer
beforeAll(async () => {
  house = await createTestEngine([], [])
  jpeg = await photo(300, 200).jpeg({ quality: 100 }).toBuffer()
})
afterAll(() => house.close())

const context = async (): Promise<WriteContext> => {
  const { bytes, sandbox, stage } = await house.parts.ports(house.scope)
  return writeContext({ bytes, sandbox, stage })
}
/** The draft of a file whose bytes an earlier step has staged. */
async function staged(filename: string, bytes: Buffer | string = jpeg): Promise<Item> {
  const { stage, signal } = await context()
  const blob = await stage.write(Readable.from([Buffer.from(bytes)]), null, signal)
  return importItem(filename, { entry: { filename }, staged: blob })
}
const run = async (items: readonly Item[], options: Record<string, unknown> = {}) => {
  const outcomes = optimizeImage.run!(items, optimizeImage.options.parse(options), await context())
  return new Map<string, Outcome>(
    (await Array.fromAsync(outcomes)).map((outcome) => [outcome.item, outcome]),
  )
}
const plan = (items: readonly Item[], options: Record<string, unknown> = {}) =>
  Array.fromAsync(optimizeImage.plan(items, optimizeImage.options.parse(options), writeContext()))

pluginSuite(optimizeImage, async () => ({
  items: [
    await staged('photo.jpg'),
    await staged('notes.txt', 'words'),
    await staged('broken.png', jpeg.subarray(0, jpeg.length / 2)),
    await staged('page.gif', '<html>'),
  ],
  options: { max_px: 100 },
  context: await context(),
  state: async () => (await readdir(path.join(house.folder, 'primary', String(house.shop)))).sort(),
}))

describe('optimize-image', () => {
  it('returns bytes, and a name with their extension', async () => {
    const item = await staged('A photo.of.Ann.JPG')
    const outcome = (await run([item], { max_px: 100 })).get(item.id)!
    expect(outcome).toMatchObject({
      status: 'ok',
      change: { set: { filename: 'A photo.of.Ann.webp' } },
      bytes: { location: 'primary', content_type: 'image/webp', size_bytes: expect.any(Number) },
    })
    expect(outcome).not.toHaveProperty('drop_previous')
  })
  it('keeps a name that fits the format, and corrects one that does not', async () => {
    const items = [await staged('a.jpeg'), await staged('b.png')]
    const got = await run(items, { format: 'same', max_px: 100, preserve_original: false })
    expect(got.get('a.jpeg')).not.toHaveProperty('change')
    expect(got.get('a.jpeg')).toMatchObject({ drop_previous: true })
    expect(got.get('b.png')).toMatchObject({ change: { set: { filename: 'b.jpg' } } })
  })
  it('gives the reason for each skipped file', async () => {
    const small = await photo(50, 50).webp({ quality: 20 }).toBuffer()
    const items = [
      await staged('small.webp', small),
      await staged('x.svg'),
      await staged('x.heic'),
      await staged('x.pdf'),
    ]
    expect(
      [...(await run(items)).values()]
        .map((outcome) => 'unchanged' in outcome && inEnglish(outcome.unchanged))
        .sort(),
    ).toEqual([
      'Images of the type HEIC stay as they are',
      'It is not an image',
      'It would not become smaller',
      'SVG images are drawings and are not changed',
    ])
  })
  it('previews the new name from the old name alone', async () => {
    const items = [
      fileItem('a', { filename: 'a.tif' }),
      fileItem('b', { filename: 'b.webp' }),
      fileItem('c', { filename: 'c' }),
    ]
    expect(await plan(items)).toEqual([
      { item: 'a', status: 'ok', change: { set: { filename: 'a.webp' } } },
      { item: 'b', status: 'ok' },
      { item: 'c', status: 'ok', unchanged: 'It is not an image' },
    ])
    expect(await plan(items.slice(0, 1), { format: 'same' })).toEqual([{ item: 'a', status: 'ok' }])
  })
  it('refuses impossible sizes and qualities', () => {
    for (const wrong of [
      { max_px: 0 },
      { max_px: 16_001 },
      { quality: 0 },
      { quality: 101 },
      { format: 'bmp' },
    ])
      expect(optimizeImage.options.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false)
  })
  it('describes what it will do', () => {
    expect(inEnglish(optimizeImage.summary!(optimizeImage.options.parse({})))).toBe(
      'Up to 2000 px, 80 % quality, as WebP',
    )
  })
})
