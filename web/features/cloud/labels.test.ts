import { expect, test } from 'vitest'
import { changedOptions, LARGEST_FILE, optionProblems } from './option-draft.ts'
import { changedAccess, missingFields, textsOf } from './provider-draft.ts'
import { type SyncOptions } from './calls.ts'
import { connectionState, countsText } from './labels.ts'

const counts = {
  status: 'success' as const,
  done: 0,
  added: 0,
  changed: 0,
  renamed: 0,
  removed: 0,
  uploaded: 0,
  conflicts: 0,
  failed: 0,
}

test('a sync is summarized part by part', () => {
  expect(countsText(counts)).toBe('Nothing new')
  expect(countsText({ ...counts, added: 1200, conflicts: 1, failed: 2 })).toBe(
    '1,200 new, 1 conflict, kept as two files, 2 failed',
  )
  const cancelled = { ...counts, status: 'cancelled', added: 5 } as const
  expect(countsText(cancelled)).toBe('Nothing was changed')
  expect(countsText({ ...cancelled, done: 3 })).toBe('3 files were done before')
})

test('a connection without access was never authorized, or has lost it', () => {
  const shown = { state: 'unauthorized', progress: null, last_sync: null } as const
  expect(connectionState(shown).text).toBe('Not authorized yet')
  const synced = { ...shown, last_sync: { status: 'success' } as never }
  expect(connectionState(synced).text).toBe('Access ended')
  const waits = { ...synced, state: 'ready', last_sync: { status: 'previewed' } as never } as const
  expect(connectionState(waits).text).toBe('Waits for you')
})

const field = (name: string, more = {}) => ({
  name,
  title: name,
  help: '',
  required: true,
  secret: false,
  multiline: false,
  ...more,
})
const fields = [field('bucket'), field('secret_key', { secret: true })]

test('a provider’s missing requirement is named', () => {
  const params = (values: Record<string, string>, known: string[] = []) =>
    missingFields({ fields }, values, known).map(({ param }) => param)
  expect(params({ bucket: '  ' })).toEqual(['bucket', 'secret_key'])
  expect(params({ bucket: 'harbour' }, ['secret_key'])).toEqual([])
  expect(textsOf({ bucket: ' harbour\n', region: ' ' })).toEqual({ bucket: 'harbour' })
})

test('a change sends what differs, and a secret only if one was entered', () => {
  const saved = { bucket: 'harbour' }
  expect(changedAccess(fields, saved, { bucket: 'harbour', secret_key: '' })).toEqual({})
  expect(changedAccess(fields, saved, { bucket: '', secret_key: 'new' })).toEqual({
    bucket: null,
    secret_key: 'new',
  })
})

test('changed options are sent, and an emptied size is the maximum', () => {
  const saved = {
    max_bytes: 1024,
    bytes_per_second: null,
    include: ['*.pdf'],
  } as never as SyncOptions
  expect(changedOptions(saved, { include: ['*.pdf'], max_bytes: undefined })).toEqual({
    max_bytes: LARGEST_FILE,
  })
  expect(optionProblems({ max_bytes: '12 x', bytes_per_second: 5 })).toMatchObject([
    { param: 'max_bytes' },
  ])
})
