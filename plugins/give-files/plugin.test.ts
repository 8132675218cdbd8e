import { expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { giveFiles } from './plugin.ts'

const items = ['guide.pdf', 'album.zip'].map((filename, at) =>
  fileItem(String(at), { filename }, at),
)

pluginSuite(giveFiles, () =>
  Promise.resolve({ items, options: {}, context: writeContext(), state: () => null }),
)

it('gives each file to the buyers of all its products, with an email', async () => {
  const outcomes = await Array.fromAsync(
    giveFiles.plan(items, giveFiles.options.parse({}), writeContext()),
  )
  expect(inEnglish(outcomes)).toEqual(
    items.map(({ id }) => ({
      item: id,
      status: 'ok',
      give: { product_id: null, send: true, per_hour: null },
      unchanged: 'No past buyer lacks it',
    })),
  )
})
