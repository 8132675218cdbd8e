import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { chooseFiles } from './plugin.ts'

const items = [
  fileItem('book.pdf', { filename: 'book.pdf' }),
  fileItem('sources.zip', { filename: 'sources.zip', tags: ['bonus'] }),
]
const options = { deliver: { type: ['pdf'] } }

pluginSuite(chooseFiles, () =>
  Promise.resolve({ items, options, context: writeContext(), state: () => null }),
)

it('skips the files that do not match the rule', async () => {
  const chosen = async (deliver: object) =>
    (
      await Array.fromAsync(
        chooseFiles.plan(items, chooseFiles.options.parse({ deliver }), writeContext()),
      )
    ).map(({ status }) => status)
  expect(await chosen({ type: ['pdf'] })).toEqual(['ok', 'skipped'])
  expect(await chosen({ tags: ['bonus'] })).toEqual(['skipped', 'ok'])
  expect(chooseFiles.options.safeParse({ deliver: {} }).success).toBe(false)
})
