// Rules about packs that plugins and the server share: their names, how a cell of a table names
// several, and how a change of a file's packs changes its products.
import { z } from 'zod'
import { nameKey } from '../_page/name-key.ts'
import type { FileChange, FileView, Mapping, NamedPacks } from './item.ts'
import { sayFixed, sayPlain, textIssue } from './text.ts'
import { UNSAFE_CHARACTERS } from './rules.ts'

const MAX_NAME_LENGTH = 255

/** How many packs a request or a row can name for a file. */
export const MAX_NAMED_PACKS = 100

/**
 * The problem of a pack's name, or null. Folders become packs and packs become folders: no name has
 * a slash.
 */
export function packNameProblem(name: string): { code: 'invalid_value'; message: string } | null {
  const wrong = (message: string) => ({ code: 'invalid_value', message }) as const
  if (name.trim() === '') return wrong('Give the pack a name')
  if (name !== name.trim()) return wrong('A pack’s name cannot begin or end with a space')
  if ([...name].length > MAX_NAME_LENGTH)
    return wrong(`A pack’s name has at most ${MAX_NAME_LENGTH} characters`)
  if (/[\\/]/.test(name) || name === '.' || name === '..')
    return wrong('A pack’s name cannot contain / or \\')
  if (!name.isWellFormed() || UNSAFE_CHARACTERS.test(name))
    return wrong('A pack’s name cannot contain control or text-direction characters')
  return null
}

/** A pack's name in a request. */
export const packName = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const problem = packNameProblem(value)
    if (problem) context.addIssue(textIssue(problem.message, { code: problem.code }))
  })

/** Names of packs in a request. */
export const packNames = z
  .array(packName)
  .max(MAX_NAMED_PACKS, sayFixed('At most {count} packs', { count: MAX_NAMED_PACKS }))

const sameTarget = (a: Mapping, b: Mapping) =>
  a.product_id === b.product_id && a.variant_id === b.variant_id

/** A pack that a file enters: one that exists, or a name that creates one. */
export type EnteredPack = Pack | { name: string }

/** How the packs of a file change. */
export interface WantedPacks {
  /** In this order. A file that is in one of them already gets the products that it lacks. */
  enter: readonly EnteredPack[]
  /** Bare UUIDs; `all`: all that it does not enter. */
  leave: 'all' | readonly string[]
}

/**
 * The change of a file's packs, which its mappings follow: it gets the products of the packs that it
 * enters, and loses those that none of its packs gives. Its own mappings stay. Null: there is none.
 * @param shelf the packs that the file may stay in (`packsToRead`)
 */
export function packsChange(
  { mappings, packs: there }: Pick<FileView, 'mappings' | 'packs'>,
  { enter, leave }: WantedPacks,
  shelf: PackShelf,
): Pick<FileChange, 'packs' | 'mappings'> | null {
  const entered = enter.filter(isStored)
  const ids = new Set(entered.map(({ id }) => id))
  const left = there.filter((id) => (leave === 'all' || leave.includes(id)) && !ids.has(id))
  const add = enter.filter((pack) => !isStored(pack) || !there.includes(pack.id))
  const kept = there.flatMap((id) => (left.includes(id) ? [] : (shelf.get(id) ?? [])))
  const gives = (packs: readonly Pack[], target: Mapping) =>
    packs.some(({ products }) => products.some((product) => sameTarget(product, target)))
  const removed = mappings.filter(
    (one) => one.method === 'pack' && !gives([...entered, ...kept], one),
  )
  const fresh = entered
    .flatMap(({ products }) => products)
    .filter(
      (product, at, all) =>
        !mappings.some((one) => sameTarget(one, product)) &&
        all.findIndex((one) => sameTarget(one, product)) === at,
    )
  const moves = add.length + left.length > 0
  if (!moves && removed.length + fresh.length === 0) return null
  return {
    ...(moves ? { packs: { add: add.map(targetOf), remove: left } } : {}),
    mappings: {
      remove: removed.map(({ product_id, variant_id }) => ({ product_id, variant_id })),
      add: fresh,
    },
  }
}

const isStored = (pack: EnteredPack): pack is Pack => 'id' in pack
const targetOf = (pack: EnteredPack) => (isStored(pack) ? { id: pack.id } : { name: pack.name })

