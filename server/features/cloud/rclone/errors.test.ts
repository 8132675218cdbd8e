import { expect, test } from 'vitest'
import { cloudError, KeysRefused, OtherHash } from './errors.ts'

const TOKEN = { TYPE: 'drive', TOKEN: '{}' }
const KEYS = { TYPE: 's3' }

/** In the words of rclone and the providers. */
test.each([
  ['googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded', 'cloud_rate_limited'],
  ['googleapi: Error 403: Daily Limit Exceeded, dailyLimitExceeded', 'cloud_rate_limited'],
  [
    'googleapi: Error 403: The download quota for this file has been exceeded., downloadQuotaExceeded',
    'cloud_rate_limited',
  ],
  ['too_many_requests/..', 'cloud_rate_limited'],
  ['SlowDown: Please reduce your request rate. status code: 503', 'cloud_rate_limited'],
  ['activityLimitReached: throttledRequest: The request has been throttled', 'cloud_rate_limited'],
  ['googleapi: Error 403: storageQuotaExceeded', 'cloud_quota'],
  ['path/insufficient_space/..', 'cloud_quota'],
  ['quotaLimitReached: Insufficient Space Available', 'cloud_quota'],
  [
    `couldn't fetch token - maybe it has expired: oauth2: cannot fetch token: 400 Bad Request {"error":"invalid_grant"}`,
    'cloud_access_revoked',
  ],
  ['InvalidAuthenticationToken: Access token is empty.', 'cloud_access_revoked'],
  ['AccessDenied: Access Denied status code: 403', 'cloud_access_denied'],
  [
    'Failed to copy: failed to open source object: Object in GLACIER, restore first: bucket="b", key="a.pdf"',
    'cloud_archived',
  ],
  [
    "InvalidObjectState: The operation is not valid for the object's storage class status code: 403",
    'cloud_archived',
  ],
  ['BlobArchived: This operation is not permitted on an archived blob. 409', 'cloud_archived'],
  [
    'Failed to copy: corrupted on transfer: sizes differ src(webdav) 10 vs dst 12',
    'cloud_listing_differs',
  ],
  [
    'Failed to copy: corrupted on transfer: quickxor hashes differ src "AA==" vs dst "BB=="',
    'cloud_listing_differs',
  ],
  ['path/restricted_content/.', 'cloud_access_denied'],
  ['directory not found', 'cloud_folder_not_found'],
  ['NoSuchBucket: The specified bucket does not exist status code: 404', 'cloud_folder_not_found'],
  ['object not found', 'cloud_file_not_found'],
  ['dial tcp: lookup s3.example.com: no such host', 'cloud_unreachable'],
  [
    'Get "https://s3.example.com/a": net/http: timeout awaiting response headers',
    'cloud_unreachable',
  ],
  ['dial tcp 192.0.2.1:443: i/o timeout', 'cloud_unreachable'],
  ['x509: certificate signed by unknown authority', 'cloud_unreachable'],
  ['something else', 'cloud_failed'],
])('%s', (text, code) => {
  expect(cloudError(text, TOKEN).code).toBe(code)
})

test.each([
  'corrupted on transfer: md5 hash differ "0123456789abcdef0123456789abcdef" vs "fedcba9876543210fedcba9876543210"',
  'Failed to copy: corrupted on transfer: md5 hashes differ src(S3 bucket b) "0123456789abcdef0123456789abcdef" vs dst(Local file system at /tmp/a) "fedcba9876543210fedcba9876543210"',
])('%s: the hash of what was read is kept', (text) => {
  const error = cloudError(text, KEYS)
  expect(error).toBeInstanceOf(OtherHash)
  expect(error).toMatchObject({
    code: 'cloud_listing_differs',
    md5: 'fedcba9876543210fedcba9876543210',
  })
})

test('the Retry-After of a provider is kept and reported', () => {
  const error = cloudError('too_many_requests/: trying again in 300 seconds', TOKEN)
  expect(error).toMatchObject({ code: 'cloud_rate_limited', retryAfter: 300, retryable: true })
  expect(error.message).toContain('5 minutes')
})

test.each([
  ['Unauthorized status code: 401', true],
  ['SignatureDoesNotMatch: status code: 403', true],
  ['InvalidAccessKeyId: status code: 403', true],
  ['RequestTimeTooSkewed: status code: 403', true],
  ['AccessDenied: status code: 403', false],
])(
  '%s: invalid keys must be changed, not authorized again, and no object is the reason: %s',
  (text, keys) => {
    const error = cloudError(text, KEYS)
    expect([error.code, error instanceof KeysRefused]).toEqual(['cloud_access_denied', keys])
  },
)
