// Name trees and number trees: the entries of one, and the order in which readers look names up.
import { isDictionary, isList, isReference, type Objects, type Value } from './objects.ts'

export type TreeEntry = readonly [key: Value, value: Value]

const MAX_DEPTH = 50

/** All entries of a tree, in its order. `kind`: the key of its lists. */
export function treeEntries(
  root: Value | undefined,
  kind: '/Names' | '/Nums',
  { resolve }: Objects,
): TreeEntry[] {
  const seen = new Set<Value>()
  const entriesOf = (node: Value | undefined, deep: number): TreeEntry[] => {
    if (deep > MAX_DEPTH || (isReference(node) && seen.has(node))) return []
    if (isReference(node)) seen.add(node)
    const own = resolve(node)
    if (!isDictionary(own)) return []
    const [kids, list] = [resolve(own['/Kids']), resolve(own[kind])]
    return [
      ...pairsIn(list).map(([key, value]): TreeEntry => [resolve(key), value]),
      ...(isList(kids) ? kids.flatMap((kid) => entriesOf(kid, deep + 1)) : []),
    ]
  }
  return entriesOf(root, 0)
}

/** The entries of a list of keys and values in turn. */
export const pairsIn = (value: Value | undefined): TreeEntry[] => {
  const list = isList(value) ? value : []
  return Array.from({ length: Math.floor(list.length / 2) }, (_, at) => [
    list[2 * at] ?? null,
    list[2 * at + 1] ?? null,
  ])
}

/** A tree of one list. Of equal names the first is kept, or all, each under a different name. */
export function nameTree(
  entries: readonly TreeEntry[],
  equal: 'keep the first' | 'keep all',
): { readonly [kind: string]: Value } {
  const named = new Map<string, TreeEntry>()
  for (const [key, value] of entries) {
    if (typeof key !== 'string') continue
    if (equal === 'keep the first' && named.has(key)) continue
    const free = freeName(key, named)
    named.set(free, [free, value])
  }
  const sorted = [...named.values()].sort(([a], [b]) => Buffer.compare(bytesOf(a), bytesOf(b)))
  return { '/Names': sorted.flat() }
}

function freeName(key: string, named: ReadonlyMap<string, unknown>): string {
  if (!named.has(key)) return key
  const text = key.startsWith('u:') ? key : 'u:'
  for (let number = 2; ; number++)
    if (!named.has(`${text} (${number})`)) return `${text} (${number})`
}

/** The text of a string in qpdf's JSON, which begins with `u:` or, as bytes, with `b:`. */
export const stringText = (value: Value | undefined): string | null => {
  if (typeof value !== 'string') return null
  if (value.startsWith('u:')) return value.slice(2)
  return value.startsWith('b:') ? Buffer.from(value.slice(2), 'hex').toString('latin1') : null
}

/** The bytes as qpdf writes this string. */
function bytesOf(value: Value): Buffer {
  const text = stringText(value) ?? ''
  // oxlint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text) || String(value).startsWith('b:'))
    return Buffer.from(text, 'latin1')
  return Buffer.concat([Buffer.from('feff', 'hex'), Buffer.from(text, 'utf16le').swap16()])
}
