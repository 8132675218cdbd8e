import { expect, test } from 'vitest'
import { bytesToSend, needsProduct, type Outcome, rowOf, totalsOf } from './rows.ts'

const meta = { name: 'a.pdf', filename: 'a.pdf', on_conflict: 'error' as const, batch: '' }
const progress = {
  uploadStarted: 1,
  uploadComplete: false,
  bytesTotal: 10,
  bytesUploaded: 0 as number | false,
}
const done: Outcome = {
  status: 'done',
  error: null,
  code: null,
  file: 'file_1',
  products: [],
}
const file = { id: 'one', name: 'a.pdf', size: 10, meta, progress: progress as never }

test('a file changes from queued over uploading and verifying to complete', () => {
  expect(rowOf(file, undefined)).toMatchObject({ status: 'queued', sent: 0, folder: '' })
  const moving = { ...file, progress: { ...progress, bytesUploaded: 4 } as never }
  expect(rowOf(moving, undefined)).toMatchObject({ status: 'uploading', sent: 4 })
  expect(rowOf({ ...moving, isPaused: true }, undefined).status).toBe('paused')
  const sent = { ...file, progress: { ...progress, uploadComplete: true } as never }
  expect(rowOf(sent, undefined)).toMatchObject({ status: 'verifying', sent: 10 })
  expect(rowOf(sent, done).status).toBe('complete')
  expect(needsProduct(rowOf(sent, done))).toBe(true)
  expect(needsProduct(rowOf(sent, { ...done, products: ['Tides'] }))).toBe(false)
  expect(needsProduct(rowOf(sent, undefined))).toBe(false)
  const duplicate = {
    status: 'failed',
    error: 'Duplicate filename',
    code: 'duplicate_filename',
    file: null,
    products: [],
  } as const
  expect(rowOf(sent, duplicate)).toMatchObject({
    status: 'failed',
    error: 'Duplicate filename',
    taken: true,
  })
})

test('a refusal shows the server’s message, and a folder is separate from the name', () => {
  const failed = {
    ...file,
    error: 'tus: unexpected response',
    meta: { ...meta, relativePath: 'x/y/a.pdf' },
  }
  expect(rowOf(failed, undefined, { text: 'The file is too large', taken: false })).toMatchObject({
    status: 'failed',
    error: 'The file is too large',
    folder: 'x/y',
  })
})

test('totals count every file once', () => {
  const rows = [
    rowOf(file, done),
    rowOf({ ...file, error: 'no' }, undefined),
    rowOf({ ...file, progress: { ...progress, bytesUploaded: 4 } as never }, undefined),
    rowOf({ ...file, isPaused: true }, undefined),
  ]
  expect(totalsOf(rows)).toEqual({
    total: 4,
    completed: 1,
    failed: 1,
    remaining: 2,
    bytes: 40,
    sent: 4,
  })
  expect(bytesToSend(rows)).toBe(6)
})
