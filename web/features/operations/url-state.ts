// The state of the history of operations, and of one operation's items, in the address.
import { type Query } from '../../shell/client/endpoints.ts'
import { type OperationKind } from '../../shell/client/types.ts'
import { ITEM_STATUSES, OPERATION_STATUSES } from './operation-status.ts'
import { day, listState, oneOf, trimmed, typed, word } from '../../shell/url-state/list-state.ts'

const STEP_RESULTS = ['changed', 'unchanged', 'kept', 'skipped', 'failed'] as const
export type StepResult = (typeof STEP_RESULTS)[number]

const KINDS: readonly OperationKind[] = ['import', 'bulk']

export const OPERATIONS_STATE = listState({
  status: oneOf(namesOf(OPERATION_STATUSES), null),
  kind: oneOf(KINDS, null),
  action: word,
  channel: word,
  requested_by: trimmed,
  schedule_id: word,
  /** Only those whose workflow continues later or after an answer; null: all. */
  waiting: (text) => (text === 'true' ? true : null),
  /** The code of an error that files failed with. */
  error: word,
  /** Part of the title. */
  search: typed,
  /** Both days are included. */
  from: day,
  to: day,
  /** The open saved view. */
  view: word,
})

export const ITEMS_STATE = listState({
  status: oneOf(namesOf(ITEM_STATUSES), null),
  /** Only items with a warning; null: all. */
  warned: (text) => (text === 'true' ? true : null),
  /** Only files that failed with this code. */
  error: word,
  /** Only files with this result at the step of this id. */
  step: word,
  step_result: oneOf(STEP_RESULTS, null),
  /** Part of the name. */
  search: typed,
})

export const { read: readOperationsUrlState } = OPERATIONS_STATE
export const { read: readItemsUrlState } = ITEMS_STATE

export type OperationsUrlState = ReturnType<typeof readOperationsUrlState>
export type ItemsUrlState = ReturnType<typeof readItemsUrlState>

/** The whole history. */
export const EVERY_OPERATION = readOperationsUrlState('')

/** Does a search or a filter narrow the list? */
export const isNarrowed = (urlState: OperationsUrlState | ItemsUrlState): boolean =>
  writeOperationsUrlState({
    ...urlState,
    ...('view' in urlState ? { view: '' } : {}),
    search: urlState.search.trim(),
    page: 1,
    cursor: '',
  }) !== ''

/** The query of the page's address. */
export const writeOperationsUrlState = (urlState: OperationsUrlState | ItemsUrlState): string =>
  'kind' in urlState ? OPERATIONS_STATE.write(urlState) : ITEMS_STATE.write(urlState)

/** The API's query for this state. */
export function operationsQuery(
  { page: _page, ...given }: OperationsUrlState | ItemsUrlState,
  limit: number,
): Query {
  const urlState = 'view' in given ? withoutView(given) : given
  const days =
    'from' in urlState ? { from: momentOf(urlState.from, 0), to: momentOf(urlState.to, 1) } : {}
  return { ...urlState, ...days, search: urlState.search.trim(), limit }
}

/** The server does not know which saved view is open. */
const withoutView = ({ view: _view, ...filters }: Omit<OperationsUrlState, 'page'>) => filters

/**
 * When the day begins in the browser's time zone, or with `after` 1 when it has ended: the API
 * reads a bare day in UTC.
 */
function momentOf(day: string, after: 0 | 1): string {
  if (day === '') return ''
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number)
  const moment = new Date(year, month - 1, date + after)
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString()
}

function namesOf<Name extends string>(list: Record<Name, unknown>): Name[] {
  return Object.keys(list) as Name[]
}
