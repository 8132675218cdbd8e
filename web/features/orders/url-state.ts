// The search and page of the list of deliveries, in the address.
import { toQuery } from '../../shell/client/client.ts'
import { type PagePosition, readPaged } from '../../shell/url-state/paged.ts'

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

interface DeliveriesUrlState extends PagePosition {
  /** The beginning of the buyer's address or of the order's name. */
  search: string
  status: DeliveryListing | ''
}

export function readDeliveriesUrlState(address: string): DeliveriesUrlState {
  const params = new URLSearchParams(address)
  const status = params.get('status') as DeliveryListing | null
  return {
    ...readPaged(address),
    search: params.get('search')?.trim() ?? '',
    status: status && DELIVERY_LISTINGS.includes(status) ? status : '',
  }
}

/** The query that `readDeliveriesUrlState` reads. */
export const writeDeliveriesUrlState = ({
  search,
  status,
  cursor,
  page,
}: DeliveriesUrlState): string =>
  toQuery({ search, status, cursor, page: cursor === '' ? null : page })
