// The dependencies of a check of a CSV file, and its state: counts, names and problems so far.
import type { OnConflict } from '../../../plugins/contract/index.ts'
import type { NameRequest } from '../../files/name-allocation.ts'
import type { RowBatch } from './rows.ts'
import { fieldPlace, type CellProblem } from './row-values.ts'
import type { AddressProblem, ProbeAddress, SizeLimits } from './probes.ts'
import type { ColumnMapping, CsvField, RowMatch } from './columns.ts'
import type { RowSubject } from './row-actions.ts'
import type { TargetLookups } from './row-targets.ts'
import type { RowEdits } from './edits.ts'
import { present } from '../../core/lazy.ts'
import { PortError } from '../../../plugins/contract/index.ts'

export interface NamedRow extends RowSubject {
  row: number
}

/** What a row does, unless it imports a new file. */
export type RowKind = 'update' | 'delete' | 'restore' | 'ignored'

/** A row that gives its file another name. */
export interface RowRename extends NameRequest {
  row: number
  filename: string
}

export interface RowProblem extends CellProblem {
  row: number
  place: number
  /** The problem's number in the check: a cell may have several problems. */
  number: number
  /** The header of the column. */
  column: string | null
}

/** Returns the SKUs that do not have exactly one product, each with its number of products. */
export type OddSkus = (
  skus: readonly string[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, number>>

/** What addresses answered in earlier checks. */
export interface AddressMemory {
  /** Undefined: it was not requested. */
  address(url: string): AddressProblem | undefined
  addAddress(url: string, problem: AddressProblem): Promise<void>
}

export interface CheckParts extends TargetLookups {
  batches: AsyncIterable<RowBatch>
  /** The row of the header; 0: there is none. */
  headerRow: number
  /** Corrected cells and left out rows. */
  edits?: RowEdits
  /** Answers of earlier checks; absent: every address is requested. */
  memory?: AddressMemory
  headers: readonly string[]
  mapping: ColumnMapping
  onConflict: OnConflict
  match: RowMatch
  oddSkus: OddSkus
  /** Those of these handles or ids that no product has. */
  unknownProducts(by: 'id' | 'handle', values: readonly string[]): Promise<readonly string[]>
  /** Requests an address; null: addresses are not requested. */
  probe: ProbeAddress | null
  limits: SizeLimits
  /** Receives the problems, in no order. */
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
  /** The number of rows with an error, and of the other rows by what they change. */
  error_rows: number
  import_rows: number
  update_rows: number
  delete_rows: number
  restore_rows: number
  ignored_rows: number
}

/** The progress of a check that has read no row. */
export const NOTHING_CHECKED: CheckProgress = {
  phase: 'rows',
  rows: 0,
  skus: 0,
  skus_total: 0,
  urls: 0,
  urls_total: 0,
  errors: 0,
  warnings: 0,
  error_rows: 0,
  import_rows: 0,
  update_rows: 0,
  delete_rows: 0,
  restore_rows: 0,
  ignored_rows: 0,
}

const REPORT_BATCH = 2000
const NONE: ReadonlyMap<string, number> = new Map()

/** One row number, or several: most names and ids are in one row only. */
export type Rows = number | number[]
export type ProductNamesOfRows = Map<string, Rows>

/** Adds the row, once; returns whether it is the first one with this key. */
export function addRow(map: Map<string, Rows>, key: string, row: number): boolean {
  const rows = map.get(key)
  if (rows === undefined) map.set(key, row)
  else if (typeof rows === 'number') {
    if (rows !== row) map.set(key, [rows, row])
  } else if (rows.at(-1) !== row) rows.push(row)
  return rows === undefined
}

export const rowNumbers = (map: ReadonlyMap<string, Rows>, key: string): readonly number[] => {
  const rows = present(map.get(key), `The rows of ${key}`)
  return typeof rows === 'number' ? [rows] : rows
}

/** An unavailable storefront does not prevent an import. */
function noCatalog(error: unknown): null {
  if (error instanceof PortError) return null
  throw error
}

/** The state of one check: what it has counted and found so far. */
export class CheckState {
  readonly progress: CheckProgress = { ...NOTHING_CHECKED }
  /** The first row of each name and of each id. */
  readonly names = new Map<string, number>()
  readonly ids = new Map<string, number>()
  /** Rows that give their files other names, and the files that have those names now. */
  readonly renamings: RowRename[] = []
  readonly owners = new Map<string, string>()
  readonly skus: ProductNamesOfRows = new Map()
  readonly handles: ProductNamesOfRows = new Map()
  readonly productIds: ProductNamesOfRows = new Map()
  readonly urls = new Map<string, Rows>()
  /** The names of the rows whose addresses are requested. */
  readonly requested = new Map<number, string>()
  /** SKUs that were not looked up yet. */
  readonly newSkus: string[] = []
  readonly skuLookUps: Promise<ReadonlyMap<string, number> | null>[] = []
  readonly #parts: CheckParts
  readonly #errorRows = new Set<number>()
  /** Of rows that import no file, also of those with errors. */
  readonly #kinds = new Map<number, RowKind>()
  /** Problems that were not reported yet. */
  #waiting: RowProblem[] = []

  constructor(parts: CheckParts) {
    this.#parts = parts
  }

  /**
   * Looks SKUs up in the background, one batch after another, when at least `min` are waiting. The
   * result of a batch is null if the storefront is unavailable.
   */
  lookUpSkus(min: number): void {
    const { oddSkus, signal } = this.#parts
    if (this.newSkus.length < min) return
    const skus = this.newSkus.splice(0)
    const before = this.skuLookUps.at(-1) ?? Promise.resolve(NONE)
    const found = before.then((odd) => odd && oddSkus(skus, signal).catch(noCatalog))
    this.progress.skus_total += skus.length
    const counted = found.then((odd) => {
      this.progress.skus += skus.length
      return odd
    })
    // The awaiting code gets the error.
    counted.catch(() => {})
    this.skuLookUps.push(counted)
  }

  hasError(row: number): boolean {
    return this.#errorRows.has(row)
  }

  setKind(row: number, kind: RowKind): void {
    this.#kinds.set(row, kind)
    if (!this.#errorRows.has(row)) this.progress[`${kind}_rows`]++
  }

  /** Records a problem. Resolves when the caller may continue: problems are reported in batches. */
  async add(row: number, problem: CellProblem, of: CsvField | null = problem.field): Promise<void> {
    const { mapping, report } = this.#parts
    this.progress[problem.severity === 'error' ? 'errors' : 'warnings']++
    if (problem.severity === 'error' && !this.#errorRows.has(row)) {
      this.#errorRows.add(row)
      const kind = this.#kinds.get(row)
      if (kind) this.progress[`${kind}_rows`]--
    }
    this.#waiting.push({
      ...problem,
      row,
      place: fieldPlace(of),
      number: this.progress.errors + this.progress.warnings,
      column: of && (mapping[of] ?? of),
    })
    if (this.#waiting.length < REPORT_BATCH) return
    const full = this.#waiting
    this.#waiting = []
    await report(full)
  }

  step(change: Partial<CheckProgress>): void {
    this.#parts.signal.throwIfAborted()
    Object.assign(this.progress, change)
    this.#count()
  }

  async end(): Promise<CheckProgress> {
    if (this.#waiting.length > 0) await this.#parts.report(this.#waiting)
    this.progress.phase = 'done'
    this.#count()
    return this.progress
  }

  #count(): void {
    const { progress } = this
    progress.error_rows = this.#errorRows.size
    // The header may have errors too.
    const wrong = this.#errorRows.size - (this.#errorRows.has(1) ? 1 : 0)
    const { update_rows, delete_rows, restore_rows, ignored_rows } = progress
    progress.import_rows =
      progress.rows - wrong - update_rows - delete_rows - restore_rows - ignored_rows
    this.#parts.onProgress(progress)
  }
}
