// Receives an export of another app: recognises it, reads its rows by the rules of the CSV import, and
// compares them with the shop.
import { say, sayPlain } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { inSlices, nextTurn } from '../../core/turn.ts'
import { bodyOf } from '../csv/body-rows.ts'
import { shapeProblem } from '../csv/row-values.ts'
import {
  MAX_CSV_ROWS,
  readUploadRows,
  receiveCsv,
  removeUpload,
  requireUpload,
  type CsvUpload,
} from '../csv/uploads.ts'
import type { ReadWorkbook } from '../csv/workbook.ts'
import { resolveAccess } from './access.ts'
import { createBuyerReader, type ExportedAccess } from './buyer-rows.ts'
import { readFileRow, type ExportedFile } from './file-rows.ts'
import { groupFindings, type RowFinding } from './findings.ts'
import { presentAddresses } from './moved-files.ts'
import { storeMove, type MoveColumns, type MoveCounts } from './moves.ts'
import { recognise, type BuyersPreset, type FilesPreset, type Preset } from './presets.ts'
import { productFinder, type MatchedBy } from './products.ts'

const UNRECOGNISED = say(
  'No app was recognised: the table needs a column with addresses of files, or columns with email addresses and products',
)

/**
 * Stores what the export says and returns the move's UUID. Throws errors of `receiveCsv`, and
 * `invalid_csv` if the table has neither files nor buyers; then nothing is stored.
 */
export async function receiveMove(
  scope: ShopScope,
  bytes: AsyncIterable<Uint8Array>,
  { filename, readWorkbook, now }: { filename: string; readWorkbook: ReadWorkbook; now: Date },
): Promise<string> {
  const csv = await receiveCsv(scope, bytes, filename, readWorkbook, { asIs: true })
  try {
    const upload = await requireUpload(scope, csv)
    const sample = upload.sample.map(({ cells }) => cells)
    const preset = recognise(upload.headers, sample)
    if (!preset) throw unrecognised(upload.headers)
    const { app, table: source, kind } = preset
    const columns = columnsOf(preset, upload.headers)
    const { counts, rows } =
      preset.kind === 'files'
        ? await readFiles(scope, upload, preset)
        : await readBuyers(scope, upload, preset, now)
    const about = { filename, app, source, kind, columns, counts }
    return await scope.transaction((tx) => storeMove(tx, about, rows))
  } finally {
    // It contains data about buyers.
    await removeUpload(scope, csv)
  }
}

function unrecognised(headers: readonly string[]): AppError {
  const found = say('Its columns: {names}', { names: headers.slice(0, 30).join(', ') })
  const problem = { code: 'invalid_csv' as const, param: 'file' }
  return new AppError('invalid_csv', {
    message: UNRECOGNISED,
    details: [
      { ...problem, message: UNRECOGNISED },
      { ...problem, message: found },
    ],
  })
}

function columnsOf({ fields }: Preset, headers: readonly string[]): MoveColumns {
  const known = new Set(fields.map(({ at }) => at))
  return {
    read: fields.flatMap(({ field, at }) => {
      const header = headers[at]
      return header === undefined ? [] : [{ field, header }]
    }),
    unknown: headers.filter((_, at) => !known.has(at)),
  }
}

/** Yields the rows that have the shape of the table; the others become findings. */
async function* wholeRows(scope: ShopScope, upload: CsvUpload, findings: RowFinding[]) {
  const { headers, format } = upload
  for await (const rows of bodyOf(readUploadRows(scope, upload), format.header_row))
    for (const { row, cells } of rows) {
      const problem = shapeProblem(cells, headers)
      if (problem) findings.push({ row, severity: 'error', message: SHAPE })
      else yield { row, cells }
    }
}

const SHAPE = sayPlain('The row has more cells than the header')

async function readFiles(scope: ShopScope, upload: CsvUpload, preset: FilesPreset) {
  const findings: RowFinding[] = []
  const files: ExportedFile[] = []
  let rows = 0
  let without = 0
  for await (const { row, cells } of wholeRows(scope, upload, findings)) {
    rows++
    const read = await readFileRow(preset, row, cells)
    if (read.files.length + read.findings.length === 0) without++
    for (const file of read.files) files.push(file)
    for (const finding of read.findings) findings.push(finding)
    if (files.length > MAX_CSV_ROWS)
      throw new AppError('too_many', {
        message: say('An export has at most {most} files: split it', { most: MAX_CSV_ROWS }),
      })
  }
  const find = await productFinder(
    scope,
    preset.app,
    files.flatMap(({ product }) => product ?? []),
  )
  const products: Record<MatchedBy | 'none', number> = {
    id: 0,
    sku: 0,
    handle: 0,
    title: 0,
    none: 0,
  }
  const seen = new Set<string>()
  await inSlices(files, ({ product, row }) => {
    const key = JSON.stringify(product)
    if (!product || seen.has(key)) return
    seen.add(key)
    const found = find(product)
    products[found?.by ?? 'none']++
    if (!found) findings.push({ row, severity: 'warning', message: NO_PRODUCT })
  })
  const urls = [...new Set(files.map(({ url }) => url))]
  const present = await presentAddresses(scope, urls)
  await nextTurn()
  const counts: MoveCounts = {
    rows,
    files: {
      total: urls.length,
      fresh: urls.length - present.size,
      present: present.size,
      without_files: without,
      products,
    },
    buyers: null,
    findings: groupFindings(findings),
  }
  return { counts, rows: files.map((data) => ({ email: null, data })) }
}

const NO_PRODUCT = sayPlain(
  'The product was not found in this shop: its files are imported without it',
)

/** A row of an order may name many products. */
const MAX_ACCESS = 4 * MAX_CSV_ROWS

async function readBuyers(scope: ShopScope, upload: CsvUpload, preset: BuyersPreset, now: Date) {
  const findings: RowFinding[] = []
  const access: ExportedAccess[] = []
  const read = createBuyerReader(preset)
  let rows = 0
  for await (const { row, cells } of wholeRows(scope, upload, findings)) {
    rows++
    const found = read(row, cells)
    for (const one of found.access) access.push(one)
    findings.push(...found.findings)
    if (access.length > MAX_ACCESS)
      throw new AppError('too_many', {
        message: say('A CSV file has at most {count} rows: split it', { count: MAX_ACCESS }),
      })
  }
  const resolved = await resolveAccess(scope, preset.app, access, now)
  await nextTurn()
  const counts: MoveCounts = {
    rows,
    files: null,
    buyers: resolved.counts,
    findings: groupFindings([...findings, ...resolved.findings]),
  }
  return { counts, rows: access.map((data) => ({ email: data.email, data })) }
}
