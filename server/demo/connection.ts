// Paging as on the platform: cursors contain a place in the order, so that they stay valid when
// rows are added or removed.
import { GraphQLError } from 'graphql'
import { zip } from '../core/lazy.ts'

export interface PageArguments {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
  reverse?: boolean | null
}

export interface Order {
  id(row: number): number
  /**
   * The value by which rows are sorted before their ids; the same for all rows if they are sorted
   * by id alone.
   */
  key(row: number): string | number
}

export interface PagedConnection<View> {
  nodes: View[]
  edges: { cursor: string; node: View }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor: string | null
    endCursor: string | null
  }
}

const MAX_ROWS = 250

/** All rows without pages and cursors, for a bulk query. */
export function everyRow<View>(
  rows: readonly number[],
  view: (row: number) => View,
): PagedConnection<View> {
  const nodes = rows.map(view)
  const pageInfo = {
    hasNextPage: false,
    hasPreviousPage: false,
    startCursor: null,
    endCursor: null,
  }
  return { nodes, edges: nodes.map((node) => ({ cursor: '', node })), pageInfo }
}

/** The rows of the requested page. Throws `GraphQLError` for invalid arguments. */
export function connect<View>(
  rows: readonly number[],
  order: Order,
  page: PageArguments,
  view: (row: number) => View,
): PagedConnection<View> {
  const size = sizeOf(page)
  const sorted = rows.toSorted((a, b) =>
    compare(order.key(a), order.id(a), order.key(b), order.id(b)),
  )
  if (page.reverse) sorted.reverse()
  const beyond = (cursor: string) => {
    const [key, id] = readCursor(cursor)
    const sign = page.reverse ? -1 : 1
    return (row: number) => sign * compare(order.key(row), order.id(row), key, id)
  }
  const after = page.after ? beyond(page.after) : () => 1
  const before = page.before ? beyond(page.before) : () => -1
  const window = sorted.filter((row) => after(row) > 0 && before(row) < 0)
  const shown =
    typeof page.first !== 'number'
      ? window.slice(Math.max(0, window.length - size))
      : window.slice(0, size)

  const cursor = (row: number) =>
    Buffer.from(JSON.stringify([order.key(row), order.id(row)])).toString('base64url')
  const nodes = shown.map(view)
  const [startRow, endRow] = [shown[0], shown.at(-1)]
  return {
    nodes,
    edges: zip(shown, nodes).map(([row, node]) => ({ cursor: cursor(row), node })),
    pageInfo: {
      hasNextPage: endRow !== undefined && endRow !== sorted.at(-1),
      hasPreviousPage: startRow !== undefined && startRow !== sorted[0],
      startCursor: startRow === undefined ? null : cursor(startRow),
      endCursor: endRow === undefined ? null : cursor(endRow),
    },
  }
}

function sizeOf({ first, last }: PageArguments): number {
  const size = first ?? last ?? null
  if (size === null || (typeof first === 'number' && typeof last === 'number'))
    throw badRequest('you must provide one of first or last')
  if (size < 0) throw badRequest('first and last can’t be negative')
  if (size > MAX_ROWS) throw badRequest(`first and last can’t be more than ${MAX_ROWS}`)
  return size
}

function readCursor(cursor: string): [string | number, number] {
  try {
    const [key, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      string | number,
      number,
    ]
    if ((typeof key === 'string' || typeof key === 'number') && typeof id === 'number')
      return [key, id]
  } catch {
    // Not a cursor of ours.
  }
  throw badRequest('Invalid cursor for current pagination sort.')
}

function compare(keyA: string | number, idA: number, keyB: string | number, idB: number): number {
  if (keyA !== keyB) return keyA < keyB ? -1 : 1
  return idA - idB
}

export const badRequest = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
