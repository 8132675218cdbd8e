import { expect, test } from 'vitest'
import { pluginOf } from '../../shell/client/plugin-sample.ts'
import { type Operation } from '../../shell/client/types.ts'
import { toastText } from './operation-toast.ts'

const FILES = '{count, plural, one {# file} other {# files}}'
const plugins = [
  pluginOf('stamp-files', [{ labels: { running: `Stamping ${FILES}`, done: `${FILES} stamped` } }]),
]

const text = (part: Partial<Operation>) =>
  toastText(
    {
      kind: 'bulk',
      action: 'stamp-files',
      workflow_title: 'Stamp files',
      status: 'running',
      total: 12,
      done: 0,
      failed: 0,
      skipped: 0,
      unchanged: 0,
      undoes: null,
      actions: ['undo'],
      ...part,
    } as Operation,
    plugins,
  )

test('a started operation shows its progress, with its plugin’s texts', () => {
  expect(text({ status: 'queued' })).toBe('Stamping 12 files')
  expect(text({ status: 'success', done: 12 })).toBe('12 files stamped')
  expect(text({ status: 'partial', done: 9, failed: 2, skipped: 1 })).toBe(
    '9 files stamped, 2 failed, 1 skipped',
  )
  expect(text({ status: 'success', done: 1 })).toBe('1 file stamped')
  expect(text({ status: 'undone' })).toBe('Stamp files')
})

test('files that were as wanted already are not claimed as changed', () => {
  const none = { status: 'success', done: 2, unchanged: 2 } as const
  expect(text(none)).toBe('2 files done, no file was changed')
  expect(text({ ...none, status: 'partial', failed: 1 })).toBe(
    '2 files done, no file was changed, 1 failed',
  )
  expect(text({ ...none, done: 12, failed: 1 })).toBe('10 files stamped, 2 unchanged, 1 failed')
})

test('its undo, and a merchant’s workflow', () => {
  expect(text({ undoes: 'op_1', status: 'running', total: 1 })).toBe('Undoing for 1 file')
  expect(text({ undoes: 'op_1', status: 'success', done: 1 })).toBe('Undone for 1 file')
  const own = { action: 'workflow_1', workflow_title: 'Spring' }
  expect(text({ ...own, status: 'running' })).toBe('Spring: 12 files')
  expect(text({ ...own, status: 'success', done: 2 })).toBe('Spring: 2 files done')
})
