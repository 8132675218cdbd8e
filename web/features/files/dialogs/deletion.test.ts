import { expect, test } from 'vitest'
import { type Deletion, workOf as workBy } from './deletion.ts'

const plugins = { remove: 'burn-files', unmap: 'free-files' }
const workOf = (deletion: Deletion, mapped: number | null) => workBy(deletion, mapped, plugins)

test('the choice for mapped files applies if a file is, or may be, mapped', () => {
  expect(workOf({ way: 'unmap', backup: true }, 3)).toEqual({ action: 'free-files', options: {} })
  expect(workOf({ way: 'unmap', backup: false }, null)).toMatchObject({ action: 'free-files' })
  expect(workOf({ way: 'unmap', backup: false }, 0)).toEqual({
    action: 'burn-files',
    options: { remove_mappings: false },
  })
  expect(workOf({ way: 'delete-mappings', backup: true }, 1)).toEqual({
    action: 'burn-files',
    options: { remove_mappings: true, backup_first: true },
  })
})

test('without a plugin that removes mappings, files are deleted', () => {
  const work = workBy({ way: 'unmap', backup: false }, 3, { ...plugins, unmap: null })
  expect(work).toMatchObject({ action: 'burn-files' })
})
