// The search and page of the list of buyers, in the address; and the address of one buyer.
import { listState, trimmed } from '../../shell/url-state/list-state.ts'

export const BUYERS_STATE = listState({
  /** The beginning of the address. */
  search: trimmed,
})

export const buyerPath = (email: string): string => `/buyers/${encodeURIComponent(email)}`

/** The email address in the path of a buyer's page; anybody can write one. */
export function emailInPath(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