/** The packs, of those that these files are in, that `packsChange` needs: bare UUIDs. */
export const packsToRead = (
  files: readonly Pick<FileView, 'mappings' | 'packs'>[],
): readonly string[] => [
  ...new Set(
    files.flatMap(({ mappings, packs }) =>
      mappings.some(({ method }) => method === 'pack') ? packs : [],
    ),
  ),
]

/** The names of packs in it. */
export const namesIn = (named: NamedPacks): readonly string[] =>
  'replace' in named ? named.replace : [...(named.add ?? []), ...(named.remove ?? [])]

/** What these names mean; packs that a file should leave and that do not exist are ignored. */
export function wantedPacks(named: NamedPacks, shelf: PackShelf): WantedPacks {
  const entered = 'replace' in named ? named.replace : (named.add ?? [])
  const enter = entered.map((name): EnteredPack => shelf.named(name) ?? { name })
  if ('replace' in named) return { enter, leave: 'all' }
  return { enter, leave: (named.remove ?? []).flatMap((name) => shelf.named(name)?.id ?? []) }
}

export interface Pack {
  /** The pack's bare UUID. */
  id: string
  name: string
  /** The products of the files in it. */
  products: readonly Mapping[]
}

/** Packs that were read. */
export interface PackShelf {
  /** By its bare UUID. */
  get(id: string): Pack | undefined
  /** Ignoring case. */
  named(name: string): Pack | undefined
}

export function packShelf(packs: readonly Pack[]): PackShelf {
  const byId = new Map(packs.map((pack) => [pack.id, pack]))
  const byName = new Map(packs.map((pack) => [nameKey(pack.name), pack]))
  return { get: (id) => byId.get(id), named: (name) => byName.get(nameKey(name)) }
}

// Cells of tables with packs, as exports write them.

/** The packs that a cell or a text names. */
export interface PackCell {
  packs: readonly string[]
  /** Present: a file stays in its other packs, and leaves these. */
  packs_removed?: readonly string[]
  /** The text as the name of one pack, which counts if a pack has it. */
  whole?: string
}

/** A word that means no pack. */
const NO_PACK = 'none'
const SEPARATOR = ';'
const SIGN = /^[+-]/
/** No pack's name has a backslash: it marks what follows as part of a name. */
const ESCAPED = /\\(.)/gs

/**
 * Reads `A;B`, `+A;-B` and `none`. With a backslash before it, a separator, a sign at the beginning
 * and the word `none` are parts of a name.
 */
export function readPackCell(text: string): PackCell | { code: 'invalid_value'; message: string } {
  if (text.trim().toLowerCase() === NO_PACK) return { packs: [] }
  const parts = partsOf(text)
  if (parts.length > MAX_NAMED_PACKS) return TOO_MANY
  const signed = parts.filter((part) => SIGN.test(part))
  const isMixed = signed.length > 0 && signed.length < parts.length
  const cell =
    signed.length === 0 || isMixed
      ? { packs: namesOf(parts) }
      : { packs: namesOf(withSign(parts, '+')), packs_removed: namesOf(withSign(parts, '-')) }
  const names = [...cell.packs, ...(cell.packs_removed ?? [])]
  const problem = isMixed ? MIXED : names.map(packNameProblem).find((one) => one !== null)
  if (problem) return problem
  const whole = wholeNameOf(text, parts)
  return { ...cell, ...(whole === null ? {} : { whole }) }
}

const MIXED = {
  code: 'invalid_value',
  message: sayPlain(
    'Either all packs have a + or a -, or none: write \\+ or \\- for a name that begins with one',
  ),
} as const
const TOO_MANY = {
  code: 'invalid_value',
  message: `A cell names at most ${MAX_NAMED_PACKS} packs`,
} as const

function partsOf(text: string): string[] {
  const parts = ['']
  for (const [sign] of text.matchAll(/\\.|[^\\]|\\$/gs))
    if (sign === SEPARATOR) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${sign}`)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const withSign = (parts: readonly string[], sign: string): string[] =>
  parts.filter((part) => part.startsWith(sign)).map((part) => part.slice(1).trim())

const namesOf = (parts: readonly string[]): string[] => [
  ...new Set(parts.map((part) => part.replaceAll(ESCAPED, '$1').normalize('NFC').trim())),
]

/** The whole text as a name, if it could also be read as something else. */
function wholeNameOf(text: string, parts: readonly string[]): string | null {
  const name = text.normalize('NFC').trim()
  const isPlain = parts.length === 1 && !SIGN.test(parts[0] ?? '')
  return isPlain || packNameProblem(name) !== null ? null : name
}
