import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { tellBuyers } from './plugin.ts'

const items = ['guide.pdf', 'album.zip'].map((filename, at) =>
  fileItem(String(at), { filename }, at),
)

pluginSuite(tellBuyers, () =>
  Promise.resolve({ items, options: {}, context: writeContext(), state: () => null }),
)

it('requests a message to the buyers of each file', async () => {
  const outcomes = await Array.fromAsync(tellBuyers.plan(items, {}, writeContext()))
  const unchanged = 'No buyer with an email address has it'
  expect(outcomes).toEqual(
    items.map(({ id }) => ({ item: id, status: 'ok', buyers: 'tell', unchanged })),
  )
})
