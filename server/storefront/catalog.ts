// The live catalog of one shop. Concurrent batches share queries: while one is in progress, SKUs
// are collected for the next.
import { type CatalogVariant, nameKey, PortError, say } from '../../plugins/contract/index.ts'
import { zip, present } from '../core/lazy.ts'
import { skuKey } from '../core/sku-key.ts'
import type { LiveCatalog } from './storefront.ts'
import type { AdminRequest, PlatformPage } from './admin-api.ts'
import { FIND_VARIANTS_BY_SKU } from './operations.ts'

/** Finds each of at most `MAX_ROWS` SKUs; the result of an unknown SKU is an empty list. */
export type Search = (skus: readonly string[], signal: AbortSignal) => Promise<VariantsBySku>

/** A SKU with waiting callers. */
interface WaitingSku {
  sku: string
  waiters: number
  query: Query | null
  answer: PromiseWithResolvers<readonly CatalogVariant[]>
}

interface Query {
  /** The SKUs that still have a waiting caller. */
  entries: Set<WaitingSku>
  abort: AbortController
}

const QUERY_CONCURRENCY = 2
const MAX_CHARACTERS = 20_000
/** The platform's longest SKU. */
const MAX_SKU_LENGTH = 255

export const createCatalog = (search: Search, closing: AbortSignal): LiveCatalog =>
  new SharedCatalog(search, closing)

class SharedCatalog implements LiveCatalog {
  readonly #search: Search
  readonly #closing: AbortSignal
  readonly #waiting = new Map<string, WaitingSku>()
  #running = 0
  #scheduled = false

  constructor(search: Search, closing: AbortSignal) {
    this.#search = search
    this.#closing = closing
  }

  async findBySku(
    skus: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, readonly CatalogVariant[]>> {
    signal.throwIfAborted()
    const distinct = [...new Set(skus)].filter(
      (sku) => sku.trim() !== '' && sku.length <= MAX_SKU_LENGTH,
    )
    const entries = distinct.map((sku) => this.#addWaiter(sku))
    this.#schedule()
    try {
      const answers = await untilAborted(
        Promise.all(entries.map(({ answer }) => answer.promise)),
        signal,
      )
      return new Map(zip(distinct, answers).filter(([, found]) => found.length > 0))
    } finally {
      for (const entry of entries) this.#removeWaiter(entry)
    }
  }

  #addWaiter(sku: string): WaitingSku {
    const entry = this.#waiting.get(sku) ?? this.#addSku(sku)
    entry.waiters++
    return entry
  }

  #addSku(sku: string): WaitingSku {
    const entry: WaitingSku = { sku, waiters: 0, query: null, answer: Promise.withResolvers() }
    // No caller may be left when it fails.
    entry.answer.promise.catch(() => {})
    this.#waiting.set(sku, entry)
    return entry
  }

