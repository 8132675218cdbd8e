import { expect, test } from 'vitest'
import { typedSince } from './typed-since.ts'

test('a saved draft keeps what was typed while it was being saved', () => {
  const sent = { name: 'a', notify: true }
  expect(typedSince(sent, sent)).toEqual({})
  expect(typedSince({ name: 'ab', notify: true }, sent)).toEqual({ name: 'ab' })
  expect(typedSince({ ...sent, limit: null }, sent as object)).toEqual({ limit: null })
})
