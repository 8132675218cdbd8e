// Title indexes of the shops that are being matched, in the worker's memory: built from the mirror,
// rebuilt when it has changed, dropped when they are unused or others need the memory.
import type { ShopScope } from '../core/db/for-shop.ts'
import { allTitles, generationOf } from '../storefront/mirror/lookup.ts'
import { titleIndexBuilder, type TitleIndex } from './title-index.ts'

/** A title needs about 300 bytes. */
const MAX_TITLES = 120_000
const IDLE_MS = 10 * 60_000

interface CachedIndex {
  generation: number
  index: Promise<TitleIndex>
  /** The number of its titles; 0 while it is built. */
  titles: number
  timer: NodeJS.Timeout
}

export interface TitleCache {
  /** The index of the shop's titles in the mirror now. */
  of(scope: ShopScope): Promise<TitleIndex>
  readonly titles: number
}

/** @param maxTitles of all shops together; the index that was used last is kept in any case. */
export function createTitleCache(maxTitles = MAX_TITLES): TitleCache {
  // The indexes by shop, least recently used first.
  const kept = new Map<number, CachedIndex>()
  const titles = () => [...kept.values()].reduce((sum, one) => sum + one.titles, 0)
  const forget = (shop: number, entry: CachedIndex) => {
    clearTimeout(entry.timer)
    if (kept.get(shop) === entry) kept.delete(shop)
  }
  const begin = (scope: ShopScope, generation: number): CachedIndex => {
    const entry: CachedIndex = {
      generation,
      index: build(scope),
      titles: 0,
      timer: setTimeout(() => {}, 0),
    }
    entry.index.then(
      ({ size }) => {
        entry.titles = size
        for (const [shop, other] of kept)
          if (titles() > maxTitles && shop !== scope.shop) forget(shop, other)
      },
      () => forget(scope.shop, entry),
    )
    return entry
  }
  return {
    get titles() {
      return titles()
    },
    of: async (scope) => {
      const generation = await generationOf(scope)
      const there = kept.get(scope.shop)
      if (there && there.generation !== generation) forget(scope.shop, there)
      const entry = kept.get(scope.shop) ?? begin(scope, generation)
      clearTimeout(entry.timer)
      entry.timer = setTimeout(() => forget(scope.shop, entry), IDLE_MS).unref()
      kept.delete(scope.shop)
      kept.set(scope.shop, entry)
      return entry.index
    },
  }
}

/** Builds an index a page at a time, so that other jobs of the worker get their turns. */
async function build(scope: ShopScope): Promise<TitleIndex> {
  const builder = titleIndexBuilder()
  for await (const page of allTitles(scope))
    for (const { id, title } of page) builder.add(id, title)
  return builder.build()
}
