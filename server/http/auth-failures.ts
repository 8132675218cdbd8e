// Wrong keys and tokens, limited by client address. Failures are counted in the database, for all
// web processes. An address with too many failures is cached here, so that refusing it costs no
// query.
import { say } from '../../plugins/contract.ts'
import type { IncomingMessage } from 'node:http'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import { networkOfRequest } from './clients.ts'
import { AppError } from '../core/errors.ts'
import { openRateLimit } from '../core/db/rate-limits.ts'

const MINUTE_SECONDS = 60
/** Maximum size of each cache; the oldest entries are dropped. */
const MAX_CACHED = 10_000

export interface FailureLimiter {
  /**
   * Runs `check`, and counts its `unauthenticated` errors. Throws `rate_limited` for further
   * failures of that address. `secret`: the key that the client sends, if it could be guessed by
   * trying. From an address with too many failures a secret is not checked unless it was valid
   * before, so that others behind the same address keep working. A signed token (no `secret`) is
   * always checked.
   */
  guard<T>(request: IncomingMessage, check: () => T | Promise<T>, secret?: string): Promise<T>
}

interface FailureParts {
  database: Database
  limits: Limits
  trustProxy: boolean
}

export function createFailureLimiter({
  database,
  limits,
  trustProxy,
}: FailureParts): FailureLimiter {
  const failures = openRateLimit(database.pool, {
    name: 'failed-sign-ins',
    points: limits.failed_sign_ins_per_minute,
    seconds: MINUTE_SECONDS,
  })
  /** The time until which an address is refused, by address. */
  const refused = new Map<string, number>()
  const valid = new Map<string, true>()

  async function count(network: string): Promise<AppError | null> {
    const { exceeded, remainingPoints, msBeforeNext } = await failures.consume(network)
    if (remainingPoints <= 0) remember(refused, network, Date.now() + msBeforeNext)
    return exceeded ? tooMany(msBeforeNext) : null
  }

  return {
    guard: async (request, check, secret) => {
      const network = networkOfRequest(request, trustProxy)
      const left = (refused.get(network) ?? 0) - Date.now()
      if (left > 0 && secret !== undefined && !valid.has(secret)) throw tooMany(left)
      try {
        const found = await check()
        if (secret !== undefined) remember(valid, secret, true)
        return found
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'unauthenticated')) throw error
        if (secret !== undefined) valid.delete(secret)
        throw (await count(network)) ?? error
      }
    },
  }
}

function tooMany(ms: number): AppError {
  const message = say(
    'Too many requests with a wrong key or token came from this address: wait as long as Retry-After says',
  )
  return new AppError('rate_limited', { message, retryAfter: Math.max(1, Math.ceil(ms / 1000)) })
}

/** Stores the entry as the newest one. */
function remember<V>(memory: Map<string, V>, key: string, value: V): void {
  memory.delete(key)
  memory.set(key, value)
  for (const oldest of memory.keys()) {
    if (memory.size <= MAX_CACHED) return
    memory.delete(oldest)
  }
}
