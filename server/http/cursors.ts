// Cursors of lists: opaque to clients, checked when they come back.
import { AppError } from '../errors.ts'

export const toCursor = (values: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

/** The values of a cursor of `length` parts; throws `validation_failed` for anything else. */
export function fromCursor(cursor: string | undefined, length: number): (string | number)[] | null {
  if (cursor === undefined) return null
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(values) && values.length === length && values.every(isPart)) return values
  } catch {
    // Said below.
  }
  const message = 'Send next_cursor of the page before, unchanged'
  throw new AppError('validation_failed', {
    param: 'cursor',
    details: [{ param: 'cursor', code: 'invalid_value', message }],
  })
}

/** What can be put into a query. */
const isPart = (value: unknown): value is string | number =>
  typeof value === 'string' ? value.isWellFormed() && !value.includes('\u0000') : Number.isFinite(value)

/** Is this part of a cursor a bare UUID? */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
