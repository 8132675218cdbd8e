// The files that the rows of an export name, read by the rules of the CSV import.
import { hasExtension, type EntrySettings } from '../../../plugins/contract/index.ts'
import { FIELDS, type CsvField } from '../csv/columns.ts'
import { inSlices } from '../../core/turn.ts'
import { filesOfRow } from '../csv/exports.ts'
import { readValues } from '../csv/row-values.ts'
import { productsOf, textAt, type NamedProduct } from './order-cells.ts'
import type { FilesPreset } from './presets.ts'
import type { RowFinding } from './findings.ts'

/** One file of an export. Absent settings come from the shop. */
export interface ExportedFile extends EntrySettings {
  row: number
  filename: string
  url: string
  product: NamedProduct | null
  tags?: readonly string[]
  /** The other app's id of the download. */
  download?: string
}

/** The places of the fields in a row of the list that `filesOfRow` writes. */
const PLACES: Record<CsvField, number> = {
  ...(Object.fromEntries(FIELDS.map((field) => [field, -1])) as Record<CsvField, number>),
  filename: 0,
  file_url: 1,
  product_sku: 2,
  tags: 3,
  download_limit: 4,
  expiry_days: 5,
}

/** Reads a row, in slices. A file with an error is left out; the finding says why. */
export async function readFileRow(
  preset: FilesPreset,
  row: number,
  cells: readonly string[],
): Promise<{ files: ExportedFile[]; findings: RowFinding[] }> {
  const { shape } = preset
  const [product = null] = productsOf(cells, preset.product)
  const files: ExportedFile[] = []
  const findings: RowFinding[] = []
  for (const column of shape.files) {
    const named = textAt(cells, column.name)
    const list: string[][] = []
    await inSlices(filesOfRow({ ...shape, files: [column] }, row, cells), (one) => list.push(one))
    // A list names its files; a shop's export names them for its own pages.
    const isNamed = preset.table === 'list' && list.length === 1 && hasExtension(named)
    await inSlices(list, (listed) => {
      if (isNamed) listed[PLACES.filename] = named
      const { values, problems } = readValues(listed, PLACES)
      for (const { severity, message } of problems) findings.push({ row, severity, message })
      if (problems.some(({ severity }) => severity === 'error')) return
      const { filename, file_url, tags, download_limit, expiry_days } = values
      const download = textAt(cells, column.id ?? -1)
      files.push({
        row,
        filename,
        url: file_url,
        product,
        ...(download_limit === undefined ? {} : { download_limit }),
        ...(expiry_days === undefined ? {} : { expiry_days }),
        ...(tags === undefined ? {} : { tags }),
        ...(download === '' ? {} : { download }),
      })
    })
  }
  return { files, findings }
}
