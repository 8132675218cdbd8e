// Limits per caller and minute, counted in the database so that they hold for all web processes.
import { say } from '../../plugins/contract.ts'
import type { Context } from 'koa'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import { AppError } from '../core/errors.ts'
import type { Caller, Endpoint } from './endpoint.ts'
import { openRateLimit } from '../core/db/rate-limits.ts'

const MINUTE = 60

export interface RateLimiter {
  /**
   * Counts one request; throws `rate_limited` with the seconds to wait. Sets the RateLimit headers
   * in any case. A key's request counts for its shop too: many keys together get no more than the
   * shop's limit. People in the admin page have another limit, so that keys cannot lock them out.
   */
  count(
    ctx: Context,
    caller: Pick<Caller, 'subject' | 'scope'>,
    endpoint: Pick<Endpoint, 'ofManyOnAPage'>,
  ): Promise<void>
}

export function createRateLimiter(database: Database, limits: Limits): RateLimiter {
  const limiterOf = (name: string, points: number) => ({
    name,
    points,
    limit: openRateLimit(database.pool, { name, points, seconds: MINUTE }),
  })
  const reads = limiterOf('reads', limits.reads_per_minute)
  const writes = limiterOf('writes', limits.writes_per_minute)
  const pictures = limiterOf('pictures', 10 * limits.reads_per_minute)
  const shopReads = limiterOf('shop-reads', limits.shop_reads_per_minute)
  const shopWrites = limiterOf('shop-writes', limits.shop_writes_per_minute)
  type Counted = typeof reads
  const count = async ({ name, points, limit }: Counted, subject: string) => {
    const { exceeded, remainingPoints, retryAfter } = await limit.consume(subject)
    return {
      exceeded,
      retryAfter,
      policy: `"${name}";q=${points};w=${MINUTE}`,
      limit: `"${name}";r=${Math.max(0, remainingPoints)};t=${retryAfter}`,
    }
  }
  return {
    count: async (ctx, { subject, scope: { shop } }, { ofManyOnAPage }) => {
      const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
      const own = await count(ofManyOnAPage ? pictures : isRead ? reads : writes, subject)
      ctx.set('RateLimit-Policy', own.policy)
      ctx.set('RateLimit', own.limit)
      // A request that the key's own limit refuses does not count for its shop: one key in a loop
      // must not use up the other keys' requests.
      if (own.exceeded) throw new AppError('rate_limited', { retryAfter: own.retryAfter })
      if (ofManyOnAPage || !subject.startsWith('key:')) return
      const shared = await count(isRead ? shopReads : shopWrites, `shop:${shop}`)
      if (!shared.exceeded) return
      ctx.set('RateLimit-Policy', shared.policy)
      ctx.set('RateLimit', shared.limit)
      const message = say(
        'The API keys of this shop have made too many requests together: wait as long as Retry-After says',
      )
      throw new AppError('rate_limited', { retryAfter: shared.retryAfter, message })
    },
  }
}
