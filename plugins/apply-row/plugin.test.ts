import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { applyRow } from './plugin.ts'

const wanted = { set: { filename: 'b.pdf', expiry_days: null }, tags: { replace: ['new'] } }
const items = [{ ...fileItem('a'), wanted }, fileItem('b')]

pluginSuite(applyRow, () => Promise.resolve({ items, context: writeContext(), state: () => null }))

it('applies the change that came with a file, and skips a file without one', async () => {
  expect(await Array.fromAsync(applyRow.plan(items, {}, writeContext()))).toEqual([
    { item: 'a', status: 'ok', change: wanted },
    { item: 'b', status: 'skipped', reason: 'No row changes it' },
  ])
})
