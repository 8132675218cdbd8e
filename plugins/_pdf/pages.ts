// The pages as a person sees them: size, rotation and cropping. Missing or odd values are read as
// PDF readers do.
import { ownValue } from '../contract/sandbox.ts'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  idOf,
  isDictionary,
  isList,
  isReference,
  readObjects,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import type { OpenedDocument } from './opened.ts'
import { refusalFor } from './problems.ts'
import { times, type Box, type Matrix } from './geometry.ts'
import { HERE, runQpdf } from './qpdf.ts'

export interface Page {
  /** The page's object, `12 0 R`. */
  reference: string
  /** The page's dictionary, with usable boxes. */
  own: Dictionary
  /** Its own or inherited resources, with references followed. */
  resources: Value
  /** Its content streams, in their order. */
  contents: readonly string[]
  /** The page's visible part, upright, in points from the lower left corner of the page. */
  seen: Box
  /** Maps `seen` to the page's own space, which may be rotated and scaled. */
  upright: Matrix
}

export interface Pages {
  pages: readonly Page[]
  objects: Objects
  /** The highest object number. */
  maxObject: number
}

const LETTER: Box = { left: 0, bottom: 0, right: 612, top: 792 }
const PAGES_FILE = 'pages.json'
const MAX_DEPTH = 100

export async function readPages(folder: string, opened: OpenedDocument): Promise<Pages> {
  const { pages, maxObject } = await readPageTree(folder, opened)
  // oxfmt-ignore
  const objects = await withParents(folder, opened, pages.map(({ object }) => object))
  return { pages: pages.map((page) => pageOf(page, objects)), objects, maxObject }
}

interface WrittenPages {
  pages: { object: string; contents: string[] }[]
  qpdf: [{ maxobjectid: number }, unknown]
}

/**
 * qpdf turns a page that is in the tree twice into two objects: every call that names them needs
 * `TREE_READ`.
 */
export async function readPageTree(folder: string, { file }: Pick<OpenedDocument, 'file'>) {
  const keys = ['--json-key=pages', '--json-key=qpdf', '--json-object=trailer']
  await runQpdf(folder, [`${HERE}/${file}`, '--json=2', ...keys, `${HERE}/${PAGES_FILE}`])
  const written = JSON.parse(await readFile(path.join(folder, PAGES_FILE), 'utf8')) as WrittenPages
  if (written.pages.length === 0) throw refusalFor('pdf_damaged')
  return { pages: written.pages, maxObject: written.qpdf[0].maxobjectid }
}

/** A document's pages in their order, and all of its objects. */
export interface WholeDocument {
  pages: readonly string[]
  objects: Objects
  maxObject: number
}

/** Throws `Refusal` `pdf_damaged` if there are no pages. */
export async function readWhole(folder: string, opened: OpenedDocument): Promise<WholeDocument> {
  const { pages, maxObject } = await readPageTree(folder, opened)
  const objects = await readObjects(folder, opened, [], TREE_READ)
  return { pages: pages.map(({ object }) => object), objects, maxObject }
}

/**
 * The objects with the pages' ancestors, from which a page inherits the attributes that it lacks.
 */
async function withParents(
  folder: string,
  opened: OpenedDocument,
  references: readonly string[],
): Promise<Objects> {
  let objects = await readObjects(folder, opened, references.map(idOf), TREE_READ)
  const asked = new Set(references)
  for (let deep = 0; deep < MAX_DEPTH; deep++) {
    const named = [...objects.values.values()]
      .filter(isDictionary)
      .flatMap((dictionary) => [dictionary, dictionary['/Resources']].filter(isDictionary))
      .flatMap((dictionary) => [
        ...[...INHERITED, ...BOXES, ...RESOURCES].map((name) => ownValue(dictionary, name)),
        ...BOXES.flatMap((name) => numbersOf(ownValue(dictionary, name), objects)),
      ])
      .filter(isReference)
    const unknown = [...new Set(named)].filter((reference) => !asked.has(reference))
    if (unknown.length === 0) return objects
    for (const reference of unknown) asked.add(reference)
    objects = objects.with(await readObjects(folder, opened, unknown.map(idOf)))
  }
  throw refusalFor('pdf_damaged')
}

/** The four numbers of a box, each of which may be an object. */
function numbersOf(box: Value | undefined, { resolve }: Objects): readonly Value[] {
  const numbers = resolve(box)
  return isList(numbers) ? numbers : []
}

