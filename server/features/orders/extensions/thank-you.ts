// POST /extensions/thank-you: the thank-you page's extension requests the order's downloads. The
// order may not be known yet: then the answer is `preparing`. The buyer's token names no order: the
// confirmation number proves that the buyer placed it, and it is accepted only while the order is
// new. A wrong number is answered like an unknown order, so that order ids cannot be guessed.
import { sayPlain } from '../../../../plugins/contract/index.ts'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Shop } from '../../../core/db/for-shop.ts'
import { jsonReader } from '../../../http/body.ts'
import { extensionEndpoint, type ExtensionParts } from '../../../http/extension-endpoint.ts'
import type { Mount } from '../../../http/listen.ts'
import { validate } from '../../../http/validate.ts'
import type { OrderPages } from '../order-pages.ts'
import type { ShownTerms } from '../shown-terms.ts'

/** Exported for tests: no other part of the server calls it. */
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

export interface ThankYouParts extends ExtensionParts {
  orderPages: OrderPages
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

export function thankYouRequests(parts: ThankYouParts): Mount {
  const readJson = jsonReader(BODY_BYTES)

  async function answer(ctx: Context, shop: Shop): Promise<Answer> {
    const now = parts.clock()
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

  return extensionEndpoint(parts, {
    path: THANK_YOU_PATH,
    limit: { name: 'thank-you', points: REQUESTS_PER_MINUTE },
    answer: (ctx, _, shop) => answer(ctx, shop),
  })
}
