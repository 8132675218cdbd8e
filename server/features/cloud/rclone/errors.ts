// Maps rclone's reports to our stable codes. Its own messages are never shown or logged: they may
// contain keys, signed addresses and paths of this machine.
import { english, say, textOf, type Text } from '../../../../plugins/contract/index.ts'
import { ERRORS, type ErrorCode } from '../../../core/errors.ts'

export type CloudCode = Extract<ErrorCode, `cloud_${string}`>

export class CloudError extends Error {
  readonly code: CloudCode
  /** The message, to be written in other languages. */
  readonly text: Text
  /** Seconds after which the provider allows another request; null: not stated. */
  readonly retryAfter: number | null
  constructor(
    code: CloudCode,
    retryAfter: number | null = null,
    { text = messageOf(code, retryAfter), ...options }: ErrorOptions & { text?: Text } = {},
  ) {
    super(english(text), options)
    this.text = text
    this.name = 'CloudError'
    this.code = code
    this.retryAfter = retryAfter
  }
  get retryable(): boolean {
    return RETRYABLE.has(this.code)
  }
}

/**
 * The provider refuses the keys themselves, as after they were exchanged in the middle of a sync. Its
 * code is `cloud_access_denied`.
 */
export class KeysRefused extends CloudError {
  private readonly codeOfObject: CloudCode | null
  constructor(codeOfObject: CloudCode | null, text?: Text) {
    super('cloud_access_denied', null, text === undefined ? {} : { text })
    this.codeOfObject = codeOfObject
  }
  /**
   * The same of an object, if the provider accepts the keys for others: it may compute the signature of
   * an unusual name in another way. Null: no object can be the reason.
   */
  ofObject(): CloudError | null {
    return this.codeOfObject && new CloudError(this.codeOfObject, null, { cause: this })
  }
}

/** The bytes that were read have another MD5 than the object is listed with. */
export class OtherHash extends CloudError {
  /** Of the bytes that were read, as hex digits. */
  readonly md5: string
  constructor(md5: string) {
    super('cloud_listing_differs')
    this.md5 = md5
  }
}

const RETRYABLE: ReadonlySet<CloudCode> = new Set([
  'cloud_rate_limited',
  'cloud_unreachable',
  'cloud_failed',
])

const messageOf = (code: CloudCode, seconds: number | null): Text =>
  code === 'cloud_rate_limited' && seconds !== null
    ? say('The provider limits the rate of requests: it answers again in {time}', {
        time: waiting(seconds),
      })
    : textOf(ERRORS[code].message)

const waiting = (seconds: number): Text =>
  seconds < 120
    ? say('{count, plural, one {# second} other {# seconds}}', { count: seconds })
    : say('{count, plural, one {# minute} other {# minutes}}', { count: Math.ceil(seconds / 60) })

