// Rows to correct, as the API shows them: their values with and without corrections, and their
// problems.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { originalRows, type BodyRow } from './body-rows.ts'
import { FIELDS, placesOf, type CsvField } from './columns.ts'
import { correctedCells, readEdits, type RowEdit } from './edits.ts'
import { meantSkus, problemsOfRows, rowsOfGroup } from './problem-groups.ts'
import type { ProblemRow } from './problems.ts'
import { cellText, readValues, shapeProblem, shiftProblem } from './row-values.ts'
import type { CsvUpload } from './uploads.ts'

type FieldTexts = Record<CsvField, string | null>

export interface CorrectableRow {
  row: number
  left_out: boolean
  /** The texts of the cells with the corrections; null: no column has the field. */
  values: FieldTexts
  /** The texts of the file. */
  original: FieldTexts
  problems: CorrectableProblem[]
}

export interface CorrectableProblem extends Omit<ProblemRow, 'place' | 'number'> {
  /** The SKU of the shop that the unknown one is a typing error of (`nearSkus`). */
  did_you_mean: string | null
}

export interface RowFilter {
  /** The id of a group of problems. */
  group?: string | undefined
  /** Rows with corrections, or rows that are left out. */
  only?: 'corrected' | 'left_out' | undefined
  /** Only rows after this one. */
  after: number
  limit: number
}

/** Lists the rows in their order, with the problems of the last check. */
export async function listRows(
  scope: ShopScope,
  upload: CsvUpload,
  filter: RowFilter,
): Promise<CorrectableRow[]> {
  const numbers = await numbersOf(scope, upload, filter)
  const found = await problemsOfRows(scope, upload, numbers)
  const meant = await meantSkus(scope, found)
  const problems = Map.groupBy(
    found.map((problem) => ({ ...problem, did_you_mean: meant(problem) })),
    ({ row }) => row,
  )
  return rowsWith(scope, upload, numbers, ({ row }) => problems.get(row) ?? [])
}

async function numbersOf(
  scope: ShopScope,
  upload: CsvUpload,
  { group, only, after, limit }: RowFilter,
): Promise<number[]> {
  if (group !== undefined)
    return (await rowsOfGroup(scope, upload, { group }, { after, limit })).rows
  const rows = await scope.query<{ row: number }>(
    `select row from csv_edits where shop_id = :shop and csv_id = :id and row > :after
       ${only === undefined ? '' : `and ${only === 'left_out' ? '' : 'not '}left_out`}
     order by row limit :limit`,
    { id: upload.id, after, limit },
  )
  return rows.map(({ row }) => row)
}

/** Reads these rows with the problems that their values show before the next check has ended. */
export function readChangedRows(
  scope: ShopScope,
  upload: CsvUpload,
  numbers: readonly number[],
): Promise<CorrectableRow[]> {
  const places = placesOf(upload.mapping, upload.headers)
  return rowsWith(scope, upload, numbers, ({ row, cells, broken }) => {
    const shape = broken ?? shapeProblem(cells, upload.headers) ?? shiftProblem(cells, places)
    const found = shape ? [shape] : readValues(cells, places, upload.check_options?.match).problems
    return found.map(({ field, detail = null, value = null, ...problem }) => ({
      ...problem,
      row,
      detail,
      value,
      column: field && (upload.mapping[field] ?? field),
      did_you_mean: null,
    }))
  })
}

async function rowsWith(
  scope: ShopScope,
  upload: CsvUpload,
  numbers: readonly number[],
  problemsOf: (row: BodyRow) => CorrectableRow['problems'],
): Promise<CorrectableRow[]> {
  const [originals, edits] = await Promise.all([
    originalRows(scope, upload, numbers),
    readEdits(scope, upload.id, numbers),
  ])
  return [...originals.values()].map((original) => {
    const edit: RowEdit | undefined = edits.get(original.row)
    const cells = correctedCells(original.cells, edit)
    return {
      row: original.row,
      left_out: edit?.left_out ?? false,
      values: textsOf(upload, cells),
      original: textsOf(upload, original.cells),
      problems: edit?.left_out ? [] : problemsOf({ ...original, cells }),
    }
  })
}

function textsOf({ mapping, headers }: CsvUpload, cells: readonly string[]): FieldTexts {
  const places = placesOf(mapping, headers)
  return Object.fromEntries(
    FIELDS.map((field) => [field, places[field] < 0 ? null : cellText(cells[places[field]] ?? '')]),
  ) as FieldTexts
}
