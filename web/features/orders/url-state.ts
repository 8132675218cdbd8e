// The search and page of the list of deliveries, in the address.
import { toQuery } from '../../shell/client/client.ts'
import { type DeliveryStatus } from './calls.ts'
import { type PagePosition, readPaged } from '../../shell/url-state/paged.ts'

export const DELIVERY_STATUS_VALUES: readonly DeliveryStatus[] = [
  'ready',
  'held',
  'withdrawn',
  'revoked',
]

interface DeliveriesUrlState extends PagePosition {
  /** The beginning of the buyer's address or of the order's name. */
  search: string
  status: DeliveryStatus | ''
}

export function readDeliveriesUrlState(address: string): DeliveriesUrlState {
  const params = new URLSearchParams(address)
  const status = params.get('status') as DeliveryStatus | null
  return {
    ...readPaged(address),
    search: params.get('search')?.trim() ?? '',
    status: status && DELIVERY_STATUS_VALUES.includes(status) ? status : '',
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
