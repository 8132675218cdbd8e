// Writes a mark into each page, after the page's own content. The page object, its boxes and its
// content stay: overlaying another document would reposition the page by its trim box.
import { ownValue } from '../contract.ts'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { WatermarkOptions } from './tasks.ts'
import { closingOperators, balancedContent, readContent, type ContentState } from './content.ts'
import { streamOf, type Mark, type Stream } from './marks.ts'
import {
  idOf,
  isDictionary,
  readObjects,
  referenceTo,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import type { Page, Pages } from './pages.ts'
import { placeMark } from './placement.ts'
import { times, type Matrix } from './geometry.ts'
import { HERE } from './qpdf.ts'

type Changes = Record<string, Stream | { value: Dictionary }>

interface StampWork {
  folder: string
  objects: Objects
  mark: Mark
  wanted: WatermarkOptions
  /** Adds an object, once if there is an equal one. Returns its reference. */
  add(object: Stream | { value: Dictionary }): string
}

/** The objects to add and the changed pages, in qpdf's form. */
export async function stampPages(
  folder: string,
  opened: OpenedDocument,
  { pages, objects, maxObject }: Pages,
  mark: Mark,
  wanted: WatermarkOptions,
): Promise<Changes> {
  const changes: Changes = {}
  const add = createAdder(changes, maxObject)
  const stamping: StampWork = { folder, objects, mark, wanted, add }
  const mask = mark.mask && add(mark.mask)
  const drawing = add(mask === null ? mark.drawing : withMask(mark.drawing, mask))
  const opacity = { '/Type': '/ExtGState', '/ca': wanted.opacity, '/CA': wanted.opacity }
  const given = { '/XObject': drawing, '/ExtGState': add({ value: opacity }) }
  await extractContents(folder, opened, pages)
  for (const page of pages) {
    const { resources, names } = withResources(page.resources, given, objects)
    changes[`obj:${page.reference}`] = {
      value: {
        ...page.own,
        '/Resources': add({ value: resources }),
        '/Contents': await contentsOf(page, names, stamping),
      },
    }
  }
  return changes
}

function createAdder(changes: Changes, maxObject: number): StampWork['add'] {
  const known = new Map<string, string>()
  return (object) => {
    const text = JSON.stringify(object)
    const name = known.get(text) ?? referenceTo(maxObject + known.size + 1)
    known.set(text, name)
    changes[`obj:${name}`] = object
    return name
  }
}

const withMask = ({ stream: { dict, data } }: Stream, mask: string): Stream => ({
  stream: { dict: { ...dict, '/SMask': mask }, data },
})

interface Names {
  '/XObject': string
  '/ExtGState': string
}

/** The page's resources and the mark's, under unused names: the page may have a mark already. */
function withResources(
  own: Value,
  given: Names,
  { resolve }: Objects,
): { resources: Dictionary; names: Names } {
  const resources = isDictionary(own) ? own : {}
  const added = Object.entries(given).map(([kind, object]) => {
    const category = resolve(ownValue(resources, kind))
    const entries = isDictionary(category) ? category : {}
    const name = freeName(entries, object)
    return { kind, name, entries: { ...entries, [name]: object } }
  })
  return {
    resources: {
      ...resources,
      ...Object.fromEntries(added.map(({ kind, entries }) => [kind, entries])),
    },
    names: Object.fromEntries(added.map(({ kind, name }) => [kind, name])) as unknown as Names,
  }
}

function freeName(entries: Dictionary, object: string): string {
  let number = 0
  while (entries[`/Mark${number}`] !== undefined && entries[`/Mark${number}`] !== object) number++
  return `/Mark${number}`
}

const CONTENT = 'content'
const SAVE = streamOf({}, 'q')

async function contentsOf(
  page: Page,
  names: Names,
  { folder, mark, wanted, add }: StampWork,
): Promise<Value> {
  const bytes = await readContents(folder, page)
  const state = readContent(bytes)
  const instead = balancedContent(bytes, state)
  const own = instead ? [add(streamOf({}, instead))] : page.contents
  const matrix = times(placeMark(page.seen, mark, wanted), page.upright)
  return [add(SAVE), ...own, add(streamOf({}, stampOf(state, matrix, names, mark)))]
}

/** The operators that draw the mark, as an artifact: it is not part of the document's text. */
function stampOf(state: ContentState, matrix: Matrix, names: Names, { content }: Mark): string {
  const drawn = content.replace('/Mark', names['/XObject'])
  return [
    `\n${closingOperators(state)} Q /Artifact <</Type /Pagination /Subtype /Watermark>> BDC`,
    `q ${names['/ExtGState']} gs ${matrix.map(shown).join(' ')} cm ${drawn} Q EMC`,
  ].join('\n')
}

/** Extracts the pages' contents, decoded, into one file each. */
async function extractContents(
  folder: string,
  opened: OpenedDocument,
  pages: readonly Page[],
): Promise<void> {
  const ids = [...new Set(pages.flatMap(({ contents }) => contents))].map(idOf)
  if (ids.length === 0) return
  const decoded = [
    '--json-stream-data=file',
    '--decode-level=generalized',
    `--json-stream-prefix=${HERE}/${CONTENT}`,
  ]
  await readObjects(folder, opened, ids, decoded)
}

/** The content of a page. Its parts are joined with a space, as readers do. */
async function readContents(folder: string, { contents }: Page): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const content of contents)
    parts.push(
      await readFile(path.join(folder, `${CONTENT}-${parseInt(content)}`)),
      Buffer.from('\n'),
    )
  return Buffer.concat(parts)
}

/** A number as PDF writes it, without an exponent. */
const shown = (value: number) => value.toFixed(5)
