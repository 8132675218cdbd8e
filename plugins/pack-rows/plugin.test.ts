import { expect, it } from 'vitest'
import type { Mapping, NamedPacks } from '../contract/index.ts'
import { fileItem, packsPort, writeContext } from '../../test/fakes/context.ts'
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
const old = { id: 'old', name: 'Old', products: [mapping('packed', 'pack')] }
const context = { ...writeContext(), packs: packsPort([kit, old]) }
const row = (id: string, named: NamedPacks | undefined, at: string[] = ['old']) => ({
  ...fileItem(id),
  file: {
    ...fileItem(id).file,
    packs: at,
    mappings: [mapping('own', 'manual'), mapping('packed', 'pack')],
  },
  wanted: named === undefined ? {} : { packs: named },
})
const items = [
  row('a', { replace: ['KIT'] }),
  row('b', { replace: ['Kit', 'old'] }, ['kit', 'old']),
  row('c', { add: ['Fresh'], remove: ['old', 'unknown'] }),
  row('d', { replace: [] }),
  row('e', undefined),
  row('f', { add: ['Kit'] }),
]
const leaves = [{ product_id: 'packed', variant_id: null }]

pluginSuite(packRows, () => Promise.resolve({ items, context, state: () => null }))

it('puts files into packs with their products; those that are there keep what they have', async () => {
  expect(await Array.fromAsync(packRows.plan(items, {}, context))).toEqual([
    {
      item: 'a',
      status: 'ok',
      change: {
        packs: { add: [{ id: 'kit' }], remove: ['old'] },
        mappings: { remove: leaves, add: kit.products },
      },
    },
    { item: 'b', status: 'ok' },
    {
      item: 'c',
      status: 'ok',
      change: {
        packs: { add: [{ name: 'Fresh' }], remove: ['old'] },
        mappings: { remove: leaves, add: [] },
      },
    },
    {
      item: 'd',
      status: 'ok',
      change: { packs: { add: [], remove: ['old'] }, mappings: { remove: leaves, add: [] } },
    },
    { item: 'e', status: 'ok' },
    {
      item: 'f',
      status: 'ok',
      change: {
        packs: { add: [{ id: 'kit' }], remove: [] },
        mappings: { remove: [], add: kit.products },
      },
    },
  ])
})
