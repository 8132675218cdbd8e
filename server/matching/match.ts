// Matches files to products: one method after another, each for the files that earlier methods have
// not matched.
import {
  nameKey,
  type Match,
  type MatchMethod,
  type MatchRules,
  type FileView,
  type Mapping,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import {
  productsByTag,
  titlesOf,
  variantsBySkuKey,
  variantsBySkuParts,
  type MirroredVariant,
} from '../storefront/mirror/lookup.ts'
import {
  decideMatch,
  hitOfTitle,
  hitsOfFilename,
  hitsOfTags,
  MAX_TAGGED,
  NEAR,
  suggestionsOf,
  withRivals,
} from './hits.ts'
import { isOtherSpelling, scoreWords } from './score.ts'
import { laterRuns, outermost, startRuns, type NameRun } from './sku-in-name.ts'
import { haveOneSku, spelledVariants } from './spelled-skus.ts'
import type { TitleCache } from './title-cache.ts'
import type { TitleIndex } from './title-index.ts'
import {
  exactForm,
  loose,
  otherwise,
  stemOf,
  withoutEscapes,
  wordsOf,
  wordsOfName,
  type Words,
} from './words.ts'
import { zip } from '../core/lazy.ts'
import { skuKey } from '../core/sku-key.ts'

export type NamedFile = Pick<FileView, 'filename' | 'tags'>

/** A file with what the methods before have found. */
interface MatchingFile {
  file: NamedFile
  match: Match | null
  near: Mapping[]
}

/** One method of matching: the hits, a list for each file. */
type MatchBy = (
  scope: ShopScope,
  files: readonly NamedFile[],
  rules: MatchRules,
  signal: AbortSignal,
) => Promise<Mapping[][]>

/** Returns one match for each file, in their order. */
export type Matcher = (
  scope: ShopScope,
  files: readonly NamedFile[],
  rules: MatchRules,
  signal: AbortSignal,
) => Promise<Match[]>

/** Limits of the first search: if a name is nearly a title, few titles have to be scored. */
const CLOSE = { floor: 0.7, margin: 0.1, limit: 20 }
/**
 * Limits of the second search. A typo in a short title costs half its trigrams; a title with fewer
 * in common is not suggested.
 */
const ALIKE = { floor: 0.4, margin: 0.15, limit: 20 }
// After this many titles, other work of the process gets a turn.
const TITLES_PER_TURN = 20

export function createMatcher(cache: TitleCache): Matcher {
  const methods: Record<Exclude<MatchMethod, 'sku'>, MatchBy> = {
    filename: (...given) => byFilename(cache, ...given),
    tags: byTags,
    title: (...given) => byTitle(cache, ...given),
  }
  return async (scope, files, rules, signal) => {
    const named = files.map(({ filename, tags }): MatchingFile => ({
      file: { filename: withoutEscapes(filename), tags },
      match: null,
      near: [],
    }))
    for (const method of rules.by) {
      // Only an import names a SKU, which is looked up in the live catalog.
      if (method === 'sku') continue
      signal.throwIfAborted()
      const open = named.filter(({ match }) => match === null)
      if (open.length === 0) break
      // oxfmt-ignore
      const hits = await methods[method](scope, open.map(({ file }) => file), rules, signal)
      for (const [one, own] of zip(open, hits)) {
        const { match, near } = decideMatch(own, rules.threshold)
        one.match = match
        one.near.push(...near)
      }
    }
    return named.map(
      ({ match, near }) =>
        match ?? { mapping: null, candidates: [], suggestions: suggestionsOf(near) },
    )
  }
}

/** SKUs at the start come first: the other parts are looked up only for names without one. */
async function byFilename(
  cache: TitleCache,
  scope: ShopScope,
  files: readonly NamedFile[],
  rules: MatchRules,
  signal: AbortSignal,
): Promise<Mapping[][]> {
  // oxfmt-ignore
  const starts = await knownRuns(scope, files.map(({ filename }) => startRuns(filename)))
  const named = zip(files, starts).map(([file, start]) => ({
    file,
    start,
    hits: [] as Mapping[],
    found: start
      .filter(({ run }) => !run.weak && !(rules.start_only && isAmbiguous(run)))
      .slice(0, 1),
  }))
  if (rules.start_only) return named.map(({ found }) => hitsOfFilename(found))
  const open = named.filter(({ found }) => found.length === 0)
  // oxfmt-ignore
  const later = await knownRuns(scope, open.map(({ file }) => laterRuns(file.filename)))
  for (const [one, runs] of zip(open, later)) one.found = significantRuns([...one.start, ...runs])
  const left = open.filter(({ found }) => found.length === 0)
  // oxfmt-ignore
  const spelled = await spelledRuns(scope, left.map(({ file: { filename } }) => [...startRuns(filename), ...laterRuns(filename)]))
  for (const [one, runs] of zip(left, spelled)) one.found = significantRuns(runs)
  for (const one of named) one.hits = hitsOfFilename(one.found)
  const plain = rules.by.includes('title')
    ? named.filter(({ found }) => found.some(({ run }) => run.plain && !run.weak))
    : []
  // oxfmt-ignore
  const titles = await byTitle(cache, scope, plain.map(({ file }) => file), rules, signal)
  for (const [one, ofTitle] of zip(plain, titles)) {
    const runs = one.found.map(({ run }) => run)
    const rivals = rivalsOf(one.file.filename, runs, ofTitle, rules.threshold)
    one.hits = withRivals(one.hits, rivals)
  }
  return named.map(({ hits }) => hits)
}

/** A word or a number before other words: `Knots for sailors`, `2025 plan`. */
const isAmbiguous = ({ plain, whole }: NameRun) => plain && !whole

/**
 * Titles that are like the whole name and have the words of its SKUs, which may be there by chance.
 */
function rivalsOf(
  filename: string,
  runs: readonly NameRun[],
  titles: readonly Mapping[],
  threshold: number,
): Mapping[] {
  const name = wordsOfName(filename)
  const ofSkus = runs.filter(({ plain }) => plain).flatMap(({ text }) => allWords(wordsOf(text)))
  const countIn = (words: Words, word: string) =>
    allWords(words).filter((one) => one === word).length
  return titles.filter(({ product_title, score }) => {
    const title = wordsOf(product_title)
    const isExplained = (word: string) => countIn(title, word) >= Math.max(1, countIn(name, word))
    return score >= threshold && ofSkus.every(isExplained)
  })
}

const allWords = ({ letters, numbers }: Words) => [...letters, ...numbers]

interface KnownRun {
  run: NameRun
  variants: readonly MirroredVariant[]
}

/** The parts of each name that are SKUs of the catalog. */
async function knownRuns(
  scope: ShopScope,
  runs: readonly (readonly NameRun[])[],
): Promise<KnownRun[][]> {
  const keys = new Set(runs.flatMap((own) => own.map(({ key }) => key)))
  const known = Map.groupBy(await variantsBySkuParts(scope, [...keys]), ({ key }) => key)
  return runs.map((own) =>
    own.flatMap((run) => {
      const variants = known.get(run.key)
      return variants ? [withWeakness(run, variants)] : []
    }),
  )
}

/**
 * The parts of names without a SKU that are one in another spelling. One of several SKUs is only a
 * suggestion.
 */
async function spelledRuns(
  scope: ShopScope,
  runs: readonly (readonly NameRun[])[],
): Promise<KnownRun[][]> {
  const found = await spelledVariants(scope, [...new Set(runs.flat().map(({ key }) => key))])
  return runs.map((own) =>
    own.flatMap((run) => {
      const variants = found.get(run.key)
      if (!variants) return []
      const weak = run.weak || !haveOneSku(variants) || isAmbiguous(run)
      return [{ run: { ...run, isSpelled: true, weak }, variants }]
    }),
  )
}

/**
 * If SKUs differ only in their delimiters, those in the name decide. A SKU of words or numbers that
 * the name contains with the same delimiters is not there by chance, unless they are spaces.
 */
function withWeakness(run: NameRun, variants: readonly MirroredVariant[]): KnownRun {
  const same = variants.filter(({ sku }) => skuKey(sku) === run.text)
  if (same.length === 0) return { run, variants }
  const intended = !run.first && /[-_.]/.test(run.text)
  return { run: { ...run, weak: run.weak && !intended }, variants: same }
}

/** A SKU within a longer SKU is ignored; weak ones count only if there are no others. */
function significantRuns(found: readonly KnownRun[]): KnownRun[] {
  const outer = new Set(outermost(found.map(({ run }) => run)))
  const whole = found.filter(({ run }) => outer.has(run))
  const sure = whole.filter(({ run }) => !run.weak)
  return sure.length > 0 ? sure : whole
}

async function byTags(scope: ShopScope, files: readonly NamedFile[]): Promise<Mapping[][]> {
  const all = [...new Set(files.flatMap(({ tags }) => tags))]
  const codes = await variantsBySkuKey(scope, [...new Set(all.map(skuKey))])
  const skus = Map.groupBy(codes, ({ key }) => key)
  const products = await productsByTag(scope, [...new Set(all.map(nameKey))], MAX_TAGGED)
  const tagged = Map.groupBy(products, ({ key }) => key)
  return files.map(({ tags }) =>
    hitsOfTags(
      tags.flatMap((tag) => skus.get(skuKey(tag)) ?? []),
      tags.flatMap((tag) => tagged.get(nameKey(tag)) ?? []),
    ),
  )
}

/** The index finds similar titles, and each of them is scored word by word. */
async function byTitle(
  cache: TitleCache,
  scope: ShopScope,
  files: readonly NamedFile[],
  { threshold }: MatchRules,
  signal: AbortSignal,
): Promise<Mapping[][]> {
  if (files.length === 0) return []
  const index = await cache.of(scope)
  const names = files.map(({ filename }) => wordsOfName(filename))
  const least = Math.min(threshold, NEAR)
  const found = await scored(scope, names, await searched(index, names, CLOSE, signal), least)
  const named = zip(names, found).map(([name, hits]) => ({ name, hits }))
  const open = named.filter(({ hits }) => !hits.some(({ score }) => score >= threshold))
  const left = open.map(({ name }) => name)
  const further = await scored(scope, left, await searched(index, left, ALIKE, signal), least)
  for (const [one, hits] of zip(open, further)) one.hits = hits
  return zip(files, named).map(([{ filename }, { hits }]) => exactOrAll(filename, hits))
}

/**
 * A title that is written exactly like the name wins over others that are only equal by their words.
 * Exported for the bench of matching.
 */
export function exactOrAll(filename: string, hits: readonly Mapping[]): Mapping[] {
  if (hits.length < 2) return [...hits]
  const name = exactForm(stemOf(filename))
  const exact = hits.filter((hit) => hit.score === 1 && exactForm(hit.product_title) === name)
  return exact.length > 0 ? exact : [...hits]
}

async function searched(
  index: TitleIndex,
  names: readonly Words[],
  options: Parameters<TitleIndex['search']>[1],
  signal: AbortSignal,
): Promise<string[][]> {
  const found: string[][] = []
  for (const [at, words] of names.entries()) {
    if (at % TITLES_PER_TURN === 0) await new Promise(setImmediate)
    signal.throwIfAborted()
    const alike = spelledForms(index, words).flatMap((form) => index.search(form, options))
    const sounding = index.soundingLike(words).slice(0, options.limit)
    found.push([...alike.map(({ id }) => id), ...sounding])
  }
  return found
}

/** The forms in which a name is searched. */
function spelledForms({ hasSpellings }: TitleIndex, words: Words): Words[] {
  const { romanised } = words
  const sounding = romanised === null ? [] : [{ ...words, letters: romanised.words }]
  if (words.spellings.size > 0) return [words, ...otherwise(words), ...sounding]
  if (romanised !== null) return [words, ...sounding]
  const other = hasSpellings ? loose(words) : null
  return other === null ? [words] : [words, other]
}

/** Scores titles word by word, without products that were deleted since the index was built. */
async function scored(
  scope: ShopScope,
  names: readonly Words[],
  found: readonly (readonly string[])[],
  least: number,
): Promise<Mapping[][]> {
  const ids = [...new Set(found.flat())]
  const titles = ids.length > 0 ? await titlesOf(scope, ids) : new Map<string, string>()
  const known = new Map([...titles].map(([id, title]) => [id, { title, words: wordsOf(title) }]))
  return zip(names, found).map(([name, hits]) =>
    [...new Set(hits)]
      .flatMap((id) => {
        const there = known.get(id)
        return there ? [hitOfWords(id, name, there)] : []
      })
      .filter(({ score }) => score >= least),
  )
}

const hitOfWords = (id: string, name: Words, { title, words }: { title: string; words: Words }) =>
  hitOfTitle(id, title, scoreWords(name, words), isOtherSpelling(name, words))
