import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { releaseFiles } from './plugin.ts'

const items = [fileItem('a'), fileItem('b')]
const options = { reason: 'A false alarm' }

pluginSuite(releaseFiles, () =>
  Promise.resolve({ items, options, context: writeContext(), state: () => null }),
)

it('needs a reason, and says it', async () => {
  for (const reason of [undefined, '', '  '])
    expect(releaseFiles.options.safeParse({ reason }).success).toBe(false)
  const wanted = releaseFiles.options.parse({ reason: ' A false alarm ' })
  expect(await Array.fromAsync(releaseFiles.plan(items, wanted, writeContext()))).toEqual(
    items.map(({ id }) => ({
      item: id,
      status: 'ok',
      quarantine: { released: 'A false alarm' },
    })),
  )
})
