import { expect, it } from 'vitest'
import type { FileChange, Mapping, Packs } from '../contract/index.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { packRows } from './plugin.ts'

const mapping = (id: string, method: Mapping['method']): Mapping => ({
  product_id: id,
  product_title: 'P',
  variant_id: null,
  sku: null,
  method,
  score: 1,
  reason: 'R',
})
const kit = { id: 'kit', name: 'Kit', products: [mapping('new', 'pack')] }
const packs: Packs = {
  find: (pack) => Promise.resolve('name' in pack && /^kit$/i.test(pack.name) ? kit : null),
}
const context = { ...writeContext(), packs }
const row = (id: string, pack: FileChange['pack'], at: string | null = 'old') => ({
  ...fileItem(id),
  file: {
    ...fileItem(id).file,
    pack_id: at,
    mappings: [mapping('own', 'manual'), mapping('packed', 'pack')],
  },
  wanted: pack === undefined ? {} : { pack },
})
const items = [
  row('a', { name: 'KIT' }),
  row('b', { name: 'Kit' }, 'kit'),
  row('c', { name: 'Fresh' }),
  row('d', null),
  row('e', undefined),
]
const leaves = [{ product_id: 'packed', variant_id: null }]

pluginSuite(packRows, () => Promise.resolve({ items, context, state: () => null }))

it('moves files with their products; those that are there keep what they have', async () => {
  expect(await Array.fromAsync(packRows.plan(items, {}, context))).toEqual([
    {
      item: 'a',
      status: 'ok',
      change: { pack: { id: 'kit' }, mappings: { remove: leaves, add: kit.products } },
    },
    { item: 'b', status: 'ok' },
    {
      item: 'c',
      status: 'ok',
      change: { pack: { name: 'Fresh' }, mappings: { remove: leaves, add: [] } },
    },
    { item: 'd', status: 'ok', change: { pack: null, mappings: { remove: leaves, add: [] } } },
    { item: 'e', status: 'ok' },
  ])
})
