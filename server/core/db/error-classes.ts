// Classifies errors of the database and of its disk: temporary ones, which a retry may get past, as
// opposed to a statement that is wrong.

/**
 * 25006: a standby during a failover, or a server that its provider made read-only. 25P03, 25P04: a
 * transaction of a process that hung.
 */
const UNAVAILABLE_CODES = /^(08|57P0|25P03|25P04|25006|53|ECONN|EPIPE|ETIMEDOUT|KNEX)/
/** What pg's client, its pool and knex say if no connection was made, or free, in time. */
const TIMEOUTS = [
  'timeout expired',
  'connection timeout',
  'timeout exceeded when trying to connect',
  'Timeout acquiring a connection',
]
const TIMEOUT_MESSAGES = new RegExp(TIMEOUTS.join('|'))
const UNAVAILABLE_MESSAGES = new RegExp(
  ['Connection terminated', ...TIMEOUTS, 'Unable to acquire a connection', 'not queryable'].join(
    '|',
  ),
)

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** The server is restarting, unreachable or out of resources: the statement may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return (
    UNAVAILABLE_CODES.test(codeOf(error)) ||
    (error instanceof Error && UNAVAILABLE_MESSAGES.test(error.message))
  )
}

/** Node gives no message for a name of which each address was tried. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message || codeOf(error) : String(error)
}

/** The reason of an error without the statement that knex writes before it. */
export const databaseReason = (error: unknown): string => {
  const message = reasonOf(error)
  return message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '')
}

/** An error of PostgreSQL or of its client: other sockets fail with the same codes of the system. */
const isOfDatabase = (error: unknown): boolean =>
  /^(08|57P0)/.test(codeOf(error)) ||
  (error instanceof Error &&
    (error.message.startsWith('Connection terminated') ||
      /[\\/]node_modules[\\/]pg(-pool)?[\\/]/.test(error.stack ?? '')))

/** Also of an error that may come from anything else than a query. */
export const isLostDatabase = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && isOfDatabase(error)

export const isConnectTimeout = (error: unknown): boolean =>
  error instanceof Error && TIMEOUT_MESSAGES.test(error.message)

/** A statement took longer than `statement_timeout`. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014'

/** PostgreSQL's `disk_full`. */
const DISK_FULL = '53100'
export const isDatabaseFull = (error: unknown): boolean => codeOf(error) === DISK_FULL

/** The database's error, and the system's, for a full disk or an exhausted quota. */
const NO_ROOM = new Set([DISK_FULL, 'ENOSPC', 'EDQUOT', 'EFBIG'])

/** No room is left on the disk of the database or of the data folder. */
export const hasNoRoom = (error: unknown): boolean => NO_ROOM.has(codeOf(error))

/**
 * A deadlock, a serialization failure, or a filename taken after it was checked. The transaction
 * was rolled back and can be repeated immediately.
 */
export const isRollback = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || isTaken(error, 'files_name')

/**
 * A lock was not free within `lock_timeout`, or two transactions waited for each other. Changing
 * several tables takes locks that requests take in another order.
 */
export const isLockRefused = (error: unknown): boolean => ['55P03', '40P01'].includes(codeOf(error))

/** The user lacks a right, also if a migration names it. */
export const isDenied = (error: unknown): boolean =>
  [error, (error as { cause?: unknown } | null)?.cause].some((each) => codeOf(each) === '42501')

/** A row exists with these values: the named unique constraint or index was violated. */
export const isTaken = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint
