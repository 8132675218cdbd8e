// Limits per caller and minute, counted in the database so that they hold over every web process.
import type { Context } from 'koa'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limits } from '../config.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../errors.ts'

const MINUTE = 60

export interface RateLimiter {
  /** Counts one request; throws `rate_limited` with the seconds to wait. Sets the RateLimit headers either way. */
  count(ctx: Context, subject: string): Promise<void>
}

export function createRateLimiter(database: Database, limits: Limits): RateLimiter {
  const limiterOf = (name: string, points: number) => ({
    name,
    points,
    limiter: new RateLimiterPostgres({
      storeClient: database.pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points,
      duration: MINUTE,
    }),
  })
  const reads = limiterOf('reads', limits.reads_per_minute)
  const writes = limiterOf('writes', limits.writes_per_minute)
  return {
    count: async (ctx, subject) => {
      const { name, points, limiter } = ctx.method === 'GET' || ctx.method === 'HEAD' ? reads : writes
      const used = await limiter.consume(subject).catch((thrown: unknown) => {
        if (thrown instanceof RateLimiterRes) return thrown
        throw thrown
      })
      const seconds = Math.max(1, Math.ceil(used.msBeforeNext / 1000))
      ctx.set('RateLimit-Policy', `"${name}";q=${points};w=${MINUTE}`)
      ctx.set('RateLimit', `"${name}";r=${Math.max(0, used.remainingPoints)};t=${seconds}`)
      if (used.consumedPoints > points) throw new AppError('rate_limited', { retryAfter: seconds })
    },
  }
}
