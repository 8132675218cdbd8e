import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { trashRows } from './plugin.ts'

const row = (id: string, wanted: { deleted?: boolean }) => ({ ...fileItem(id), wanted })
const items = [row('a', { deleted: true }), row('b', { deleted: false }), row('c', {})]

pluginSuite(trashRows, () => Promise.resolve({ items, context: writeContext(), state: () => null }))

it('moves files to the trash and out of it, and leaves those of other rows', async () => {
  expect(await Array.fromAsync(trashRows.plan(items, {}, writeContext()))).toEqual([
    { item: 'a', status: 'ok', change: { deleted: true } },
    { item: 'b', status: 'ok', change: { deleted: false } },
    { item: 'c', status: 'ok' },
  ])
})
