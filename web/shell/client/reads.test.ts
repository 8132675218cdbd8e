import { expect, test } from 'vitest'
import { keyOf } from './reads.ts'

test('a key begins with the path, so that a change of a list reads its records again', () => {
  expect(keyOf('GET /api/drop/accounts')).toEqual(['drop', 'accounts'])
  expect(keyOf('GET /api/files/{id}/versions', { path: { id: 'file_1' } })).toEqual([
    'files',
    'file_1',
    'versions',
  ])
  expect(keyOf('GET /api/files', { query: { find: 'a' } })).toEqual(['files', { find: 'a' }])
})

test('a change of a list does not ask again about a draft', () =>
  expect(keyOf('POST /api/workflows/check', { body: { name: 'a' } })).not.toContain('workflows'))
