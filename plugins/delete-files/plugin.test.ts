import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test/english.ts'
import { fileItem, writeContext } from '../../test/fakes/context.ts'
import { pluginSuite } from '../../test/suites/plugins.ts'
import { deleteFiles } from './plugin.ts'

const changeFor = async (options: unknown) => {
  const plan = deleteFiles.plan([fileItem('a')], deleteFiles.options.parse(options), writeContext())
  return (await Array.fromAsync(plan))[0]
}

pluginSuite(deleteFiles, () =>
  Promise.resolve({
    items: [fileItem('a'), fileItem('b')],
    context: writeContext(),
    state: () => null,
  }),
)

describe('delete-files', () => {
  it('moves files to the trash, and removes their products if requested', async () => {
    expect(await changeFor({})).toEqual({ item: 'a', status: 'ok', change: { deleted: true } })
    expect(await changeFor({ remove_mappings: true })).toEqual({
      item: 'a',
      status: 'ok',
      change: { deleted: true, mappings: { remove: 'all' } },
    })
  })
  it('needs the delete scope, works only on files outside the trash, and can be undone', () => {
    expect(deleteFiles).toMatchObject({
      permission: 'files:delete',
      worksOn: 'files',
      undo: 'fields',
    })
  })
  it('backs files up first if requested', () => {
    const before = (options: unknown) => deleteFiles.precededBy!(deleteFiles.options.parse(options))
    expect([before({}), before({ backup_first: true })]).toEqual([null, 'back-up-files'])
  })
  it('describes whether products are removed too', () => {
    const summary = (options: unknown) =>
      inEnglish(deleteFiles.summary!(deleteFiles.options.parse(options)))
    expect(summary({})).toBe('Moves files to the trash')
    expect(summary({ remove_mappings: true })).toBe(
      'Moves files to the trash and removes their products',
    )
  })
})
