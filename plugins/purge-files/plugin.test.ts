import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { purgeFiles } from './plugin.ts'

pluginSuite(purgeFiles, () =>
  Promise.resolve({
    items: [fileItem('a'), fileItem('b')],
    context: writeContext(),
    state: () => null,
  }),
)

it('purge-files purges files in the trash or not, with a separate scope, and says that this cannot be undone', async () => {
  const plan = purgeFiles.plan([fileItem('a')], {}, writeContext())
  expect(await Array.fromAsync(plan)).toEqual([
    { item: 'a', status: 'ok', change: { purged: true } },
  ])
  expect(purgeFiles).toMatchObject({ permission: 'files:purge', worksOn: 'all', undo: 'none' })
})
