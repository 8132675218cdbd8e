// Copies a document's bookmarks, all or those of some pages.
import { ownValue } from '../contract/sandbox.ts'
import type { Additions } from './changes.ts'
import {
  isDictionary,
  isReference,
  without,
  type Dictionary,
  type Objects,
  type Value,
  isList,
} from './objects.ts'
import { treeEntries, type TreeEntry } from './name-trees.ts'
import type { WholeDocument } from './pages.ts'

export interface Bookmarks {
  /** The bookmarks of the first level, as objects. */
  tops: string[]
  /** The number of bookmarks that are shown until one is opened. */
  count: number
}

interface Bookmark {
  own: Dictionary
  open: boolean
  kids: readonly Bookmark[]
}

const MAX_DEPTH = 50
/** They belong to the place of a bookmark in the tree, or to a structure that is not copied. */
const OF_THE_TREE = ['/Parent', '/Prev', '/Next', '/First', '/Last', '/Count', '/SE']

/**
 * Adds copies of the bookmarks.
 * @param pages the pages whose bookmarks are copied, with those above them; null: all
 */
export function copyBookmarks(
  outlines: Value | undefined,
  objects: Objects,
  links: Links,
  pages: ReadonlySet<Value> | null,
  additions: Additions,
): Bookmarks {
  const root = objects.resolve(outlines)
  const seen = new Set<Value>()
  const read = (first: Value | undefined, deep: number): Bookmark[] => {
    const found: Bookmark[] = []
    let at = first
    while (isReference(at) && !seen.has(at) && deep < MAX_DEPTH) {
      seen.add(at)
      const item = objects.resolve(at)
      if (!isDictionary(item)) break
      const kids = read(item['/First'], deep + 1)
      const own = ownOf(item, objects, links, pages)
      const open = Number(objects.resolve(item['/Count']) ?? 0) > 0
      if (own.here || kids.length > 0) found.push({ own: own.entries, open, kids })
      at = item['/Next']
    }
    return found
  }
  return write(isDictionary(root) ? read(root['/First'], 0) : [], null, additions)
}

/** The bookmark without its place in the tree, and whether it is about one of the pages. */
function ownOf(
  item: Dictionary,
  { resolve }: Objects,
  links: Links,
  pages: ReadonlySet<Value> | null,
): { entries: Dictionary; here: boolean } {
  const kept = without(item, OF_THE_TREE)
  const action = resolve(item['/A'])
  const goes = isDictionary(action) && resolve(action['/S']) === '/GoTo' ? action['/D'] : undefined
  const explicit = links.explicit(item['/Dest'] ?? goes)
  const here = pages === null || (explicit !== null && pages.has(explicit[0] ?? null))
  if (explicit === null && here) return { entries: kept, here }
  const plain = without(kept, ['/Dest', '/A'])
  return { entries: here && explicit ? { ...plain, '/Dest': explicit } : plain, here }
}

/** Adds the bookmarks of one level and those below, linked with each other. */
function write(items: readonly Bookmark[], parent: string | null, additions: Additions): Bookmarks {
  const tops = items.map(() => additions.reserve())
  let count = 0
  for (const [at, reference] of tops.entries()) {
    const { own, open, kids } = items[at] ?? NOTHING
    const below = write(kids, reference, additions)
    count += 1 + (open ? below.count : 0)
    additions.set(reference, {
      ...own,
      ...(parent === null ? {} : { '/Parent': parent }),
      ...neighbours(tops, at),
      ...levelOf(below.tops, open ? below.count : -below.count),
    })
  }
  return { tops, count }
}

const NOTHING: Bookmark = { own: {}, open: false, kids: [] }

/** The entries that link a bookmark with those beside it. */
export const neighbours = (level: readonly string[], at: number): Dictionary => ({
  ...(at > 0 ? { '/Prev': level[at - 1] ?? null } : {}),
  ...(at < level.length - 1 ? { '/Next': level[at + 1] ?? null } : {}),
})

/** The entries that link a bookmark, or the root of all, with the level below. */
export function levelOf(level: readonly string[], count: number): Dictionary {
  const [first, last] = [level[0], level.at(-1)]
  if (first === undefined || last === undefined) return {}
  return { '/First': first, '/Last': last, '/Count': count }
}

// Links inside a document: to a page, or to a name that stands for a page. Merged documents often
// use the same names, and a part lacks the list of names: such links get the page itself.

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
