// Moves what a page carries (carry.ts) into the catalogue of the document that was made.
import { ownValue } from '../contract/sandbox.ts'
import { levelOf, neighbours } from './bookmarks.ts'
import { CARRIED } from './carry.ts'
import { Additions, writeChanges } from './changes.ts'
import { combinedLayers } from './layers.ts'
import { nameTree, pairsIn } from './name-trees.ts'
import {
  idOf,
  isDictionary,
  isList,
  isReference,
  readObjects,
  without,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import { readPageTree, TREE_READ } from './pages.ts'
import { HERE, runQpdf } from './qpdf.ts'
import { combinedStructure } from './structure.ts'

interface MoveWork {
  documents: number
  all: readonly Dictionary[]
  objects: Objects
  additions: Additions
}

export interface Move {
  made: string
  to: string
  /** The number of the part whose entries are moved. */
  part: number
  /** The number of documents that it was made of: one that carries nothing says something too. */
  documents: number
  /** qpdf's arguments for the written file. */
  args: readonly string[]
}

/** Writes the document with the entries that its pages carry for this part. */
export async function moveCarried(
  folder: string,
  { made, to, part, documents, args }: Move,
): Promise<void> {
  const { pages, maxObject } = await readPageTree(folder, { file: made })
  const references = [...new Set(pages.map(({ object }) => object))]
  const read = async (names: readonly Value[]) =>
    readObjects(
      folder,
      { file: made },
      ['trailer', ...names.filter(isReference).map(idOf)],
      TREE_READ,
    )
  let objects = await read(references)
  const carriers = references.flatMap((page) => carriersOf(objects.values.get(page)))
  const own = carriers.flatMap((one) => one[`/Part${part}`] ?? [])
  objects = objects.with(await read([rootOf(objects), ...own]))
  const common = own.map((one) => entryOf(objects.resolve(one), '/Common'))
  objects = objects.with(await read(common))
  const all = own.map((one): Dictionary => {
    const [carried, shared] = [objects.resolve(one), objects.resolve(entryOf(objects.resolve(one), '/Common'))] // oxfmt-ignore
    return { ...(isDictionary(shared) ? shared : {}), ...(isDictionary(carried) ? carried : {}) }
  })
  objects = objects.with(await read(all.flatMap((one) => [...topsOf(one), ...elementsOf(one)])))
  const work: MoveWork = { documents, all, objects, additions: new Additions(maxObject) }
  const catalog = objects.resolve(rootOf(objects))
  const trailer = objects.values.get('trailer')
  const changes = {
    ...withoutCarriers(references, objects),
    [`obj:${rootOf(objects)}`]: { value: { ...(isDictionary(catalog) ? catalog : {}), ...entriesOf(work) } }, // oxfmt-ignore
    ...infoOf(work, trailer),
    ...work.additions.changes,
  }
  const written = await writeChanges(folder, changes, true)
  await runQpdf(folder, [`${HERE}/${made}`, ...written, ...args, `${HERE}/${to}`])
}

const entryOf = (value: Value, name: string): Value =>
  isDictionary(value) ? (ownValue(value, name) ?? null) : null

const listOf = (value: Value): readonly Value[] => (isList(value) ? value : [])

function carriersOf(page: Value | undefined): Dictionary[] {
  const carried = isDictionary(page) ? page[CARRIED] : undefined
  return isDictionary(carried) ? [carried] : []
}

const rootOf = ({ values }: Objects): string => {
  const root = entryOf(values.get('trailer') ?? null, '/Root')
  return isReference(root) ? root : ''
}

const topsOf = (carried: Dictionary): string[] =>
  listOf(entryOf(carried['/Outlines'] ?? null, '/Tops')).filter(isReference)

const elementsOf = (carried: Dictionary): readonly Value[] =>
  listOf(entryOf(carried['/Structure'] ?? null, '/K'))

function withoutCarriers(pages: readonly string[], { values }: Objects) {
  const changed = pages.flatMap((page) => {
    const own = values.get(page)
    if (!isDictionary(own) || own[CARRIED] === undefined) return []
    return [[`obj:${page}`, { value: without(own, [CARRIED]) }] as const]
  })
  return Object.fromEntries(changed)
}

/** The entries of the new catalogue. */
function entriesOf(work: MoveWork): Dictionary {
  const { all, additions } = work
  const layers = combinedLayers(all.map((one) => one['/Layers'] ?? null).filter(isDictionary))
  const lists = ['/AF', '/Threads'].flatMap((name) => {
    const list = all.flatMap((one) => listOf(ownValue(one, name) ?? null))
    return list.length === 0 ? [] : [[name, list] as const]
  })
  const names = namesOf(work)
  return {
    ...aboutOf(work),
    ...(layers ? { '/OCProperties': layers } : {}),
    ...(Object.keys(names).length === 0 ? {} : { '/Names': additions.add(names) }),
    ...outlinesOf(work),
    ...structureOf(work),
    ...Object.fromEntries(lists),
  }
}

function namesOf({ all }: MoveWork): Dictionary {
  const entries = (name: string) => all.flatMap((one) => pairsIn(ownValue(one, name)))
  const named = (name: string, from: string, equal: Parameters<typeof nameTree>[1]) =>
    entries(from).length === 0 ? {} : { [name]: nameTree(entries(from), equal) }
  return {
    ...named('/EmbeddedFiles', '/Files', 'keep all'),
    ...named('/JavaScript', '/Scripts', 'keep all'),
    ...named('/Dests', '/Dests', 'keep the first'),
  }
}

function outlinesOf({ all, objects, additions }: MoveWork): Dictionary {
  const tops = all.flatMap(topsOf)
  if (tops.length === 0) return {}
  const root = additions.reserve()
  const counts = all.map((one) => Number(entryOf(one['/Outlines'] ?? null, '/Count')) || 0)
  for (const [at, top] of tops.entries()) {
    const own = objects.values.get(top)
    if (!isDictionary(own)) continue
    additions.set(top, {
      ...without(own, ['/Prev', '/Next']),
      '/Parent': root,
      ...neighbours(tops, at),
    })
  }
  const count = counts.reduce((sum, one) => sum + one, 0)
  additions.set(root, { '/Type': '/Outlines', ...levelOf(tops, count) })
  return { '/Outlines': root }
}

function structureOf({ all, objects, additions }: MoveWork): Dictionary {
  const structures = all.map((one) => one['/Structure'] ?? null).filter(isDictionary)
  if (structures.length === 0) return {}
  const { root, marks, first } = combinedStructure(structures)
  const reference = additions.add(root)
  for (const element of first) {
    const own = objects.resolve(element)
    if (isReference(element) && isDictionary(own))
      additions.set(element, { ...own, '/P': reference })
  }
  return { '/StructTreeRoot': reference, '/MarkInfo': marks }
}

/** What describes the whole document: that of the first document that has it. */
function aboutOf({ all, documents }: MoveWork): Dictionary {
  const abouts = all.map((one) => one['/About'] ?? null).filter(isDictionary)
  const entries = abouts.toReversed().flatMap((one) => Object.entries(one))
  const about = Object.fromEntries(entries.filter(([, value]) => value !== null))
  const { '/Lang': language, ...rest } = about
  const isCommon = abouts.length === documents && abouts.every((one) => one['/Lang'] === language)
  return { ...rest, ...(isCommon && language !== undefined ? { '/Lang': language } : {}) }
}

/** The first document's title, author and so on. */
function infoOf({ all, additions }: MoveWork, trailer: Value | undefined) {
  const [info] = all.map((one) => one['/Info'] ?? null).filter((one) => isDictionary(one) && Object.keys(one).length > 0) // oxfmt-ignore
  if (!isDictionary(info) || !isDictionary(trailer)) return {}
  return { trailer: { value: { ...trailer, '/Info': additions.add(info) } } }
}