  #removeWaiter(entry: WaitingSku): void {
    if (--entry.waiters > 0) return
    this.#forget(entry)
    entry.query?.entries.delete(entry)
    if (entry.query?.entries.size === 0) entry.query.abort.abort()
  }

  #forget(entry: WaitingSku): void {
    if (this.#waiting.get(entry.sku) === entry) this.#waiting.delete(entry.sku)
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    // Deferred, so that requests of the same event loop turn share the query.
    setImmediate(() => {
      this.#scheduled = false
      while (this.#running < QUERY_CONCURRENCY) {
        const next = takeQuery(this.#waiting.values())
        if (next.length === 0) break
        void this.#run(next)
      }
    })
  }

  async #run(entries: readonly WaitingSku[]): Promise<void> {
    this.#running++
    const query: Query = { entries: new Set(entries), abort: new AbortController() }
    for (const entry of entries) entry.query = query
    const signal = AbortSignal.any([query.abort.signal, this.#closing])
    try {
      const skus = entries.map(({ sku }) => sku)
      const found = await this.#search(skus, signal)
      for (const entry of entries) entry.answer.resolve(found.get(entry.sku) ?? [])
    } catch (error) {
      for (const entry of entries) entry.answer.reject(error)
    } finally {
      this.#running--
      for (const entry of entries) this.#forget(entry)
      this.#schedule()
    }
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>()
  const onAbort = () => stop.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stop.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The SKUs of the next query, in the order of the requests. */
function takeQuery(all: Iterable<WaitingSku>): WaitingSku[] {
  const taken: WaitingSku[] = []
  let characters = 0
  for (const entry of all) {
    if (entry.query !== null) continue
    // The search may read it as a prefix, so it gets a separate query.
    const alone = entry.sku.includes('*')
    characters += quoteSearchValue(entry.sku).length
    if (taken.length > 0 && (alone || characters > MAX_CHARACTERS)) break
    taken.push(entry)
    if (alone || taken.length === MAX_SKU_ROWS) break
  }
  return taken
}

// Finds exact SKUs by the platform's search, which ignores case and may match more: it gives
// candidates, page by page, which are compared here: exactly, then ignoring case if they belong to
// one product.

type VariantsBySku = ReadonlyMap<string, readonly CatalogVariant[]>

interface Page {
  productVariants: PlatformPage<{
    id: string
    sku: string | null
    title: string
    product: { id: string; title: string }
  }>
}

/** The platform takes no more than this many rows a page. */
const MAX_SKU_ROWS = 250
// Later pages contain only duplicates and near misses, usually few.
const LATER_ROWS = 100
const MAX_PAGES = 12

/** A connection costs 2 points, and a variant with its product 2. */
const pointsFor = (first: number) => 2 + 2 * first

/** A search value that matches exactly this text: quoted, with special characters escaped. Exported for tests. */
export const quoteSearchValue = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The platform's search tells the forms of a text apart that `skuKey` does not. */
const formsOf = (sku: string): string[] => {
  const text = sku.trim()
  const plain = skuKey(text) === nameKey(text) ? [] : [skuKey(text)]
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD'), ...plain])]
}

/**
 * The variants that have these SKUs, in the platform's order. If no variant matches exactly: those
 * that differ in case or in spaces around the SKU, if they belong to one product. Throws
 * `PortError`.
 * @param skus at most `MAX_ROWS`, each once.
 */
export async function searchSkus(
  request: AdminRequest,
  skus: readonly string[],
  signal: AbortSignal,
): Promise<VariantsBySku> {
  const found = new Map<string, CatalogVariant[]>(skus.map((sku) => [sku, []]))
  const loose = new Map<string, CatalogVariant[]>(skus.map((sku) => [skuKey(sku), []]))
  const terms = skus.flatMap(formsOf).map((text) => `sku:${quoteSearchValue(text)}`)
  const query = terms.join(' OR ')
  let after: string | null = null
  for (let page = 1; ; page++) {
    const first = page === 1 ? Math.min(Math.ceil(skus.length * 1.02), MAX_SKU_ROWS) : LATER_ROWS
    const variables = { query, first, after }
    const data: Page = await request<Page>(
      FIND_VARIANTS_BY_SKU,
      variables,
      pointsFor(first),
      signal,
    )
    for (const { id, sku, title, product } of data.productVariants.nodes) {
      if (sku === null) continue
      const variant = {
        product_id: product.id,
        product_title: product.title,
        variant_id: id,
        variant_title: title,
        sku,
      }
      found.get(sku)?.push(variant)
      loose.get(skuKey(sku))?.push(variant)
    }
    const { hasNextPage, endCursor } = data.productVariants.pageInfo
    if (!hasNextPage || endCursor === null) return withLoose(found, loose)
    if (page === MAX_PAGES) return tooLoose(request, skus, found, signal)
    after = endCursor
  }
}

function withLoose(found: VariantsBySku, loose: VariantsBySku): VariantsBySku {
  const isOne = (variants: readonly CatalogVariant[]) =>
    new Set(variants.map(({ product_id }) => product_id)).size === 1
  return new Map(
    [...found].map(([sku, exact]) => {
      const near = present(loose.get(skuKey(sku)), sku)
      return [sku, exact.length === 0 && isOne(near) ? near : exact]
    }),
  )
}

/**
 * Handles a SKU that matches very many others in the search: it must not make the other SKUs of the
 * query fail.
 */
async function tooLoose(
  request: AdminRequest,
  skus: readonly string[],
  found: VariantsBySku,
  signal: AbortSignal,
): Promise<VariantsBySku> {
  const [sku, ...others] = skus
  if (sku !== undefined && others.length === 0) {
    // These matches are exact, but there may be more.
    if (present(found.get(sku), sku).length > 0) return found
    throw new PortError(
      'storefront_unavailable',
      say('The storefront’s search finds too much for the SKU {sku}', { sku }),
      false,
    )
  }
  const half = Math.ceil(skus.length / 2)
  const halves = [skus.slice(0, half), skus.slice(half)]
  const parts: VariantsBySku[] = []
  for (const part of halves) parts.push(await searchSkus(request, part, signal))
  return new Map(parts.flatMap((part) => [...part]))
}
