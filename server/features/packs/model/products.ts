// The products of a pack. New ones change the mappings of its files; that is an operation, so it is
// in history and can be undone.
import { say, type Text } from '../../../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../../../core/db/for-shop.ts'
import { AppError, type ErrorDetail } from '../../../core/errors.ts'
import { toPublicId } from '../../../core/ids.ts'
import { present } from '../../../core/lazy.ts'
import type { Engine } from '../../../engine/engine.ts'
import { withOptions } from '../../../engine/steps.ts'
import { findProduct } from '../../../storefront/mirror/lookup.ts'
import { lockPack, renamePack, replaceProducts } from './changes.ts'
import { readPack, type PackProduct } from './list.ts'

const ACTION = 'move-to-pack'

export interface ProductChoice {
  product_id: string
  variant_id?: string | null | undefined
}

/**
 * Looks the products up in the catalog. Those that the pack has already may be in it no more, or not
 * yet.
 *
 * @throws `validation_failed`, which names each unknown or repeated one
 */
export async function chosenProducts(
  scope: ShopScope,
  choices: readonly ProductChoice[],
  before: readonly PackProduct[] = [],
): Promise<PackProduct[]> {
  const products = new Map<string, PackProduct>()
  const details: ErrorDetail[] = []
  for (const [index, { product_id, variant_id = null }] of choices.entries()) {
    const there = before.find(
      (one) => one.product_id === product_id && one.variant_id === variant_id,
    )
    const found = there ?? (await inCatalog(scope, product_id, variant_id))
    const key = `${product_id} ${variant_id ?? ''}`
    const wrong = (code: ErrorDetail['code'], message: Text) =>
      details.push({ index, param: 'products', code, message })
    if (!found) wrong('product_not_found', say('The catalog has no such product'))
    else if (products.has(key)) wrong('invalid_value', say('This product is named twice'))
    else products.set(key, found)
  }
  if (details.length > 0) throw new AppError('validation_failed', { param: 'products', details })
  return [...products.values()]
}

async function inCatalog(
  scope: ShopScope,
  product_id: string,
  variant_id: string | null,
): Promise<PackProduct | null> {
  const found = await findProduct(scope, product_id, variant_id)
  if (!found) return null
  return {
    product_id,
    product_title: found.product_title,
    variant_id,
    sku: found.variant?.sku ?? null,
  }
}

export interface PackChange {
  name?: string | undefined
  products?: readonly PackProduct[] | undefined
}

/** Who changes a pack, and by what. */
export interface PackChanger {
  name: string
  channel: string
}

/**
 * Returns the UUID of the operation that updates its files' mappings, or null if none of them
 * changes.
 */
export const changePack = (
  engine: Engine,
  scope: ShopScope,
  id: string,
  { name, products }: PackChange,
  by: PackChanger,
): Promise<string | null> =>
  retryTransaction(scope, async (tx) => {
    await lockPack(tx, id)
    if (name !== undefined) await renamePack(tx, id, name)
    return products === undefined ? null : mapTo(engine, tx, id, products, by)
  })

/** Adds a product to those of the pack. Returns as above. */
export const addProduct = (
  engine: Engine,
  scope: ShopScope,
  id: string,
  product: PackProduct,
  by: PackChanger,
): Promise<string | null> =>
  retryTransaction(scope, async (tx) => {
    await lockPack(tx, id)
    const before = present(await readPack(tx, id), 'the pack').products
    const others = before.filter((one) => one.product_id !== product.product_id)
    return mapTo(engine, tx, id, [...others, product], by)
  })

async function mapTo(
  engine: Engine,
  tx: ShopScope,
  id: string,
  products: readonly PackProduct[],
  by: PackChanger,
): Promise<string | null> {
  if (!(await replaceProducts(tx, id, products))) return null
  const [first] = await tx.query(
    `select from pack_files k join files f on f.shop_id = k.shop_id and f.id = k.file_id
     where k.shop_id = :shop and k.pack_id = :id and f.deleted_at is null limit 1`,
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
}
