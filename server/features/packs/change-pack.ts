// Changes of packs. New products of a pack change the mappings of its files; that is an operation,
// so it is in history and can be undone.
import { say, type Text } from '../../../plugins/contract.ts'
import { present } from '../../core/present.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { retryTransaction } from '../../core/db/retry-transaction.ts'
import { withOptions } from '../../engine/steps.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError, type ErrorDetail } from '../../core/errors.ts'
import { lockPack, renamePack, replaceProducts } from './model/changes.ts'
import type { PackProduct } from './model/list.ts'
import { toPublicId } from '../../core/ids.ts'
import { findProduct } from '../../storefront/mirror/lookup.ts'

const ACTION = 'move-to-pack'

export interface ProductChoice {
  product_id: string
  variant_id?: string | null | undefined
}

/**
 * Looks the products up in the catalog. Throws `validation_failed`, which names each unknown or
 * repeated one.
 */
export async function chosenProducts(
  scope: ShopScope,
  choices: readonly ProductChoice[],
): Promise<PackProduct[]> {
  const products = new Map<string, PackProduct>()
  const details: ErrorDetail[] = []
  for (const [index, { product_id, variant_id = null }] of choices.entries()) {
    const found = await findProduct(scope, product_id, variant_id)
    const key = `${product_id} ${variant_id ?? ''}`
    const wrong = (code: ErrorDetail['code'], message: Text) =>
      details.push({ index, param: 'products', code, message })
    if (!found) wrong('product_not_found', say('The catalog has no such product'))
    else if (products.has(key)) wrong('invalid_value', say('This product is named twice'))
    else
      products.set(key, {
        product_id,
        product_title: found.product_title,
        variant_id,
        sku: found.variant?.sku ?? null,
      })
  }
  if (details.length > 0) throw new AppError('validation_failed', { param: 'products', details })
  return [...products.values()]
}

/**
 * Returns the UUID of the operation that updates its files' mappings, or null if none of them
 * changes.
 */
export function changePack(
  engine: Engine,
  scope: ShopScope,
  id: string,
  change: { name?: string | undefined; products?: readonly PackProduct[] | undefined },
  by: { name: string; channel: string },
): Promise<string | null> {
  return retryTransaction(scope, async (tx) => {
    await lockPack(tx, id)
    if (change.name !== undefined) await renamePack(tx, id, change.name)
    if (change.products === undefined || !(await replaceProducts(tx, id, change.products)))
      return null
    const [first] = await tx.query(
      'select from files where shop_id = :shop and pack_id = :id and deleted_at is null limit 1',
      { id },
    )
    if (!first) return null
    const pack = toPublicId('pack', id)
    return engine.start(tx, {
      workflow: withOptions(present(engine.workflow(ACTION), ACTION), ACTION, { pack }),
      channel: by.channel,
      source: { type: 'filter', filter: { pack } },
      request: {},
      requestedBy: by.name,
    })
  })
}
