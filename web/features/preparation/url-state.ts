// The search and page of the keys of a list, in the address.
import { listState, oneOf, trimmed } from '../../shell/url-state/list-state.ts'
import { type LicenceKey } from './calls.ts'

export const KEY_STATUSES = ['active', 'expired', 'revoked', 'replaced'] as const

export const KEYS_STATE = listState({
  /** Exactly a key, the name of an order, or the address of a buyer. */
  search: trimmed,
  status: oneOf<LicenceKey['status'], ''>(KEY_STATUSES, ''),
})
