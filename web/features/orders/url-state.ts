// The search and page of the list of deliveries, in the address.
import { listState, oneOf, trimmed, word } from '../../shell/url-state/list-state.ts'

/** What the list can be limited to. */
export const DELIVERY_LISTINGS = [
  'ready',
  'blocked',
  'unreachable',
  'held',
  'withdrawn',
  'revoked',
] as const
export type DeliveryListing = (typeof DELIVERY_LISTINGS)[number]

/** The choice as the API's parameter. */
export const listingQuery = (listing: string) =>
  listing === 'blocked'
    ? { state: listing }
    : listing === 'unreachable'
      ? { reach: listing }
      : { status: listing }

export const DELIVERIES_STATE = listState({
  /** The beginning of the buyer's address or of the order's name. */
  search: trimmed,
  status: oneOf(DELIVERY_LISTINGS, ''),
  /** Only deliveries with this file, and of orders with this product. */
  file: word,
  product: trimmed,
  /** The title of the product. */
  about: trimmed,
})
