// Whether this process can do its work: its database answers and is migrated, and it is not being
// stopped.
import { say, type Text } from '../../plugins/contract/index.ts'
import type { Database } from '../core/db/database.ts'
import { isMigrationPending } from '../core/db/migrate.ts'
import { AppError } from '../core/errors.ts'
import type { Readiness } from '../http/health.ts'

/** Probes have a time limit, often 5 s: a database that hangs must not exceed it. */
const ANSWER_MS = 3000
const RETRY_SECONDS = 2

const notReady = (message: Text, cause?: unknown) =>
  new AppError('unavailable', { message, retryAfter: RETRY_SECONDS, cause })

export function createReadiness({ pool }: Pick<Database, 'pool'>): Readiness {
  let draining = false
  return {
    drain: () => void (draining = true),
    check: async () => {
      if (draining) throw notReady(say('This process is stopping'))
      const pending = await withinTime(isMigrationPending(pool)).catch((cause: unknown) => {
        throw notReady(say('The database does not answer'), cause)
      })
      if (pending) throw notReady(say('Migrations of the database are pending'))
    },
  }
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
