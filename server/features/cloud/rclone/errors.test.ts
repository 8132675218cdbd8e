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

/** The answer of Azure as rclone writes it. */
const azure = (status: string, code: string, detail = '') =>
  `error reading source directory: GET https://shop.blob.core.windows.net/files RESPONSE ${status} ERROR CODE: ${code} <Error><Code>${code}</Code><AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail></Error>`
const fetchToken = (answer: string) =>
  `couldn't fetch token: oauth2: cannot fetch token: 400 Bad Request Response: ${answer}`

/** What is wrong is named, and what to do. */
test.each([
  // Amazon without an endpoint: rclone reaches it through a tunnel.
  [
    "AuthorizationHeaderMalformed: The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-central-1' status code: 400",
    KEYS,
    'cloud_wrong_region',
    'region eu-central-1',
  ],
  [
    "BucketRegionError: incorrect region, the bucket is not in 'us-east-1' region at endpoint '', bucket is in 'eu-west-1' region status code: 301",
    KEYS,
    'cloud_wrong_region',
    'region eu-west-1',
  ],
  [
    'IllegalLocationConstraintException: The me-south-1 location constraint is incompatible for the region specific endpoint this request was sent to. status code: 400',
    KEYS,
    'cloud_wrong_region',
    'region me-south-1',
  ],
  [
    'IllegalLocationConstraintException: The unspecified location constraint is incompatible for the region specific endpoint this request was sent to.',
    KEYS,
    'cloud_wrong_region',
    'another region',
  ],
  [
    'InvalidArgument: Credential access key has length 20, should be 32 status code: 400',
    KEYS,
    'cloud_access_denied',
    'does not know this access key',
  ],
  [
    'AccessDenied: Cannot download file, download bandwidth or transaction (Class B) cap exceeded. See the Caps & Alerts page status code: 403',
    KEYS,
    'cloud_rate_limited',
    'daily limit',
  ],
  ['RequestLimitExceeded: Please reduce your request rate', KEYS, 'cloud_rate_limited', 'limits'],
  // Azure
  [
    azure(
      '403: 403 Server failed to authenticate the request.',
      'AuthenticationFailed',
      'The MAC signature found in the HTTP request is not the same as any computed signature.',
    ),
    KEYS,
    'cloud_access_denied',
    'account key does not belong',
  ],
  [
    azure(
      '403: 403 Server failed to authenticate the request.',
      'AuthenticationFailed',
      "Request date header too old: 'Mon, 01 Jan 2024 00:00:00 GMT'",
    ),
    KEYS,
    'cloud_access_denied',
    'clock of this server',
  ],
  [
    'failed to create new shared key credential: illegal base64 data at input byte 4',
    KEYS,
    'cloud_access_denied',
    'account key does not belong',
  ],
  [
    azure(
      '403: 403 This request is not authorized to perform this operation.',
      'AuthorizationFailure',
    ),
    KEYS,
    'cloud_access_denied',
    'network rules',
  ],
  [
    azure(
      '403: 403 Key based authentication is not permitted on this storage account.',
      'KeyBasedAuthenticationNotPermitted',
    ),
    KEYS,
    'cloud_access_denied',
    'does not allow access by its keys',
  ],
  [
    azure(
      '403: 403 This request is not authorized to perform this operation using this permission.',
      'AuthorizationPermissionMismatch',
    ),
    KEYS,
    'cloud_access_denied',
    'may list and read this folder',
  ],
  [
    azure('403: 403 The specified account is disabled.', 'AccountIsDisabled'),
    KEYS,
    'cloud_access_denied',
    'closed this account',
  ],
  [
    azure('404: 404 The specified container does not exist.', 'ContainerNotFound'),
    KEYS,
    'cloud_folder_not_found',
    'no such bucket',
  ],
  [
    azure('409: 409 The specified container is being deleted.', 'ContainerBeingDeleted'),
    KEYS,
    'cloud_folder_not_found',
    'no such bucket',
  ],
  [
    azure('503: 503 The server is busy.', 'ServerBusy'),
    KEYS,
    'cloud_rate_limited',
    'limits the rate',
  ],
  [
    'Get "https://shpo.blob.core.windows.net/files?comp=list": dial tcp: lookup shpo.blob.core.windows.net on 10.0.0.2:53: no such host',
    KEYS,
    'cloud_unreachable',
    'no storage account of this name',
  ],
  // Google Cloud Storage
  [
    "googleapi: Error 403: a@b.iam.gserviceaccount.com does not have storage.objects.list access to the Google Cloud Storage bucket. Permission 'storage.objects.list' denied on resource (or it may not exist)., forbidden",
    KEYS,
    'cloud_access_denied',
    'may list and read this folder',
  ],
  [
    'googleapi: Error 404: The specified bucket does not exist., notFound',
    KEYS,
    'cloud_folder_not_found',
    'no such bucket',
  ],
  [
    fetchToken('{"error":"invalid_grant","error_description":"Invalid JWT Signature."}'),
    KEYS,
    'cloud_access_denied',
    'key of this service account',
  ],
  [
    fetchToken('{"error":"invalid_grant","error_description":"Invalid grant: account not found"}'),
    KEYS,
    'cloud_access_denied',
    'key of this service account',
  ],
  [
    fetchToken(
      '{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."}',
    ),
    KEYS,
    'cloud_access_denied',
    'clock of this server',
  ],
  [
    "error processing credentials: invalid character 'h' looking for beginning of value",
    KEYS,
    'cloud_access_denied',
    'key of this service account',
  ],
  [
    'googleapi: Error 403: The billing account for the owning project is disabled in state absent, accountDisabled',
    KEYS,
    'cloud_access_denied',
    'closed this account',
  ],
  [
    'googleapi: Error 400: Bucket is a requester pays bucket but no user project provided., required',
    KEYS,
    'cloud_access_denied',
    'lets its readers pay',
  ],
  // Google Drive
  [
    'googleapi: Error 403: Google Drive API has not been used in project 1 before or it is disabled., accessNotConfigured',
    TOKEN,
    'cloud_access_denied',
    'switched off in the project',
  ],
  [
    'googleapi: Error 403: User Rate Limit Exceeded., userRateLimitExceeded',
    TOKEN,
    'cloud_rate_limited',
    'limits the rate',
  ],
  [
    'googleapi: Error 403: Daily Limit Exceeded, dailyLimitExceeded',
    TOKEN,
    'cloud_rate_limited',
    'daily limit',
  ],
  [
    'googleapi: Error 403: The domain administrators have disabled Drive apps., domainPolicy',
    TOKEN,
    'cloud_access_denied',
    'administrator of the account',
  ],
  [
    'googleapi: Error 403: Request had insufficient authentication scopes., insufficientPermissions',
    TOKEN,
    'cloud_access_denied',
    'authorize it again',
  ],
  [
    'googleapi: Error 403: This file has been identified as malware or spam and cannot be downloaded., cannotDownloadAbusiveFile',
    TOKEN,
    'cloud_access_denied',
    'because of its content',
  ],
  [
    'googleapi: Error 403: Only files with binary content can be downloaded. Use Export with Docs Editors files., fileNotDownloadable',
    TOKEN,
    'cloud_access_denied',
    'export it there',
  ],
  [
    'googleapi: Error 404: Shared drive not found: 0AB, notFound',
    TOKEN,
    'cloud_folder_not_found',
    'no such bucket or folder',
  ],
  [
    'empty token found - please run "rclone config reconnect drive:"',
    TOKEN,
    'cloud_access_revoked',
    'authorize it again',
  ],
  [
    fetchToken('{"error":"invalid_client","error_description":"The OAuth client was not found."}'),
    TOKEN,
    'cloud_access_revoked',
    'registration of this server',
  ],
  [
    `couldn't fetch token: oauth2: "invalid_grant" "Token has been expired or revoked."`,
    TOKEN,
    'cloud_access_revoked',
    'authorize it again',
  ],
  // Dropbox
  ['expired_access_token/..', TOKEN, 'cloud_access_revoked', 'authorize it again'],
  ['missing_scope/..', TOKEN, 'cloud_access_denied', 'lacks a permission'],
  ['user_suspended/..', TOKEN, 'cloud_access_revoked', 'authorize it again'],
  ['path/restricted_content/..', TOKEN, 'cloud_access_denied', 'because of its content'],
  ['path/unsupported_file/..', TOKEN, 'cloud_access_denied', 'export it there'],
  [
    'too_many_requests/..: Too many requests or write operations. Trying again in 15 seconds.',
    TOKEN,
    'cloud_rate_limited',
    '15 seconds',
  ],
  // OneDrive and SharePoint
  [
    'unauthenticated: The caller is not authenticated.',
    TOKEN,
    'cloud_access_revoked',
    'authorize it again',
  ],
  ['accessDenied: Access denied', TOKEN, 'cloud_access_denied', 'refused access'],
  [
    'tooManyRequests: throttledRequest: The request has been throttled',
    TOKEN,
    'cloud_rate_limited',
    'limits the rate',
  ],
  [
    'serviceNotAvailable: The service is not available.',
    TOKEN,
    'cloud_unreachable',
    'could not be reached',
  ],
  [
    'BadRequest: Tenant does not have a SPO license.',
    TOKEN,
    'cloud_access_denied',
    'closed this account',
  ],
  ['malwareDetected: Malware detected', TOKEN, 'cloud_access_denied', 'because of its content'],
  [
    'ObjectHandle is Invalid: ObjectHandle is Invalid',
    TOKEN,
    'cloud_folder_not_found',
    'no such bucket or folder',
  ],
  [
    fetchToken(
      '{"error":"invalid_grant","error_description":"AADSTS700082: The refresh token has expired due to inactivity."}',
    ),
    TOKEN,
    'cloud_access_revoked',
    'authorize it again',
  ],
  [
    fetchToken(
      '{"error":"invalid_client","error_description":"AADSTS7000222: The provided client secret keys are expired."}',
    ),
    TOKEN,
    'cloud_access_revoked',
    'registration of this server',
  ],
  [
    fetchToken(
      '{"error":"invalid_grant","error_description":"AADSTS65001: The user or administrator has not consented to use the application"}',
    ),
    TOKEN,
    'cloud_access_revoked',
    'administrator of the account',
  ],
])('%s', (text, remote, code, reason) => {
  const error = cloudError(text, remote)
  expect(error.code).toBe(code)
  expect(error.message).toContain(reason)
})