// qpdf numbers pages that are in the tree twice in the same way in every call.
export const TREE_READ = ['--json-stream-data=none', '--json-key=pages']
const INHERITED = ['/Parent', '/Rotate', '/UserUnit']
const BOXES = ['/MediaBox', '/CropBox', '/TrimBox']
const RESOURCES = ['/Resources', '/XObject', '/ExtGState']

function pageOf({ object, contents }: WrittenPages['pages'][number], objects: Objects): Page {
  const own = objects.values.get(object)
  if (!isDictionary(own)) throw refusalFor('pdf_damaged')
  const of = (name: string) => inheritedAttribute(own, name, objects)
  const media = boxOf(of('/MediaBox'), objects)
  const crop = boxOf(of('/CropBox'), objects)
  const trim = boxOf(objects.resolve(own['/TrimBox']), objects)
  const shown = [crop, trim].reduce<Box>(
    (all, one) => (one && intersection(all, one)) || all,
    media ?? LETTER,
  )
  const unit = Number(objects.resolve(own['/UserUnit'])) || 1
  return {
    reference: object,
    contents,
    resources: of('/Resources'),
    own: {
      ...own,
      ...(media ? {} : { '/MediaBox': listOf(LETTER) }),
      // Some readers show nothing of a page with an empty crop box.
      ...(crop || of('/CropBox') === null ? {} : { '/CropBox': listOf(media ?? LETTER) }),
    },
    ...upright(shown, turnOf(of('/Rotate')), unit),
  }
}

function inheritedAttribute(own: Dictionary, name: string, { resolve }: Objects): Value {
  let at: Value = own
  for (let deep = 0; deep < MAX_DEPTH && isDictionary(at); deep++) {
    const value = resolve(ownValue(at, name))
    if (value !== null) return value
    at = resolve(at['/Parent'])
  }
  return null
}

/**
 * The box in the usual form: any two opposite corners define one. Null: there is none, or it is
 * empty.
 */
function boxOf(value: Value, { resolve }: Objects): Box | null {
  const corners = isList(value) ? value.map(resolve) : []
  if (corners.length !== 4 || !corners.every((one) => typeof one === 'number')) return null
  const [x, y, toX, toY] = corners as [number, number, number, number]
  const box = {
    left: Math.min(x, toX),
    right: Math.max(x, toX),
    bottom: Math.min(y, toY),
    top: Math.max(y, toY),
  }
  return box.right === box.left || box.top === box.bottom ? null : box
}

function intersection(a: Box, b: Box): Box | null {
  const [left, right] = [Math.max(a.left, b.left), Math.min(a.right, b.right)]
  const [bottom, top] = [Math.max(a.bottom, b.bottom), Math.min(a.top, b.top)]
  return left < right && bottom < top ? { left, right, bottom, top } : null
}

const listOf = ({ left, bottom, right, top }: Box) => [left, bottom, right, top]

/** The page's rotation, clockwise: 0, 90, 180 or 270. */
function turnOf(value: Value): number {
  if (typeof value !== 'number' || value % 90 !== 0) return 0
  return ((value % 360) + 360) % 360
}

/**
 * The visible part in points from its lower left corner, and the matrix to the page's own space.
 */
function upright(shown: Box, turn: number, unit: number): Pick<Page, 'seen' | 'upright'> {
  const [width, height] = [shown.right - shown.left, shown.top - shown.bottom]
  const [right, top] = turn % 180 === 90 ? [height, width] : [width, height]
  const points: Matrix = [1 / unit, 0, 0, 1 / unit, 0, 0]
  const moved: Matrix = [1, 0, 0, 1, shown.left, shown.bottom]
  return {
    seen: { left: 0, bottom: 0, right: right * unit, top: top * unit },
    upright: times(times(points, unrotatedMatrix(width, height, turn)), moved),
  }
}

/** Maps the visible part of a rotated page to the page's own space. */
function unrotatedMatrix(width: number, height: number, turn: number): Matrix {
  switch (turn) {
    case 90:
      return [0, 1, -1, 0, width, 0]
    case 180:
      return [-1, 0, 0, -1, width, height]
    case 270:
      return [0, -1, 1, 0, 0, height]
    default:
      return [1, 0, 0, 1, 0, 0]
  }
}
