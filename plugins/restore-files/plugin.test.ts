import { expect, it } from 'vitest'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { restoreFiles } from './plugin.ts'

pluginSuite(restoreFiles, () =>
  Promise.resolve({
    items: [fileItem('a'), fileItem('b')],
    context: writeContext(),
    state: () => null,
  }),
)

it('restore-files restores files from the trash, and works nowhere else', async () => {
  const plan = restoreFiles.plan([fileItem('a')], {}, writeContext())
  expect(await Array.fromAsync(plan)).toEqual([
    { item: 'a', status: 'ok', change: { deleted: false } },
  ])
  expect(restoreFiles).toMatchObject({
    permission: 'files:delete',
    worksOn: 'trash',
    undo: 'fields',
  })
})
