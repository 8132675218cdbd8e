import { expect, test } from 'vitest'
import { judgeRefusals } from './judge-refusals.ts'
import { cloudError } from './rclone/errors.ts'

const KEYS = { ACCESS_KEY_ID: 'a', SECRET_ACCESS_KEY: 'b' }
const { signal } = new AbortController()

test.each([
  ['SignatureDoesNotMatch: status code: 403', 'cloud_name_unusable'],
  ['AuthenticationFailed: status code: 403', 'cloud_access_denied'],
])('“%s” is the failure of its object while a listing works', async (text, code) => {
  let listings = 0
  const judged = judgeRefusals({ probe: () => Promise.resolve(void (listings += 1)) }, signal)
  for (const path of ['a?', 'b?']) {
    const { error } = await judged({ path, error: cloudError(text, KEYS) })
    expect([error.code, error.retryable, error.constructor.name]).toEqual([
      ...[code, false, 'CloudError'],
    ])
  }
  expect(listings).toBe(1)
})

test('keys that no listing accepts stay refused, and other results are unchanged', async () => {
  const judged = judgeRefusals({ probe: () => Promise.reject(new Error('403')) }, signal)
  const refused = { error: cloudError('SignatureDoesNotMatch', KEYS) }
  expect(await judged(refused)).toBe(refused)
  const gone = { error: cloudError('NoSuchKey', KEYS) }
  expect(await judged(gone)).toBe(gone)
})
