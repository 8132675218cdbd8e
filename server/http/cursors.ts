// Cursors of lists: opaque to clients, and validated part by part when they come back, so that an
// invalid one gives a client error and not a database error.
import { say } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'

export const toCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

/**
 * A page of a list, from its rows and one more: the last one is only there if a page follows.
 * @param placeOf the values of the cursor after this row.
 */
export function listPage<Row, Shown>(
  rows: readonly Row[],
  limit: number,
  placeOf: (last: Row) => readonly (string | number)[],
  show: (row: Row) => Shown,
): { data: Shown[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map((row) => show(row)), next_cursor: last ? toCursor(placeOf(last)) : null }
}

/**
 * A page of a list that was read whole. It begins after the row of the cursor, or at the place of
 * that row if it is no longer there.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  { limit = rows.length, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  idOf: (row: Row) => string,
): { data: Row[]; next_cursor: string | null } {
  const after = fromCursor(cursor, [integer, text])
  const at = after === null ? -1 : rows.findIndex((row) => idOf(row) === after[1])
  const begin = after === null ? 0 : at === -1 ? Math.max(0, after[0]) : at + 1
  return listPage(
    rows.slice(begin, begin + limit + 1),
    limit,
    (last) => [begin + limit - 1, idOf(last)],
    (row) => row,
  )
}

/** Validates a part of a cursor. */
export type CursorPart<T extends string | number = string | number> = (value: unknown) => value is T
type Values<Parts extends readonly CursorPart[]> = {
  [At in keyof Parts]: Parts[At] extends CursorPart<infer T> ? T : never
}

/**
 * The values of a cursor that has these parts; null without a cursor. Throws `validation_failed` for
 * any other text.
 */
export function fromCursor<const Parts extends readonly CursorPart[]>(
  cursor: string | undefined,
  parts: Parts,
): Values<Parts> | null {
  if (cursor === undefined) return null
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (
      Array.isArray(values) &&
      values.length === parts.length &&
      parts.every((is, at) => is(values[at]))
    )
      return values as unknown as Values<Parts>
  } catch {
    // A text that is no cursor is reported below.
  }
  const message = say('Send the previous page’s next_cursor, unchanged')
  throw new AppError('validation_failed', {
    param: 'cursor',
    details: [{ param: 'cursor', code: 'invalid_value', message }],
  })
}

/** A text that can be bound in a query. */
export const text = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000')

const INTEGER = 2 ** 31 - 1
/** PostgreSQL's `integer`. */
export const integer = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= INTEGER

/** PostgreSQL's `bigint`. */
export const bigInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** A bare UUID as a part of a cursor. */
export const uuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)

const TIME =
  /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?[+-](0\d|1[0-4])(:[0-5]\d){0,2}$/
/** A time as PostgreSQL writes it, with every digit, on an existing day. */
export const time = (value: unknown): value is string => {
  const day = typeof value === 'string' ? TIME.exec(value)?.[1] : undefined
  if (day === undefined || day < '0001') return false
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}
