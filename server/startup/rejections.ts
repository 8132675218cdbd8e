// Rejections that nobody has handled: those of the libraries.
import { databaseReason, isLostDatabase } from '../core/db/error-classes.ts'
import { errorFields, type Logger } from '../core/log.ts'

/**
 * graphile-worker does not wait until the end of a job is written: while the database restarts, each
 * running job rejects here. It runs again when its lock is released.
 */
export const logRejection =
  (log: Logger) =>
  (error: unknown): void => {
    if (isLostDatabase(error)) {
      log.warn('the end of a job was not written: the database cannot be reached', {
        error: databaseReason(error),
      })
    } else log.error('unhandled rejection', errorFields(error))
  }
