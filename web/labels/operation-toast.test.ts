import { expect, test } from 'vitest'
import { type Operation } from '../client/types.ts'
import { toastText } from './operation-toast.ts'

const text = (part: Partial<Operation>) =>
  toastText({
    kind: 'bulk',
    action: 'delete-files',
    status: 'running',
    total: 12,
    done: 0,
    failed: 0,
    skipped: 0,
    undoes: null,
    ...part,
  } as Operation)

test('what was started is told as it moves', () => {
  expect(text({ status: 'queued' })).toBe('Deleting 12 files')
  expect(text({ status: 'success', done: 12 })).toBe('12 files moved to the trash')
  expect(text({ status: 'partial', done: 9, failed: 2, skipped: 1 })).toBe(
    '9 files moved to the trash, 2 failed, 1 skipped',
  )
  expect(text({ action: 'tag-files', status: 'success', done: 1 })).toBe('Tags of 1 file changed')
  expect(text({ status: 'undone' })).toBe('Delete files')
})

test('its undo, and a workflow of the merchant’s own', () => {
  expect(text({ undoes: 'op_1', status: 'running', total: 1 })).toBe('Undoing it for 1 file')
  expect(text({ undoes: 'op_1', status: 'success', done: 1 })).toBe('1 file set back')
  expect(text({ action: 'workflow_1', workflow_title: 'Spring', status: 'running' })).toBe('Spring: 12 files')
  expect(text({ action: 'workflow_1', workflow_title: 'Spring', status: 'success', done: 2 })).toBe(
    'Spring: 2 files done',
  )
})
