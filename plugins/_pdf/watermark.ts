// A mark on every page, upright as the page is seen.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Warning } from '../contract/index.ts'
import { ownValue } from '../contract/sandbox.ts'
import { claimWarnings, readClaims, type Claims } from './claims.ts'
import { writeResult } from './finish.ts'
import { isDamage } from './open.ts'
import { writeChanges } from './changes.ts'
import { textMark, streamOf, type Mark, type Stream } from './picture-mark.ts'
import type { OpenedDocument } from './opened.ts'
import { readPages, type Page, type Pages } from './pages.ts'
import { HERE } from './qpdf.ts'
import type { WatermarkOptions, WatermarkTask } from './tasks.ts'
import { closingOperators, balancedContent, readContent, type ContentState } from './content.ts'
import {
  idOf,
  isDictionary,
  readObjects,
  referenceTo,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'
import { times, type Matrix, type Box } from './geometry.ts'

const PICTURE = 'picture'

/** Marks every page. Throws `Refusal`: `pdf_damaged`, `glyph_missing`, `image_damaged`. */
export async function watermarkDocument(
  opened: OpenedDocument,
  task: WatermarkTask,
): Promise<{ warnings: Warning[] }> {
  const { folder, wanted } = task
  const pages = await readPages(folder, opened)
  const mark = await (wanted.picture === undefined
    ? textMark(wanted)
    : readPicture(path.join(folder, PICTURE)))
  const claims = await readClaims(folder, opened)
  const lost = breaksClaims(claims, wanted)
  const changes = {
    ...(await stampPages(folder, opened, pages, mark, wanted)),
    ...(lost ? claims.removal : {}),
  }
  await writeResult(folder, opened, [
    `${HERE}/${opened.file}`,
    ...(await writeChanges(folder, changes, true)),
    ...(opened.linearized ? ['--linearize'] : []),
  ])
  return { warnings: lost ? claimWarnings(claims) : [] }
}

/**
 * Whether a page with the mark violates what the document claims to follow. A text is grey, which a
 * profile must define; a picture has colours that it may not define.
 */
const breaksClaims = ({ isOld, hasProfile }: Claims, { picture, opacity }: WatermarkOptions) =>
  picture !== undefined || !hasProfile || (isOld && opacity < 1)

async function readPicture(file: string) {
  const { pictureMark } = await import('./picture-mark.ts')
  return pictureMark(await readFile(file))
}

// Writes a mark into each page, after the page's own content. The page object, its boxes and its
// content stay: overlaying another document would reposition the page by its trim box.

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
async function stampPages(
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

/**
 * Extracts the pages' contents, decoded, into one file each. Content that cannot be decoded draws nothing: of a
 * repaired document, it counts as empty.
 */
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
  const extract = (some: readonly string[]) => readObjects(folder, opened, some, decoded)
  try {
    await extract(ids)
  } catch (error) {
    if (!(opened.repaired && isDamage(error))) throw error
    for (const id of ids) await extract([id]).catch(() => writeFile(contentFile(folder, id), ''))
  }
}

const contentFile = (folder: string, id: string) => path.join(folder, `${CONTENT}-${parseInt(id)}`)

/** The content of a page. Its parts are joined with a space, as readers do. */
async function readContents(folder: string, { contents }: Page): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const content of contents)
    parts.push(await readFile(contentFile(folder, content)), Buffer.from('\n'))
  return Buffer.concat(parts)
}

/** A number as PDF writes it, without an exponent. */
const shown = (value: number) => value.toFixed(5)

// Position and size of a mark on a page: a matrix from the mark's coordinates to the page's.

/** The margin, as a fraction of the visible part of a page. */
const MARGIN = 0.04
const DIAGONAL = 0.7
const WHOLE_DIAGONAL = 0.85
const DIAGONAL_HEIGHT = 0.25
const CENTER = 0.6
const CORNER_WIDTH = 0.4
const CORNER_HEIGHT = 0.05
/** The size of a picture in a corner. */
const CORNER_PICTURE = 0.2

function placeMark(
  seen: Box,
  mark: Pick<Mark, 'box' | 'scale'>,
  { position, picture }: Pick<WatermarkOptions, 'position' | 'picture'>,
): Matrix {
  const page = { width: seen.right - seen.left, height: seen.top - seen.bottom }
  const size = { width: mark.box.right - mark.box.left, height: mark.box.top - mark.box.bottom }
  const scale =
    mark.scale === null || mark.scale === undefined
      ? scaleToFit(page, size, position, picture !== undefined)
      : Math.min(mark.scale, largestScale(page, size, position))
  const [width, height] = [size.width * scale, size.height * scale]
  const margin = Math.min(page.width, page.height) * MARGIN
  const middle = { x: seen.left + page.width / 2, y: seen.bottom + page.height / 2 }
  const left = seen.left + margin + width / 2
  const right = seen.right - margin - width / 2
  const bottom = seen.bottom + margin + height / 2
  const top = seen.top - margin - height / 2
  const at = (x: number, y: number, turn = 0) => matrixAround(mark.box, scale, turn, x, y)
  switch (position) {
    case 'center':
      return at(middle.x, middle.y)
    case 'diagonal':
      return at(middle.x, middle.y, Math.atan2(page.height, page.width))
    case 'top-left':
      return at(left, top)
    case 'top-right':
      return at(right, top)
    case 'bottom-left':
      return at(left, bottom)
    case 'bottom-right':
      return at(right, bottom)
  }
}

interface Size {
  width: number
  height: number
}

/**
 * The largest scale at which the whole mark is on the page: a name that is cut off identifies no
 * buyer.
 */
function largestScale(page: Size, mark: Size, position: WatermarkOptions['position']): number {
  const width =
    position === 'diagonal'
      ? Math.hypot(page.width, page.height) * WHOLE_DIAGONAL
      : page.width - 2 * Math.min(page.width, page.height) * MARGIN
  return width / mark.width
}

/** The scale that fills the space of this position. */
function scaleToFit(
  page: Size,
  mark: Size,
  position: WatermarkOptions['position'],
  picture: boolean,
): number {
  const within = (width: number, height: number) =>
    Math.min(width / mark.width, height / mark.height)
  const [shorter, diagonal] = [
    Math.min(page.width, page.height),
    Math.hypot(page.width, page.height),
  ]
  if (position === 'diagonal')
    return within(diagonal * DIAGONAL, shorter * (picture ? CENTER : DIAGONAL_HEIGHT))
  if (position === 'center')
    return within(page.width * CENTER, page.height * (picture ? CENTER : DIAGONAL_HEIGHT))
  if (picture) return within(page.width * CORNER_PICTURE, page.height * CORNER_PICTURE)
  return within(page.width * CORNER_WIDTH, shorter * CORNER_HEIGHT)
}

/** Puts the mark's centre at (x, y), rotated counter-clockwise. */
function matrixAround(box: Box, scale: number, turn: number, x: number, y: number): Matrix {
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale]
  const [middleX, middleY] = [(box.left + box.right) / 2, (box.bottom + box.top) / 2]
  return [cos, sin, -sin, cos, x - cos * middleX + sin * middleY, y - sin * middleX - cos * middleY]
}
