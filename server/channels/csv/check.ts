// The check of a whole CSV file: every row's values, names within the file and against the shop,
// SKUs, and whether the addresses answer. It knows no database: what it looks things up in is given
// to it, and problems go where it is told.
import { PortError } from '../../../plugins/contract.ts'
import type { OnConflict } from '../../files/admit.ts'
import { ERRORS } from '../../errors.ts'
import { checkContested, checkFiles, type NamedRow, type Renaming } from './check-files.ts'
import { placesOf, type ColumnMapping, type Field } from './columns.ts'
import { probeAddresses, type ProbeAddress, type SizeLimits } from './probes.ts'
import {
  placeOf,
  readValues,
  shapeProblem,
  shiftProblem,
  type CellProblem,
  type RowValues,
} from './row-values.ts'
import { isBlank, type RowBatch } from './rows.ts'

export interface RowProblem extends CellProblem {
  row: number
  place: number
  /** Which problem of the check it is: a cell may have several. */
  number: number
  /** The header of the column. */
  column: string | null
}

/** Of these SKUs, those that not exactly one product has, each with how many have it. */
export type OddSkus = (
  skus: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, number>>

export interface KnownFile {
  name_key: string
  /** In the trash. */
  deleted: boolean
}

export interface CheckParts {
  batches: AsyncIterable<RowBatch>
  headers: readonly string[]
  mapping: ColumnMapping
  onConflict: OnConflict
  /** Which of these names (as `nameKey` has them) the shop's files have, with the files' UUIDs. */
  takenNames(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Which of these files the shop has. */
  knownFiles(ids: readonly string[]): Promise<ReadonlyMap<string, KnownFile>>
  oddSkus: OddSkus
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
const LOOKED_UP_AT_ONCE = 4000
const NONE: ReadonlyMap<string, number> = new Map()

/** Gives the final count. Throws what the look-ups throw, and the signal's reason. */
export async function checkRows(parts: CheckParts): Promise<CheckProgress> {
  const book = createBook(parts)
  const missing = missingColumns(parts.mapping)
  for (const field of missing)
    await book.add(
      1,
      { field: null, severity: 'error', ...invalid(missingText(field, parts.mapping)) },
      field,
    )
  await readAll(parts, book)
  await checkContested(book)
  await checkSkus(book)
  if (parts.probe) await checkAddresses(parts, book, parts.probe)
  return book.end()
}

/** A file of updates alone needs neither; one of imports needs both. */
export const missingColumns = (mapping: ColumnMapping): ('filename' | 'file_url')[] =>
  (['filename', 'file_url'] as const).filter(
    (field) => mapping[field] === null && mapping.id === null,
  )

/** An export of ours without its ids is nearly what an update is. */
const missingText = (field: Field, { filename }: ColumnMapping) =>
  `The required column ${field} is missing` +
  (field === 'file_url' && filename !== null
    ? '. To change files that you have, add the column id: export them with it'
    : '')

const invalid = (detail: string) => ({
  code: 'invalid_csv' as const,
  message: ERRORS.invalid_csv.message,
  detail,
})

/** One row, or several: most are alone. */
type Rows = number | number[]

export type Book = ReturnType<typeof createBook>

/** What the check has seen so far. */
function createBook({ mapping, report, onProgress, signal }: CheckParts) {
  const newSkus: string[] = []
  const skuLookUps: Promise<ReadonlyMap<string, number> | null>[] = []
  const progress: CheckProgress = {
    ...{ phase: 'rows', rows: 0, skus: 0, skus_total: 0, urls: 0, urls_total: 0 },
    ...{ errors: 0, warnings: 0, error_rows: 0, import_rows: 0, update_rows: 0 },
  }
  const errorRows = new Set<number>()
  const updateRows = new Set<number>()
  let wrongUpdates = 0
  let waiting: RowProblem[] = []
  const count = () => {
    progress.error_rows = errorRows.size
    progress.update_rows = updateRows.size - wrongUpdates
    // The header may have errors of its own.
    const wrong = errorRows.size - (errorRows.has(1) ? 1 : 0)
    progress.import_rows = progress.rows - wrong - progress.update_rows
    onProgress(progress)
  }
  return {
    progress,
    names: new Map<string, number>(),
    ids: new Map<string, number>(),
    /** Rows that give their files other names, and who has those names now. */
    renamings: [] as Renaming[],
    holders: new Map<string, string>(),
    skus: new Map<string, Rows>(),
    urls: new Map<string, Rows>(),
    newSkus,
    skuLookUps,
    /**
     * One after another, in the background, once there are so many; null comes of a storefront that
     * is away.
     */
    lookUpSkus: ({ oddSkus }: CheckParts, least: number) => {
      if (newSkus.length < least) return
      const skus = newSkus.splice(0)
      const before = skuLookUps.at(-1) ?? Promise.resolve(NONE)
      const found = before.then((odd) => odd && oddSkus(skus, signal).catch(noCatalog))
      progress.skus_total += skus.length
      const counted = found.then((odd) => {
        progress.skus += skus.length
        return odd
      })
      // Whoever waits for it hears of its failure.
      counted.catch(() => {})
      skuLookUps.push(counted)
    },
    hasError: (row: number) => errorRows.has(row),
    noteUpdate: (row: number) => {
      updateRows.add(row)
      if (errorRows.has(row)) wrongUpdates++
    },
    add: async (row: number, problem: CellProblem, of: Field | null = problem.field) => {
      progress[problem.severity === 'error' ? 'errors' : 'warnings']++
      if (problem.severity === 'error' && !errorRows.has(row)) {
        errorRows.add(row)
        if (updateRows.has(row)) wrongUpdates++
      }
      waiting.push({
        ...problem,
        row,
        place: placeOf(of),
        number: progress.errors + progress.warnings,
        column: of && (mapping[of] ?? of),
      })
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

/**
 * The rows themselves, batch after batch. What is looked up of some is looked up while the next
 * ones are read.
 */
async function readAll(parts: CheckParts, book: Book): Promise<void> {
  const places = placesOf(parts.mapping, parts.headers)
  let named: NamedRow[] = []
  let lookedUp: Promise<void> = Promise.resolve()
  const lookUp = async () => {
    await lookedUp
    lookedUp = checkFiles(parts, book, named)
    // Whoever waits for it hears of its failure.
    lookedUp.catch(() => {})
    named = []
  }
  for await (const batch of bodyOf(parts.batches)) {
    book.progress.rows += batch.length
    for (const { row, cells, broken } of batch) {
      const shape = broken ?? shapeProblem(cells, parts.headers) ?? shiftProblem(cells, places)
      // Where cells stand in the wrong columns, what they seem to say is no help.
      if (shape) {
        await book.add(row, shape)
        continue
      }
      const { values, problems } = readValues(cells, places)
      if (values.id !== null) book.noteUpdate(row)
      for (const problem of problems) await book.add(row, problem)
      note(parts, book, row, values)
      named.push({ row, id: values.id, filename: values.filename })
    }
    if (named.length >= LOOKED_UP_AT_ONCE) await lookUp()
    book.lookUpSkus(parts, LOOKED_UP_AT_ONCE)
    book.step({})
  }
  await lookUp()
  await lookedUp
  book.lookUpSkus(parts, 1)
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

function note({ probe }: CheckParts, book: Book, row: number, values: RowValues): void {
  const { id, product_sku } = values
  if (id === null && product_sku !== '' && list(book.skus, product_sku, row))
    book.newSkus.push(product_sku)
  if (probe && id === null && !book.hasError(row)) list(book.urls, values.file_url, row)
}

/** Is it the first one? */
function list(map: Map<string, Rows>, key: string, row: number): boolean {
  const rows = map.get(key)
  if (rows === undefined) map.set(key, row)
  else if (typeof rows === 'number') map.set(key, [rows, row])
  else rows.push(row)
  return rows === undefined
}

const rowsOf = (map: ReadonlyMap<string, Rows>, key: string): readonly number[] => {
  const rows = map.get(key)!
  return typeof rows === 'number' ? [rows] : rows
}

async function checkSkus(book: Book): Promise<void> {
  book.step({ phase: 'skus' })
  for (const lookUp of book.skuLookUps) {
    const odd = await lookUp
    if (!odd) {
      const { message } = ERRORS.storefront_unavailable
      const detail = 'SKUs were not checked: they are looked up again when the files are imported'
      await book.add(1, {
        field: 'product_sku',
        severity: 'warning',
        code: 'storefront_unavailable',
        message,
        detail,
      })
      break
    }
    for (const [sku, products] of odd) {
      const [code, detail] =
        products === 0
          ? (['sku_not_found', 'The file is imported without a product'] as const)
          : ([
              'sku_ambiguous',
              `${products} products have it: choose one after the import`,
            ] as const)
      for (const row of rowsOf(book.skus, sku)) {
        const { message } = ERRORS[code]
        await book.add(row, {
          field: 'product_sku',
          severity: 'warning',
          code,
          message,
          detail,
          value: sku,
        })
      }
    }
  }
  book.skus.clear()
}

/** A storefront that is away holds up no import. */
function noCatalog(error: unknown): null {
  if (error instanceof PortError) return null
  throw error
}

async function checkAddresses(parts: CheckParts, book: Book, probe: ProbeAddress): Promise<void> {
  const { urls, progress } = book
  book.step({ phase: 'urls', urls_total: urls.size })
  for await (const { url, problem } of probeAddresses([...urls.keys()], probe, parts)) {
    book.step({ urls: progress.urls + 1 })
    if (!problem) continue
    for (const row of rowsOf(urls, url))
      await book.add(row, { field: 'file_url', ...problem, value: url })
  }
}
