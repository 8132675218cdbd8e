// The catalog as plugins see it: exact SKUs from the storefront itself, guesses from the mirror.
import type { Catalog } from '../../plugins/contract.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { Matcher } from '../matching/match.ts'
import { readNameRules } from '../matching/name-rules.ts'
import { findSpelledSkus } from '../matching/spelled-skus.ts'
import { findProduct } from '../storefront/mirror/lookup.ts'
import type { LiveCatalog } from '../storefront/storefront.ts'

export const createCatalogPort = (
  scope: ShopScope,
  live: LiveCatalog,
  match: Matcher,
): Catalog => ({
  findBySku: (skus, signal) => live.findBySku(skus, signal),
  findBySpelling: async (skus, signal) => {
    signal.throwIfAborted()
    return findSpelledSkus(scope, skus)
  },
  match: (files, rules, signal) => match(scope, files, rules, signal),
  rules: async (signal) => {
    signal.throwIfAborted()
    return readNameRules(scope)
  },
  findProduct: async (productId, variantId, signal) => {
    signal.throwIfAborted()
    return findProduct(scope, productId, variantId)
  },
})
