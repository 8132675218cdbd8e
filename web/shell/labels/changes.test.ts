import { expect, test } from 'vitest'
import { changedFields } from './changes.ts'

test('a saved draft keeps what was typed while it was being saved', () => {
  const sent = { name: 'a', notify: true }
  expect(changedFields(sent, sent)).toEqual({})
  expect(changedFields(sent, { name: 'ab', notify: true })).toEqual({ name: 'ab' })
  expect(changedFields(sent as object, { ...sent, limit: null })).toEqual({ limit: null })
})
