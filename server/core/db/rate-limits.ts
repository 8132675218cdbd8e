// Limits on how often one key (an address, a caller) may do something within a window. The counts
// are in the table rate_limits, so that a limit holds over all web processes.
import type pg from 'pg'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'

export interface Usage {
  consumedPoints: number
  remainingPoints: number
  msBeforeNext: number
  /** This use exceeds the limit. */
  exceeded: boolean
  /** For Retry-After: seconds until the window ends, at least 1. */
  retryAfter: number
}

export interface RateLimit {
  /** Counts one use, also one beyond the limit. */
  consume(key: string): Promise<Usage>
  /** Uses of the key in this window, without counting one; 0: none. */
  consumed(key: string): Promise<number>
  /** Takes back one use of the key in this window. */
  giveBack(key: string): Promise<void>
  block(key: string, seconds: number): Promise<void>
}

interface RateLimitOptions {
  /** The counter's name: limits with the same name share their counts. */
  name: string
  /** Uses in one window. */
  points: number
  /** Length of the window. */
  seconds: number
  /** A use beyond the limit makes the window this long. */
  blockSeconds?: number
}

/**
 * Creates a limit whose counts are in the database, shared by all processes. Its functions throw if
 * the database cannot be reached.
 */
export function openRateLimit(pool: pg.Pool, options: RateLimitOptions): RateLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: options.name,
    points: options.points,
    duration: options.seconds,
    blockDuration: options.blockSeconds ?? 0,
  })
  return {
    consume: async (key) => {
      // The library throws the same result for a use beyond the limit.
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter
        .consume(key)
        .catch((thrown: unknown) => {
          if (thrown instanceof RateLimiterRes) return thrown
          throw thrown
        })
      return {
        consumedPoints,
        remainingPoints,
        msBeforeNext,
        exceeded: consumedPoints > options.points,
        retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      }
    },
    consumed: async (key) => (await limiter.get(key))?.consumedPoints ?? 0,
    giveBack: async (key) => {
      await pool.query(
        'update rate_limits set points = points - 1 where key = $1 and points > 0 and expire > $2',
        [`${options.name}:${key}`, Date.now()],
      )
    },
    block: async (key, seconds) => {
      await limiter.block(key, seconds)
    },
  }
}
