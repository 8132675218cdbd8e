import { expect, test } from 'vitest'
import { say } from '../../plugins/contract.ts'
import { AppError, ERRORS } from './errors.ts'

// Clients match on codes: removing one, or changing its status, breaks them. Add new ones here
// deliberately.
test('the list of errors is what clients rely on', () => {
  const list = Object.entries(ERRORS).map(([code, { status, type }]) => `${code} ${status} ${type}`)
  expect(list).toMatchInlineSnapshot(`
    [
      "malformed_request 400 invalid_request",
      "unauthenticated 401 authentication",
      "missing_scope 403 permission",
      "not_found 404 not_found",
      "being_made 404 not_found",
      "ffmpeg_missing 404 not_found",
      "method_not_allowed 405 invalid_request",
      "idempotency_key_reused 409 conflict",
      "idempotency_in_progress 409 conflict",
      "conflict 409 conflict",
      "operation_state 409 conflict",
      "workflow_in_use 409 conflict",
      "workflow_broken 409 conflict",
      "precondition_failed 412 invalid_request",
      "changed_meanwhile 412 conflict",
      "payload_too_large 413 invalid_request",
      "unsupported_media_type 415 invalid_request",
      "range_not_satisfiable 416 invalid_request",
      "validation_failed 422 invalid_request",
      "headers_too_large 431 invalid_request",
      "rate_limited 429 rate_limit",
      "internal 500 api",
      "unavailable 503 api",
      "required 422 invalid_request",
      "unknown_field 422 invalid_request",
      "invalid_type 422 invalid_request",
      "invalid_value 422 invalid_request",
      "out_of_range 422 invalid_request",
      "too_many 422 invalid_request",
      "too_few 422 invalid_request",
      "invalid_url 422 invalid_request",
      "invalid_filename 422 invalid_request",
      "unknown_variable 422 invalid_request",
      "wrong_code 422 invalid_request",
      "mail_server_failed 422 invalid_request",
      "invalid_tag 422 invalid_request",
      "url_not_accessible 422 item",
      "zip_too_large 422 item",
      "no_watermark 422 item",
      "sku_not_found 422 item",
      "sku_ambiguous 422 item",
      "product_not_found 404 item",
      "duplicate_filename 409 item",
      "invalid_csv 422 item",
      "file_not_found 404 item",
      "location_not_found 404 item",
      "pack_not_found 404 item",
      "file_in_use 409 item",
      "permission_denied 403 item",
      "file_too_large 413 item",
      "empty_file 422 item",
      "web_page 422 item",
      "upload_expired 410 not_found",
      "uploads_not_shared 503 api",
      "upload_lost 410 item",
      "drop_file_gone 410 item",
      "checksum_mismatch 460 invalid_request",
      "file_damaged 503 item",
      "storage_full 507 item",
      "file_quota 422 item",
      "storage_quota 507 item",
      "plan_limit 422 item",
      "upload_quota 429 rate_limit",
      "operation_quota 429 rate_limit",
      "storage_failed 503 item",
      "storefront_unavailable 503 item",
      "cloud_unavailable 503 item",
      "cloud_access_revoked 422 item",
      "cloud_access_denied 422 item",
      "cloud_archived 422 item",
      "cloud_listing_differs 422 item",
      "cloud_listing_too_large 422 item",
      "cloud_not_a_listing 422 item",
      "cloud_folder_not_found 422 item",
      "cloud_file_not_found 422 item",
      "cloud_file_changed 409 item",
      "cloud_duplicate_name 409 item",
      "cloud_name_unusable 422 item",
      "cloud_quota 507 item",
      "cloud_redirected 422 item",
      "cloud_rate_limited 429 item",
      "cloud_unreachable 503 item",
      "cloud_failed 502 item",
      "memory_limit 422 item",
      "time_limit 422 item",
      "processor_crashed 422 item",
      "image_damaged 422 item",
      "image_too_large 422 item",
      "not_an_image 422 item",
      "pdf_encrypted 422 item",
      "document_too_large 422 item",
      "not_a_pdf 422 item",
      "pdf_damaged 422 item",
      "pdf_page_out_of_range 422 item",
      "glyph_missing 422 item",
      "skipped 409 item",
      "worker_crashed 500 item",
      "plugin_failed 500 item",
      "operation_cancelled 409 item",
      "operation_stopped 409 item",
      "buyer_unknown 422 item",
      "licence_keys_used_up 409 item",
      "licence_key_missing 422 item",
      "licence_list_not_found 404 item",
      "link_unavailable 404 not_found",
      "link_expired 410 not_found",
      "link_exhausted 410 not_found",
      "views_used_up 410 not_found",
      "view_needs_cookie 403 permission",
      "views_expired 410 not_found",
      "link_not_released 403 permission",
      "customer_tag_missing 403 permission",
      "customer_unknown 403 permission",
      "link_locked 403 permission",
      "wrong_answer 403 permission",
      "link_held 403 permission",
      "link_withdrawn 410 not_found",
      "referrer_not_allowed 403 permission",
      "file_view_only 403 permission",
      "view_ended 403 permission",
    ]
  `)
})

test('the specification’s messages are unchanged', () => {
  expect(ERRORS.invalid_csv.message).toBe('Invalid CSV format')
  expect(ERRORS.url_not_accessible.message).toBe('File URL not accessible')
  expect(ERRORS.sku_not_found.message).toBe('Product SKU not found')
  expect(ERRORS.duplicate_filename.message).toBe('Duplicate filename')
  expect(ERRORS.file_in_use.message).toBe('File in use')
  expect(ERRORS.permission_denied.message).toBe('Permission denied')
})

test('an error without its own param gets the param of its first detail', () => {
  const detail = (param: string) => ({ param, code: 'required' as const, message: say('No') })
  const details = [detail('values.key'), detail('name')]
  expect(new AppError('validation_failed', { details }).param).toBe('values.key')
  expect(new AppError('validation_failed', { details, param: 'name' }).param).toBe('name')
  expect(new AppError('validation_failed').param).toBeNull()
})
