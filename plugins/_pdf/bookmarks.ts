// Copies a document's bookmarks, all or those of some pages.
import type { Additions } from './changes.ts'
import type { Links } from './links.ts'
import {
  isDictionary,
  isReference,
  without,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'

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
