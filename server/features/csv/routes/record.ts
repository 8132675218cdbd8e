// A CSV upload, as every answer shows it.
import { z } from 'zod'
import type { AnyText } from '../../../../plugins/contract/index.ts'
import { missingColumns } from '../check.ts'
import { correctedCells } from '../edits.ts'
import { NOTHING_CHECKED, type CheckProgress } from '../check-state.ts'
import { isStorefrontExport } from '../exports.ts'
import { FIELDS, placesOf, suggestColumns, type CsvField } from '../columns.ts'
import { normalizeHeader } from '../headers.ts'
import type { CorrectableRow } from '../corrected-rows.ts'
import type { ProblemRow } from '../problems.ts'
import { cellText, readValues, shapeProblem, type CellProblem } from '../row-values.ts'
import type { SavedMapping } from '../saved-mappings.ts'
import type { CsvUpload, ListedUpload } from '../uploads.ts'
import { toOperationId, toPublicId } from '../../../core/ids.ts'
import { firstOf } from '../../../core/lazy.ts'
import { storedDetail } from '../../../core/texts.ts'
import { messageText, onConflict, timestamp } from '../../../http/schemas.ts'

const KEPT_MS = 24 * 60 * 60 * 1000

export const perField = <T extends z.ZodType>(value: T) =>
  z.object(Object.fromEntries(FIELDS.map((field) => [field, value])) as Record<CsvField, T>)

const textFields = {
  message: z.string(),
  message_text: messageText,
  detail: z.string().nullable(),
  detail_text: messageText,
}

export const problemSchema = z
  .object({
    row: z.number().int().describe('As a spreadsheet counts: the header is row 1'),
    column: z.string().nullable().describe('The column’s header; null: the row as a whole'),
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    ...textFields,
    value: z.string().nullable().describe('The text of the cell'),
  })
  .meta({ id: 'CsvProblem' })

const didYouMean = z
  .string()
  .nullable()
  .describe('The SKU of the shop that an unknown one is a typing error of; null: none is known')

export const problemGroupSchema = z
  .object({
    id: z.string(),
    severity: z.enum(['error', 'warning']),
    code: z.string(),
    column: z.string().nullable().describe('The column’s header; null: whole rows'),
    field: z.enum(FIELDS).nullable(),
    ...textFields,
    detail: z.string().nullable().describe('Null if it differs between the rows'),
    rows: z.number().int(),
    values: z
      .array(z.object({ value: z.string(), rows: z.number().int(), did_you_mean: didYouMean }))
      .describe('The most frequent texts of the cells, at most 20'),
    different: z.number().int().describe('How many different texts the cells have'),
    fixes: z
      .array(
        z.enum([
          'leave_out',
          'set',
          'prefix',
          'replace',
          'number',
          'from_address',
          'extension',
          'decode',
          'meant',
        ]),
      )
      .describe('The corrections that are meaningful for all of its rows'),
  })
  .meta({ id: 'CsvProblemGroup' })

export const correctableRowSchema = z
  .object({
    row: z.number().int(),
    left_out: z.boolean(),
    values: perField(z.string().nullable()).describe(
      'The texts of the cells with the corrections; null: no column has the field',
    ),
    original: perField(z.string().nullable()).describe('The texts of the file'),
    problems: z.array(
      problemSchema.extend({ did_you_mean: didYouMean }).meta({ id: 'CsvRowProblem' }),
    ),
  })
  .meta({ id: 'CsvRow' })

export const correctableRowRecord = ({
  problems,
  ...row
}: CorrectableRow): z.output<typeof correctableRowSchema> => ({
  ...row,
  problems: problems.map((one) => ({ ...problemRecord(one), did_you_mean: one.did_you_mean })),
})

const checkSchema = z.object({
  probe: z.boolean(),
  on_conflict: onConflict,
  tags: z.enum(['add', 'replace']),
  packs: z.enum(['add', 'replace']),
  products: z.enum(['add', 'replace']),
  match: z.enum(['id', 'filename']),
  has_headers: z.boolean().describe('Requests for the files have headers, which are not shown'),
  phase: z.enum(['waiting', 'rows', 'skus', 'urls', 'done']),
  rows: z.number().int().describe('Rows read so far'),
  skus: z.number().int(),
  skus_total: z.number().int(),
  urls: z.number().int().describe('Addresses that were requested so far'),
  urls_total: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  error_rows: z.number().int().describe('Rows with at least one error'),
  import_rows: z.number().int().describe('Rows without an error that import a file'),
  update_rows: z.number().int().describe('Rows without an error that change an existing file'),
  delete_rows: z.number().int().describe('Rows that move a file to the trash'),
  restore_rows: z.number().int().describe('Rows that restore a file from the trash'),
  ignored_rows: z.number().int().describe('Rows that do nothing'),
})

