// The problems that a check finds: stored during the check, paged for the API, and exported as a
// CSV file of the rows to correct.
import Papa from 'papaparse'
import { english, type AnyText } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { columnsOfText, textOfColumns } from '../../core/texts.ts'
import { originalCell, plainCell } from '../../files/cells.ts'
import { correctedRows } from './body-rows.ts'
import { type RowProblem } from './check-state.ts'
import type { CsvUpload } from './uploads.ts'

/** The position of a problem among all problems. */
export interface ProblemPlace {
  row: number
  place: number
  /** The number of the problem among those of one cell. */
  number: number
}

export interface ProblemRow extends ProblemPlace {
  column: string | null
  severity: 'error' | 'warning'
  code: string
  message: AnyText
  detail: AnyText | null
  value: string | null
}

export interface ProblemFilter {
  severity?: 'error' | 'warning' | undefined
  /** Lists only problems after this one. */
  after?: ProblemPlace | undefined
  limit: number
}

const MAX_CHARACTERS = 300
const ROW_BATCH = 1000

/** Stores the problems of a check, unless another round has begun. */
export async function storeProblems(
  scope: ShopScope,
  { id, round }: Pick<CsvUpload, 'id' | 'round'>,
  problems: readonly RowProblem[],
): Promise<void> {
  const rows = problems.map(
    ({ row, place, number, column, severity, code, message, detail, value }) => ({
      row,
      place,
      number,
      column,
      severity,
      code,
      message,
      detail,
      value: value?.slice(0, MAX_CHARACTERS).toWellFormed(),
    }),
  )
  await scope.query(
    `insert into csv_problems (shop_id, csv_id, round, row, place, number, "column", severity, code,
       message, message_values, detail, detail_values, value)
     select :shop, u.id, u.round, p.row, p.place, p.number, p."column", p.severity, p.code,
       ${columnsOfText('p.message')}, ${columnsOfText('p.detail')}, p.value
     from csv_uploads u,
       jsonb_to_recordset(:rows::jsonb) as p(row int, place smallint, number int, "column" text,
         severity text, code text, message jsonb, detail jsonb, value text)
     where u.shop_id = :shop and u.id = :id and u.round = :round`,
    { id, round, rows: JSON.stringify(rows) },
  )
}

/**
 * SQL: whether a problem is one of the check whose problems are shown: during a check of corrected
 * rows, of the one before it. Asked in the statement that reads the problems, because the end of a
 * check removes the earlier ones.
 */
export const OF_SHOWN_CHECK = `shop_id = :shop and csv_id = :id and round = (
  select case when u.recheck is null then u.round else u.checked_round end
  from csv_uploads u where u.shop_id = :shop and u.id = :id)`

/** Removes the problems of earlier checks. */
export async function dropEarlierProblems(
  scope: ShopScope,
  { id, round }: Pick<CsvUpload, 'id' | 'round'>,
): Promise<void> {
  await scope.query(
    'delete from csv_problems where shop_id = :shop and csv_id = :id and round <> :round',
    { id, round },
  )
}

/** SQL: the columns of a `ProblemRow`. */
export const PROBLEM_COLUMNS = `row, place, number, "column", severity, code,
  ${textOfColumns('message')} as message, ${textOfColumns('detail')} as detail, value`

/** Lists the problems in the order of rows. */
export function listProblems(
  scope: ShopScope,
  { id }: Pick<CsvUpload, 'id'>,
  { severity, after, limit }: ProblemFilter,
): Promise<ProblemRow[]> {
  return scope.query<ProblemRow>(
    `select ${PROBLEM_COLUMNS} from csv_problems
     where ${OF_SHOWN_CHECK}
       ${severity ? 'and severity = :severity' : ''} ${after ? 'and (row, place, number) > (:row, :place, :number)' : ''}
     order by row, place, number limit :limit`,
    { id, limit, ...(severity ? { severity } : {}), ...after },
  )
}

