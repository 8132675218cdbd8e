// import.csv, dropped with the files: the columns of the CSV import with `file_name` instead of
// `file_url`. Each row names a file in the same folder, and gives its SKU, tags and settings.
import { say, type Text, textOf } from '../../../../plugins/contract/index.ts'
import { AppError } from '../../../core/errors.ts'
import { bodyOf } from '../../csv/body-rows.ts'
import {
  headerLabels,
  placesOf,
  suggestColumns,
  mappingOf,
  type CsvField,
} from '../../csv/columns.ts'
import { createEncodingDetector, decode } from '../../../core/encoding.ts'
import { analyse, requireText } from '../../csv/analyse.ts'
import { readValues, shapeProblem, type CellProblem, type RowValues } from '../../csv/row-values.ts'
import { rowsOf } from '../../csv/uploads.ts'
import { nameKey } from '../../../files/rules.ts'

export const MANIFEST = /^import\.csv$/i
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024
const MAX_ROWS = 50_000

export type ManifestRow = Omit<
  RowValues,
  'id' | 'file_url' | 'link_url' | 'command' | 'fetches' | 'sha256' | 'no_products'
>

export interface Manifest {
  /** The rows by the names of their files, in the form of `nameKey`. */
  rows: ReadonlyMap<string, { row: number; values: ManifestRow }>
  /** The problems of rows, by the names of their files. */
  wrong: ReadonlyMap<string, Text>
}

/** Reads an import.csv. Throws `invalid_csv` if it cannot be read. */
export async function readManifest(bytes: Buffer): Promise<Manifest> {
  requireText(bytes)
  const detector = createEncodingDetector()
  detector.add(bytes)
  const { encoding } = await detector.result()
  const text = () => decode(once(bytes), encoding)
  const { format, headers } = await analyse(text(), MAX_ROWS)
  const { file, places } = columnsOf(headers)
  const rows = new Map<string, { row: number; values: ManifestRow }>()
  const wrong = new Map<string, Text>()
  for await (const batch of bodyOf(rowsOf(text(), format), format.header_row))
    for (const { row, cells, broken } of batch) {
      const name = (cells[file] ?? '').trim()
      const problem = broken ?? shapeProblem(cells, headers)
      const { values, problems } = readValues(cells, places)
      const first = problem ?? problems.find((one) => applies(one, values))
      if (first) wrong.set(nameKey(name), rowText(row, first))
      else if (name === '')
        throw invalid(row, 'file_name', say('Enter the name of a file in the folder of import.csv'))
      else if (rows.has(nameKey(name)))
        wrong.set(
          nameKey(name),
          say('Row {row}: {name} is named twice', { row: String(row), name }),
        )
      else rows.set(nameKey(name), { row, values: ownOf(values) })
    }
  return { rows, wrong }
}

/** The file is in the folder, and new. */
const ownOf = ({
  id: _,
  file_url: __,
  link_url: _______,
  command: ___,
  fetches: ____,
  sha256: _____,
  no_products: ______,
  ...own
}: RowValues): ManifestRow => own

/** The column that names the file. `filename` is its name in the shop if both columns exist. */
function columnsOf(headers: readonly string[]): { file: number; places: Record<CsvField, number> } {
  const at = (name: string) => headers.findIndex((one) => one.trim().toLowerCase() === name)
  const own = at('file_name')
  const file = own >= 0 ? own : at('filename')
  if (file < 0)
    throw invalid(
      1,
      'file_name',
      say('The required column {column} is missing', { column: 'file_name' }),
    )
  // Otherwise its header would count as another spelling of `filename`.
  const labels = headerLabels(headers.map((one, n) => (n === file ? '' : one)))
  const places = placesOf(mappingOf(suggestColumns(labels, [])), labels)
  const filename = own >= 0 ? at('filename') : file
  return {
    file,
    places: { ...places, file_url: -1, link_url: -1, id: -1, command: -1, sha256: -1, filename },
  }
}

/**
 * Does the problem apply here? A row needs no address, because the file is in the folder, and an
 * empty name means the file's own name.
 */
const applies = ({ severity, field }: CellProblem, { filename }: RowValues): boolean =>
  severity === 'error' && field !== 'file_url' && !(field === 'filename' && filename === '')

const MAX_SHOWN = 60

function rowText(row: number, { field, message, detail, value = '' }: CellProblem): Text {
  const text = textOf(detail ?? message)
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value
  const cell = shown === '' ? (field ?? '') : `${field} (${shown})`
  return field
    ? say('Row {row}, {field}: {reason}', { row: String(row), field: cell, reason: text })
    : say('Row {row}: {reason}', { row: String(row), reason: text })
}

const invalid = (row: number, param: string, detail: Text) =>
  new AppError('invalid_csv', {
    details: [
      {
        index: row - 1,
        param,
        code: 'invalid_csv',
        message: say('Row {row}: {reason}', { row: String(row), reason: detail }),
      },
    ],
  })

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