export const csvSchema = z
  .object({
    id: z.string(),
    filename: z.string(),
    status: z.enum(['ready', 'checking', 'checked', 'started']),
    size_bytes: z.number().int(),
    encoding: z.string(),
    encoding_sure: z
      .boolean()
      .describe('false: another encoding fits nearly as well; choose it if the preview is wrong'),
    delimiter: z.string(),
    is_workbook: z.boolean().describe('Its text has no encoding and no delimiter'),
    sheets: z
      .array(z.string())
      .describe(
        'The sheets of a workbook that have cells; of another shop’s export: the file as it is, and the list of its files; of other CSV files: none',
      ),
    sheet: z.string().nullable().describe('The sheet that is read'),
    list: z
      .object({
        id: z.enum(['woocommerce', 'edd', 'several_files']),
        files: z.number().int(),
        products: z.number().int(),
        without_files: z.number().int().describe('Products without files, which are left out'),
      })
      .nullable()
      .describe(
        'The sheet is another shop’s export, rewritten with one row for each file; choose the other sheet to read the file as it is',
      ),
    kind: z
      .enum(['storefront_products'])
      .nullable()
      .describe('An export that has no addresses of files'),
    header_row: z
      .number()
      .int()
      .describe('The row of the header; 0: the file has none, and columns have numbers'),
    head: z
      .array(z.object({ row: z.number().int(), cells: z.array(z.string()) }))
      .describe('The first rows, from which the header can be chosen'),
    rows: z.number().int(),
    headers: z.array(z.string()),
    columns: perField(
      z.object({ header: z.string(), sure: z.number(), reason: z.string() }).nullable(),
    ).describe('The suggested column for each field, with its confidence (0 to 1)'),
    mapping: perField(z.string().nullable()).describe('The column from which each field is read'),
    saved_mapping: z.string().nullable().describe('The saved mapping that was applied'),
    missing: z.array(z.string()).describe('Required fields that have no column'),
    problems: z.array(problemSchema).describe('The first problems of its structure'),
    preview: z.array(
      z.object({
        row: z.number().int(),
        values: perField(z.string().nullable()),
        problems: z.array(problemSchema),
      }),
    ),
    check: checkSchema.nullable(),
    recheck: z
      .object({
        phase: z.enum(['waiting', 'rows', 'skus', 'urls', 'done']),
        urls: z.number().int(),
        urls_total: z.number().int().describe('New addresses'),
      })
      .nullable()
      .describe(
        'The check of corrected rows that is running; `check` and the problems are those of the check before it',
      ),
    corrections: z.object({
      rows: z.number().int().describe('Rows with corrected cells'),
      left_out: z.number().int().describe('Rows that are not imported'),
      can_undo: z.boolean(),
    }),
    failure: z.string().nullable().describe('Why the last check was not completed'),
    job_id: z.string().nullable().describe('The import, if it was started'),
    update_job_id: z.string().nullable().describe('The operation over rows that change files'),
    created_at: timestamp,
    expires_at: timestamp.describe('The file is stored until then'),
  })
  .meta({ id: 'CsvFile' })

export const listedCsvSchema = csvSchema
  .pick({
    id: true,
    filename: true,
    status: true,
    size_bytes: true,
    rows: true,
    check: true,
    failure: true,
    job_id: true,
    update_job_id: true,
    created_at: true,
    expires_at: true,
  })
  .meta({ id: 'ListedCsvFile' })

export const listedCsvRecord = (upload: ListedUpload): z.output<typeof listedCsvSchema> => ({
  id: toPublicId('csv', upload.id),
  filename: upload.filename,
  status: upload.status,
  size_bytes: upload.size_bytes,
  rows: upload.rows,
  check: checkOf(upload),
  failure: upload.failure,
  job_id: upload.operation_id && toOperationId('import', upload.operation_id),
  update_job_id: upload.update_operation_id && toOperationId('bulk', upload.update_operation_id),
  created_at: upload.created_at.toISOString(),
  expires_at: new Date(upload.created_at.getTime() + KEPT_MS).toISOString(),
})

