import { expect, test } from 'vitest'
import { type Item } from '../../../client/types.ts'
import { outcomesOf } from './outcomes.ts'

const arrived = (upload: number, filename: string) => ({ id: `file-${upload}`, upload: `upload_0${upload}`, filename })
const item = (filename: string, status: Item['status'], message?: string) => ({
  ...{ filename, status },
  error: message === undefined ? null : { code: 'duplicate_filename', message, retryable: false },
})

test('of two files of one name in two folders only the one that failed has failed', () => {
  // They are told of in another order than that in which they were begun.
  const files = [arrived(2, 'x.pdf'), arrived(1, 'x.pdf'), arrived(3, 'y.pdf')]
  const items = [item('x.pdf', 'done'), item('x.pdf', 'failed', 'Duplicate filename'), item('Y (2).pdf', 'done')]
  expect([...outcomesOf(files, items)]).toEqual([
    ['file-2', { status: 'failed', error: 'Duplicate filename', code: 'duplicate_filename' }],
    ['file-1', { status: 'done', error: null, code: null }],
    ['file-3', { status: 'done', error: null, code: null }],
  ])
})

test('what an import was cancelled before, passed over or never came to is not complete', () => {
  const files = [arrived(1, 'a'), arrived(2, 'b'), arrived(3, 'c')]
  const results = outcomesOf(files, [item('a', 'cancelled'), item('b', 'skipped', 'Too old'), item('c', 'pending')])
  expect([...results.values()].map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'The import was cancelled before it came to this file'],
    ['failed', 'Too old'],
    ['failed', 'The import ended before it came to this file'],
  ])
})

test('where an import has files of before besides, the last of a name counts; what is not in it is not complete', () => {
  const files = [arrived(5, 'X.pdf'), arrived(6, 'lost.pdf')]
  const items = [item('x.pdf', 'failed', 'Duplicate filename'), item('old.pdf', 'done'), item('x.pdf', 'done')]
  const results = outcomesOf(files, items)
  expect(results.get('file-5')?.status).toBe('done')
  expect(results.get('file-6')?.status).toBe('failed')
})
