import { expect, test } from 'vitest'
import { type UploadResult } from './calls.ts'
import { outcomeOf, unknownOutcome } from './outcomes.ts'

const result = (
  status: UploadResult['status'],
  error: UploadResult['error'] = null,
): UploadResult => ({
  upload_id: 'upload_1',
  filename: 'x.pdf',
  operation_id: 'import_1',
  status,
  error,
  file_id: status === 'done' ? 'file_1' : null,
  products: [],
})

test('a file is complete once its import has done it, regardless of the others in its batch', () => {
  expect(outcomeOf(result('done'))).toEqual({
    status: 'done',
    error: null,
    code: null,
    file: 'file_1',
    products: [],
  })
  for (const open of ['uploading', 'received', 'importing'] as const)
    expect(outcomeOf(result(open))).toBeNull()
})

test('a failed file shows the reason, with code and detail', () => {
  const error = {
    code: 'duplicate_filename',
    message: 'Duplicate filename',
    detail: 'x.pdf',
    retryable: false,
  }
  expect(outcomeOf(result('failed', error))).toEqual({
    status: 'failed',
    error: 'Duplicate filename: x.pdf',
    code: 'duplicate_filename',
    file: null,
    products: [],
  })
})

test('a cancelled, unknown or unreadable file is not complete', () => {
  expect(outcomeOf(result('failed'))?.error).toBe(
    'The import was cancelled before it reached this file',
  )
  expect(outcomeOf(undefined)).toMatchObject({ status: 'failed', code: null })
  expect(unknownOutcome(new Error('No such thing'))).toMatchObject({
    status: 'failed',
    error: 'The result could not be read: No such thing',
  })
})