/** What a code means more exactly, by the provider's own words for it. */
const REASONS: readonly [CloudCode, RegExp, Text][] = [
  [
    'cloud_access_denied',
    /InvalidAccessKeyId|Credential access key has length/,
    say('The provider does not know this access key: check it, and that it is one of this service'),
  ],
  [
    'cloud_access_denied',
    /SignatureDoesNotMatch/,
    say('The secret key does not belong to the access key: enter both again'),
  ],
  [
    'cloud_access_denied',
    /RequestTimeTooSkewed|Request date header too old|reasonable timeframe/,
    say('The clock of this server differs from that of the provider: ask its operator to set it'),
  ],
  [
    'cloud_access_denied',
    /ExpiredToken|TokenRefreshRequired|InvalidToken/,
    say('These keys have expired: enter new ones'),
  ],
  [
    'cloud_access_denied',
    /AllAccessDisabled|AccountProblem|NotSignedUp|InvalidPayer|AccountIsDisabled|accountDisabled|billing account|SPO license/,
    say('The provider has closed this account or bucket: ask its support'),
  ],
  [
    'cloud_access_denied',
    /\bKMS\.|kms:Decrypt/,
    say('The key that encrypts the file cannot be used: enable it, and allow kms:Decrypt'),
  ],
  [
    'cloud_access_denied',
    /KeyBasedAuthenticationNotPermitted/,
    say('The storage account does not allow access by its keys: allow it in its settings'),
  ],
  [
    'cloud_access_denied',
    /AuthorizationFailure|AuthorizationSourceIPMismatch/,
    say('The network rules of the account refuse this server: allow its address there'),
  ],
  [
    'cloud_access_denied',
    /AuthenticationFailed|illegal base64|decode account key/,
    say('The account key does not belong to this storage account: enter both again'),
  ],
  [
    'cloud_access_denied',
    /Invalid JWT Signature|account not found|PEM or plain|error processing credentials|credentials: invalid/,
    say('The provider does not know the key of this service account: make a new one and enter it'),
  ],
  [
    'cloud_access_denied',
    /accessNotConfigured|SERVICE_DISABLED|has not been used in project/,
    say('Access by programs is switched off in the project of this account: switch it on there'),
  ],
  [
    'cloud_access_denied',
    /missing_scope|authentication scopes|ACCESS_TOKEN_SCOPE_INSUFFICIENT/,
    say('The connection lacks a permission: authorize it again, and allow all that is asked for'),
  ],
  [
    'cloud_access_denied',
    /domainPolicy|domain administrators/,
    say('The administrator of the account does not allow this program: ask for its permission'),
  ],
  [
    'cloud_access_denied',
    /restricted_content|cannotDownloadAbusiveFile|malware/i,
    say('The provider does not give this file out because of its content: look at it there'),
  ],
  [
    'cloud_access_denied',
    /fileNotDownloadable|unsupported_file|cannotExportFile|exportSizeLimitExceeded/,
    say('This is a document of the provider, which is no file: export it there as a file'),
  ],
  [
    'cloud_access_denied',
    /requester pays/i,
    say('The bucket lets its readers pay, which is not supported: switch this off there'),
  ],
  [
    'cloud_access_revoked',
    /AADSTS(?:65001|90094|53003)|access_blocked/,
    say('The administrator of the account does not allow this program: ask for its permission'),
  ],
  [
    'cloud_access_revoked',
    /invalid_client|unauthorized_client|deleted_client|AADSTS(?:7000222|7000215|700016)/,
    say(
      'The provider no longer accepts the registration of this server: ask its operator to renew it',
    ),
  ],
  [
    'cloud_rate_limited',
    /dailyLimitExceeded|downloadQuotaExceeded|cap exceeded/i,
    say(
      'A daily limit of the provider is used up: it allows more within a day, or in a larger plan',
    ),
  ],
  [
    'cloud_folder_not_found',
    /InvalidBucketName/,
    say('No bucket can have this name: enter it as the provider shows it'),
  ],
  [
    'cloud_unreachable',
    /x509|certificate/,
    say('The certificate of the endpoint is not valid: check its address'),
  ],
  [
    'cloud_unreachable',
    /\.blob\.core\..{0,200}no such host/,
    say('There is no storage account of this name: enter it as the provider shows it'),
  ],
  [
    'cloud_unreachable',
    /no such host/,
    say('There is no server of this name: check the address of the endpoint'),
  ],
]

/** The region that an answer of the provider names. */
const REGION =
  /(?:expecting '|EndpointRegion region=|bucket is in '|The (?=[a-z0-9-]{2,40} location constraint is incompatible)(?!unspecified))([a-z0-9-]{2,40})/

function reasonOf(code: CloudCode, text: string): Text | undefined {
  if (code !== 'cloud_wrong_region')
    return REASONS.find(([of, pattern]) => of === code && pattern.test(text))?.[2]
  const region = REGION.exec(text)?.[1]
  return region === undefined
    ? undefined
    : say('The bucket is in the region {region}: enter it as the region of the connection', {
        region,
      })
}

