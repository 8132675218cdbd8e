// The search and page of the list of deliveries, in the address.
import { toQuery } from '../../shell/client/client.ts'
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
  /** The open saved view. */
  view: word,
})

/** The list as the API's query, and such a query as the address of the page: of saved views. */
export const DELIVERY_QUERY = {
  queryOf: ({ search, status, file, product }: ReturnType<typeof DELIVERIES_STATE.read>) => ({
    search,
    ...listingQuery(status),
    file_id: file,
    product,
  }),
  addressOf: (query: string): string => {
    const given = new URLSearchParams(query)
    const of = (...names: string[]) => names.map((name) => given.get(name)).find(Boolean) ?? ''
    const status = of('status', 'state', 'reach')
    return toQuery({ search: of('search'), status, file: of('file_id'), product: of('product') })
  },
}
