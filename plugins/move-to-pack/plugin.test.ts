import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, packsPort, writeContext } from '../../test/fakes/context.ts'
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

const context = writeContext({ packs: packsPort(shelf) })
const byItself = product(9, { method: 'manual', reason: 'Chosen manually' })
const inOld = fileItem('old', { packs: [OLD], mappings: [product(1), product(2), byItself] })
const inNew = fileItem('new', { packs: [NEW], mappings: [product(2), product(3)] })
const inBoth = fileItem('both', {
  packs: [OLD, NEW],
  mappings: [product(1), product(2), product(3), byItself],
})
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
  it('adds to a pack: the file stays in its others, with their products', async () => {
    expect(await move({ pack: publicId(NEW) }, inOld, inNone, inBoth)).toEqual([
      {
        item: 'old',
        status: 'ok',
        change: {
          packs: { add: [{ id: NEW }], remove: [] },
          mappings: { remove: [], add: [product(3)] },
        },
      },
      {
        item: 'none',
        status: 'ok',
        change: {
          packs: { add: [{ id: NEW }], remove: [] },
          mappings: { remove: [], add: [product(2), product(3)] },
        },
      },
      { item: 'both', status: 'skipped', reason: 'It is in this pack already' },
    ])
  })
  it('moves: the products of the packs that it leaves go; its own stay', async () => {
    expect(await move({ mode: 'move', pack: publicId(NEW) }, inOld, inBoth, inNew)).toEqual([
      {
        item: 'old',
        status: 'ok',
        change: {
          packs: { add: [{ id: NEW }], remove: [OLD] },
          mappings: { remove: [target(product(1))], add: [product(3)] },
        },
      },
      {
        item: 'both',
        status: 'ok',
        change: {
          packs: { add: [], remove: [OLD] },
          mappings: { remove: [target(product(1))], add: [] },
        },
      },
      { item: 'new', status: 'skipped', reason: 'It is in this pack already' },
    ])
  })
  it('removes from one pack: what another pack of the file has too stays', async () => {
    expect(await move({ mode: 'remove', pack: publicId(OLD) }, inBoth, inNew, inNone)).toEqual([
      {
        item: 'both',
        status: 'ok',
        change: {
          packs: { add: [], remove: [OLD] },
          mappings: { remove: [target(product(1))], add: [] },
        },
      },
      { item: 'new', status: 'skipped', reason: 'It is not in this pack' },
      { item: 'none', status: 'skipped', reason: 'It is not in this pack' },
    ])
  })
  it('does not map a product twice that a file has itself, and keeps it when the file leaves', async () => {
    const own = product(3, { method: 'sku' })
    const [into] = await move({ pack: publicId(NEW) }, fileItem('a', { mappings: [own] }))
    expect(into).toMatchObject({ change: { mappings: { remove: [], add: [product(2)] } } })
    const [out] = await move(
      { mode: 'clear' },
      fileItem('b', { packs: [NEW], mappings: [own, product(2)] }),
    )
    expect(out).toMatchObject({
      change: {
        packs: { add: [], remove: [NEW] },
        mappings: { remove: [target(product(2))], add: [] },
      },
    })
  })
  it('updates files that are in the pack, and skips those that are up to date', async () => {
    const stale = fileItem('stale', { packs: [NEW], mappings: [product(1), product(2)] })
    expect(await move({ pack: publicId(NEW) }, stale, inNew)).toEqual([
      {
        item: 'stale',
        status: 'ok',
        change: { mappings: { remove: [target(product(1))], add: [product(3)] } },
      },
      { item: 'new', status: 'skipped', reason: 'It is in this pack already' },
    ])
  })
  it('removes files from all packs', async () => {
    expect(await move({ mode: 'clear' }, inBoth, inNone)).toEqual([
      {
        item: 'both',
        status: 'ok',
        change: {
          packs: { add: [], remove: [OLD, NEW] },
          mappings: { remove: [product(1), product(2), product(3)].map(target), add: [] },
        },
      },
      { item: 'none', status: 'skipped', reason: 'It is in no pack' },
    ])
  })
  it('creates a pack of that name, or uses the existing one, ignoring case', async () => {
    expect(await move({ mode: 'move', new_pack: 'Winter' }, inOld)).toMatchObject([
      {
        change: {
          packs: { add: [{ name: 'Winter' }], remove: [OLD] },
          mappings: { remove: [product(1), product(2)].map(target), add: [] },
        },
      },
    ])
    expect(await move({ new_pack: ' summer ébooks ' }, inNone)).toMatchObject([
      { change: { packs: { add: [{ id: NEW }] } } },
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
    ['two packs together', { new_pack: 'A', pack: publicId(OLD) }, 'Choose a pack'],
    ['a pack to remove from all', { mode: 'clear', new_pack: 'A' }, 'Choose a pack'],
    ['leaving a pack that it names', { mode: 'remove', new_pack: 'A' }, 'by its id'],
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
    ['an unknown mode', { mode: 'out', new_pack: 'A' }, 'expected one of'],
  ])('refuses %s', (_what, options, message) => {
    expect(moveToPack.options.safeParse(options).error?.message).toContain(message)
  })
  it('describes what it does', () => {
    const summary = (options: unknown) =>
      inEnglish(moveToPack.summary!(moveToPack.options.parse(options)))
    expect(summary({ mode: 'clear' })).toBe('Removes files from all packs')
    expect(summary({ mode: 'remove', pack: publicId(OLD) })).toBe('Removes files from a pack')
    expect(summary({ new_pack: 'Winter' })).toBe('Adds files to the pack Winter')
    expect(summary({ mode: 'move', pack: publicId(OLD) })).toBe(
      'Moves files into a pack, out of all others',
    )
  })
})
