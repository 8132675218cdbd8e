// The pages as someone sees them: how large, turned how, and what is cut off. What is missing or odd is as readers take it.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Refusal } from '../children/serve.ts'
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
import type { Opened } from './open.ts'
import { HERE, runQpdf } from './qpdf.ts'

export interface Box {
  left: number
  bottom: number
  right: number
  top: number
}

export interface Page {
  /** What qpdf lays a mark over, upright, in points. */
  width: number
  height: number
  /** The part of it that is seen. */
  seen: Box
}

export interface Pages {
  pages: readonly Page[]
  /** Page objects that have to be put right before a mark is laid over them, as qpdf is told of changes. */
  changes: Record<string, { value: Dictionary }>
}

const LETTER: Box = { left: 0, bottom: 0, right: 612, top: 792 }
const PAGES_FILE = 'pages.json'
const DEEPEST = 100

export async function readPages(folder: string, opened: Opened): Promise<Pages> {
  const references = await pageReferences(folder, opened)
  const objects = await withParents(folder, opened, references)
  const changes: Pages['changes'] = {}
  const pages = references.map((reference) => {
    const { page, change } = pageOf(reference, objects)
    if (change) changes[`obj:${reference}`] = { value: change }
    return page
  })
  return { pages, changes }
}

/** The objects that its pages are, in their order. Throws `Refusal` `pdf_damaged` where it has none. */
export async function pageReferences(folder: string, { file }: Opened): Promise<string[]> {
  await runQpdf(folder, [`${HERE}/${file}`, '--json=2', '--json-key=pages', `${HERE}/${PAGES_FILE}`])
  const written = JSON.parse(await readFile(path.join(folder, PAGES_FILE), 'utf8')) as { pages: { object: string }[] }
  if (written.pages.length === 0) throw new Refusal('pdf_damaged')
  return written.pages.map(({ object }) => object)
}

/** What a page does not say itself is said by those above it. */
async function withParents(folder: string, opened: Opened, references: readonly string[]): Promise<Objects> {
  let objects = await readObjects(folder, opened, references.map(idOf))
  const asked = new Set(references)
  for (let deep = 0; deep < DEEPEST; deep++) {
    const named = [...objects.values.values()]
      .filter(isDictionary)
      .flatMap((dictionary) =>
        ['/Parent', ...BOXES, '/Rotate', '/UserUnit'].map((name) => dictionary[name]).filter(isReference),
      )
    const unknown = [...new Set(named)].filter((reference) => !asked.has(reference))
    if (unknown.length === 0) return objects
    for (const reference of unknown) asked.add(reference)
    objects = objects.with(await readObjects(folder, opened, unknown.map(idOf)))
  }
  throw new Refusal('pdf_damaged')
}

const BOXES = ['/MediaBox', '/CropBox', '/TrimBox']

function pageOf(reference: string, objects: Objects): { page: Page; change: Dictionary | null } {
  const own = objects.values.get(reference)
  if (!isDictionary(own)) throw new Refusal('pdf_damaged')
  const of = (name: string) => inherited(own, name, objects)
  const media = boxOf(of('/MediaBox'), objects)
  const crop = boxOf(of('/CropBox'), objects)
  const trim = boxOf(objects.resolve(own['/TrimBox']), objects)
  const turn = turnOf(of('/Rotate'))
  const unit = Number(objects.resolve(own['/UserUnit'])) || 1
  const laid = trim ?? crop ?? media ?? LETTER
  const seen = [media ?? LETTER, crop, trim].reduce<Box>((all, one) => (one && overlap(all, one)) || all, laid)
  const change: Record<string, Value> = {}
  if (!media) change['/MediaBox'] = [0, 0, LETTER.right, LETTER.top]
  if (!crop && of('/CropBox') !== null) change['/CropBox'] = listOf(media ?? LETTER)
  if (!trim && own['/TrimBox'] !== undefined) change['/TrimBox'] = listOf(laid)
  if (of('/Rotate') !== null && of('/Rotate') !== turn) change['/Rotate'] = turn
  const page = upright(laid, seen, turn, unit)
  return { page, change: Object.keys(change).length > 0 ? { ...own, ...change } : null }
}

function inherited(own: Dictionary, name: string, { resolve }: Objects): Value {
  let at: Value = own
  for (let deep = 0; deep < DEEPEST && isDictionary(at); deep++) {
    const value = resolve(at[name])
    if (value !== null) return value
    at = resolve(at['/Parent'])
  }
  return null
}

/** Null where there is none, or nothing in it. Any two opposite corners name one. */
function boxOf(value: Value, { resolve }: Objects): Box | null {
  const corners = isList(value) ? value.map(resolve) : []
  if (corners.length !== 4 || !corners.every((one) => typeof one === 'number')) return null
  const [x, y, toX, toY] = corners as [number, number, number, number]
  const box = { left: Math.min(x, toX), right: Math.max(x, toX), bottom: Math.min(y, toY), top: Math.max(y, toY) }
  return box.right - box.left < 1 || box.top - box.bottom < 1 ? null : box
}

function overlap(a: Box, b: Box): Box | null {
  const [left, right] = [Math.max(a.left, b.left), Math.min(a.right, b.right)]
  const [bottom, top] = [Math.max(a.bottom, b.bottom), Math.min(a.top, b.top)]
  return left < right && bottom < top ? { left, right, bottom, top } : null
}

const listOf = ({ left, bottom, right, top }: Box) => [left, bottom, right, top]

/** Clockwise: 0, 90, 180 or 270. */
function turnOf(value: Value): number {
  if (typeof value !== 'number' || value % 90 !== 0) return 0
  return ((value % 360) + 360) % 360
}

/** As it is seen: from its own lower left corner, in points. */
function upright(laid: Box, seen: Box, turn: number, unit: number): Page {
  const [width, height] = [laid.right - laid.left, laid.top - laid.bottom]
  const corners = [
    [seen.left - laid.left, seen.bottom - laid.bottom],
    [seen.right - laid.left, seen.top - laid.bottom],
  ].map(([x, y]) => turned(x!, y!, { width, height }, turn).map((one) => one * unit) as [number, number])
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  const sideways = turn % 180 === 90
  return {
    width: (sideways ? height : width) * unit,
    height: (sideways ? width : height) * unit,
    seen: { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) },
  }
}

function turned(
  x: number,
  y: number,
  { width, height }: { width: number; height: number },
  turn: number,
): [number, number] {
  switch (turn) {
    case 90:
      return [y, width - x]
    case 180:
      return [width - x, height - y]
    case 270:
      return [height - y, x]
    default:
      return [x, y]
  }
}
