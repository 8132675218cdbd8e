// Where one is in the history of operations, or in one operation's items, as the address says it.
import { toQuery, type Query } from '../client/client.ts'
import { type ItemStatus, type OperationKind, type OperationStatus } from '../client/types.ts'
import { ITEM_STATUSES, OPERATION_STATUSES } from '../words/operation.ts'

export interface Paged {
  page: number
  cursor: string
}

export interface OperationsPlace extends Paged {
  status: OperationStatus | null
  kind: OperationKind | null
}

export interface ItemsPlace extends Paged {
  status: ItemStatus | null
}

export function readOperationsPlace(search: string): OperationsPlace {
  const params = new URLSearchParams(search)
  const kind = params.get('kind')
  return {
    status: oneOf(OPERATION_STATUSES, params.get('status')),
    kind: kind === 'import' || kind === 'bulk' ? kind : null,
    ...readPaged(params),
  }
}

export function readItemsPlace(search: string): ItemsPlace {
  const params = new URLSearchParams(search)
  return { status: oneOf(ITEM_STATUSES, params.get('status')), ...readPaged(params) }
}

/** The query that either reader reads back. */
export const writePlace = (place: OperationsPlace | ItemsPlace): string =>
  toQuery({ ...place, page: place.cursor === '' ? null : place.page })

/** What to ask the API for at this place. */
export const placeQuery = ({ page: _page, ...place }: OperationsPlace | ItemsPlace, limit: number): Query => ({
  ...place,
  limit,
})

function readPaged(params: URLSearchParams): Paged {
  const cursor = params.get('cursor')?.trim() ?? ''
  const page = /^\d{1,9}$/.test(params.get('page') ?? '') ? Number(params.get('page')) : 2
  return { page: cursor === '' ? 1 : Math.max(2, page), cursor }
}

const oneOf = <K extends string>(list: Record<K, unknown>, value: string | null): K | null =>
  value !== null && Object.hasOwn(list, value) ? (value as K) : null
