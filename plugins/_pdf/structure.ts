// The structure of tagged documents, for screen readers: a tree of elements, and a list that finds
// them by the numbers that pages and annotations state.
import { ownValue } from '../contract/sandbox.ts'
import type { Additions } from './changes.ts'
import { nameTree, pairsIn, treeEntries } from './name-trees.ts'
import {
  isDictionary,
  isList,
  isReference,
  without,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'

/**
 * The structure as several documents can be combined: `/K` its first elements, `/Nums` and `/IDs`
 * its lists. Null: there is none.
 * @param raised by how much all numbers of this document were raised
 */
export function structureOf(
  catalog: Dictionary,
  objects: Objects,
  raised: number,
): Dictionary | null {
  const { resolve } = objects
  const root = resolve(catalog['/StructTreeRoot'])
  if (!isDictionary(root)) return null
  const marked = resolve(catalog['/MarkInfo'])
  return {
    '/K': kidsIn(root['/K'], objects),
    '/Nums': treeEntries(root['/ParentTree'], '/Nums', objects).flatMap(([number, value]) =>
      typeof number === 'number' ? [number + raised, value] : [],
    ),
    '/IDs': treeEntries(root['/IDTree'], '/Names', objects).flat(),
    '/RoleMap': resolve(root['/RoleMap']),
    '/ClassMap': resolve(root['/ClassMap']),
    '/Namespaces': resolve(root['/Namespaces']),
    '/MarkInfo': marked,
  }
}

/**
 * The part of a structure that is about these pages, copied: elements of other pages are left out.
 */
export function partOfStructure(
  structure: Dictionary,
  objects: Objects,
  pages: ReadonlySet<Value>,
  additions: Additions,
): Dictionary {
  const copies = new Map<Value, string | null>()
  const work: PartWork = { objects, pages, additions, copies }
  const copied = (value: Value) => copies.get(value) ?? null
  const listed = (name: string) => pairsIn(ownValue(structure, name))
  return {
    ...structure,
    '/K': kidsIn(structure['/K'], objects).flatMap((kid) => copyKid(work, kid, null, null) ?? []),
    '/Nums': listed('/Nums').flatMap(([number, value]) => {
      const own = objects.resolve(value)
      const made = isList(own) ? own.map(copied) : copied(value)
      const isEmpty = isList(made) ? made.every((one) => one === null) : made === null
      return isEmpty ? [] : [number, made]
    }),
    '/IDs': listed('/IDs').flatMap(([id, value]) =>
      copied(value) === null ? [] : [id, copied(value)],
    ),
  }
}

interface PartWork {
  objects: Objects
  pages: ReadonlySet<Value>
  additions: Additions
  /** The copies of elements; null: the element is left out. */
  copies: Map<Value, string | null>
}

/** A kid of an element, an element itself or a piece of a page. Null: it is about other pages. */
function copyKid(work: PartWork, kid: Value, page: Value, parent: string | null): Value {
  const { objects, pages, copies } = work
  const own = objects.resolve(kid)
  if (!isDictionary(own)) return typeof own === 'number' && pages.has(page) ? kid : null
  const on = own['/Pg'] ?? page
  if (own['/S'] === undefined) return pages.has(on) ? kid : null
  if (!isReference(kid) || copies.has(kid)) return null
  copies.set(kid, null)
  const reference = work.additions.reserve()
  const given = kidsIn(own['/K'], objects)
  const kept = given.flatMap((one) => copyKid(work, one, on, reference) ?? [])
  if (kept.length === 0 && (given.length > 0 || !pages.has(on))) return null
  work.additions.set(reference, {
    ...without(own, ['/Pg', '/P', '/Ref']),
    '/K': kept,
    ...(pages.has(own['/Pg'] ?? null) ? { '/Pg': own['/Pg'] ?? null } : {}),
    ...(parent === null ? {} : { '/P': parent }),
  })
  copies.set(kid, reference)
  return reference
}

function kidsIn(value: Value | undefined, { resolve }: Objects): readonly Value[] {
  const kids = resolve(value)
  if (kids === null) return []
  return isList(kids) ? kids : [value ?? null]
}

/** The number after the last one that this document's structure uses, raised by `raised`. */
export function nextNumber(objects: Objects, structure: Dictionary, raised: number): number {
  const listed = pairsIn(structure['/Nums']).map(([number]) => Number(number) + 1)
  const stated = [...objects.values.values()].map((value) => raised + nextStated(value))
  return [...listed, ...stated].reduce((next, one) => Math.max(next, one), raised)
}

function nextStated(value: Value): number {
  if (isList(value)) return value.reduce<number>((next, one) => Math.max(next, nextStated(one)), 0)
  if (!isDictionary(value)) return 0
  return Object.entries(value).reduce(
    (next, [name, one]) =>
      Math.max(next, /^\/StructParents?$/.test(name) ? Number(one) + 1 || 0 : nextStated(one)),
    0,
  )
}

/**
 * The root of one structure, and its `MarkInfo`. Its first elements name it as their parent: the
 * caller changes them.
 */
export function combinedStructure(all: readonly Dictionary[]): {
  root: Dictionary
  marks: Dictionary
  first: readonly Value[]
} {
  const values = (name: string) => all.map((one) => ownValue(one, name) ?? null)
  const lists = (name: string) => values(name).filter(isList).flat()
  const numbers = lists('/Nums')
  const merged = (name: string) => {
    const entries = values(name).toReversed().filter(isDictionary).flatMap(Object.entries)
    return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) }
  }
  const names = pairsIn(lists('/IDs'))
  const spaces = lists('/Namespaces')
  const first = lists('/K')
  const marks = all[0]?.['/MarkInfo']
  const areMarked = all.every((one) => isDictionary(one['/MarkInfo']) && one['/MarkInfo']['/Marked'] === true) // oxfmt-ignore
  return {
    first,
    marks: { ...(isDictionary(marks) ? marks : {}), '/Marked': areMarked },
    root: {
      '/Type': '/StructTreeRoot',
      '/K': first,
      '/ParentTree': { '/Nums': numbers },
      '/ParentTreeNextKey': Number(numbers.at(-2) ?? -1) + 1,
      ...merged('/RoleMap'),
      ...merged('/ClassMap'),
      ...(names.length === 0 ? {} : { '/IDTree': nameTree(names, 'keep the first') }),
      ...(spaces.length === 0 ? {} : { '/Namespaces': spaces }),
    },
  }
}
