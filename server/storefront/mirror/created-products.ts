// The event of products that are new in the catalog.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { defineEvent, raiseEvent } from '../../core/outbox/webhook-events.ts'

/** Products that one event names. */
const MAX_NAMED = 1000

export const productCreated = defineEvent({
  name: 'product.created',
  title: say('Products were created'),
  about: 'The products that are new in the catalog, once the catalog was read completely before',
  data: z.object({
    total: z.number().int(),
    product_ids: z.array(z.string()).describe(`The first ${MAX_NAMED}, as the platform names them`),
  }),
})

/** Must be called in the transaction that writes the products. */
export const raiseCreated = (tx: ShopScope, ids: readonly string[]): Promise<void> =>
  raiseEvent(tx, productCreated, {
    key: randomUUID(),
    data: { total: ids.length, product_ids: ids.slice(0, MAX_NAMED) },
  })
