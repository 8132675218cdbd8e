import { expect, test } from 'vitest'
import { workOf } from './deletion.ts'

test('the way of mapped files counts where one is mapped, or might be', () => {
  expect(workOf({ way: 'unmap', backup: true }, 3)).toEqual({ action: 'unmap-products', options: {} })
  expect(workOf({ way: 'unmap', backup: false }, null)).toMatchObject({ action: 'unmap-products' })
  expect(workOf({ way: 'unmap', backup: false }, 0)).toEqual({
    action: 'delete-files',
    options: { remove_mappings: false },
  })
  expect(workOf({ way: 'delete-mappings', backup: true }, 1)).toEqual({
    action: 'delete-files',
    options: { remove_mappings: true, backup_first: true },
  })
})
