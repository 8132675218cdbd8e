// The document that is laid over another one: a page for each size of page, each with the mark in its place.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { WatermarkWanted } from '../../../plugins/contract.ts'
import { MARK, reference, streamOf, type Mark } from './marks.ts'
import type { Page } from './pages.ts'
import { placed, type Matrix } from './placement.ts'
import { HERE, runQpdf } from './qpdf.ts'

export const STAMP = 'stamp.pdf'
const JSON_FILE = 'stamp.json'

// The other objects' numbers.
const [CATALOG, TREE, STATE, FIRST] = [1, 2, 5, 6]

/** Writes the stamp's file. Gives the number of the stamp's page for each page, from 1. */
export async function writeStamp(
  folder: string,
  pages: readonly Page[],
  mark: Mark,
  wanted: WatermarkWanted,
): Promise<number[]> {
  const kinds = new Map<string, { number: number; page: Page }>()
  const numbers = pages.map((page) => {
    const kind = JSON.stringify(page)
    const known = kinds.get(kind) ?? { number: kinds.size + 1, page }
    kinds.set(kind, known)
    return known.number
  })
  const objects = objectsOf(
    [...kinds.values()].map(({ page }) => page),
    mark,
    wanted,
  )
  const head = { jsonversion: 2, pdfversion: '1.7', maxobjectid: Object.keys(objects).length }
  await writeFile(path.join(folder, JSON_FILE), JSON.stringify({ qpdf: [head, objects] }))
  await runQpdf(folder, ['--json-input', `${HERE}/${JSON_FILE}`, `${HERE}/${STAMP}`])
  return numbers
}

function objectsOf(pages: readonly Page[], mark: Mark, wanted: WatermarkWanted): Record<string, unknown> {
  const numbers = pages.map((_, at) => FIRST + at * 2)
  const opacity = { '/Type': '/ExtGState', '/ca': wanted.opacity, '/CA': wanted.opacity }
  const resources = { '/XObject': { '/Mark': reference(MARK) }, '/ExtGState': { '/Opacity': reference(STATE) } }
  const drawn = pages.flatMap((page, at) => [
    [
      `obj:${reference(numbers[at]!)}`,
      {
        value: {
          ...{ '/Type': '/Page', '/Parent': reference(TREE), '/MediaBox': [0, 0, page.width, page.height] },
          ...{ '/Resources': resources, '/Contents': reference(numbers[at]! + 1) },
        },
      },
    ],
    [`obj:${reference(numbers[at]! + 1)}`, streamOf({}, contentOf(placed(page.seen, mark, wanted), mark))],
  ])
  return {
    [`obj:${reference(CATALOG)}`]: { value: { '/Type': '/Catalog', '/Pages': reference(TREE) } },
    [`obj:${reference(TREE)}`]: {
      value: { '/Type': '/Pages', '/Count': pages.length, '/Kids': numbers.map(reference) },
    },
    ...mark.objects,
    [`obj:${reference(STATE)}`]: { value: opacity },
    ...(Object.fromEntries(drawn) as Record<string, unknown>),
    trailer: { value: { '/Root': reference(CATALOG), '/Size': FIRST + pages.length * 2 } },
  }
}

/** Marked as what is no part of the document's own text. */
const contentOf = (matrix: Matrix, { content }: Mark) =>
  `/Artifact <</Type /Pagination /Subtype /Watermark>> BDC q /Opacity gs ${matrix.map(shown).join(' ')} cm ${content} Q EMC`

/** PDF knows no exponents. */
const shown = (value: number) => value.toFixed(5)
