import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { ContentFile, Mapping, Outcome } from '../contract/index.ts'
import { mergeDuplicates } from './plugin.ts'

const id = (n: number) => `01999999-0000-7000-8000-00000000000${n}`
const publicId = (n: number) => `file_${id(n).replaceAll('-', '')}`
const product = (n: number, given: Partial<Mapping> = {}): Mapping => ({
  product_id: `gid://shopify/Product/${n}`,
  product_title: `Product ${n}`,
  variant_id: null,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'Chosen manually',
  ...given,
})
const holder = (given: Partial<ContentFile> = {}): ContentFile => ({
  content: 'aa',
  mappings: [],
  packs: [],
  deleted: false,
  buyers: 0,
  ...given,
})

const run = async (
  files: Record<number, ContentFile>,
  options: object = { groups: [{ keep: publicId(1), others: [publicId(2), publicId(3)] }] },
): Promise<Outcome[]> => {
  const context = contextOf(files)
  const items = Object.keys(files).map((n) => fileItem(n, { id: id(Number(n)) }))
  return Array.fromAsync(
    mergeDuplicates.plan(items, mergeDuplicates.options.parse(options), context),
  )
}
const contextOf = (files: Record<number, ContentFile>) =>
  writeContext({
    contents: {
      read: (ids) =>
        Promise.resolve(
          new Map(
            Object.entries(files).flatMap(([n, file]) =>
              ids.includes(id(Number(n))) ? [[id(Number(n)), file] as const] : [],
            ),
          ),
        ),
    },
  })

pluginSuite(mergeDuplicates, () =>
  Promise.resolve({
    items: [fileItem('1', { id: id(1) }), fileItem('2', { id: id(2) })],
    options: { groups: [{ keep: publicId(1), others: [publicId(2)] }] },
    context: contextOf({ 1: holder(), 2: holder({ mappings: [product(1)] }) }),
    state: () => null,
  }),
)

describe('merge-duplicates', () => {
  it('gives the kept file the products of the others, each once, and deletes the others', async () => {
    const outcomes = await run({
      1: holder({ mappings: [product(1)] }),
      2: holder({ mappings: [product(1), product(2)] }),
      3: holder({ mappings: [product(2), product(3)], buyers: 2 }),
    })
    expect(outcomes).toMatchObject([
      { item: '1', change: { mappings: { add: [product(2), product(3)] } } },
      { item: '2', change: { deleted: true }, warnings: [] },
      { item: '3', change: { deleted: true }, warnings: [{ code: 'buyers_lose_links' }] },
    ])
    const [warning] = outcomes[2]!.status === 'ok' ? (outcomes[2]!.warnings ?? []) : []
    expect(inEnglish(warning?.message ?? '')).toMatch(/^2 buyers have links to it, which stop/)
  })

  it('puts it into the packs of the others too, with their products', async () => {
    const [kept] = await run({
      1: holder({ packs: [id(7), id(8)] }),
      2: holder({ packs: [id(8)], mappings: [product(1, { method: 'pack' })] }),
      3: holder({ packs: [id(9)], mappings: [product(2, { method: 'pack' })] }),
    })
    expect(kept).toMatchObject({
      change: {
        packs: { add: [{ id: id(9) }] },
        mappings: { add: [{ method: 'pack' }, { product_title: 'Product 2', method: 'pack' }] },
      },
    })
  })

  it('leaves files alone whose content has changed, and all if the kept one was deleted', async () => {
    const changed = await run({
      1: holder(),
      2: holder({ content: 'bb', mappings: [product(4)] }),
      3: holder(),
    })
    expect(changed).toMatchObject([
      { status: 'ok', unchanged: expect.anything() as unknown },
      { status: 'skipped' },
      { status: 'ok', change: { deleted: true } },
    ])
    const gone = await run({ 1: holder({ deleted: true }), 2: holder(), 3: holder() })
    expect(gone.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped'])
  })

  it('takes each file once', () => {
    const groups = [{ keep: publicId(1), others: [publicId(2), publicId(1)] }]
    expect(mergeDuplicates.options.safeParse({ groups }).success).toBe(false)
  })
})
