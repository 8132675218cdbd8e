// The state of the history of operations, and of one operation's items, in the address.
import { type Query } from '../../shell/client/endpoints.ts'
import {
  type ItemStatus,
  type OperationKind,
  type OperationStatus,
} from '../../shell/client/types.ts'
import { ITEM_STATUSES, OPERATION_STATUSES } from './operation-status.ts'
import { type PagePosition, readPaged, writePaged } from '../../shell/url-state/paged.ts'

export interface OperationsUrlState extends PagePosition {
  status: OperationStatus | null
  kind: OperationKind | null
  action: string
  channel: string
  requested_by: string
  schedule_id: string
  /** Part of the title. */
  search: string
  /** YYYY-MM-DD; both days are included. */
  from: string
  to: string
}

export interface ItemsUrlState extends PagePosition {
  status: ItemStatus | null
  /** Only items with a warning; null: all. */
  warned: true | null
  /** Part of the name. */
  search: string
}

export function readOperationsUrlState(search: string): OperationsUrlState {
  const params = new URLSearchParams(search)
  const text = (name: string) => params.get(name)?.trim() ?? ''
  const word = (name: string) => (/^[\w-]{1,100}$/.test(text(name)) ? text(name) : '')
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name)) ? text(name) : '')
  const kind = params.get('kind')
  return {
    status: oneOf(OPERATION_STATUSES, params.get('status')),
    kind: kind === 'import' || kind === 'bulk' ? kind : null,
    action: word('action'),
    channel: word('channel'),
    requested_by: text('requested_by'),
    schedule_id: word('schedule_id'),
    search: params.get('search') ?? '',
    from: day('from'),
    to: day('to'),
    ...readPaged(search),
  }
}

export function readItemsUrlState(search: string): ItemsUrlState {
  const params = new URLSearchParams(search)
  return {
    status: oneOf(ITEM_STATUSES, params.get('status')),
    warned: params.get('warned') === 'true' || null,
    search: params.get('search') ?? '',
    ...readPaged(search),
  }
}

/** The whole history. */
export const EVERY_OPERATION = readOperationsUrlState('')

/** Does a search or a filter narrow the list? */
export const isNarrowed = (urlState: OperationsUrlState | ItemsUrlState): boolean =>
  writeOperationsUrlState({ ...urlState, search: urlState.search.trim(), page: 1, cursor: '' }) !==
  ''

/** The query that both functions above read. */
export const writeOperationsUrlState = (urlState: OperationsUrlState | ItemsUrlState): string =>
  writePaged(urlState)

/** The API's query for this state. */
export function operationsQuery(
  { page: _page, ...urlState }: OperationsUrlState | ItemsUrlState,
  limit: number,
): Query {
  const days =
    'from' in urlState ? { from: momentOf(urlState.from, 0), to: momentOf(urlState.to, 1) } : {}
  return { ...urlState, ...days, search: urlState.search.trim(), limit }
}

/**
 * When the day begins in the browser's time zone, or with `after` 1 when it has ended: the API
 * reads a bare day in UTC.
 */
function momentOf(day: string, after: 0 | 1): string {
  if (day === '') return ''
  const [year, month, date] = day.split('-').map(Number)
  const moment = new Date(year!, month! - 1, date! + after)
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
}

function oneOf<K extends string>(list: Record<K, unknown>, value: string | null): K | null {
  return value !== null && Object.hasOwn(list, value) ? (value as K) : null
}
