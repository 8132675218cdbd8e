// POST /extensions/thank-you: the thank-you page's extension requests the order's downloads. The
// order may not be known yet: then the answer is `preparing`. The buyer's token names no order: the
// confirmation number proves that the buyer placed it, and it is accepted only while the order is
// new. A wrong number is answered like an unknown order, so that order ids cannot be guessed.
import { sayPlain } from '../../../../plugins/contract.ts'
import type { Context, Next } from 'koa'
import { z } from 'zod'
import type { Database } from '../../../core/db/database.ts'
import { findShop } from '../../../core/db/shops.ts'
import { AppError } from '../../../core/errors.ts'
import { openRateLimit } from '../../../core/db/rate-limits.ts'
import type { Storefront } from '../../../storefront/storefront.ts'
import { bearerToken } from '../../../http/auth.ts'
import type { FailureLimiter } from '../../../http/auth-failures.ts'
import { networkOfRequest } from '../../../http/clients.ts'
import { jsonReader } from '../../../http/body.ts'
import { validate } from '../../../http/validate.ts'
import type { OrderPages } from '../order-pages.ts'
import type { ShownTerms } from '../shown-terms.ts'

export const THANK_YOU_PATH = '/extensions/thank-you'
const MINUTE_MS = 60_000
/** The page stays open for some minutes at most; later the buyer uses the link in the mail. */
const NEW_ORDER_MS = 30 * MINUTE_MS
const MAX_LINES = 250
/** Enough for `MAX_LINES` lines. */
const BODY_BYTES = 48 * 1024
/** The extension sends a request every few seconds, and many buyers may share an address. */
const REQUESTS_PER_MINUTE = 240

const bodySchema = z.strictObject({
  order_id: z
    .string()
    .max(100)
    .regex(/^gid:\/\/shopify\/(Order|OrderIdentity)\/\d+$/, sayPlain('An order')),
  confirmation_number: z.string().min(1).max(50),
  /** What was bought. Absent: not known. */
  lines: z
    .array(
      z.strictObject({
        product_id: z.string().regex(/^gid:\/\/shopify\/Product\/\d{1,20}$/, sayPlain('A product')),
        variant_id: z
          .string()
          .regex(/^gid:\/\/shopify\/ProductVariant\/\d{1,20}$/, sayPlain('A variant')),
      }),
    )
    .max(MAX_LINES, `At most ${MAX_LINES} lines`)
    .optional(),
})

export interface ThankYouParts {
  database: Database
  storefront: Pick<Storefront, 'verifyBuyerToken'>
  orderPages: OrderPages
  failures: FailureLimiter
  trustProxy: boolean
  clock: () => Date
}

/** `none`: no product of the order has files, so nothing is shown. */
type Answer = { status: 'preparing' | 'held' | 'elsewhere' | 'none' } | ReadyAnswer
interface ReadyAnswer {
  status: 'ready'
  url: string
  files: number
  terms: ShownTerms
}

/** Koa middleware; passes on requests for other addresses. */
export function thankYouRoute(parts: ThankYouParts) {
  const readJson = jsonReader(BODY_BYTES)
  const limit = openRateLimit(parts.database.pool, {
    name: 'thank-you',
    points: REQUESTS_PER_MINUTE,
    seconds: 60,
  })

  async function answer(ctx: Context): Promise<Answer> {
    const { exceeded, retryAfter } = await limit.consume(
      networkOfRequest(ctx.req, parts.trustProxy),
    )
    if (exceeded) throw new AppError('rate_limited', { retryAfter })
    const token = bearerToken(ctx.req)
    if (!token) throw new AppError('unauthenticated')
    const now = parts.clock()
    const verified = () => parts.storefront.verifyBuyerToken(token)
    const { shopDomain } = await parts.failures.guard(ctx.req, verified)
    const shop = await findShop(parts.database, shopDomain)
    if (!shop) throw new AppError('unauthenticated')
    const asked = validate(bodySchema, await readJson(ctx))
    const order = asked.order_id.replace('/OrderIdentity/', '/Order/')
    const page = await parts.orderPages.find(shop.id, order)
    if (page?.confirmation_number !== asked.confirmation_number) {
      const sells =
        asked.lines === undefined || (await parts.orderPages.sells(shop.id, asked.lines))
      return { status: sells ? 'preparing' : 'none' }
    }
    if (now.getTime() - page.ordered_at.getTime() > NEW_ORDER_MS) return { status: 'elsewhere' }
    if (page.status === 'ready') {
      const { url, files, terms } = page
      return { status: 'ready', url, files, terms }
    }
    if (page.status === 'held' || page.status === 'preparing') return { status: page.status }
    return { status: 'elsewhere' }
  }

  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== THANK_YOU_PATH) return next() as Promise<void>
    // The extension runs in a worker without an origin. No cookie is read: the token is in a
    // header.
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'no-store')
    if (ctx.method === 'OPTIONS') return preflight(ctx)
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST, OPTIONS')
      throw new AppError('method_not_allowed')
    }
    ctx.body = await answer(ctx)
  }
}

function preflight(ctx: Context): void {
  ctx.set('Access-Control-Allow-Methods', 'POST')
  ctx.set('Access-Control-Allow-Headers', 'authorization, content-type')
  ctx.set('Access-Control-Max-Age', '600')
  ctx.status = 204
}
