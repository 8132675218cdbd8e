// All errors that the program can answer with: one list of stable codes, each with its status, type
// and message. Clients match on `code`; a code is never renamed or reused. The specification's own
// messages are used word for word.

import { english, textOf, type Text } from '../../plugins/contract.ts'
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

export const ERRORS = {
  // The request as a whole
  malformed_request: {
    status: 400,
    type: 'invalid_request',
    message: 'The request could not be read',
  },
  unauthenticated: {
    status: 401,
    type: 'authentication',
    message: 'Send a valid API key or session token',
  },
  missing_scope: { status: 403, type: 'permission', message: 'Permission denied' },
  not_found: { status: 404, type: 'not_found', message: 'There is nothing at this address' },
  ffmpeg_missing: {
    status: 404,
    type: 'not_found',
    message: 'Videos have no picture, because ffmpeg is not installed',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request',
    message: 'This address does not support this method',
  },
  idempotency_key_reused: {
    status: 409,
    type: 'conflict',
    message: 'This Idempotency-Key was used with another request',
  },
  idempotency_in_progress: {
    status: 409,
    type: 'conflict',
    message: 'The first request with this Idempotency-Key is still running',
  },
  conflict: {
    status: 409,
    type: 'conflict',
    message: 'The request is not possible in the current state',
  },
  operation_state: {
    status: 409,
    type: 'conflict',
    message: 'The operation is in a state that does not allow this',
  },
  workflow_in_use: { status: 409, type: 'conflict', message: 'A schedule runs this workflow' },
  workflow_broken: {
    status: 409,
    type: 'conflict',
    message: 'This workflow is invalid: correct it first',
  },
  precondition_failed: { status: 412, type: 'invalid_request', message: 'The file has changed' },
  changed_meanwhile: {
    status: 412,
    type: 'conflict',
    message: 'This was changed since you read it',
  },
  payload_too_large: {
    status: 413,
    type: 'invalid_request',
    message: 'The request body is too large',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request',
    message: 'Send JSON (Content-Type: application/json)',
  },
  range_not_satisfiable: {
    status: 416,
    type: 'invalid_request',
    message: 'The file has no such range',
  },
  validation_failed: {
    status: 422,
    type: 'invalid_request',
    message: 'The request contains invalid values',
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit',
    message: 'Too many requests: wait as long as Retry-After says',
  },
  internal: { status: 500, type: 'api', message: 'Something went wrong on our side' },
  unavailable: {
    status: 503,
    type: 'api',
    message: 'The service is starting, stopping or cannot be reached: try again soon',
  },

  // One field of a request
  required: { status: 422, type: 'invalid_request', message: 'This field is required' },
  unknown_field: { status: 422, type: 'invalid_request', message: 'There is no such field' },
  invalid_type: { status: 422, type: 'invalid_request', message: 'This has the wrong type' },
  invalid_value: { status: 422, type: 'invalid_request', message: 'This value is not allowed' },
  out_of_range: { status: 422, type: 'invalid_request', message: 'This number is out of range' },
  too_many: { status: 422, type: 'invalid_request', message: 'There are too many' },
  too_few: { status: 422, type: 'invalid_request', message: 'There are too few' },
  invalid_url: {
    status: 422,
    type: 'invalid_request',
    message: 'This is not an http or https URL',
  },
  invalid_filename: {
    status: 422,
    type: 'invalid_request',
    message: 'This name cannot be a filename',
  },
  unknown_variable: {
    status: 422,
    type: 'invalid_request',
    message: 'This text contains a variable that the mail does not have',
  },
  wrong_code: { status: 422, type: 'invalid_request', message: 'This is not the code' },
  mail_server_failed: {
    status: 422,
    type: 'invalid_request',
    message: 'The mail server did not accept the mail',
  },
  invalid_tag: { status: 422, type: 'invalid_request', message: 'This cannot be a tag' },

  // One item of an operation
  url_not_accessible: { status: 422, type: 'item', message: 'File URL not accessible' },
  zip_too_large: { status: 422, type: 'item', message: 'The ZIP file would be too large' },
  no_watermark: {
    status: 422,
    type: 'item',
    message: 'The shop has no watermark: save one in the settings',
  },
  sku_not_found: { status: 422, type: 'item', message: 'Product SKU not found' },
  sku_ambiguous: { status: 422, type: 'item', message: 'Several products have this SKU' },
  product_not_found: { status: 404, type: 'item', message: 'The catalog has no such product' },
  duplicate_filename: { status: 409, type: 'item', message: 'Duplicate filename' },
  invalid_csv: { status: 422, type: 'item', message: 'Invalid CSV format' },
  file_not_found: { status: 404, type: 'item', message: 'There is no such file' },
  location_not_found: { status: 404, type: 'item', message: 'There is no such storage location' },
  pack_not_found: { status: 404, type: 'item', message: 'There is no such pack' },
  file_in_use: { status: 409, type: 'item', message: 'File in use' },
  permission_denied: { status: 403, type: 'item', message: 'Permission denied' },
  file_too_large: {
    status: 413,
    type: 'item',
    message: 'The file is larger than 5 GB: contact support to have larger files imported',
  },
  empty_file: { status: 422, type: 'item', message: 'The file is empty' },
  web_page: { status: 422, type: 'item', message: 'It is a web page instead of the file' },
  upload_expired: {
    status: 410,
    type: 'not_found',
    message: 'This upload was not finished in time: start it again',
  },
  uploads_not_shared: {
    status: 503,
    type: 'api',
    message:
      'The machines of this installation do not share their folder of uploads, so this upload cannot continue: its operator has to share it',
  },
  upload_lost: {
    status: 410,
    type: 'item',
    message: 'The uploaded bytes are no longer here: upload the file again',
  },
  drop_file_gone: {
    status: 410,
    type: 'item',
    message: 'The file is not in the drop folder any more: send it again',
  },
  checksum_mismatch: {
    status: 460,
    type: 'invalid_request',
    message: 'The bytes do not match Upload-Checksum: send them again',
  },
  file_damaged: {
    status: 503,
    type: 'item',
    message: 'The file’s bytes are damaged: upload it again',
  },
  storage_full: { status: 507, type: 'item', message: 'The storage location is full' },
  file_quota: {
    status: 422,
    type: 'item',
    message:
      'The shop has reached its limit of files: delete files that are not needed, then try again',
  },
  storage_quota: {
    status: 507,
    type: 'item',
    message:
      'The shop’s storage is used up: delete files or old versions, or ask your provider for more storage',
  },
  plan_limit: {
    status: 422,
    type: 'item',
    message: 'The shop’s plan does not allow this: choose another plan under Settings, Plan',
  },
  upload_quota: {
    status: 429,
    type: 'rate_limit',
    message:
      'The shop has too many unfinished uploads: finish or cancel some of them, then try again',
  },
  operation_quota: {
    status: 429,
    type: 'rate_limit',
    message:
      'The shop has too many operations that have not ended: wait for some of them, or cancel them',
  },
  storage_failed: { status: 503, type: 'item', message: 'The storage location did not answer' },
  storefront_unavailable: {
    status: 503,
    type: 'item',
    message: 'The storefront catalog could not be reached',
  },
  cloud_unavailable: {
    status: 503,
    type: 'item',
    message: 'rclone is not installed on the server: ask its operator to install it',
  },
  cloud_access_revoked: {
    status: 422,
    type: 'item',
    message: 'The provider no longer accepts this connection: authorize it again',
  },
  cloud_access_denied: {
    status: 422,
    type: 'item',
    message:
      'The provider refused access: check the keys, and that they may list and read this folder',
  },
  cloud_archived: {
    status: 422,
    type: 'item',
    message:
      'The file is in an archive of the provider: restore it there first. It is tried again after a week, or when you choose Try again',
  },
  cloud_listing_differs: {
    status: 422,
    type: 'item',
    message: 'The provider lists this file with another size or hash than its bytes have',
  },
  cloud_listing_too_large: {
    status: 422,
    type: 'item',
    message:
      'The folder has too many files, or its list does not end: choose a smaller folder, or another connection for each part of it',
  },
  cloud_not_a_listing: {
    status: 422,
    type: 'item',
    message:
      'The endpoint answered with something else than a list of files: check that its address is the one of the storage service',
  },
  cloud_folder_not_found: {
    status: 422,
    type: 'item',
    message: 'The provider has no such bucket or folder: it may have been renamed or deleted',
  },
  cloud_file_not_found: {
    status: 422,
    type: 'item',
    message: 'The provider no longer has this file: the next sync takes this into account',
  },
  cloud_file_changed: {
    status: 409,
    type: 'item',
    message: 'The file changed while it was fetched: the next sync imports it',
  },
  cloud_duplicate_name: {
    status: 409,
    type: 'item',
    message:
      'Several files have this name in one folder: rename all but one of them at the provider',
  },
  cloud_name_unusable: {
    status: 422,
    type: 'item',
    message: 'This file cannot be read under its name at the provider: rename it there',
  },
  cloud_quota: {
    status: 507,
    type: 'item',
    message: 'The storage at the provider is full: make room there, then sync again',
  },
  cloud_redirected: {
    status: 422,
    type: 'item',
    message:
      'The endpoint answered with a redirect, which is not followed: write the address of the storage service itself',
  },
  cloud_rate_limited: {
    status: 429,
    type: 'item',
    message: 'The provider limits the rate of requests: try again in a few minutes',
  },
  cloud_unreachable: {
    status: 503,
    type: 'item',
    message: 'The provider could not be reached, or did not answer in time',
  },
  cloud_failed: {
    status: 502,
    type: 'item',
    message: 'The provider returned an unknown error: try again later',
  },
  memory_limit: {
    status: 422,
    type: 'item',
    message: 'Processing this file takes more memory than is allowed',
  },
  time_limit: {
    status: 422,
    type: 'item',
    message: 'Processing this file takes longer than is allowed',
  },
  processor_crashed: {
    status: 422,
    type: 'item',
    message: 'The process that opened this file crashed',
  },
  image_damaged: {
    status: 422,
    type: 'item',
    message: 'The image is damaged and cannot be opened',
  },
  image_too_large: {
    status: 422,
    type: 'item',
    message:
      'The image is too large to be opened: the limit is 100 million pixels over all frames, and 300 MB',
  },
  not_an_image: {
    status: 422,
    type: 'item',
    message: 'The name is that of an image, but the content is not',
  },
  pdf_encrypted: {
    status: 422,
    type: 'item',
    message: 'The document is encrypted: its password is needed to open it',
  },
  document_too_large: {
    status: 422,
    type: 'item',
    message: 'The document is too large to be opened: the limit is 1 GB',
  },
  not_a_pdf: { status: 422, type: 'item', message: 'This is not a PDF document' },
  pdf_damaged: {
    status: 422,
    type: 'item',
    message: 'The document is damaged and cannot be repaired',
  },
  pdf_page_out_of_range: {
    status: 422,
    type: 'item',
    message: 'The document does not have these pages',
  },
  glyph_missing: {
    status: 422,
    type: 'item',
    message: 'No installed font has some of these characters',
  },
  skipped: { status: 409, type: 'item', message: 'There was nothing to do for this file' },
  worker_crashed: {
    status: 500,
    type: 'item',
    message: 'Processing this file stopped the worker three times',
  },
  plugin_failed: { status: 500, type: 'item', message: 'The plugin failed on this file' },
  operation_cancelled: { status: 409, type: 'item', message: 'The operation was cancelled' },
  operation_stopped: {
    status: 409,
    type: 'item',
    message: 'The operation stopped when another item failed',
  },

  // A delivery
  buyer_unknown: {
    status: 422,
    type: 'item',
    message: 'Neither the name nor the email address of the buyer is known',
  },
  licence_keys_used_up: {
    status: 409,
    type: 'item',
    message: 'There are not enough licence keys left: add keys to the list',
  },
  licence_key_missing: {
    status: 422,
    type: 'item',
    message: 'The stamp shows licence keys, and no step before it assigned one for this file',
  },
  licence_list_not_found: {
    status: 404,
    type: 'item',
    message: 'There is no such list of licence keys',
  },

  // A buyer's link
  link_unavailable: { status: 404, type: 'not_found', message: 'This link does not work' },
  link_expired: { status: 410, type: 'not_found', message: 'This link has expired' },
  link_exhausted: {
    status: 410,
    type: 'not_found',
    message: 'This link has reached its download limit',
  },
  views_used_up: {
    status: 410,
    type: 'not_found',
    message: 'This link has reached its limit of views',
  },
  view_needs_cookie: {
    status: 403,
    type: 'permission',
    message: 'A view that is counted needs a cookie',
  },
  views_expired: { status: 410, type: 'not_found', message: 'The views of this link have ended' },
  link_not_released: {
    status: 403,
    type: 'permission',
    message: 'This file is not available yet',
  },
  customer_tag_missing: {
    status: 403,
    type: 'permission',
    message: 'The customer of this order does not have the tag that the file requires',
  },
  customer_unknown: {
    status: 403,
    type: 'permission',
    message: 'The file requires a customer tag, and this order has no customer account',
  },
  link_locked: {
    status: 403,
    type: 'permission',
    message: 'This link first asks for an email address or a password: open it in a browser',
  },
  wrong_answer: { status: 403, type: 'permission', message: 'This is not the right answer' },
  link_held: { status: 403, type: 'permission', message: 'This order is being checked' },
  link_withdrawn: { status: 410, type: 'not_found', message: 'This link was withdrawn' },
  referrer_not_allowed: {
    status: 403,
    type: 'permission',
    message: 'This file cannot be downloaded from that site',
  },
  file_view_only: {
    status: 403,
    type: 'permission',
    message: 'This file can be viewed in the browser, but not downloaded',
  },
  view_ended: { status: 403, type: 'permission', message: 'Open the page of this file again' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

/** One problem of a request. `index`: the element of the list in the request, from 0. */
export interface ErrorDetail {
  index?: number
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
    this.param = about.param ?? null
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

/** The message of a stored code; a code of an earlier version is its own message. */
export const messageOf = (code: string): string => (isErrorCode(code) ? ERRORS[code].message : code)
