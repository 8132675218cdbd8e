import { expect, test } from 'vitest'
import { followTrail, leaveTrail } from './trail.ts'

test('leads back through the pages that were seen, and to the beginning where none was', () => {
  leaveTrail('/files', 2, 'two')
  leaveTrail('/files', 3, 'three')
  leaveTrail('/files?search=a', 2, 'other')
  expect(followTrail('/files', 2)).toBe('two')
  expect(followTrail('/files?search=a', 2)).toBe('other')
  expect(followTrail('/files', 1)).toBe('')
  expect(followTrail('/files', 9)).toBe('')
})
