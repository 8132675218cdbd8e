// Corrections of an uploaded file: edited cells and left out rows, stored beside the file, which
// itself does not change. The last corrections can be undone.
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'

export interface RowEdit {
  row: number
  /** Index of the column → corrected text. */
  cells: Readonly<Record<string, string>>
  left_out: boolean
}

export type RowEdits = ReadonlyMap<number, RowEdit>

/** How many corrections can be undone, one after another. */
const MAX_UNDONE = 50

/** Reads the edits of a file, or of these rows of it. */
export async function readEdits(
  scope: ShopScope,
  id: string,
  rows?: readonly number[],
): Promise<RowEdits> {
  const found = await scope.query<RowEdit>(
    `select row, cells, left_out from csv_edits where shop_id = :shop and csv_id = :id
       ${rows ? 'and row = any(:rows::int[])' : ''} order by row`,
    { id, ...(rows ? { rows } : {}) },
  )
  return new Map(found.map((edit) => [edit.row, edit]))
}

const isUnchanged = ({ cells, left_out }: RowEdit): boolean =>
  !left_out && Object.keys(cells).length === 0

/** Stores edits of rows as one correction, which `undoCorrection` takes back. */
export async function storeCorrection(
  tx: ShopScope,
  id: string,
  edits: readonly RowEdit[],
): Promise<void> {
  const before = await readEdits(
    tx,
    id,
    edits.map(({ row }) => row),
  )
  const earlier = edits.map(({ row }) => before.get(row) ?? { row, cells: {}, left_out: false })
  await tx.query(
    `with numbered as (
       insert into csv_corrections (shop_id, csv_id, number, before)
       select :shop, :id, coalesce(max(number), 0) + 1, :before from csv_corrections
         where shop_id = :shop and csv_id = :id
       returning number)
     delete from csv_corrections c using numbered n
     where c.shop_id = :shop and c.csv_id = :id and c.number <= n.number - :max`,
    { id, before: JSON.stringify(earlier), max: MAX_UNDONE },
  )
  await writeEdits(tx, id, edits)
}

/** Takes back the last correction. Throws `conflict` if there is none. */
export async function undoCorrection(tx: ShopScope, id: string): Promise<void> {
  const [last] = await tx.query<{ before: RowEdit[] }>(
    `delete from csv_corrections where shop_id = :shop and csv_id = :id and number = (
       select max(number) from csv_corrections where shop_id = :shop and csv_id = :id)
     returning before`,
    { id },
  )
  if (!last) throw new AppError('conflict', { message: say('There is no correction to undo') })
  await writeEdits(tx, id, last.before)
}

async function writeEdits(tx: ShopScope, id: string, edits: readonly RowEdit[]): Promise<void> {
  const kept = edits.filter((edit) => !isUnchanged(edit))
  await tx.query(
    'delete from csv_edits where shop_id = :shop and csv_id = :id and row = any(:rows::int[])',
    { id, rows: edits.map(({ row }) => row) },
  )
  await tx.query(
    `insert into csv_edits (shop_id, csv_id, row, cells, left_out)
     select :shop, :id, e.* from jsonb_to_recordset(:kept::jsonb)
       as e(row int, cells jsonb, left_out boolean)`,
    { id, kept: JSON.stringify(kept) },
  )
}

/** Drops all corrections: the file is read in another way, so its rows and columns are others. */
export async function dropCorrections(tx: ShopScope, id: string): Promise<void> {
  await tx.query('delete from csv_edits where shop_id = :shop and csv_id = :id', { id })
  await tx.query('delete from csv_corrections where shop_id = :shop and csv_id = :id', { id })
}

/** The cells of a row with its corrections. */
export function correctedCells(cells: readonly string[], edit: RowEdit | undefined): string[] {
  const corrected = [...cells]
  for (const [at, text] of Object.entries(edit?.cells ?? {})) {
    while (corrected.length < Number(at)) corrected.push('')
    corrected[Number(at)] = text
  }
  return corrected
}
