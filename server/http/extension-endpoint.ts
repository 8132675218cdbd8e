// Endpoints of the platform's extensions on pages of buyers: a POST with the buyer's token, from a
// worker without an origin.
import type { Context } from 'koa'
import type { Database } from '../core/db/database.ts'
import { openRateLimit } from '../core/db/callers.ts'
import { findShop, type Shop } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { countForShop } from '../core/request-body.ts'
import type { BuyerIdentity } from '../storefront/buyer-token.ts'
import { bearerToken, type FailureLimiter } from './auth.ts'
import { networkOfRequest } from '../core/client-address.ts'
import type { Mount } from './listen.ts'

export interface ExtensionParts {
  database: Database
  storefront: { verifyBuyerToken(token: string): BuyerIdentity }
  failures: FailureLimiter
  trustProxy: boolean
}

interface ExtensionEndpoint {
  path: string
  /** The requests of a network in a minute, counted under this name. */
  limit: { name: string; points: number }
  /** Returns the body. Throws `AppError`. */
  answer(ctx: Context, buyer: BuyerIdentity, shop: Shop): Promise<object>
}

export function extensionEndpoint(
  parts: ExtensionParts,
  { path, limit, answer }: ExtensionEndpoint,
): Mount {
  const networks = openRateLimit(parts.database.pool, { ...limit, seconds: 60 })

  async function answerBuyer(ctx: Context): Promise<object> {
    const used = await networks.consume(networkOfRequest(ctx.req, parts.trustProxy))
    if (used.exceeded) throw new AppError('rate_limited', { retryAfter: used.retryAfter })
    const token = bearerToken(ctx.req)
    if (!token) throw new AppError('unauthenticated')
    const buyer = await parts.failures.guard(ctx.req, () =>
      parts.storefront.verifyBuyerToken(token),
    )
    const shop = await findShop(parts.database, buyer.shopDomain)
    if (!shop) throw new AppError('unauthenticated')
    countForShop(ctx.req, shop.id)
    return answer(ctx, buyer, shop)
  }

  const handle = async (ctx: Context): Promise<void> => {
    // No cookie is read: the token is in a header.
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'no-store')
    if (ctx.method === 'OPTIONS') return preflight(ctx)
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST, OPTIONS')
      throw new AppError('method_not_allowed')
    }
    ctx.body = await answerBuyer(ctx)
  }
  return { path, handle }
}

function preflight(ctx: Context): void {
  ctx.set('Access-Control-Allow-Methods', 'POST')
  ctx.set('Access-Control-Allow-Headers', 'authorization, content-type')
  ctx.set('Access-Control-Max-Age', '600')
  ctx.status = 204
}
