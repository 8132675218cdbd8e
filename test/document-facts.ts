// What a document states in addition to how its pages look: boxes, labels, bookmarks, layers,
// attached files and its structure. Compared before and after the work on a document.
import {
  attachmentsOf,
  bookmarksOf,
  objectsOf,
  type DocumentObjects,
  type DocumentValue,
} from './documents.ts'

export interface DocumentFacts {
  /** For each page its boxes, rotation and unit. */
  pages: string[]
  /** The label of each page; null: the document has none, and its pages are counted from 1 on. */
  labels: string[] | null
  /** The title and page of each bookmark that leads to a page. */
  bookmarks: string[]
  /** Each layer and whether it is hidden at first. */
  layers: string[]
  attachments: string[]
  /** The number of elements that are found from each page. */
  elements: number[]
}

export async function factsOf(bytes: Uint8Array): Promise<DocumentFacts> {
  const objects = await objectsOf(bytes)
  const { pages } = objects
  return {
    pages: pages.map((page) => boxesOf(objects, page)),
    labels: objects.at('/Root /PageLabels') === null ? null : labelsOf(objects),
    bookmarks: (await bookmarksOf(bytes))
      .map((line) => line.replace(/^(- )*/, ''))
      .filter((line) => !line.endsWith(' 0')),
    layers: layersOf(objects),
    attachments: await attachmentsOf(bytes),
    elements: pages.map((page) => elementsOf(objects, page)),
  }
}

/** The facts that differ, one line each. */
export function factDifferences(before: DocumentFacts, after: DocumentFacts): string[] {
  return (Object.keys(before) as (keyof DocumentFacts)[]).flatMap((name) => {
    const [a, b] = [JSON.stringify(before[name]), JSON.stringify(after[name])]
    const isSame = a === b || (name === 'labels' && before.labels === null)
    return isSame ? [] : [`${name}: ${a.slice(0, 300)} became ${b.slice(0, 300)}`]
  })
}

/** The parts' facts as those of the whole. Each part repeats the layers. */
export function joinedFacts(parts: readonly DocumentFacts[]): DocumentFacts {
  let behind = 0
  const bookmarks = parts.flatMap((part) => {
    const moved = part.bookmarks.map((line) =>
      line.replace(/\d+$/, (page) => String(Number(page) + behind)),
    )
    behind += part.pages.length
    return moved
  })
  return {
    pages: parts.flatMap(({ pages }) => pages),
    labels: parts.flatMap(({ labels }) => labels ?? []),
    bookmarks,
    layers: parts[0]?.layers ?? [],
    attachments: parts[0]?.attachments ?? [],
    elements: parts.flatMap(({ elements }) => elements),
  }
}

function boxesOf({ entry }: DocumentObjects, page: string): string {
  const inherited = (name: string) => {
    let at: DocumentValue = page
    for (let deep = 0; deep < 50 && at !== null; deep++) {
      const own = entry(at, name)
      if (own !== null && typeof own !== 'string') return own
      at = entry(at, '/Parent')
    }
    return null
  }
  // Readers take the size of a letter for a page without a box.
  const boxes = [inherited('/MediaBox') ?? [0, 0, 612, 792], inherited('/CropBox')]
  const own = ['/TrimBox', '/UserUnit'].map((name) => entry(page, name))
  return JSON.stringify([...boxes, Number(inherited('/Rotate') ?? 0), ...own])
}

/** The label of each page, as `prefix style number`. */
function labelsOf({ pages, at, entry, value }: DocumentObjects): string[] {
  const entries = (node: DocumentValue): DocumentValue[] => [
    ...listOf(entry(node, '/Nums')),
    ...listOf(entry(node, '/Kids')).flatMap((kid) => entries(value(kid))),
  ]
  const list = entries(at('/Root /PageLabels'))
  let [label, first]: [DocumentValue, number] = [null, 0]
  return pages.map((_, page) => {
    const found = list.findIndex((one, index) => index % 2 === 0 && one === page)
    if (found >= 0) [label, first] = [value(list[found + 1]), page]
    const number = Number(entry(label, '/St') ?? 1) + page - first
    const style = label === null ? '/D' : entry(label, '/S')
    return [entry(label, '/P') ?? '', style ?? '', style === null ? '' : number].join(' ')
  })
}

function layersOf({ at, entry }: DocumentObjects): string[] {
  const hidden = listOf(at('/Root /OCProperties /D /OFF'))
  const shown = listOf(at('/Root /OCProperties /D /ON'))
  const base = at('/Root /OCProperties /D /BaseState')
  return listOf(at('/Root /OCProperties /OCGs')).map((layer) => {
    const isHidden = base === '/OFF' ? !shown.includes(layer) : hidden.includes(layer)
    return `${String(entry(layer, '/Name'))} ${isHidden ? 'hidden' : 'shown'}`
  })
}

function elementsOf({ at, entry, value }: DocumentObjects, page: string): number {
  const entries = (node: DocumentValue): DocumentValue[] => [
    ...listOf(entry(node, '/Nums')),
    ...listOf(entry(node, '/Kids')).flatMap((kid) => entries(value(kid))),
  ]
  const number = entry(page, '/StructParents')
  const list = entries(at('/Root /StructTreeRoot /ParentTree'))
  const found = list.findIndex((one, index) => index % 2 === 0 && one === number)
  return number === null || found < 0
    ? 0
    : listOf(value(list[found + 1])).filter((one) => value(one) !== null).length
}

const listOf = (value: DocumentValue): readonly DocumentValue[] =>
  Array.isArray(value) ? (value as readonly DocumentValue[]) : []
