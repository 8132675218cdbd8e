import { expect, test } from 'vitest'
import { type Operation } from '../client/types.ts'
import { operationTitle, outcomeText, waitingCount } from './operation.ts'

const operation = (part: Partial<Operation>): Operation =>
  ({
    kind: 'import',
    status: 'running',
    total: 200,
    done: 0,
    failed: 0,
    skipped: 0,
    cancelled: 0,
    ...part,
  }) as Operation

test('an import is named after its channel, anything else after its action', () => {
  expect(operationTitle({ kind: 'import', channel: 'api', action: 'import' })).toBe('API import')
  expect(operationTitle({ kind: 'import', channel: 'pigeon', action: 'import' })).toBe('Import')
  expect(operationTitle({ kind: 'bulk', channel: 'page', action: 'delete-files' })).toBe('Delete files')
  expect(operationTitle({ kind: 'bulk', channel: 'page', action: '' })).toBe('Operation')
})

test('what waits is what has not ended, and never less than nothing', () => {
  expect(waitingCount(operation({ done: 100, failed: 4, skipped: 3, cancelled: 2 }))).toBe(91)
  expect(waitingCount(operation({ done: 201 }))).toBe(0)
})

test('a partial operation says how many failed and what to do', () => {
  const outcome = outcomeText(operation({ status: 'partial', done: 191, failed: 9 }))
  expect(outcome?.title).toBe('9 of 200 files failed')
  expect(outcome?.advice).toContain('191 files are imported')
  expect(outcomeText(operation({ status: 'partial', done: 199, failed: 1 }))?.title).toBe('1 of 200 files failed')
})

test('a failed one says whether anything was done', () => {
  expect(outcomeText(operation({ status: 'failed', failed: 200 }))?.title).toBe('No file was imported')
  expect(outcomeText(operation({ status: 'failed', done: 1, failed: 199 }))?.title).toBe('Only 1 file was imported')
})

test('success and what still runs need no words', () => {
  expect(outcomeText(operation({ status: 'success', done: 200 }))).toBeNull()
  expect(outcomeText(operation({ status: 'running' }))).toBeNull()
})
