// The live catalog of one shop. Concurrent batches share queries: while one is in progress, SKUs
// are collected for the next.
import type { CatalogVariant } from '../../plugins/contract.ts'
import type { LiveCatalog } from './storefront.ts'
import { MAX_SKU_ROWS, quoteSearchValue, type VariantsBySku } from './sku-search.ts'
import { zip } from '../core/present.ts'

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
