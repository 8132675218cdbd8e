// Creates products in a shop. A product is known by its handle, so that a request that is repeated
// finds the first one: https://shopify.dev/docs/api/admin-graphql/latest/mutations/productSet
import { PortError, say } from '../../plugins/contract/index.ts'
import { MUTATION_POINTS, type AdminRequest } from './admin-api.ts'
import { CREATE_PRODUCT, PRODUCT_BY_HANDLE } from './operations.ts'

export interface NewProduct {
  /** The last part of its address in the shop; no other product may have it. */
  handle: string
  title: string
  /** In the currency of the shop; null: 0, until the merchant sets it. */
  price: string | null
}

export interface CreatedProduct {
  id: string
  title: string
  /** False: it existed, and is as the merchant left it. */
  isNew: boolean
}

/** The platform did not accept the product: a limit of the shop, or a value. */
export class ProductRefused extends PortError {}

type FoundProduct = Omit<CreatedProduct, 'isNew'>

interface SetProduct {
  productSet: { product: FoundProduct | null; userErrors: { message: string }[] } | null
}

/** The option and its value that the platform gives a product with one variant. */
const OPTION = 'Title'
const ONLY = 'Default Title'

/**
 * Creates a draft with one variant that is not shipped, or finds the product with this handle.
 *
 * @throws `ScopeMissing` without `write_products`, `ProductRefused`, and `PortError`
 */
export async function createProduct(
  request: AdminRequest,
  { handle, title, price }: NewProduct,
  signal: AbortSignal,
): Promise<CreatedProduct> {
  const identifier = { handle }
  const { productByIdentifier: found } = await request<{
    productByIdentifier: FoundProduct | null
  }>(PRODUCT_BY_HANDLE, { identifier }, 1, signal)
  if (found) return { ...found, isNew: false }
  const input = {
    handle,
    title,
    status: 'DRAFT',
    productOptions: [{ name: OPTION, values: [{ name: ONLY }] }],
    variants: [
      {
        optionValues: [{ optionName: OPTION, name: ONLY }],
        inventoryItem: { tracked: false, requiresShipping: false },
        ...(price === null ? {} : { price }),
      },
    ],
  }
  const { productSet } = await request<SetProduct>(
    CREATE_PRODUCT,
    { identifier, input },
    MUTATION_POINTS,
    signal,
  )
  if (productSet?.product) return { ...productSet.product, isNew: true }
  const [objection] = productSet?.userErrors ?? []
  throw new ProductRefused(
    'storefront_unavailable',
    objection?.message ?? say('the platform gave no reason'),
    false,
  )
}
