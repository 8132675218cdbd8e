// Completes a page tree that readers accept and qpdf does not: missing types, parents, counts and
// sizes, pages that do not exist, and parts of their content that are none.
import { ownValue } from '../contract/sandbox.ts'
import {
  isDictionary,
  isList,
  isReference,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'

type Changes = Record<string, { value: Dictionary }>

interface TreeWork {
  objects: Objects
  changes: Changes
  seen: Set<string>
}

const LETTER = [0, 0, 612, 792]
const MAX_DEPTH = 100

/** The changed objects of the catalogue and the page tree, in qpdf's form. */
export function treeChanges(objects: Objects): Changes {
  const { values } = objects
  const trailer = values.get('trailer')
  const root = isDictionary(trailer) ? trailer['/Root'] : undefined
  const catalog = isReference(root) ? values.get(root) : undefined
  if (!isReference(root) || !isDictionary(catalog)) return {}
  const work: TreeWork = { objects, changes: {}, seen: new Set() }
  change(work, root, catalog, { '/Type': '/Catalog' })
  const pages = catalog['/Pages']
  if (isReference(pages)) visit(work, pages, null, false)
  return work.changes
}

/** Returns the number of pages in this part of the tree. */
function visit(
  work: TreeWork,
  node: string,
  parent: string | null,
  boxed: boolean,
  deep = 0,
): number {
  const own = work.objects.values.get(node)
  if (!isDictionary(own) || deep > MAX_DEPTH) return 0
  const above: Dictionary = parent === null ? {} : { '/Parent': parent }
  const hasBox = boxed || isBox(own['/MediaBox'], work.objects)
  const kids = work.objects.resolve(own['/Kids'])
  if (!isList(kids)) {
    const box: Dictionary = hasBox ? {} : { '/MediaBox': LETTER }
    const contents = contentsOf(own['/Contents'], work.objects)
    change(work, node, own, { '/Type': '/Page', ...above, ...box, ...contents })
    return 1
  }
  if (work.seen.has(node)) return 0
  work.seen.add(node)
  const kept: Value[] = []
  let count = 0
  for (const kid of kids) {
    const pages = isReference(kid) ? visit(work, kid, node, hasBox, deep + 1) : countDirect(kid)
    if (pages > 0) kept.push(kid)
    count += pages
  }
  const complete = { '/Type': '/Pages', ...above, '/Kids': kept, '/Count': count }
  change(work, node, own, complete)
  return count
}

/** The content of a page without the parts of it that are no streams. */
function contentsOf(value: Value | undefined, { resolve, streams }: Objects): Dictionary {
  const parts = resolve(value)
  if (!isList(parts)) return {}
  const kept = parts.filter((part) => isReference(part) && streams.has(part))
  return kept.length === parts.length ? {} : { '/Contents': kept }
}

/** A page that is written in the tree and not as an object. */
const countDirect = (kid: Value) => (isDictionary(kid) ? 1 : 0)

function isBox(value: Value | undefined, { resolve }: Objects): boolean {
  const box = resolve(value)
  return isList(box) && box.length === 4 && box.every((one) => typeof resolve(one) === 'number')
}

function change({ changes }: TreeWork, reference: string, own: Dictionary, given: Dictionary) {
  const equal = Object.entries(given).every(
    ([name, value]) => JSON.stringify(ownValue(own, name)) === JSON.stringify(value),
  )
  if (!equal) changes[`obj:${reference}`] = { value: { ...own, ...given } }
}
