// All errors that the program can answer with: one list of stable codes, each with its status, type
// and message. Clients match on `code`; a code is never renamed or reused. The specification's own
// messages are used word for word.

import { english, textOf, type Text } from '../../plugins/contract/index.ts'
import { storedMessage, type StoredMessage } from './texts.ts'

type ErrorType =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'rate_limit'
  | 'item'
  | 'api'

interface ErrorEntry {
  status: number
  type: ErrorType
  message: string
}

/** An entry of this type. */
const of =
  (type: ErrorType) =>
  (status: number, message: string): ErrorEntry => ({ status, type, message })

const invalid = of('invalid_request')
const unauthenticated = of('authentication')
const denied = of('permission')
const missing = of('not_found')
const conflicting = of('conflict')
const limited = of('rate_limit')
const item = of('item')
const api = of('api')

export const ERRORS = {
  // The request as a whole
  malformed_request: invalid(400, 'The request could not be read'),
  unauthenticated: unauthenticated(401, 'Send a valid API key or session token'),
  missing_scope: denied(403, 'Permission denied'),
  shop_required: invalid(
    400,
    'This key works in several shops: name one in the header Stevedore-Shop',
  ),
  shop_not_granted: denied(
    403,
    'This key has no access to this shop: its owner grants it under Settings, API keys',
  ),
  agency_refused: denied(
    403,
    'The key of an agency cannot do this in a shop that granted it access',
  ),
  origin_refused: denied(403, 'Pages of this origin may not call this address'),
  answer_refused: denied(403, 'You may not answer this question'),
  not_found: missing(404, 'There is nothing at this address'),
  being_made: missing(404, 'It is being made: ask again after Retry-After'),
  ffmpeg_missing: missing(404, 'Videos have no picture, because ffmpeg is not installed'),
  method_not_allowed: invalid(405, 'This address does not support this method'),
  idempotency_key_reused: conflicting(409, 'This Idempotency-Key was used with another request'),
  idempotency_in_progress: conflicting(
    409,
    'The first request with this Idempotency-Key is still running',
  ),
  conflict: conflicting(409, 'The request is not possible in the current state'),
  operation_state: conflicting(409, 'The operation is in a state that does not allow this'),
  workflow_in_use: conflicting(409, 'A schedule runs this workflow'),
  workflow_broken: conflicting(409, 'This workflow is invalid: correct it first'),
  workflow_gone: conflicting(409, 'The workflow of this operation was deleted'),
  workflow_unfit: conflicting(
    409,
    'The workflow was changed so that it cannot continue this operation: retry with the steps of its start',
  ),
  precondition_failed: invalid(412, 'The file has changed'),
  changed_meanwhile: conflicting(412, 'This was changed since you read it'),
  payload_too_large: invalid(413, 'The request body is too large'),
  unsupported_media_type: invalid(415, 'Send JSON (Content-Type: application/json)'),
  request_timeout: invalid(408, 'The body arrived too slowly: send it again'),
  range_not_satisfiable: invalid(416, 'The file has no such range'),
  validation_failed: invalid(422, 'The request contains invalid values'),
  headers_too_large: invalid(431, 'The headers of the request are too long'),
  rate_limited: limited(429, 'Too many requests: wait as long as Retry-After says'),
  too_many_bodies: limited(
    429,
    'Too many large requests are being received from here: wait as long as Retry-After says',
  ),
  internal: api(500, 'Something went wrong on our side'),
  unavailable: api(503, 'The service is starting, stopping or cannot be reached: try again soon'),

  bodies_full: api(
    503,
    'The server is receiving too many large requests: wait as long as Retry-After says',
  ),

  // One field of a request
  required: invalid(422, 'This field is required'),
  unknown_field: invalid(422, 'There is no such field'),
  invalid_type: invalid(422, 'This has the wrong type'),
  invalid_value: invalid(422, 'This value is not allowed'),
  out_of_range: invalid(422, 'This number is out of range'),
  too_many: invalid(422, 'There are too many'),
  too_few: invalid(422, 'There are too few'),
  invalid_url: invalid(422, 'This is not an http or https URL'),
  invalid_header: invalid(422, 'This header cannot be set'),
  invalid_filename: invalid(422, 'This name cannot be a filename'),
  unknown_variable: invalid(422, 'This text contains a variable that the mail does not have'),
  wrong_code: invalid(422, 'This is not the code'),
  mail_server_failed: invalid(422, 'The mail server did not accept the mail'),
  invalid_tag: invalid(422, 'This cannot be a tag'),

  // One item of an operation
  url_not_accessible: item(422, 'File URL not accessible'),
  zip_too_large: item(422, 'The ZIP file would be too large'),
  no_watermark: item(422, 'The shop has no watermark: save one in the settings'),
  sku_not_found: item(422, 'Product SKU not found'),
  sku_ambiguous: item(422, 'Several products have this SKU'),
  product_not_found: item(404, 'The catalog has no such product'),
  duplicate_filename: item(409, 'Duplicate filename'),
  invalid_csv: item(422, 'Invalid CSV format'),
  file_not_found: item(404, 'There is no such file'),
  location_not_found: item(404, 'There is no such storage location'),
  pack_not_found: item(404, 'There is no such pack'),
  file_in_use: item(409, 'File in use'),
  permission_denied: item(403, 'Permission denied'),
  file_too_large: item(
    413,
    'The file is larger than 5 GB: contact support to have larger files imported',
  ),
  sha256_mismatch: item(422, 'The bytes do not have the given SHA-256'),
  empty_file: item(422, 'The file is empty'),
  web_page: item(422, 'It is a web page instead of the file'),
  empty_table: item(422, 'The table has no rows'),
  columns_changed: item(422, 'The table has other columns than before'),
  invalid_json: item(422, 'Invalid JSON'),
  program_failed: item(502, 'The other program did not answer'),
  program_refused: item(422, 'The other program could not work on the file'),
  invalid_answer: item(502, 'The answer of the other program is invalid'),
  upload_expired: missing(410, 'This upload was not finished in time: start it again'),
  uploads_not_shared: api(
    503,
    'The machines of this installation do not share their folder of uploads, so this upload cannot continue: its operator has to share it',
  ),
  upload_lost: item(410, 'The uploaded bytes are no longer here: upload the file again'),
  drop_file_gone: item(410, 'The file is not in the drop folder any more: send it again'),
  checksum_mismatch: invalid(460, 'The bytes do not match Upload-Checksum: send them again'),
  file_damaged: item(503, 'The file’s bytes are damaged: upload it again'),
  file_quarantined: item(
    403,
    'The file is in quarantine: a virus scanner found something in it. Delete it, or release it with a reason',
  ),
  zip_damaged: item(422, 'The ZIP archive is damaged or incomplete'),
  zip_encrypted: item(422, 'The ZIP archive is protected by a password'),
  zip_unsupported: item(422, 'The ZIP archive is packed in a way that cannot be read'),
  zip_unsafe: item(422, 'The paths in the ZIP archive are not allowed'),
  zip_limit: item(422, 'The ZIP archive has too many files, or too large ones'),
  zip_empty: item(422, 'The ZIP archive has no files'),
  unpacked_gone: item(
    410,
    'The file was unpacked from an archive more than a day ago, and is no longer here: send the archive again',
  ),
  scanner_unavailable: item(503, 'The virus scanner did not answer'),
  storage_full: item(507, 'The storage location is full'),
  file_quota: item(
    422,
    'The shop has reached its limit of files: delete files that are not needed, then try again',
  ),
  storage_quota: item(
    507,
    'The shop’s storage is used up: delete files or backups permanently, or ask your provider for more storage',
  ),
  plan_limit: item(
    422,
    'The shop’s plan does not allow this: choose another plan under Settings, Plan',
  ),
  upload_quota: limited(
    429,
    'The shop has too many unfinished uploads: finish or cancel some of them, then try again',
  ),
  operation_quota: limited(
    429,
    'The shop has too many operations that have not ended: wait for some of them, or cancel them',
  ),
  report_busy: limited(429, 'Other reports are being made: try again when they have ended'),
  report_too_large: invalid(
    422,
    'The report takes too long: choose a shorter period, or fewer files, products or buyers',
  ),
  storage_failed: item(503, 'The storage location did not answer'),
  storefront_unavailable: item(503, 'The storefront catalog could not be reached'),
  cloud_unavailable: item(
    503,
    'rclone is not installed on the server: ask its operator to install it',
  ),
  cloud_access_revoked: item(
    422,
    'The provider no longer accepts this connection: authorize it again',
  ),
  cloud_access_denied: item(
    422,
    'The provider refused access: check the keys, and that they may list and read this folder',
  ),
  cloud_archived: item(
    422,
    'The file is in an archive of the provider: restore it there first. It is tried again after a week, or when you choose Try again',
  ),
  cloud_listing_differs: item(
    422,
    'The provider lists this file with another size or hash than its bytes have',
  ),
  cloud_listing_too_large: item(
    422,
    'The folder has too many files, or its list does not end: choose a smaller folder, or another connection for each part of it',
  ),
  cloud_not_a_listing: item(
    422,
    'The endpoint answered with something else than a list of files: check that its address is the one of the storage service',
  ),
  cloud_wrong_region: item(
    422,
    'The bucket is in another region: enter the region that the provider shows for it',
  ),
  cloud_folder_not_found: item(
    422,
    'The provider has no such bucket or folder: it may have been renamed or deleted',
  ),
  cloud_file_not_found: item(
    422,
    'The provider no longer has this file: the next sync takes this into account',
  ),
  cloud_file_changed: item(409, 'The file changed while it was fetched: the next sync imports it'),
  cloud_not_compared: item(
    409,
    'This may be a file that has another path now, and could not be compared with it: the next sync does that',
  ),
  cloud_duplicate_name: item(
    409,
    'Several files have this name in one folder: rename all but one of them at the provider',
  ),
  cloud_name_unusable: item(
    422,
    'This file cannot be read under its name at the provider: rename it there',
  ),
  cloud_quota: item(507, 'The storage at the provider is full: make room there, then sync again'),
  cloud_redirected: item(
    422,
    'The endpoint answered with a redirect, which is not followed: write the address of the storage service itself',
  ),
  cloud_rate_limited: item(
    429,
    'The provider limits the rate of requests: try again in a few minutes',
  ),
  cloud_unreachable: item(503, 'The provider could not be reached, or did not answer in time'),
  cloud_failed: item(502, 'The provider returned an unknown error: try again later'),
  memory_limit: item(422, 'Processing this file takes more memory than is allowed'),
  time_limit: item(422, 'Processing this file takes longer than is allowed'),
  processor_crashed: item(422, 'The process that opened this file crashed'),
  image_damaged: item(422, 'The image is damaged and cannot be opened'),
  image_too_large: item(
    422,
    'The image is too large to be opened: the limit is 100 million pixels over all frames, and 300 MB',
  ),
  not_an_image: item(422, 'The name is that of an image, but the content is not'),
  pdf_encrypted: item(422, 'The document is encrypted: its password is needed to open it'),
  document_too_large: item(422, 'The document is too large to be opened: the limit is 1 GB'),
  not_a_pdf: item(422, 'This is not a PDF document'),
  pdf_damaged: item(422, 'The document is damaged and cannot be repaired'),
  pdf_page_out_of_range: item(422, 'The document does not have these pages'),
  glyph_missing: item(422, 'No installed font has some of these characters'),
  skipped: item(409, 'There was nothing to do for this file'),
  worker_crashed: item(500, 'Processing this file stopped the worker three times'),
  plugin_failed: item(500, 'The plugin failed on this file'),
  operation_cancelled: item(409, 'The operation was cancelled'),
  operation_stopped: item(409, 'The operation stopped when another item failed'),

  // A delivery
  buyer_unknown: item(422, 'Neither the name nor the email address of the buyer is known'),
  licence_keys_used_up: item(409, 'There are not enough licence keys left: add keys to the list'),
  licence_key_missing: item(
    422,
    'The stamp shows licence keys, and no step before it assigned one for this file',
  ),
  licence_list_not_found: item(404, 'There is no such list of licence keys'),

  // A buyer's link
  link_unavailable: missing(404, 'This link does not work'),
  link_expired: missing(410, 'This link has expired'),
  link_exhausted: missing(410, 'This link has reached its download limit'),
  views_used_up: missing(410, 'This link has reached its limit of views'),
  view_needs_cookie: denied(403, 'A view that is counted needs a cookie'),
  views_expired: missing(410, 'The views of this link have ended'),
  link_not_released: denied(403, 'This file is not available yet'),
  customer_tag_missing: denied(
    403,
    'The customer of this order does not have the tag that the file requires',
  ),
  customer_unknown: denied(
    403,
    'The file requires a customer tag, and this order has no customer account',
  ),
  link_locked: denied(
    403,
    'This link first asks for an email address or a password: open it in a browser',
  ),
  wrong_answer: denied(403, 'This is not the right answer'),
  link_held: denied(403, 'This order is being checked'),
  link_withdrawn: missing(410, 'This link was withdrawn'),
  referrer_not_allowed: denied(403, 'This file cannot be downloaded from that site'),
  file_view_only: denied(403, 'This file can be viewed in the browser, but not downloaded'),
  view_ended: denied(403, 'Open the page of this file again'),
} satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** One problem of a request. `index`: the element of the list in the request, from 0. */
export interface ErrorDetail {
  index?: number
  /** Of a body of lines, counted from 1. */
  line?: number
  param: string
  code: ErrorCode
  message: Text
}

