import { expect, test } from 'vitest'
import { toQuery } from './client.ts'

test('a query leaves out what is empty and joins lists', () => {
  expect(toQuery({})).toBe('')
  expect(toQuery({ a: null, b: undefined, c: '', d: [] })).toBe('')
  expect(toQuery({ tags: ['a b', 'c&d'], mapped: false, limit: 0 })).toBe(
    '?tags=a+b%2Cc%26d&mapped=false&limit=0',
  )
})
