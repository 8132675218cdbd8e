import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Item, Outcome, Pack, Mapping } from '../contract/index.ts'
import { moveToPack } from './plugin.ts'

const [OLD, NEW] = ['01999999-0000-7000-8000-00000000000a', '01999999-0000-7000-8000-00000000000b']
const publicId = (uuid: string) => `pack_${uuid.replaceAll('-', '')}`
const product = (n: number, given: Partial<Mapping> = {}): Mapping => ({
  product_id: `gid://shopify/Product/${n}`,
  product_title: `Product ${n}`,
  variant_id: null,
  sku: null,
  method: 'pack',
  score: 1,
  reason: 'Its pack has this product',
  ...given,
})

const shelf: Pack[] = [
  { id: OLD, name: 'Old', products: [product(1), product(2)] },
  { id: NEW, name: 'Summer Ébooks', products: [product(2), product(3)] },
]

const packs = {
  find: (wanted: { id: string } | { name: string }) =>
    Promise.resolve(
      shelf.find((pack) =>
        'id' in wanted
          ? pack.id === wanted.id
          : pack.name.toLowerCase() === wanted.name.toLowerCase(),
      ) ?? null,
    ),
}

const context = writeContext({ packs })
const byItself = product(9, { method: 'manual', reason: 'Chosen manually' })
const inOld = fileItem('old', { pack_id: OLD, mappings: [product(1), product(2), byItself] })
const inNew = fileItem('new', { pack_id: NEW, mappings: [product(2), product(3)] })
const inNone = fileItem('none', { mappings: [byItself] })

const move = (options: Record<string, unknown>, ...items: Item[]): Promise<Outcome[]> =>
  Array.fromAsync(moveToPack.plan(items, moveToPack.options.parse(options), context))
const target = ({ product_id, variant_id }: Mapping) => ({ product_id, variant_id })

pluginSuite(moveToPack, () =>
  Promise.resolve({
    items: [inOld, inNone],
    options: { pack: publicId(NEW) },
    context,
    state: () => shelf,
  }),
)

describe('move-to-pack', () => {
  it('removes the old pack’s products and adds the new one’s; a file’s own products stay', async () => {
    expect(await move({ pack: publicId(NEW) }, inOld, inNone)).toEqual([
      {
        item: 'old',
        status: 'ok',
        change: {
          pack: { id: NEW },
          mappings: { remove: [target(product(1))], add: [product(3)] },
        },
      },
      {
        item: 'none',
        status: 'ok',
        change: { pack: { id: NEW }, mappings: { remove: [], add: [product(2), product(3)] } },
      },
    ])
  })
  it('does not map a product twice that a file has itself, and keeps it when the file leaves', async () => {
    const own = product(3, { method: 'sku' })
    const [into] = await move({ pack: publicId(NEW) }, fileItem('a', { mappings: [own] }))
    expect(into).toMatchObject({ change: { mappings: { remove: [], add: [product(2)] } } })
    const [out] = await move(
      { out: true },
      fileItem('b', { pack_id: NEW, mappings: [own, product(2)] }),
    )
    expect(out).toMatchObject({
      change: { pack: null, mappings: { remove: [target(product(2))], add: [] } },
    })
  })
  it('updates files that are in the pack, and skips those that are up to date', async () => {
    const stale = fileItem('stale', { pack_id: NEW, mappings: [product(1), product(2)] })
    expect(await move({ pack: publicId(NEW) }, stale, inNew)).toEqual([
      {
        item: 'stale',
        status: 'ok',
        change: { mappings: { remove: [target(product(1))], add: [product(3)] } },
      },
      { item: 'new', status: 'skipped', reason: 'It is in this pack already' },
    ])
  })
  it('removes files from their packs', async () => {
    expect(await move({ out: true }, inNew, inNone)).toEqual([
      {
        item: 'new',
        status: 'ok',
        change: {
          pack: null,
          mappings: { remove: [target(product(2)), target(product(3))], add: [] },
        },
      },
      { item: 'none', status: 'skipped', reason: 'It is in no pack' },
    ])
  })
  it('creates a pack of that name, or uses the existing one, ignoring case', async () => {
    expect(await move({ new_pack: 'Winter' }, inOld)).toMatchObject([
      {
        change: {
          pack: { name: 'Winter' },
          mappings: { remove: [product(1), product(2)].map(target), add: [] },
        },
      },
    ])
    expect(await move({ new_pack: ' summer ébooks ' }, inNone)).toMatchObject([
      { change: { pack: { id: NEW } } },
    ])
  })
  it('reports a pack that no longer exists', async () => {
    const gone = publicId('01999999-0000-7000-8000-00000000000c')
    expect(await move({ pack: gone }, inOld, inNew)).toMatchObject([
      { item: 'old', status: 'failed', code: 'pack_not_found', retryable: false },
      { item: 'new', status: 'failed', code: 'pack_not_found', retryable: false },
    ])
  })
  it.each([
    ['nothing', {}, 'Choose a pack'],
    ['two ways together', { new_pack: 'A', out: true }, 'Choose a pack'],
    ['what is no pack’s id', { pack: OLD }, 'not the id of a pack'],
    [
      'another thing’s id',
      { pack: publicId(OLD).replace('pack_', 'file_') },
      'not the id of a pack',
    ],
    ['an empty name', { new_pack: ' ' }, 'Give the pack a name'],
    ['a path', { new_pack: 'a/b' }, 'cannot contain / or \\\\'],
    ['a name that reads backwards', { new_pack: 'a\u202eb' }, 'cannot contain control'],
    ['a name that is too long', { new_pack: 'x'.repeat(256) }, 'at most 255'],
    ['out: false', { out: false }, 'expected true'],
  ])('refuses %s', (_what, options, message) => {
    expect(moveToPack.options.safeParse(options).error?.message).toContain(message)
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(moveToPack.summary!(moveToPack.options.parse(options)))
    expect(summary({ out: true })).toBe('Removes files from their packs')
    expect(summary({ new_pack: 'Winter' })).toBe('Moves files into the pack Winter')
    expect(summary({ pack: publicId(OLD) })).toBe('Moves files into a pack')
  })
})
