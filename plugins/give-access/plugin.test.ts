import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { giveAccess } from './plugin.ts'

const move = '01900000-0000-7000-8000-000000000001'
const items = ['guide.pdf', 'album.zip'].map((filename, at) =>
  fileItem(String(at), { filename }, at),
)

pluginSuite(giveAccess, () =>
  Promise.resolve({ items, options: { move }, context: writeContext(), state: () => null }),
)

it('asks for the links of each file’s buyers, without an email', async () => {
  const outcomes = await Array.fromAsync(
    giveAccess.plan(items, giveAccess.options.parse({ move }), writeContext()),
  )
  expect(outcomes).toEqual(
    items.map(({ id }) => ({
      item: id,
      status: 'ok',
      access: { move, send: false },
      unchanged: 'Its buyers have links already',
    })),
  )
})
