// What a document has in addition to its pages. qpdf copies pages with everything that they refer to, and
// nothing of the catalogue: so before pages are copied, the first of them refers to all of it under
// a name of our own, and afterwards the copy is moved into the new catalogue (carried.ts).
import type { Warning } from '../contract/index.ts'
import { ownValue, say, sayPlain } from '../contract/sandbox.ts'
import { copyBookmarks, linksOf, withExplicitLinks, type Links } from './bookmarks.ts'
import { claimWarnings, CLAIMS_OF_INFO, readClaims } from './claims.ts'
import { Additions, writeChanges } from './changes.ts'
import { layersOf } from './layers.ts'
import { stringText, treeEntries } from './name-trees.ts'
import {
  isDictionary,
  isList,
  isReference,
  without,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import type { WholeDocument } from './pages.ts'
import { HERE, runQpdf } from './qpdf.ts'
import { nextNumber, partOfStructure, structureOf } from './structure.ts'

/** The entry of a page that refers to what is carried. */
export const CARRIED = '/StevedoreCarried'

/** The entries of a catalogue that describe the whole document. */
const ABOUT = [
  '/ViewerPreferences',
  '/PageMode',
  '/PageLayout',
  '/Lang',
  '/URI',
  '/Metadata',
  '/OutputIntents',
  '/Extensions',
  '/PieceInfo',
  '/Legal',
  '/AA',
] as const

export interface Carrying {
  opened: OpenedDocument
  warnings: Warning[]
  /** Whether there is anything to carry. */
  carries: boolean
}

/** The numbers of the structure that the documents of a merge so far use end before `raised`. */
export interface Numbering {
  raised: number
}

/** Lets the first page carry what the document has in addition to its pages. */
export async function carryAll(
  folder: string,
  opened: OpenedDocument,
  whole: WholeDocument,
  numbering: Numbering,
): Promise<Carrying> {
  const source = sourceOf(whole, numbering.raised)
  const [first] = whole.pages
  if (source === null || first === undefined) return { opened, warnings: [], carries: false }
  const additions = new Additions(whole.maxObject)
  const carried = additions.add({
    ...commonOf(source),
    '/Outlines': outlinesOf(source, null, additions),
    '/Files': filesOf(source).flat(),
    '/Dests': source.links.named.flat(),
    ...(source.structure ? { '/Structure': source.structure } : {}),
    ...listsOf(source),
  })
  if (source.structure)
    numbering.raised = nextNumber(whole.objects, source.structure, numbering.raised)
  const claims = await readClaims(folder, opened)
  const changes = { ...linkChanges(source), ...additions.changes, ...claims.removal }
  setPage(changes, whole.objects, first, { [CARRIED]: { '/Part0': carried } })
  const warnings = [...lossesOf(source), ...claimWarnings(claims)]
  return { opened: await written(folder, opened, changes), warnings, carries: true }
}

/** Lets the first page of each part carry what belongs to the part. */
export async function carryParts(
  folder: string,
  opened: OpenedDocument,
  whole: WholeDocument,
  ranges: readonly { first: number; last: number }[],
): Promise<Carrying> {
  const source = sourceOf(whole, 0)
  if (source === null) return { opened, warnings: [], carries: false }
  const additions = new Additions(whole.maxObject)
  const common = additions.add(commonOf(source))
  const divided = source.structure === null || canDivide(source, ranges.length)
  const carriers = new Map<string, Record<string, Value>>()
  for (const [at, { first, last }] of ranges.entries()) {
    const pages = new Set<Value>(whole.pages.slice(first - 1, last))
    const [page] = pages
    if (!isReference(page)) continue
    const structure: Dictionary =
      divided && source.structure
        ? { '/Structure': partOfStructure(source.structure, whole.objects, pages, additions) }
        : {}
    const carried = additions.add({
      '/Common': common,
      '/Outlines': outlinesOf(source, pages, additions),
      '/Dests': source.links.named.filter(([, link]) => isList(link) && pages.has(link[0] ?? null)).flat(), // oxfmt-ignore
      ...structure,
    })
    carriers.set(page, { ...carriers.get(page), [`/Part${at}`]: carried })
  }
  const claims = await readClaims(folder, opened)
  const changes = { ...linkChanges(source), ...additions.changes, ...claims.removal }
  for (const [page, parts] of carriers) setPage(changes, whole.objects, page, { [CARRIED]: parts })
  const warnings = [
    ...lossesOf(source),
    ...partLosses(source),
    ...claimWarnings(claims),
    ...(divided ? [] : [UNSTRUCTURED]),
  ]
  return { opened: await written(folder, opened, changes), warnings, carries: true }
}

interface Source {
  whole: WholeDocument
  catalog: Dictionary
  names: Dictionary
  info: Dictionary
  links: Links
  structure: Dictionary | null
  raised: number
}

/** Entries of a catalogue without which there is nothing to carry. */
const OF_PAGES = new Set(['/Type', '/Pages', '/PageLabels', '/Version', '/AcroForm'])

/** Null: the document has nothing but its pages. */
function sourceOf(whole: WholeDocument, raised: number): Source | null {
  const { objects } = whole
  const { resolve } = objects
  const trailer = resolve(objects.values.get('trailer'))
  const catalog = isDictionary(trailer) ? resolve(trailer['/Root']) : null
  const info = isDictionary(trailer) ? resolve(trailer['/Info']) : null
  if (!isDictionary(catalog)) return null
  if (!isDictionary(info) && Object.keys(catalog).every((name) => OF_PAGES.has(name))) return null
  const names = resolve(catalog['/Names'])
  return {
    whole,
    catalog,
    names: isDictionary(names) ? names : {},
    info: isDictionary(info) ? without(info, CLAIMS_OF_INFO) : {},
    links: linksOf(catalog, whole),
    structure: structureOf(catalog, objects, raised),
    raised,
  }
}

/** What belongs to each part and to the whole alike. */
function commonOf({ catalog, names, info, links, whole: { objects } }: Source): Dictionary {
  const layers = layersOf(catalog, objects)
  const opening = objects.resolve(catalog['/OpenAction'])
  const about = ABOUT.filter((name) => catalog[name] !== undefined)
  const destination = isDictionary(opening) ? opening['/D'] : opening
  const page = links.explicit(destination)
  return {
    '/Layers': layers,
    '/Scripts': treeEntries(names['/JavaScript'], '/Names', objects).flat(),
    '/Info': info,
    '/About': {
      ...Object.fromEntries(about.map((name) => [name, catalog[name] ?? null])),
      ...(page || opening === null ? { '/OpenAction': page } : { '/OpenAction': catalog['/OpenAction'] ?? null }), // oxfmt-ignore
    },
  }
}

function outlinesOf(
  { catalog, links, whole: { objects } }: Source,
  pages: ReadonlySet<Value> | null,
  additions: Additions,
): Dictionary {
  const { tops, count } = copyBookmarks(catalog['/Outlines'], objects, links, pages, additions)
  return { '/Tops': tops, '/Count': count }
}

const filesOf = ({ names, whole: { objects } }: Source) =>
  treeEntries(names['/EmbeddedFiles'], '/Names', objects)

/** The lists of associated files and of articles. */
function listsOf({ catalog, whole: { objects } }: Source): Dictionary {
  const named = ['/AF', '/Threads'].flatMap((name) => {
    const list = objects.resolve(ownValue(catalog, name))
    return isList(list) ? [[name, list] as const] : []
  })
  return Object.fromEntries(named)
}

type Changes = Record<string, unknown>

/** The objects whose links name a destination, or whose numbers of the structure are raised. */
function linkChanges({ links, raised, whole: { objects } }: Source): Changes {
  const changes: Changes = {}
  for (const [reference, value] of objects.values) {
    if (!isReference(reference)) continue
    const made = withExplicitLinks(value, links, objects, raised)
    if (made === value) continue
    changes[`obj:${reference}`] =
      objects.streams.has(reference) && isDictionary(made)
        ? { stream: { dict: made } }
        : { value: made }
  }
  return changes
}

function setPage(changes: Changes, objects: Objects, page: string, more: Dictionary): void {
  const { value } = (changes[`obj:${page}`] ?? {}) as { value?: Value }
  const own = value ?? objects.values.get(page)
  if (isDictionary(own)) changes[`obj:${page}`] = { value: { ...own, ...more } }
}

async function written(
  folder: string,
  opened: OpenedDocument,
  changes: Changes,
): Promise<OpenedDocument> {
  const file = `carrying-${opened.file}`
  const args = await writeChanges(folder, changes, true)
  await runQpdf(folder, [`${HERE}/${opened.file}`, ...args, `${HERE}/${file}`])
  return { ...opened, file }
}

// Copying the structure for each part takes time for each of its elements.
const MAX_ELEMENTS = 5_000_000

const canDivide = ({ whole: { objects } }: Source, parts: number): boolean =>
  parts * objects.values.size < MAX_ELEMENTS

const lost = (message: Warning['message']): Warning => ({ code: 'pdf_parts_lost', message })

const UNSTRUCTURED = lost(sayPlain('The structure for screen readers is not in the result'))

/** What neither a part nor a merged document keeps. */
function lossesOf({ catalog, whole: { objects } }: Source): Warning[] {
  const form = objects.resolve(catalog['/AcroForm'])
  const has = (name: string) => isDictionary(form) && objects.resolve(ownValue(form, name)) !== null
  return [
    ...(catalog['/Collection'] === undefined
      ? []
      : [lost(sayPlain('The result is not a portfolio'))]),
    ...(has('/XFA')
      ? [lost(sayPlain('The XFA form is not in the result, only its pages and fields'))]
      : []),
    ...(has('/CO') ? [lost(sayPlain('The form of the result does not calculate'))] : []),
  ]
}

const MAX_NAMES = 20

/** What parts do not keep, because it belongs to the whole document. */
function partLosses(source: Source): Warning[] {
  const { objects } = source.whole
  const files = filesOf(source).map(([key, value]) => fileName(objects.resolve(value), key))
  const shown = files.slice(0, MAX_NAMES).map((name) => name.slice(0, 100))
  return [
    ...(files.length === 0
      ? []
      : [
          lost(
            say('The attached files are not in the parts: {names}', {
              names: [...shown, ...(files.length > MAX_NAMES ? ['…'] : [])].join(', '),
            }),
          ),
        ]),
    ...(source.catalog['/Threads'] === undefined
      ? []
      : [lost(sayPlain('The articles, which join columns for reading, are not in the parts'))]),
  ]
}

const fileName = (file: Value, key: Value): string =>
  (isDictionary(file) ? (stringText(file['/UF']) ?? stringText(file['/F'])) : null) ??
  stringText(key) ??
  ''
