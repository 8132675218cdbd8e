// The check of a whole CSV file: every row's values, names within the file and against the shop, SKUs, and whether the
// addresses answer. It knows no database: what it looks things up in is given to it, and problems go where it is told.
import type { OnConflict } from '../../files/admit.ts'
import { nameKey } from '../../files/rules.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { placesOf, type ColumnMapping, type Field } from './columns.ts'
import { probeAddresses, type ProbeAddress, type SizeLimits } from './probes.ts'
import { placeOf, readValues, shapeProblem, type CellProblem, type RowValues } from './row-values.ts'
import { isBlank, type RowBatch } from './rows.ts'

export interface RowProblem extends CellProblem {
  row: number
  place: number
  /** The header of the column. */
  column: string | null
}

/** How many products have each SKU; those that none has may be absent. */
export type CountProducts = (skus: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, number>>

export interface CheckParts {
  batches: AsyncIterable<RowBatch>
  headers: readonly string[]
  mapping: ColumnMapping
  onConflict: OnConflict
  /** Which of these names (as `nameKey` has them) the shop's files have, with the files' UUIDs. */
  takenNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Which of these files the shop has, outside the trash. */
  knownFiles(ids: readonly string[]): Promise<ReadonlySet<string>>
  countProducts: CountProducts
  /** null: addresses are not asked. */
  probe: ProbeAddress | null
  limits: SizeLimits
  /** Where problems go, in no order. */
  report(problems: readonly RowProblem[]): Promise<void>
  onProgress(progress: CheckProgress): void
  signal: AbortSignal
}

export interface CheckProgress {
  phase: 'rows' | 'skus' | 'urls' | 'done'
  rows: number
  skus: number
  skus_total: number
  urls: number
  urls_total: number
  errors: number
  warnings: number
  /** Rows that have an error, and the others by what they ask for. */
  error_rows: number
  import_rows: number
  update_rows: number
}

const REPORTED_AT_ONCE = 2000
const SKUS_AT_ONCE = 2000

/** Gives the final count. Throws what the look-ups throw, and the signal's reason. */
export async function checkRows(parts: CheckParts): Promise<CheckProgress> {
  const book = createBook(parts)
  const missing = missingColumns(parts.mapping)
  for (const field of missing)
    await book.add(1, { field: null, severity: 'error', ...invalid(`The required column ${field} is missing`) }, field)
  await readAll(parts, book)
  await checkSkus(parts, book)
  if (parts.probe) await checkAddresses(parts, book, parts.probe)
  return book.end()
}

/** A file of updates alone needs neither; one of imports needs both. */
export const missingColumns = (mapping: ColumnMapping): ('filename' | 'file_url')[] =>
  (['filename', 'file_url'] as const).filter((field) => mapping[field] === null && mapping.id === null)

const invalid = (detail: string) => ({ code: 'invalid_csv' as const, message: ERRORS.invalid_csv.message, detail })

type Book = ReturnType<typeof createBook>

/** What the check has seen so far. */
function createBook({ mapping, report, onProgress, signal }: CheckParts) {
  const progress: CheckProgress = {
    ...{ phase: 'rows', rows: 0, skus: 0, skus_total: 0, urls: 0, urls_total: 0 },
    ...{ errors: 0, warnings: 0, error_rows: 0, import_rows: 0, update_rows: 0 },
  }
  const errorRows = new Set<number>()
  const updateRows = new Set<number>()
  const importRows = new Set<number>()
  let waiting: RowProblem[] = []
  const count = () => {
    progress.error_rows = errorRows.size
    progress.import_rows = importRows.size
    progress.update_rows = updateRows.size
    onProgress(progress)
  }
  return {
    progress,
    names: new Map<string, number>(),
    ids: new Map<string, number>(),
    skus: new Map<string, number[]>(),
    urls: new Map<string, number[]>(),
    seen: (row: number, values: RowValues, broken: boolean) => {
      progress.rows++
      if (!broken) (values.id === null ? importRows : updateRows).add(row)
    },
    hasError: (row: number) => errorRows.has(row),
    add: async (row: number, problem: CellProblem, of: Field | null = problem.field) => {
      progress[problem.severity === 'error' ? 'errors' : 'warnings']++
      if (problem.severity === 'error') {
        errorRows.add(row)
        importRows.delete(row)
        updateRows.delete(row)
      }
      waiting.push({ ...problem, row, place: placeOf(of), column: of && (mapping[of] ?? of) })
      if (waiting.length < REPORTED_AT_ONCE) return
      const full = waiting
      waiting = []
      await report(full)
    },
    step: (change: Partial<CheckProgress>) => {
      signal.throwIfAborted()
      Object.assign(progress, change)
      count()
    },
    end: async () => {
      if (waiting.length > 0) await report(waiting)
      progress.phase = 'done'
      count()
      return progress
    },
  }
}

/** The rows themselves, batch after batch. The first record is the header. */
async function readAll(parts: CheckParts, book: Book): Promise<void> {
  const places = placesOf(parts.mapping, parts.headers)
  const body = bodyOf(parts.batches)
  for await (const batch of body) {
    const rows: { row: number; values: RowValues }[] = []
    for (const { row, cells, broken } of batch) {
      const { values, problems } = readValues(cells, places)
      const shape = broken ?? shapeProblem(cells, parts.headers)
      book.seen(row, values, shape !== null)
      // Where cells stand in the wrong columns, what they seem to say is no help.
      if (shape) await book.add(row, shape)
      else for (const problem of problems) await book.add(row, problem)
      if (!shape) rows.push({ row, values })
    }
    for (const one of rows) note(parts, book, one)
    await checkNames(parts, book, rows)
    await checkIds(parts, book, rows)
    book.step({})
  }
}

export interface BodyRow {
  row: number
  cells: string[]
  broken: CellProblem | null
}

/** The rows after the header, without empty ones. */
export async function* bodyOf(batches: AsyncIterable<RowBatch>): AsyncGenerator<BodyRow[]> {
  let headed = false
  for await (const { first, records, broken } of batches) {
    const rows: BodyRow[] = []
    for (const [at, cells] of records.entries()) {
      if (isBlank(cells)) continue
      if (!headed) {
        headed = true
        continue
      }
      const wrong = broken.get(first + at)
      rows.push({
        row: first + at,
        cells,
        broken: wrong ? { field: null, severity: 'error', ...invalid(wrong.detail) } : null,
      })
    }
    yield rows
  }
}

function note({ probe }: CheckParts, book: Book, { row, values }: { row: number; values: RowValues }): void {
  if (values.product_sku !== '') listed(book.skus, values.product_sku).push(row)
  if (probe && values.id === null && !book.hasError(row)) listed(book.urls, values.file_url).push(row)
}

function listed(map: Map<string, number[]>, key: string): number[] {
  let rows = map.get(key)
  if (!rows) map.set(key, (rows = []))
  return rows
}

type ReadRow = { row: number; values: RowValues }

const CONSEQUENCES: Readonly<Record<OnConflict, string>> = {
  error: 'rename it, or choose to overwrite',
  rename: 'it gets a number',
  overwrite: 'it replaces that file',
  new_version: 'it becomes that file’s newest version',
}

async function checkNames({ onConflict, takenNames }: CheckParts, book: Book, rows: readonly ReadRow[]): Promise<void> {
  const named = rows.filter(({ values }) => values.filename !== '')
  const keys = named.map(({ values }) => nameKey(values.filename))
  const taken = await takenNames(keys)
  for (const [at, { row, values }] of named.entries()) {
    const key = keys[at]!
    const before = book.names.get(key)
    if (before === undefined) book.names.set(key, row)
    const holder = taken.get(key)
    const inShop = holder !== undefined && holder !== values.id
    if (before === undefined && !inShop) continue
    const where = before === undefined ? 'A file of this name is in the shop' : `Row ${before} has this name too`
    // A file that exists is renamed into a name that is free, or not at all.
    const conflict = values.id === null ? onConflict : 'error'
    await book.add(row, {
      field: 'filename',
      severity: conflict === 'error' ? 'error' : 'warning',
      code: 'duplicate_filename',
      message: ERRORS.duplicate_filename.message,
      detail: `${where}: ${CONSEQUENCES[conflict]}`,
      value: values.filename,
    })
  }
}

async function checkIds({ knownFiles }: CheckParts, book: Book, rows: readonly ReadRow[]): Promise<void> {
  const updates = rows.flatMap(({ row, values }) => (values.id === null ? [] : [{ row, id: values.id }]))
  if (updates.length === 0) return
  const known = await knownFiles(updates.map(({ id }) => id))
  for (const { row, id } of updates) {
    const before = book.ids.get(id)
    if (before === undefined) book.ids.set(id, row)
    const wrong = (code: ErrorCode, message: string) => book.add(row, { field: 'id', severity: 'error', code, message })
    if (before !== undefined) await wrong('invalid_value', `Row ${before} changes the same file`)
    else if (!known.has(id)) await wrong('file_not_found', ERRORS.file_not_found.message)
    else await wrong('invalid_value', 'A file that exists cannot be changed by a row yet: leave its id out')
  }
}

async function checkSkus({ countProducts, signal }: CheckParts, book: Book): Promise<void> {
  const all = [...book.skus.keys()]
  book.step({ phase: 'skus', skus_total: all.length })
  for (let from = 0; from < all.length; from += SKUS_AT_ONCE) {
    const skus = all.slice(from, from + SKUS_AT_ONCE)
    const counts = await countProducts(skus, signal)
    for (const sku of skus) {
      const products = counts.get(sku) ?? 0
      if (products === 1) continue
      const [code, detail] =
        products === 0
          ? (['sku_not_found', 'The file is imported without a product'] as const)
          : (['sku_ambiguous', `${products} products have it: choose one after the import`] as const)
      for (const row of book.skus.get(sku)!) {
        const { message } = ERRORS[code]
        await book.add(row, { field: 'product_sku', severity: 'warning', code, message, detail, value: sku })
      }
    }
    book.step({ skus: Math.min(all.length, from + SKUS_AT_ONCE) })
  }
  book.skus.clear()
}

async function checkAddresses(parts: CheckParts, book: Book, probe: ProbeAddress): Promise<void> {
  const { urls, progress } = book
  book.step({ phase: 'urls', urls_total: urls.size })
  for await (const { url, problem } of probeAddresses([...urls.keys()], probe, parts)) {
    book.step({ urls: progress.urls + 1 })
    if (!problem) continue
    for (const row of urls.get(url)!) await book.add(row, { field: 'file_url', ...problem, value: url })
  }
}
