// The live catalog of one shop. Concurrent batches share queries: while one is in progress, SKUs
// are collected for the next.
import type { CatalogVariant } from '../../plugins/contract.ts'
import type { LiveCatalog } from './storefront.ts'
import { MAX_SKU_ROWS, quoteSearchValue, type Found } from './sku-search.ts'

/** Finds each of at most `MAX_ROWS` SKUs; the result of an unknown SKU is an empty list. */
export type Search = (skus: readonly string[], signal: AbortSignal) => Promise<Found>

/** A SKU with a waiting caller. */
interface Wanted {
  sku: string
  waiting: number
  query: Query | null
  answer: PromiseWithResolvers<readonly CatalogVariant[]>
}

interface Query {
  wanted: Set<Wanted>
  abort: AbortController
}

const QUERY_CONCURRENCY = 2
const MAX_CHARACTERS = 20_000
/** The platform's longest SKU. */
const MAX_SKU_LENGTH = 255

export function createCatalog(search: Search, closing: AbortSignal): LiveCatalog {
  const wanted = new Map<string, Wanted>()
  let running = 0
  let scheduled = false

  const schedule = () => {
    if (scheduled) return
    scheduled = true
    // Deferred, so that requests of the same event loop turn share the query.
    setImmediate(() => {
      scheduled = false
      while (running < QUERY_CONCURRENCY) {
        const next = takeQuery(wanted.values())
        if (next.length === 0) break
        void run(next)
      }
    })
  }
  const run = async (entries: readonly Wanted[]) => {
    running++
    const query: Query = { wanted: new Set(entries), abort: new AbortController() }
    for (const entry of entries) entry.query = query
    const signal = AbortSignal.any([query.abort.signal, closing])
    try {
      const skus = entries.map(({ sku }) => sku)
      const found = await search(skus, signal)
      for (const entry of entries) entry.answer.resolve(found.get(entry.sku) ?? [])
    } catch (error) {
      for (const entry of entries) entry.answer.reject(error)
    } finally {
      running--
      for (const entry of entries) forget(entry)
      schedule()
    }
  }
  const forget = (entry: Wanted) => {
    if (wanted.get(entry.sku) === entry) wanted.delete(entry.sku)
  }
  const want = (sku: string): Wanted => {
    let entry = wanted.get(sku)
    if (!entry) {
      entry = { sku, waiting: 0, query: null, answer: Promise.withResolvers() }
      // No caller may be left when it fails.
      entry.answer.promise.catch(() => {})
      wanted.set(sku, entry)
    }
    entry.waiting++
    return entry
  }
  const removeWaiter = (entry: Wanted) => {
    if (--entry.waiting > 0) return
    forget(entry)
    entry.query?.wanted.delete(entry)
    if (entry.query?.wanted.size === 0) entry.query.abort.abort()
  }

  return {
    findBySku: async (skus, signal) => {
      signal.throwIfAborted()
      const distinct = [...new Set(skus)].filter(
        (sku) => sku.trim() !== '' && sku.length <= MAX_SKU_LENGTH,
      )
      const entries = distinct.map(want)
      schedule()
      const stop = Promise.withResolvers<never>()
      const onAbort = () => stop.reject(signal.reason as Error)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        const answers = await Promise.race([
          Promise.all(entries.map(({ answer }) => answer.promise)),
          stop.promise,
        ])
        return new Map(
          distinct
            .map((sku, at) => [sku, answers[at]!] as const)
            .filter(([, found]) => found.length > 0),
        )
      } finally {
        signal.removeEventListener('abort', onAbort)
        entries.forEach(removeWaiter)
      }
    },
  }
}

/** The SKUs of the next query, in the order of the requests. */
function takeQuery(all: Iterable<Wanted>): Wanted[] {
  const taken: Wanted[] = []
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