/** A problem as answers and rows have it. */
export interface StoredProblem extends Omit<ErrorDetail, 'message'>, StoredMessage {}

/** A detail of an error as it is answered and stored, with its text if that has values. */
export const storedProblem = ({ message, ...detail }: ErrorDetail): StoredProblem => ({
  ...detail,
  ...storedMessage(message),
})

/**
 * Maximum number of problems in an answer. The others are only counted, so that the size of an
 * answer does not depend on the request.
 */
export const MAX_DETAILS = 100

/**
 * An error that is shown to the client. Any other thrown error becomes `internal` and is logged.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly param: string | null
  /** The first hundred problems. */
  readonly details: readonly StoredProblem[]
  /** The message, to be written in other languages. */
  readonly text: Text
  /** The number of all problems. */
  readonly detailsTotal: number
  /** Seconds until a retry makes sense. */
  readonly retryAfter: number | null
  /** The current record, if the caller wanted to change an earlier one. */
  readonly current: object | null

  constructor(
    code: ErrorCode,
    about: {
      message?: Text
      /** Absent: that of the first detail. */
      param?: string
      details?: readonly ErrorDetail[]
      /** The number of all details, if `details` are only the first ones. */
      detailsTotal?: number
      retryAfter?: number
      current?: object
      cause?: unknown
    } = {},
  ) {
    const text = about.message ?? textOf(ERRORS[code].message)
    super(english(text), { cause: about.cause })
    this.name = 'AppError'
    this.code = code
    this.param = about.param ?? about.details?.[0]?.param ?? null
    this.text = text
    this.details = (about.details ?? []).slice(0, MAX_DETAILS).map(storedProblem)
    this.detailsTotal = about.detailsTotal ?? about.details?.length ?? 0
    this.retryAfter = about.retryAfter ?? null
    this.current = about.current ?? null
  }

  get status(): number {
    return ERRORS[this.code].status
  }
}

/**
 * Is this string one of our codes? Plugins name codes as strings; an unknown one is a bug of the
 * plugin.
 */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code)
}