/** Reads the numbers of the rows with errors. */
export async function errorRows(
  scope: ShopScope,
  { id }: Pick<CsvUpload, 'id'>,
): Promise<ReadonlySet<number>> {
  const rows = await scope.query<{ row: number }>(
    `select distinct row from csv_problems
     where ${OF_SHOWN_CHECK} and severity = 'error'`,
    { id },
  )
  return new Set(rows.map(({ row }) => row))
}

/** The column with a row's errors; it is ignored when the corrected file is imported. */
const ERRORS_COLUMN = 'import_errors'

/**
 * The file with its corrections, without the rows that are left out, as pieces of a CSV file in
 * UTF-8. No spreadsheet runs any of its cells, and an import restores each one exactly.
 */
export async function* correctedCsv(scope: ShopScope, upload: CsvUpload): AsyncGenerator<string> {
  const { headers, format } = upload
  yield format.header_row === 0 ? BOM : `${BOM}${written([headers.map(marked)], format)}`
  for await (const rows of correctedRows(scope, upload))
    for (let from = 0; from < rows.length; from += ROW_BATCH)
      yield written(
        rows.slice(from, from + ROW_BATCH).map(({ cells }) => cells.map(marked)),
        format,
      )
}

/** The byte-order mark tells a spreadsheet that this is UTF-8. */
const BOM = '\ufeff'

const written = (
  rows: readonly (readonly string[])[],
  { delimiter }: Pick<CsvUpload['format'], 'delimiter'>,
): string => `${Papa.unparse(rows as string[][], { delimiter, newline: '\r\n' })}\r\n`

/** A mark stays: it may be that of a text which a spreadsheet would change. */
const marked = (cell = ''): string => (originalCell(cell) === cell ? plainCell(cell) : cell)

/**
 * The rows with errors as they are corrected so far, with a column that explains them, as pieces of a CSV
 * file with the same delimiter. No spreadsheet runs any of its cells, and an import restores each
 * one exactly.
 */
export async function* errorsCsv(scope: ShopScope, upload: CsvUpload): AsyncGenerator<string> {
  const wrong = await errorRows(scope, upload)
  const kept = upload.headers.flatMap((header, at) => (header === ERRORS_COLUMN ? [] : [at]))
  const write = (rows: readonly (readonly string[])[]) => written(rows, upload.format)
  yield `${BOM}${write([[...kept.map((at) => marked(upload.headers[at])), ERRORS_COLUMN]])}`
  for await (const rows of correctedRows(scope, upload)) {
    const bad = rows.filter(({ row }) => wrong.has(row))
    for (let from = 0; from < bad.length; from += ROW_BATCH) {
      const some = bad.slice(from, from + ROW_BATCH)
      const reasons = await reasonsOf(
        scope,
        upload,
        some.map(({ row }) => row),
      )
      yield write(
        some.map(({ row, cells }) => [
          ...kept.map((at) => marked(cells[at])),
          plainCell(reasons.get(row)),
          ...cells.slice(upload.headers.length).map(marked),
        ]),
      )
    }
  }
}

async function reasonsOf(scope: ShopScope, { id }: CsvUpload, rows: readonly number[]) {
  const found = await scope.query<Pick<ProblemRow, 'row' | 'message' | 'detail'>>(
    `select row, ${textOfColumns('message')} as message, ${textOfColumns('detail')} as detail
     from csv_problems
     where ${OF_SHOWN_CHECK} and row = any(:rows::int[])
       and severity = 'error'
     order by row, place, number`,
    { id, rows },
  )
  const reasons = new Map<number, string>()
  for (const { row, message, detail } of found) {
    const before = reasons.get(row)
    reasons.set(
      row,
      `${before === undefined ? '' : `${before}; `}${english(message)}${detail === null ? '' : ` (${english(detail)})`}`,
    )
  }
  return reasons
}
