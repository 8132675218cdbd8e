// The search and page of the list of links, in the address.
import { type LinkStatus } from '../../shell/client/types.ts'
import { listState, oneOf, trimmed, word } from '../../shell/url-state/list-state.ts'

export const LINK_STATUSES: readonly LinkStatus[] = [
  'active',
  'expired',
  'exhausted',
  'revoked',
  'withdrawn',
]

export const LINKS_STATE = listState({
  /** Part of a file's name or of a customer's address. */
  search: trimmed,
  status: oneOf(LINK_STATUSES, ''),
  /** The open saved view. */
  view: word,
})
