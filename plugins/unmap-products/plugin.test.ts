import { describe, expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import type { Outcome, Mapping } from '../contract/index.ts'
import { unmapProducts } from './plugin.ts'

const mapping = (product_id: string, variant_id: string | null = null): Mapping => ({
  product_id,
  variant_id,
  product_title: product_id,
  sku: null,
  method: 'manual',
  score: 1,
  reason: 'Chosen manually',
})

const items = () => [
  fileItem('a', { mappings: [mapping('p1'), mapping('p1', 'v1'), mapping('p2')] }),
  fileItem('b', { mappings: [mapping('p2')] }, 1),
  fileItem('c', {}, 2),
]

const plan = (options: object): Promise<Outcome[]> =>
  Array.fromAsync(unmapProducts.plan(items(), unmapProducts.options.parse(options), writeContext()))

pluginSuite(unmapProducts, () =>
  Promise.resolve({ items: items(), context: writeContext(), state: () => null }),
)

describe('unmap-products', () => {
  it('removes all products of files', async () => {
    expect(await plan({})).toMatchObject([
      {
        item: 'a',
        change: {
          mappings: { remove: [{ product_id: 'p1' }, { variant_id: 'v1' }, { product_id: 'p2' }] },
        },
      },
      { item: 'b', change: { mappings: { remove: [{ product_id: 'p2' }] } } },
      { item: 'c', status: 'skipped', reason: 'It has no product' },
    ])
  })
  it('or only the named ones, with their variants', async () => {
    const [a, b, c] = await plan({ product_ids: ['p1'] })
    const remove = [
      { product_id: 'p1', variant_id: null },
      { product_id: 'p1', variant_id: 'v1' },
    ]
    const reason = 'It has no such product'
    expect([a, b, c]).toMatchObject([
      { status: 'ok', change: { mappings: { remove } } },
      { status: 'skipped', reason },
      { status: 'skipped', reason },
    ])
  })
  it('refuses an empty list', () => {
    expect(unmapProducts.options.safeParse({ product_ids: [] }).success).toBe(false)
  })
})
