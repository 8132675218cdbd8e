// Matching files to products: one way after another, each over the files that the ways before it have left.
import {
  nameKey,
  type FileView,
  type Mapping,
  type Match,
  type MatchMethod,
  type MatchRules,
} from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { productsByTag, titlesOf, variantsBySkuKey } from '../storefront/mirror/lookup.ts'
import { decide, hitOfTitle, hitsOfFilename, hitsOfTags, MARGIN, MOST_CANDIDATES, MOST_TAGGED } from './hits.ts'
import { skuPrefixes } from './sku-prefix.ts'
import type { TitleCache } from './title-cache.ts'
import type { TitleHit } from './title-index.ts'
import { wordsOfName } from './words.ts'

export type Named = Pick<FileView, 'filename' | 'tags'>

/** The hits of one way of matching, a list a file. */
type Way = (scope: ShopScope, files: readonly Named[], threshold: number, signal: AbortSignal) => Promise<Mapping[][]>

/** Gives an answer a file, in their order. */
export type Matcher = (
  scope: ShopScope,
  files: readonly Named[],
  rules: MatchRules,
  signal: AbortSignal,
) => Promise<Match[]>

// Between these the process answers others.
const TITLES_AT_ONCE = 20

export function createMatcher(cache: TitleCache): Matcher {
  const ways: Record<Exclude<MatchMethod, 'sku'>, Way> = {
    filename: byFilename,
    tags: byTags,
    title: (...given) => byTitle(cache, ...given),
  }
  return async (scope, files, rules, signal) => {
    const decided: (Match | null)[] = files.map(() => null)
    for (const method of rules.by) {
      // Only an import names a SKU, and that is looked up in the live catalog.
      if (method === 'sku') continue
      signal.throwIfAborted()
      const open = [...decided.keys()].filter((at) => decided[at] === null)
      if (open.length === 0) break
      const hits = await ways[method](scope, open.map((at) => files[at]!), rules.threshold, signal) // prettier-ignore
      open.forEach((at, place) => (decided[at] = decide(hits[place]!, rules.threshold)))
    }
    return decided.map((match) => match ?? { mapping: null, candidates: [] })
  }
}

async function byFilename(scope: ShopScope, files: readonly Named[]): Promise<Mapping[][]> {
  const prefixes = files.map(({ filename }) => skuPrefixes(filename))
  const known = Map.groupBy(await variantsBySkuKey(scope, [...new Set(prefixes.flat())]), ({ key }) => key)
  return files.map(({ filename }, at) => {
    const longest = prefixes[at]!.find((prefix) => known.has(prefix))
    return longest === undefined ? [] : hitsOfFilename(filename, longest, known.get(longest)!)
  })
}

async function byTags(scope: ShopScope, files: readonly Named[]): Promise<Mapping[][]> {
  const keys = files.map(({ tags }) => tags.map(nameKey))
  const all = [...new Set(keys.flat())]
  const skus = Map.groupBy(await variantsBySkuKey(scope, all), ({ key }) => key)
  const tagged = Map.groupBy(await productsByTag(scope, all, MOST_TAGGED), ({ key }) => key)
  return keys.map((own) =>
    hitsOfTags(
      own.flatMap((key) => skus.get(key) ?? []),
      own.flatMap((key) => tagged.get(key) ?? []),
    ),
  )
}

async function byTitle(
  cache: TitleCache,
  scope: ShopScope,
  files: readonly Named[],
  threshold: number,
  signal: AbortSignal,
): Promise<Mapping[][]> {
  const index = await cache.of(scope)
  const options = { floor: threshold, margin: MARGIN, limit: MOST_CANDIDATES }
  const found: TitleHit[][] = []
  for (const [at, { filename }] of files.entries()) {
    if (at % TITLES_AT_ONCE === 0) await new Promise(setImmediate)
    signal.throwIfAborted()
    found.push(index.search(wordsOfName(filename), options))
  }
  const titles = await titlesOf(scope, [...new Set(found.flat().map(({ id }) => id))])
  // A product that has gone since the index was built is none any more.
  return found.map((hits) =>
    hits.flatMap(({ id, score }) => (titles.has(id) ? [hitOfTitle(id, titles.get(id)!, score)] : [])),
  )
}