export function csvRecord(upload: CsvUpload): z.output<typeof csvSchema> {
  const { headers, sample, mapping } = upload
  const { sheets = [] } = upload.format
  const sheet = sheets[upload.format.sheet ?? 0]
  const { encoding, sure } = (sheet?.list && sheets[0]?.detected) ?? {
    encoding: upload.format.encoding,
    sure: upload.format.encoding_sure,
  }
  return {
    ...listedCsvRecord(upload),
    encoding,
    encoding_sure: sure,
    delimiter: upload.format.delimiter,
    is_workbook: sheets.length > 0 && !firstOf(sheets).detected,
    sheets: sheets.map(({ name }) => name),
    sheet: sheet?.name ?? null,
    list: sheet?.list ?? null,
    kind: isStorefrontExport(headers) ? 'storefront_products' : null,
    header_row: upload.format.header_row,
    head: upload.format.head ?? [],
    headers,
    columns: suggestColumns(
      headers,
      sample.map(({ cells }) => cells),
    ),
    mapping,
    saved_mapping: upload.saved_mapping,
    missing: missingColumns(mapping, upload.check_options?.match),
    problems: upload.structure.map((one) => ({
      ...one,
      ...problemTexts(one),
      severity: 'error',
      value: null,
    })),
    preview: previewOf(upload),
    recheck: upload.recheck && recheckOf(upload.recheck),
    corrections: upload.corrections,
  }
}

type RecheckProgress = Partial<Pick<CheckProgress, 'urls' | 'urls_total'>> & {
  phase?: CheckProgress['phase'] | 'waiting'
}

const recheckOf = ({
  phase = 'waiting',
  urls = 0,
  urls_total = 0,
}: RecheckProgress): z.output<typeof csvSchema>['recheck'] => ({ phase, urls, urls_total })

function previewOf({
  headers,
  sample,
  sample_edits,
  mapping,
  check_options,
}: CsvUpload): z.output<typeof csvSchema>['preview'] {
  const places = placesOf(mapping, headers)
  const edits = new Map(sample_edits.map((edit) => [edit.row, edit]))
  const kept = sample.filter(({ row }) => !edits.get(row)?.left_out)
  return kept.map(({ row, cells: original }) => {
    const cells = correctedCells(original, edits.get(row))
    const shape = shapeProblem(cells, headers)
    const found = shape ? [shape] : readValues(cells, places, check_options?.match).problems
    const cell = (at: number) => (at < 0 ? null : cellText(cells[at] ?? ''))
    return {
      row,
      values: Object.fromEntries(FIELDS.map((field) => [field, cell(places[field])])) as Record<
        CsvField,
        string | null
      >,
      problems: found.map((problem) => previewProblem(row, problem, mapping)),
    }
  })
}

const previewProblem = (
  row: number,
  { field, ...problem }: CellProblem,
  mapping: CsvUpload['mapping'],
) => ({
  row,
  column: field && (mapping[field] ?? field),
  ...problem,
  ...problemTexts(problem),
  value: problem.value ?? null,
})

function checkOf({ check_options, progress }: ListedUpload): z.output<typeof checkSchema> | null {
  if (check_options === null) return null
  const { headers_sealed, ...options } = check_options
  return { ...options, has_headers: Boolean(headers_sealed), ...(progress ?? WAITING) }
}

const WAITING = { ...NOTHING_CHECKED, phase: 'waiting' } as const

/** The texts of a problem, as every answer has them. */
export const problemTexts = ({
  message,
  detail,
}: {
  message: AnyText
  detail?: AnyText | null
}) => ({
  detail: null,
  ...storedDetail(message, detail ?? undefined),
})

export const problemRecord = (
  problem: Omit<ProblemRow, 'place' | 'number'>,
): z.output<typeof problemSchema> => {
  const { row, column, severity, code, value } = problem
  return { row, column, severity, code, ...problemTexts(problem), value }
}

export const savedMappingSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    headers: z.array(z.string()).describe('Those of the files that it applies to'),
    mapping: perField(z.string().nullable()),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CsvColumnMapping' })

function savedFields({ headers_key, ...saved }: SavedMapping) {
  const mapped = Object.values(saved.mapping).filter((header) => header !== null)
  const names = new Map(mapped.map((header) => [normalizeHeader(header), header]))
  // The key has all headers without case; those that are mapped are known as they are written. One
  // without letters is empty there.
  const headers = (JSON.parse(headers_key) as string[]).map((one) => names.get(one) ?? (one || '-'))
  return { ...saved, headers }
}

export const savedMappingRecord = (saved: SavedMapping): z.output<typeof savedMappingSchema> => ({
  ...savedFields(saved),
  id: toPublicId('columns', saved.id),
  created_at: saved.created_at.toISOString(),
  updated_at: saved.updated_at.toISOString(),
})
