// The rows of a file after its header, as they are or with the corrections.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { ERRORS } from '../../core/errors.ts'
import { correctedCells, readEdits, type RowEdits } from './edits.ts'
import { isBlank, type RowBatch } from './rows.ts'
import type { CellProblem } from './row-values.ts'
import { readUploadRows, type CsvUpload } from './uploads.ts'

export interface BodyRow {
  row: number
  cells: string[]
  broken: CellProblem | null
}

const NO_EDITS: RowEdits = new Map()

/**
 * The rows after the header, without empty ones and without those that are left out.
 * @param headerRow 0: there is no header.
 */
export async function* bodyOf(
  batches: AsyncIterable<RowBatch>,
  headerRow: number,
  edits: RowEdits = NO_EDITS,
): AsyncGenerator<BodyRow[]> {
  for await (const { first, records, broken } of batches) {
    const rows: BodyRow[] = []
    for (const [at, cells] of records.entries()) {
      const row = first + at
      if (isBlank(cells) || row <= headerRow) continue
      const edit = edits.get(row)
      if (edit?.left_out) continue
      const wrong = broken.get(row)
      rows.push({
        row,
        cells: edit ? correctedCells(cells, edit) : cells,
        broken: wrong
          ? {
              field: null,
              severity: 'error',
              code: 'invalid_csv',
              message: ERRORS.invalid_csv.message,
              detail: wrong.detail,
            }
          : null,
      })
    }
    yield rows
  }
}

/** The rows of a stored file with its corrections: what is checked and imported. */
export async function* correctedRows(
  scope: ShopScope,
  upload: CsvUpload,
): AsyncGenerator<BodyRow[]> {
  const edits = await readEdits(scope, upload.id)
  yield* bodyOf(readUploadRows(scope, upload), upload.format.header_row, edits)
}

/** These rows of the file without corrections, also those that are left out. */
export async function originalRows(
  scope: ShopScope,
  upload: CsvUpload,
  numbers: readonly number[],
): Promise<Map<number, BodyRow>> {
  const wanted = new Set(numbers)
  const last = Math.max(0, ...numbers)
  const found = new Map<number, BodyRow>()
  if (last === 0) return found
  for await (const rows of bodyOf(readUploadRows(scope, upload), upload.format.header_row)) {
    for (const row of rows) if (wanted.has(row.row)) found.set(row.row, row)
    if ((rows.at(-1)?.row ?? 0) >= last) break
  }
  return found
}
