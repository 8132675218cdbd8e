// SKUs that a filename may contain: `{product_sku}_{filename}.pdf`, or anywhere between delimiters.
// A SKU may contain delimiters itself, so every run of parts is a question to the catalog, asked in
// batches.
import { nameKey } from '../../plugins/contract.ts'
import { stemOf } from './words.ts'

/**
 * What is no delimiter. migrations/0004_products-and-reviews.ts splits SKUs at the same characters
 * (sku_parts).
 */
const PARTS = /[^ \-_.()[\]{}]+/g
/** The platform has no SKU longer than this. */
const LONGEST_SKU = 255
/** After the start of the name: longer runs would be many questions, for SKUs that nobody has. */
const MOST_PARTS = 6
/** A shorter one may be there by chance. */
const TELLING = 3

/** Parts of the name that follow one another. */
export interface NameRun {
  /** The parts with `-` between them, as the mirror has SKUs. */
  key: string
  /** As the name has it, in lower case. */
  text: string
  /** Where it begins and ends in the name's key. */
  from: number
  to: number
  /** Nothing but delimiters comes before it. */
  first: boolean
  /** Nothing but an extension follows, and it is first. */
  whole: boolean
  /** Too short, too plain or too common for a SKU to be meant for sure. */
  weak: boolean
}

/** Those that a name begins with, longest first. */
export function startRuns(filename: string): NameRun[] {
  const { name, parts } = partsOf(filename)
  return parts.flatMap((_, last) => runOf(name, parts, 0, last)).reverse()
}

/** Those elsewhere, in their order; an extension is none. */
export function laterRuns(filename: string): NameRun[] {
  const { name, parts } = partsOf(filename)
  const stem = nameKey(stemOf(filename)).length
  const runs: NameRun[] = []
  for (let at = 1; at < parts.length && parts[at]!.from < stem; at++)
    for (let last = at; last < Math.min(parts.length, at + MOST_PARTS); last++)
      runs.push(...runOf(name, parts, at, last))
  return runs
}

interface Part {
  from: number
  to: number
}

function partsOf(filename: string): { name: string; parts: Part[] } {
  const name = nameKey(filename)
  const parts = [...name.matchAll(PARTS)].map(({ 0: { length }, index }) => ({
    from: index,
    to: index + length,
  }))
  return { name, parts }
}

function runOf(name: string, parts: readonly Part[], at: number, last: number): NameRun[] {
  const [{ from }, { to }] = [parts[at]!, parts[last]!]
  if (to - from > LONGEST_SKU) return []
  const words = parts.slice(at, last + 1).map((part) => name.slice(part.from, part.to))
  const [key, first] = [words.join('-'), at === 0]
  const whole = first && /^[ \-_.()[\]{}]*(\.[a-z0-9]{1,5}){0,2}$/.test(name.slice(to))
  const text = name.slice(from, to)
  // A short one counts only before `_`; other plain ones count at the start of the name.
  const weak = first ? key.length < TELLING && !whole && name[to] !== '_' : isPlain(words.join(''))
  return [{ key, text, from, to, first, whole, weak }]
}

/** Words and numbers are in names for other reasons than a SKU. */
const isPlain = (letters: string) => letters.length < TELLING || /^(\p{L}+|\p{N}+)$/u.test(letters)

/** Those that lie within no other. */
export const outermost = (runs: readonly NameRun[]): NameRun[] =>
  runs.filter(
    ({ from, to }) =>
      !runs.some((one) => one.from <= from && one.to >= to && one.to - one.from > to - from),
  )
