// Telling the database's passing faults, and those of its disk, from what is wrong with a statement.

const AWAY_CODES = /^(08|57P0|25P03|53|ECONN|EPIPE|ETIMEDOUT|KNEX)/
const AWAY_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Timeout acquiring a connection|Unable to acquire a connection|not queryable/

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** The server is restarting, out of reach or out of room: the same statement may go through later. */
export function isDatabaseAway(error: unknown): boolean {
  return AWAY_CODES.test(codeOf(error)) || (error instanceof Error && AWAY_MESSAGES.test(error.message))
}

/** `disk_full` of the database, and what the system says of a disk or a quota that is used up. */
const NO_ROOM = new Set(['53100', 'ENOSPC', 'EDQUOT', 'EFBIG'])

/** There is no room: on the disk of the database, or on that of the data folder. */
export const hasNoRoom = (error: unknown): boolean => NO_ROOM.has(codeOf(error))

/**
 * A deadlock, a serialization failure, or a name that someone else took after we looked: the transaction was rolled back,
 * and may be run again at once.
 */
export const isRollback = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) ||
  (codeOf(error) === '23505' && (error as { constraint?: string }).constraint === 'files_name')

/** A lock was not free within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** Someone else has this already: the unique constraint or index of that name says so. */
export const isTaken = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint
