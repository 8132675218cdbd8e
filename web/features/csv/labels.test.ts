import { expect, test } from 'vitest'
import { type CsvCheck } from './calls.ts'
import { checkStage, problemPlace } from './labels.ts'

const check: CsvCheck = {
  probe: true,
  on_conflict: 'error',
  match: 'id',
  tags: 'replace',
  packs: 'replace',
  products: 'add',
  has_headers: false,
  phase: 'rows',
  rows: 250,
  skus: 0,
  skus_total: 0,
  urls: 3,
  urls_total: 12,
  errors: 0,
  warnings: 0,
  error_rows: 0,
  import_rows: 1,
  update_rows: 0,
  delete_rows: 0,
  restore_rows: 0,
  ignored_rows: 0,
}

test('a check shows its phase', () => {
  expect(checkStage({ ...check, phase: 'waiting' }, 10)).toEqual({
    text: 'Waiting to begin',
    share: null,
  })
  expect(checkStage(check, 1000)).toEqual({ text: 'Reading rows: 250 of 1,000', share: 0.25 })
  expect(checkStage({ ...check, phase: 'skus' }, 1000).share).toBeNull()
  expect(checkStage({ ...check, phase: 'urls' }, 1000)).toEqual({
    text: 'Checking file URLs: 3 of 12',
    share: 0.25,
  })
  expect(checkStage({ ...check, phase: 'done' }, 1000).share).toBe(1)
})

test('a problem shows its place', () => {
  expect(problemPlace({ row: 1200, column: 'url' })).toBe('Row 1,200, column url')
  expect(problemPlace({ row: 2, column: null })).toBe('Row 2')
})
