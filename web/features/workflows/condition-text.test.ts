import { expect, test } from 'vitest'
import { conditionSentence } from './condition-text.ts'

const MB = 1024 ** 2

test('a condition reads as one sentence', () => {
  expect(conditionSentence({ type: ['pdf'], larger_than: 10 * MB })).toBe(
    'Only PDF files over 10 MB',
  )
  expect(conditionSentence({ type: ['image', 'pdf'] })).toBe('Only PDF files or images')
  expect(conditionSentence({ search: 'ebook', tags: ['a', 'b'], mapped: false })).toBe(
    'Only files with “ebook” in the name or a tag, tagged a and b, and not mapped to a product',
  )
  expect(conditionSentence({ larger_than: MB, smaller_than: 5 * MB })).toBe(
    'Only files between 1 MB and 5 MB',
  )
  expect(conditionSentence({ type: ['constructor'] })).toBe('Only CONSTRUCTOR files')
  expect(conditionSentence({})).toBeNull()
})
