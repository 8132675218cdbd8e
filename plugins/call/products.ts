// The products that a program's answers name by their SKU, handle or id.
import {
  type CatalogProduct,
  type CatalogVariant,
  type Mapping,
  type NamedProduct,
  type NamedTarget,
  PortError,
  type ReadContext,
  say,
  wholeProductId,
} from '../contract/index.ts'

/** Throws `PortError` if the catalog has no such product, or could not be asked. */
export type FindProduct = (target: NamedTarget) => Mapping

interface Found {
  skus: ReadonlyMap<string, readonly CatalogVariant[]>
  handles: ReadonlyMap<string, NamedProduct>
  ids: ReadonlyMap<string, NamedProduct>
  variants: ReadonlyMap<string, CatalogProduct | null>
}

/** Looks all of them up together. */
export async function productFinder(
  named: readonly NamedTarget[],
  { catalog, signal }: ReadContext<'catalog'>,
): Promise<FindProduct> {
  const texts = (of: (target: NamedTarget) => string | undefined) => [
    ...new Set(named.flatMap((target) => of(target) ?? [])),
  ]
  const skus = texts((target) => ('sku' in target ? target.sku : undefined))
  const handles = texts((target) => ('handle' in target ? target.handle : undefined))
  const ids = texts((target) => ('id' in target ? wholeProductId(target.id) : undefined))
  const withVariant = new Map(
    named.flatMap((target) =>
      'id' in target && target.variant_id !== undefined
        ? [[variantKey(target.id, target.variant_id), [target.id, target.variant_id] as const]]
        : [],
    ),
  )
  try {
    const variants = new Map<string, CatalogProduct | null>()
    for (const [key, [id, variant]] of withVariant)
      variants.set(key, await catalog.findProduct(wholeProductId(id), variant, signal))
    const found: Found = {
      skus: skus.length > 0 ? await catalog.findBySku(skus, signal) : new Map(),
      handles:
        handles.length > 0 ? await catalog.findProducts('handle', handles, signal) : new Map(),
      ids: ids.length > 0 ? await catalog.findProducts('id', ids, signal) : new Map(),
      variants,
    }
    return (target) => productIn(found, target)
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    return () => {
      throw error
    }
  }
}

const variantKey = (id: string, variant: string) => JSON.stringify([id, variant])

function productIn({ skus, handles, ids, variants }: Found, target: NamedTarget): Mapping {
  if ('sku' in target) return ofSku(skus.get(target.sku) ?? [], target.sku)
  if ('handle' in target) return ofProduct(handles.get(target.handle), target.handle)
  const { id, variant_id } = target
  if (variant_id === undefined) return ofProduct(ids.get(wholeProductId(id)), id)
  const found = variants.get(variantKey(id, variant_id))
  if (!found) throw unknown(`${id}, ${variant_id}`)
  return mappingOf(found, variant_id, found.variant?.sku ?? null)
}

function ofSku([variant, ...others]: readonly CatalogVariant[], sku: string): Mapping {
  if (!variant)
    throw new PortError('sku_not_found', say('No product has the SKU {sku}', { sku }), false)
  if (others.some(({ product_id }) => product_id !== variant.product_id))
    throw new PortError('sku_ambiguous', say('Several products have the SKU {sku}', { sku }), false)
  // Variants of one product that share the SKU mean the product.
  return mappingOf(variant, others.length === 0 ? variant.variant_id : null, variant.sku)
}

function ofProduct(product: NamedProduct | undefined, name: string): Mapping {
  if (!product) throw unknown(name)
  return mappingOf(product, null, null)
}

const unknown = (name: string) =>
  new PortError('product_not_found', say('The catalog has no product {name}', { name }), false)

const mappingOf = (
  { product_id, product_title }: NamedProduct,
  variant_id: string | null,
  sku: string | null,
): Mapping => ({
  product_id,
  product_title,
  variant_id,
  sku,
  method: 'manual',
  score: 1,
  reason: say('A program chose it'),
})
