// SKUs that a filename may contain: `{product_sku}_{filename}.pdf`, or anywhere between delimiters.
// A SKU may contain delimiters itself, so every sequence of parts is looked up in the catalog, in
// batches.
import { stemOf } from './words.ts'
import { firstOf, lastOf } from '../core/lazy.ts'
import { skuKey } from '../core/sku-key.ts'

/**
 * Everything between delimiters. migrations/0004_products.ts splits SKUs at the same
 * characters (sku_parts).
 */
const PARTS = /[^ \-_.()[\]{}]+/g
/** The platform's longest SKU. */
const MAX_SKU_LENGTH = 255
/**
 * The longest sequence after the start of the name: longer ones need many look-ups, and are rarely
 * SKUs.
 */
const MAX_PARTS = 6
/** A shorter SKU may be in the name by chance. */
const MIN_SKU_LENGTH = 3

/** Consecutive parts of the name. */
export interface NameRun {
  /** The parts joined with `-`, like SKUs in the mirror. */
  key: string
  /** The text in the name, in lower case. */
  text: string
  /** Where the sequence begins and ends in the name's key. */
  from: number
  to: number
  /** Do only delimiters precede it? */
  first: boolean
  /** Is it first, and followed by an extension at most? */
  whole: boolean
  /** Is it too short, too plain or too common to be surely a SKU? */
  weak: boolean
  /** Is it letters only or digits only, like the words of a title? */
  plain: boolean
  /** Is it the SKU in another spelling? */
  isSpelled?: boolean
}

/** The sequences at the start of the name, longest first. */
export function startRuns(filename: string): NameRun[] {
  const { name, parts } = partsOf(filename)
  return parts.flatMap((_, last) => runOf(name, parts, 0, last)).reverse()
}

/** The other sequences, in their order; an extension is excluded. */
export function laterRuns(filename: string): NameRun[] {
  const { name, parts } = partsOf(filename)
  const stem = skuKey(stemOf(filename)).length
  const runs: NameRun[] = []
  for (const [at, { from }] of parts.entries()) {
    if (at === 0 || from >= stem) continue
    for (let last = at; last < Math.min(parts.length, at + MAX_PARTS); last++)
      runs.push(...runOf(name, parts, at, last))
  }
  return runs
}

interface Part {
  from: number
  to: number
}

function partsOf(filename: string): { name: string; parts: Part[] } {
  const name = skuKey(filename)
  const parts = [...name.matchAll(PARTS)].map(({ 0: { length }, index }) => ({
    from: index,
    to: index + length,
  }))
  return { name, parts }
}

function runOf(name: string, parts: readonly Part[], at: number, last: number): NameRun[] {
  const own = parts.slice(at, last + 1)
  const [{ from }, { to }] = [firstOf(own), lastOf(own)]
  if (to - from > MAX_SKU_LENGTH) return []
  const words = own.map((part) => name.slice(part.from, part.to))
  const [key, first] = [words.join('-'), at === 0]
  const whole = first && /^[ \-_.()[\]{}]*(\.[a-z0-9]{1,5}){0,2}$/.test(name.slice(to))
  const text = name.slice(from, to)
  // A short one counts only before `_`; other plain ones count at the start of the name.
  const plain = /^(\p{L}+|\p{N}+)$/u.test(words.join(''))
  const isShort = key.length < MIN_SKU_LENGTH
  const weak = first ? isShort && !whole && name[to] !== '_' : isShort || plain
  return [{ key, text, from, to, first, whole, weak, plain }]
}

/** The sequences that are not inside another one. */
export const outermost = (runs: readonly NameRun[]): NameRun[] =>
  runs.filter(
    ({ from, to }) =>
      !runs.some((one) => one.from <= from && one.to >= to && one.to - one.from > to - from),
  )
