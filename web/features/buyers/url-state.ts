// The search and page of the list of buyers, in the address; and the address of one buyer.
import { listState, trimmed } from '../../shell/url-state/list-state.ts'

export const BUYERS_STATE = listState({
  /** The beginning of the address. */
  search: trimmed,
})

export const BUYER_STATE = listState({ email: trimmed })

// The address is a parameter: the server reads a path that ends with `.com` as a file.
export const buyerPath = (email: string): string =>
  `/buyers/detail?${new URLSearchParams({ email })}`
