// Links inside a document: to a page, or to a name that stands for a page. Merged documents often
// use the same names, and a part lacks the list of names: such links get the page itself.
import { ownValue } from '../contract.ts'
import {
  isDictionary,
  isList,
  isReference,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import { treeEntries, type TreeEntry } from './name-trees.ts'
import type { WholeDocument } from './pages.ts'

export interface Links {
  /** All names with their destinations. */
  named: readonly TreeEntry[]
  /** The destination with its page instead of a name or a number; null: there is none. */
  explicit(destination: Value | undefined): readonly Value[] | null
}

export function linksOf(
  catalog: Dictionary,
  { objects, pages }: Pick<WholeDocument, 'objects' | 'pages'>,
): Links {
  const { resolve } = objects
  const names = resolve(catalog['/Names'])
  const old = resolve(catalog['/Dests'])
  const entries: TreeEntry[] = [
    ...treeEntries(isDictionary(names) ? names['/Dests'] : null, '/Names', objects),
    ...(isDictionary(old) ? Object.entries(old) : []),
  ]
  const byName = new Map(entries.toReversed())
  const explicit: Links['explicit'] = (destination) => {
    const own = resolve(destination)
    const found = typeof own === 'string' ? resolve(byName.get(own)) : own
    const list = isDictionary(found) ? resolve(found['/D']) : found
    if (!isList(list)) return null
    const [page, ...view] = list
    const shown = typeof page === 'number' ? pages[page] : page
    return isReference(shown) ? [shown, ...view] : null
  }
  const named = entries.flatMap(([name, value]): TreeEntry[] => {
    const destination = explicit(value)
    return destination ? [[name, destination]] : []
  })
  return { named, explicit }
}

/**
 * The value with explicit links, and with the numbers of the structure's elements raised by
 * `raised`. An unchanged value is returned itself.
 */
export function withExplicitLinks(
  value: Value,
  links: Links,
  objects: Objects,
  raised: number,
): Value {
  if (isList(value)) {
    const made = value.map((one) => withExplicitLinks(one, links, objects, raised))
    return made.some((one, at) => one !== value[at]) ? made : value
  }
  if (!isDictionary(value)) return value
  const changed = new Map<string, Value>()
  for (const [name, own] of Object.entries(value)) {
    const made = withExplicitLinks(own, links, objects, raised)
    if (made !== own) changed.set(name, made)
  }
  const link = objects.resolve(value['/S']) === '/GoTo' ? '/D' : '/Dest'
  if (value[link] !== undefined && isIndirect(value[link], objects)) {
    const explicit = links.explicit(value[link])
    if (explicit) changed.set(link, explicit)
  }
  for (const name of ['/StructParent', '/StructParents']) {
    const number = ownValue(value, name)
    if (raised > 0 && typeof number === 'number') changed.set(name, number + raised)
  }
  return changed.size === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

/** Whether the destination is a name, or has the number of a page. */
function isIndirect(destination: Value, { resolve }: Objects): boolean {
  const own = resolve(destination)
  return isList(own) ? typeof own[0] === 'number' : typeof own === 'string'
}
