import { expect, test } from 'vitest'
import { judgeRefusals } from './judge-refusals.ts'
import { cloudError } from './rclone/errors.ts'

const KEYS = { ACCESS_KEY_ID: 'a', SECRET_ACCESS_KEY: 'b' }
const { signal } = new AbortController()
const WORKS = { probe: () => Promise.resolve() }

test.each([
  ['SignatureDoesNotMatch: status code: 403', 'cloud_name_unusable'],
  ['AuthenticationFailed: status code: 403', 'cloud_access_denied'],
])('“%s” is the failure of its object while a listing works', async (text, code) => {
  let listings = 0
  const judged = judgeRefusals({ probe: () => Promise.resolve(void (listings += 1)) }, signal)
  for (const path of ['a?', 'b?']) {
    const { error } = await judged({ path, error: cloudError(text, KEYS) })
    expect([error.code, error.retryable, error.constructor.name]).toEqual([
      code,
      false,
      'CloudError',
    ])
  }
  expect(listings).toBe(1)
})

test.each([
  'InvalidAccessKeyId: status code: 403',
  'ExpiredToken: status code: 403',
  'RequestTimeTooSkewed: status code: 403',
  'AuthorizationFailure: status code: 403',
  'Unauthorized status code: 401',
])('“%s” is never the failure of its object', async (text) => {
  const refused = { error: cloudError(text, KEYS) }
  expect(await judgeRefusals(WORKS, signal)(refused)).toBe(refused)
})

test('keys that no listing accepts stay refused, and other results are unchanged', async () => {
  const judged = judgeRefusals({ probe: () => Promise.reject(new Error('403')) }, signal)
  const refused = { error: cloudError('SignatureDoesNotMatch', KEYS) }
  expect(await judged(refused)).toBe(refused)
  const gone = { error: cloudError('NoSuchKey', KEYS) }
  expect(await judged(gone)).toBe(gone)
})

test('keys that were exchanged during the run are not taken for those of an earlier listing', async () => {
  let works = true
  let now = 0
  const probe = () => (works ? Promise.resolve() : Promise.reject(new Error('403')))
  const judged = judgeRefusals({ probe }, signal, () => now)
  const refused = { error: cloudError('SignatureDoesNotMatch', KEYS) }
  expect((await judged(refused)).error.code).toBe('cloud_name_unusable')
  works = false
  now = 5000
  expect(await judged(refused)).toBe(refused)
})