/** The first match decides: rate limits come before quotas, since some messages name both. */
const PATTERNS: readonly [CloudCode, RegExp][] = [
  ['cloud_redirected', /EndpointRedirects/],
  ['cloud_not_a_listing', /EndpointListsNothing/],
  [
    'cloud_wrong_region',
    /EndpointRegion|AuthorizationHeaderMalformed|PermanentRedirect|BucketRegionError|IllegalLocationConstraint|incorrect region|MovedPermanently|status ?code: 301/i,
  ],
  // Archived objects come before refusals, because S3 answers 403 for them.
  ['cloud_archived', /InvalidObjectState|storage class|in GLACIER|BlobArchived|being rehydrated/i],
  ['cloud_listing_differs', /corrupted on transfer|(?:sizes|hashes) differ/i],
  [
    'cloud_rate_limited',
    /rateLimitExceeded|dailyLimitExceeded|downloadQuotaExceeded|rate_?limit|too_?many_?(requests|write)|RequestLimitExceeded|Throttling|cap exceeded|SlowDown|activityLimitReached|throttled|ServerBusy|\b429\b/i,
  ],
  [
    'cloud_access_revoked',
    /invalid_grant|invalid_access_token|expired_access_token|access_revoked|token (has been )?(expired|revoked)|InvalidAuthenticationToken|couldn't fetch token|empty token|no refresh token|unauthenticated|invalid_client|unauthorized_client|deleted_client|access_blocked|AADSTS\d|authError|user_suspended|\b401\b/i,
  ],
  [
    'cloud_quota',
    /storageQuota|quota_?exceeded|quotaLimitReached|insufficient_?(space|storage)|QuotaExceeded|\b507\b/i,
  ],
  [
    'cloud_access_denied',
    /AccessDenied|AccountIsDisabled|AllAccessDisabled|AccountProblem|NotSignedUp|InvalidPayer|\bKMS\.|ExpiredToken|InvalidToken|TokenRefreshRequired|RequestTimeTooSkewed|InvalidAccessKeyId|SignatureDoesNotMatch|AuthenticationFailed|AuthorizationFailure|insufficientPermissions|restricted_content|malware|unsupported_file|missing_scope|no_permission|requester pays|SPO license|illegal base64|decode account key|Credential access key has length|PEM or plain|error processing credentials|credentials: invalid|Forbidden|\b403\b/i,
  ],
  [
    'cloud_folder_not_found',
    /directory not found|NoSuchBucket|InvalidBucketName|ContainerNotFound|ContainerBeingDeleted|bucket does not exist|shared drive not found|ObjectHandle is Invalid|path\/not_found|itemNotFound|not_folder|is a file not a directory/i,
  ],
  ['cloud_file_not_found', /object not found|NoSuchKey|BlobNotFound|file not found|\b404\b/i],
  [
    'cloud_unreachable',
    /EndpointUnreachable|no such host|connection re(fused|set)|timeout|deadline exceeded|TLS|x509|EOF|proxyconnect|network is unreachable|\b50[0234]\b|InternalError|ServiceUnavailable|serviceNotAvailable|OperationTimedOut|backendError/i,
  ],
]
/** The reasons of `cloud_access_denied` that are about the keys, or the clock of a signature. */
const ABOUT_KEYS =
  /InvalidAccessKeyId|Credential access key has length|SignatureDoesNotMatch|AuthenticationFailed|AuthorizationFailure|AuthorizationSourceIPMismatch|KeyBasedAuthenticationNotPermitted|illegal base64|decode account key|PEM or plain|error processing credentials|credentials: invalid|ExpiredToken|RequestTimeTooSkewed/i
/** What a refused signature is if it is that of one object; null: no object can be the reason. */
const codeOfRefusedObject = (text: string): CloudCode | null =>
  /SignatureDoesNotMatch/i.test(text)
    ? 'cloud_name_unusable'
    : /AuthenticationFailed/i.test(text)
      ? 'cloud_access_denied'
      : null
/** In rclone 1.60 and later: the hash of the source, then that of the copy. */
const OTHER_MD5 = /corrupted on transfer: md5 hash(?:es)? differ.*"([0-9a-f]{32})"/i
const RETRY_AFTER = /retry.?after[^0-9]{0,12}(\d{1,6})|(?:try|trying) again in (\d{1,6})/i

/**
 * The code of what rclone wrote to its log.
 * @param remote its settings: one without a token has keys, which are changed and not authorized.
 */
export function cloudError(text: string, remote: Readonly<Record<string, string>>): CloudError {
  const found = PATTERNS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'cloud_failed'
  const hasKeys = remote.TOKEN === undefined
  const code = found === 'cloud_access_revoked' && hasKeys ? 'cloud_access_denied' : found
  const reason = reasonOf(code, text)
  if (code === 'cloud_access_denied' && (found !== code || ABOUT_KEYS.test(text)))
    return new KeysRefused(codeOfRefusedObject(text), reason)
  const md5 = code === 'cloud_listing_differs' ? OTHER_MD5.exec(text)?.[1] : undefined
  if (md5 !== undefined) return new OtherHash(md5)
  const after = RETRY_AFTER.exec(text)
  const retryAfter = after ? Number(after[1] ?? after[2]) : null
  return new CloudError(code, retryAfter, reason === undefined ? {} : { text: reason })
}
