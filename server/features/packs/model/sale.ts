// The product under which a pack is sold, created in the shop. The handle is stored before the platform
// is asked, so that a request after a lost answer finds the product instead of creating another one.
import { PortError, say, textOf } from '../../../../plugins/contract/index.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { AppError } from '../../../core/errors.ts'
import { ProductRefused, type CreatedProduct } from '../../../storefront/new-products.ts'
import { ScopeMissing } from '../../../storefront/platform-failures.ts'
import type { Storefront } from '../../../storefront/storefront.ts'

export interface Sale {
  title: string
  price: string | null
}

const WAIT_MS = 20_000
/** A process that ended while it created a product does not hold the pack for longer. */
const HELD = '1 minute'
const SLUG_LENGTH = 60
const ID_LENGTH = 8

/** The last part of the product's address: `summer-bundle-0192ab34`. Exported for its test. */
export function handleOf(title: string, id: string): string {
  const plain = title.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[a-z0-9]+/g) ?? ['pack']
  const slug = words.join('-').slice(0, SLUG_LENGTH)
  // The first characters of the id are a time.
  return `${slug}-${id.replaceAll('-', '').slice(-ID_LENGTH)}`
}

/**
 * Creates the product, or finds the one that was created for this pack before.
 *
 * @throws `AppError`: `conflict` while another request creates it or if the platform refuses it,
 * `permission_denied` without the scope, `storefront_unavailable`
 */
export async function productOfPack(
  storefront: Pick<Storefront, 'createProduct'>,
  scope: ShopScope,
  id: string,
  { title, price }: Sale,
  signal: AbortSignal,
): Promise<CreatedProduct> {
  const held = await scope.first<{ handle: string }>(
    `update packs set product_asked_at = now(), product_handle = coalesce(product_handle, :handle)
     where shop_id = :shop and id = :id
       and (product_asked_at is null or product_asked_at < now() - interval '${HELD}')
     returning product_handle as handle`,
    { id, handle: handleOf(title, id) },
  )
  if (!held)
    throw new AppError('conflict', {
      message: say('The product of this pack is being created: wait a moment, then look again'),
    })
  const until = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)])
  try {
    return await storefront.createProduct(scope.shop, { ...held, title, price }, until)
  } catch (error) {
    throw signal.aborted ? error : refusalOf(error, until.aborted)
  } finally {
    await scope.query(
      'update packs set product_asked_at = null where shop_id = :shop and id = :id',
      { id },
    )
  }
}

function refusalOf(cause: unknown, isLate: boolean): unknown {
  if (cause instanceof ScopeMissing)
    return new AppError('permission_denied', {
      message: say(
        'The store does not allow this app to create products: allow it (write_products), or choose a product that exists',
      ),
      cause,
    })
  if (cause instanceof ProductRefused)
    return new AppError('conflict', {
      message: say(
        'The store did not accept the product: {reason}. Change it and try again, or choose a product that exists',
        { reason: textOf(cause.texts.message) },
      ),
      cause,
    })
  if (isLate || cause instanceof PortError)
    return new AppError('storefront_unavailable', {
      message: say(
        'The store could not be asked, so the pack has no new product: try again in a minute. No second product is created',
      ),
      cause,
    })
  return cause
}
