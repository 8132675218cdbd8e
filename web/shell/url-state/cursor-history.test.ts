import { expect, test } from 'vitest'
import { cursorOf, rememberCursor } from './use-url-state.ts'

test('leads back through the visited pages, and to the first one without any', () => {
  rememberCursor('/files', 2, 'two')
  rememberCursor('/files', 3, 'three')
  rememberCursor('/files?search=a', 2, 'other')
  expect(cursorOf('/files', 2)).toBe('two')
  expect(cursorOf('/files?search=a', 2)).toBe('other')
  expect(cursorOf('/files', 1)).toBe('')
  expect(cursorOf('/files', 9)).toBe('')
})
