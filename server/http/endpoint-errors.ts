// Which error codes an endpoint can answer, by status: those that its source can throw
// (error-codes.json, derived by test/error-codes.ts), and those of the kernel for endpoints of its form.
import { ownValue } from '../../plugins/contract/index.ts'
import { ERRORS, type ErrorCode } from '../core/errors.ts'
import { scopesOf, type Endpoint } from './endpoint.ts'
import thrown from './error-codes.json' with { type: 'json' }

/**
 * Of every address: its method is wrong, or the server cannot answer. Exported for the test that compares
 * answers with the document.
 */
export const ALWAYS: readonly ErrorCode[] = [
  'method_not_allowed',
  'headers_too_large',
  'internal',
  'unavailable',
]

const OF_BODIES: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_bodies',
  'bodies_full',
]

/**
 * Of an endpoint whose codes were derived; null: it is newer than the list. Exported for the tests that find
 * such endpoints.
 */
export const thrownBy = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) =>
  (ownValue(thrown, `${method} ${path}`) as ErrorCode[] | undefined) ?? null

/** @param isEdit it takes `If-Match` */
export function errorCodesOf(
  endpoint: Endpoint,
  isEdit: boolean,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const { method, params, query, body, lines, readsBody, feature } = endpoint
  const takesKey = method === 'post' || method === 'put'
  const codes: readonly ErrorCode[] = [
    'unauthenticated',
    'rate_limited',
    'shop_required',
    'shop_not_granted',
    ...(scopesOf(endpoint).length > 0 ? (['missing_scope'] as const) : []),
    ...(endpoint.refusesAgencies ? (['agency_refused'] as const) : []),
    ...(params ? (['not_found'] as const) : []),
    ...(query || body ? (['validation_failed'] as const) : []),
    ...(body || lines || readsBody ? OF_BODIES : []),
    ...(takesKey && !readsBody
      ? (['idempotency_key_reused', 'idempotency_in_progress', 'malformed_request'] as const)
      : []),
    ...(isEdit ? (['changed_meanwhile'] as const) : []),
    ...(feature ? (['plan_limit'] as const) : []),
    ...(thrownBy(endpoint) ?? []),
  ]
  return Map.groupBy(new Set(codes), (code) => ERRORS[code].status)
}
