// Compares the rows of a table with those that were taken before, and with the files: what a run
// changes. It writes nothing.
import { createHash } from 'node:crypto'
import { say, type AnyText } from '../../../plugins/contract/index.ts'
import { packsOfCells } from '../../files/packs.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { FetchTarget } from '../../core/fetch-headers.ts'
import { storedDetail, type StoredDetail } from '../../core/texts.ts'
import { nameKey } from '../../files/rules.ts'
import { mustConfirmDeletions } from '../../files/trash.ts'
import type { ImportFile } from '../imports/start.ts'
import { bodyOf, type BodyRow } from '../csv/body-rows.ts'
import { FIELDS, placesOf, type ColumnMapping, type CsvField } from '../csv/columns.ts'
import { normalizeHeader } from '../csv/headers.ts'
import { actionOfRow } from '../csv/row-actions.ts'
import { findTargets, targetLookups, type FoundTargets } from '../csv/row-targets.ts'
import {
  cellText,
  readValues,
  shapeProblem,
  shiftProblem,
  type CellProblem,
  type RowValues,
} from '../csv/row-values.ts'
import { addAction, type ChangedRow, type RowWork } from '../csv/start.ts'
import { readUploadRows, type CheckOptions, type CsvUpload } from '../csv/uploads.ts'
import { isSameHost, type Feed } from './feeds.ts'

export const FEED_CHANGES = [
  'new',
  'version',
  'change',
  'delete',
  'restore',
  'trash',
  'tag',
  'problem',
] as const
export type FeedChangeKind = (typeof FEED_CHANGES)[number]

/** Which operation carries a change out. */
export type FeedOperation = 'imports' | 'updates' | 'vanished'

export interface FeedChange {
  row: number | null
  key: string
  kind: FeedChangeKind
  filename: string
  fields: readonly string[]
  cells: Readonly<Record<string, string>>
  file_id: string | null
  problem: (StoredDetail & { code: string }) | null
  /** Null: nothing does. */
  operation: FeedOperation | null
  position: number | null
}

export interface FeedCounts {
  rows: number
  new: number
  changed: number
  vanished: number
  unchanged: number
  /** Rows that cannot be taken. */
  problems: number
  /** Rows that have failed too often: they are tried again when they change. */
  given_up: number
}

export interface FeedPlan {
  counts: FeedCounts
  changes: FeedChange[]
  work: RowWork
  vanished: ChangedRow[]
  /** Whether a person must confirm what happens to the files of vanished rows. */
  asks: boolean
  /** The keys of rows that the table has no more, and that need no change. */
  forgotten: string[]
  /** Why vanished rows were not looked for, or null. */
  incomplete: boolean
}

/** How often the same cells are tried. */
export const MAX_FAILURES = 3
const MAX_LISTED_PROBLEMS = 1000
/** The most characters of the text that names a row. */
const MAX_KEY = 500

/** A row that was taken before, with its file. */
interface KnownRow {
  key: string
  cells: Record<string, string>
  file_id: string | null
  deleted: boolean
  failures: number
  vanished: boolean
}

/** Compares the whole table. Throws `columns_changed`. */
export async function planFeed(
  tx: ShopScope,
  { feed, upload, target }: { feed: Feed; upload: CsvUpload; target: FetchTarget },
): Promise<FeedPlan> {
  const reading = readingOf(feed, upload, target)
  const planner = new FeedPlanner(tx, reading)
  for await (const rows of bodyOf(readUploadRows(tx, upload), upload.format.header_row))
    await planner.add(rows)
  await planner.addVanished()
  return planner.plan
}

interface Reading {
  feed: Feed
  headers: readonly string[]
  places: Record<CsvField, number>
  keyPlace: number
  options: CheckOptions
  target: FetchTarget
}

/** Finds the columns of the mapping in a table. Throws `columns_changed` with those that are missing. */
function readingOf(feed: Feed, { headers }: CsvUpload, target: FetchTarget): Reading {
  const names = headers.map(normalizeHeader)
  const here = (header: string): string | null =>
    headers.includes(header) ? header : (headers[names.indexOf(normalizeHeader(header))] ?? null)
  const missing: string[] = []
  const found = (header: string | null) => {
    if (header === null) return null
    const name = here(header)
    if (name === null) missing.push(header)
    return name
  }
  const mapping = Object.fromEntries(
    FIELDS.map((field) => [field, found(feed.mapping[field] ?? null)]),
  ) as ColumnMapping
  const keyColumn = found(feed.key_column)
  if (missing.length > 0)
    throw new AppError('columns_changed', {
      details: [...new Set(missing)].map((header) => ({
        param: header,
        code: 'columns_changed',
        message: say('There is no column {header}', { header }),
      })),
    })
  const { tags, products } = feed.options
  return {
    feed,
    headers,
    target,
    places: placesOf(mapping, headers),
    keyPlace: keyColumn === null ? -1 : headers.indexOf(keyColumn),
    // Packs follow the rule of the tags.
    options: { probe: false, on_conflict: 'error', match: 'filename', tags, products, packs: tags },
  }
}

interface ReadRow {
  row: number
  key: string
  values: RowValues
  cells: Record<string, string>
  problem: CellProblem | null
}

class FeedPlanner {
  readonly plan: FeedPlan = {
    counts: { rows: 0, new: 0, changed: 0, vanished: 0, unchanged: 0, problems: 0, given_up: 0 },
    changes: [],
    work: { files: [], rows: [] },
    vanished: [],
    asks: false,
    forgotten: [],
    incomplete: false,
  }
  readonly #tx: ShopScope
  readonly #reading: Reading
  /** The rows of the keys so far, and those of files that rows change. */
  readonly #keys = new Map<string, number>()
  readonly #files = new Map<string, number>()

  constructor(tx: ShopScope, reading: Reading) {
    this.#tx = tx
    this.#reading = reading
  }

  async add(rows: readonly BodyRow[]): Promise<void> {
    this.plan.counts.rows += rows.length
    const read = rows.flatMap((row) => this.#read(row) ?? [])
    const known = await knownRows(
      this.#tx,
      this.#reading.feed.id,
      read.map(({ key }) => key),
    )
    const changed = read.flatMap((row) => this.#changed(row, known.get(row.key)) ?? [])
    if (changed.length === 0) return
    const subjects = changed.map(({ values }) => values)
    const targets = await findTargets(targetLookups(this.#tx), 'filename', subjects)
    const packsOf = await packsOfCells(
      this.#tx,
      subjects.map(({ pack }) => pack),
    )
    for (const one of changed) this.#decide(one, targets, packsOf)
  }

  /** The row with its key; null: it has none, and is listed as a problem. */
  #read({ row, cells, broken }: BodyRow): ReadRow | null {
    const { places, headers, keyPlace } = this.#reading
    const shape = broken ?? shapeProblem(cells, headers) ?? shiftProblem(cells, places)
    if (shape) {
      this.plan.incomplete = true
      return this.#refuse({ row, filename: '' }, shape)
    }
    const { values, problems } = readValues(cells, places, 'filename')
    const key = keyOf(values, keyPlace < 0 ? null : cellText(cells[keyPlace] ?? ''))
    const problem = problems.find(({ severity }) => severity === 'error') ?? null
    if (key === null) {
      this.plan.incomplete = true
      return this.#refuse({ row, filename: values.filename }, problem ?? NO_KEY)
    }
    const before = this.#keys.get(key)
    if (before !== undefined)
      return this.#refuse({ row, key, filename: values.filename }, repeated(before))
    this.#keys.set(key, row)
    if (problem) return this.#refuse({ row, key, filename: values.filename }, problem)
    return { row, key, values, cells: hashesOf(cells, places), problem }
  }

  #refuse(
    { row, key = '', filename }: { row: number; key?: string; filename: string },
    { code, message, detail }: Pick<CellProblem, 'code' | 'message' | 'detail'>,
  ): null {
    const { counts, changes } = this.plan
    if (counts.problems++ < MAX_LISTED_PROBLEMS)
      changes.push({
        ...NOTHING,
        row,
        key,
        filename,
        problem: { code, ...storedDetail(message, detail) },
      })
    return null
  }

  /** The row as it is carried out; null: it was taken as it is, or has failed too often. */
  #changed(read: ReadRow, known: KnownRow | undefined): ChangedFeedRow | null {
    const { counts } = this.plan
    if (read.values.command === 'ignore') {
      counts.unchanged++
      return null
    }
    if (!known) return { ...read, known, fields: Object.keys(read.cells) }
    const fields = differingFields(known.cells, read.cells)
    const isSame = fields.length === 0 && !known.vanished
    if (isSame && known.failures === 0) {
      counts.unchanged++
      return null
    }
    if (isSame && known.failures >= MAX_FAILURES) {
      counts.given_up++
      return null
    }
    const failed = known.failures > 0
    return {
      ...read,
      known,
      fields: failed ? Object.keys(read.cells) : fields,
      values: this.#valuesFor(read.values, known, failed ? null : new Set(fields)),
    }
  }

  /** The values of a row whose file is known. `fields`: those that differ; null: all of them. */
  #valuesFor(values: RowValues, { file_id }: KnownRow, fields: Set<string> | null): RowValues {
    if (file_id === null || values.id !== null) return values
    const differs = (field: CsvField) => fields === null || fields.has(field)
    return {
      ...values,
      id: file_id,
      // The file may have got another name here: it keeps it until the row has another one.
      filename: differs('filename') && fields !== null ? values.filename : '',
      fetches: values.fetches && (differs('file_url') || differs('link_url') || differs('sha256')),
    }
  }

  #decide(
    one: ChangedFeedRow,
    targets: FoundTargets,
    packsOf: Awaited<ReturnType<typeof packsOfCells>>,
  ): void {
    const { work, counts } = this.plan
    const { row, key, values, known } = one
    const filename = values.filename || (targets.known.get(values.id ?? '')?.filename ?? '')
    if (known?.vanished && known.file_id !== null) return this.#returned(one, known, filename)
    const { action, problem } = actionOfRow(values, targets)
    if (problem?.severity === 'error') return void this.#refuse({ row, key, filename }, problem)
    const id = 'id' in action ? action.id : null
    const before = id === null ? undefined : this.#files.get(id)
    if (before !== undefined) return void this.#refuse({ row, key, filename }, sameFile(before))
    if (id !== null) this.#files.set(id, row)
    if (action.type === 'none') {
      counts.unchanged++
      return
    }
    const { options } = this.#reading
    const lengths = [work.files.length, work.rows.length] as const
    addAction(work, action, { values, targets, options, packsOf })
    const isImport = work.files.length > lengths[0]
    if (isImport) this.#authorize(work.files)
    if (action.type === 'import') counts.new++
    else counts.changed++
    this.#push(one, {
      kind: KINDS[action.type],
      filename,
      file_id: id,
      operation: isImport ? 'imports' : 'updates',
      position: isImport ? lengths[0] : lengths[1],
    })
  }

  /** The table has the row again: its file leaves the trash, or loses the tag. */
  #returned(one: ChangedFeedRow, known: KnownRow, filename: string): void {
    const { work, counts } = this.plan
    const { vanished_tag: tag } = this.#reading.feed.options
    const id = known.file_id ?? ''
    const wanted = known.deleted
      ? { deleted: false }
      : tag === null
        ? {}
        : { tags: { add: [], remove: [tag] } }
    counts.changed++
    this.#push(one, {
      kind: known.deleted ? 'restore' : 'change',
      filename,
      file_id: id,
      operation: 'updates',
      position: work.rows.length,
      // The rest of the row is compared by the next run.
      cells: {},
    })
    work.rows.push({ id, wanted })
  }

  #push(
    { row, key, fields, cells }: ChangedFeedRow,
    about: Pick<FeedChange, 'kind' | 'filename' | 'file_id' | 'operation' | 'position'> &
      Partial<Pick<FeedChange, 'cells'>>,
  ): void {
    this.plan.changes.push({ row, key, fields, cells, problem: null, ...about })
  }

  /** Files at the host of the table get the headers of its requests; no other host does. */
  #authorize(files: ImportFile[]): void {
    const { target } = this.#reading
    const file = files.at(-1)
    if (file?.source.type !== 'url' || Object.keys(target.headers ?? {}).length === 0) return
    if (!isSameHost(target.url, file.source.url)) return
    files[files.length - 1] = { ...file, source: { ...file.source, headers: target.headers ?? {} } }
  }

  /** Rows that were taken before, and that the table has no more. */
  async addVanished(): Promise<void> {
    const { plan } = this
    // A row that could not be read may be any of them.
    if (plan.incomplete) return
    const { feed } = this.#reading
    const rows = await vanishedRows(this.#tx, feed.id, [...this.#keys.keys()])
    const { vanished: policy, vanished_tag: tag } = feed.options
    const wanted =
      policy === 'trash'
        ? { deleted: true }
        : policy === 'tag' && tag !== null
          ? { tags: { add: [tag] } }
          : null
    for (const { key, file_id, filename, isThere } of rows) {
      // Another row has the file now.
      if (wanted === null || file_id === null || !isThere || this.#files.has(file_id)) {
        plan.forgotten.push(key)
        continue
      }
      plan.changes.push({
        ...NOTHING,
        row: null,
        key,
        filename,
        file_id,
        kind: policy === 'trash' ? 'trash' : 'tag',
        operation: 'vanished',
        position: plan.vanished.length,
      })
      plan.vanished.push({ id: file_id, wanted })
    }
    plan.counts.vanished = plan.vanished.length
    plan.asks =
      policy === 'trash' &&
      mustConfirmDeletions(plan.vanished.length, await countFiles(this.#tx, feed.id))
  }
}

interface ChangedFeedRow extends ReadRow {
  known: KnownRow | undefined
  fields: string[]
}

const NOTHING = {
  kind: 'problem',
  fields: [],
  cells: {},
  file_id: null,
  problem: null,
  operation: null,
  position: null,
} as const

const KINDS = {
  import: 'new',
  fetch: 'version',
  change: 'change',
  delete: 'delete',
  restore: 'restore',
} as const

const NO_KEY = {
  code: 'required',
  message: say('The row has nothing that names it: neither an id, a filename nor a key'),
} as const

const repeated = (row: number): { code: 'duplicate_filename'; message: AnyText } => ({
  code: 'duplicate_filename',
  message: say('Row {row} has the same key', { row: String(row) }),
})
const sameFile = (row: number): { code: 'invalid_value'; message: AnyText } => ({
  code: 'invalid_value',
  message: say('Row {row} changes the same file', { row: String(row) }),
})

function keyOf({ id, filename }: RowValues, own: string | null): string | null {
  const text = own ?? (id === null ? nameKey(filename) : `id ${id}`)
  return text === '' ? null : text.slice(0, MAX_KEY)
}

/** A hash of each cell that is not empty, by its field. */
function hashesOf(
  cells: readonly string[],
  places: Record<CsvField, number>,
): Record<string, string> {
  const hashes: Record<string, string> = {}
  for (const field of FIELDS) {
    const text = places[field] < 0 ? '' : cellText(cells[places[field]] ?? '')
    if (text !== '') hashes[field] = createHash('sha256').update(text).digest('hex').slice(0, 16)
  }
  return hashes
}

const differingFields = (
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] => FIELDS.filter((field) => (before[field] ?? '') !== (now[field] ?? ''))

async function knownRows(
  tx: ShopScope,
  feed: string,
  keys: readonly string[],
): Promise<Map<string, KnownRow>> {
  const rows = await tx.query<KnownRow>(
    `select r.key, r.cells, r.file_id, r.failures, r.vanished,
       coalesce(f.deleted_at is not null, false) as deleted
     from feed_rows r left join files f on f.shop_id = r.shop_id and f.id = r.file_id
     where r.shop_id = :shop and r.feed_id = :feed and r.key = any(:keys::text[])`,
    { feed, keys },
  )
  return new Map(rows.map((row) => [row.key, row]))
}

const vanishedRows = (
  tx: ShopScope,
  feed: string,
  keys: readonly string[],
): Promise<{ key: string; file_id: string | null; filename: string; isThere: boolean }[]> =>
  tx.query(
    `select r.key, r.file_id, coalesce(f.filename, r.filename) as filename,
       coalesce(f.deleted_at is null and f.id is not null, false) as "isThere"
     from feed_rows r left join files f on f.shop_id = r.shop_id and f.id = r.file_id
     where r.shop_id = :shop and r.feed_id = :feed and not r.vanished
       and not exists (select from unnest(:keys::text[]) as present(key) where present.key = r.key)
     order by r.key`,
    { feed, keys },
  )

async function countFiles(tx: ShopScope, feed: string): Promise<number> {
  const row = await tx.one<{ files: number }>(
    `select count(*)::int as files from feed_rows r
     join files f on f.shop_id = r.shop_id and f.id = r.file_id and f.deleted_at is null
     where r.shop_id = :shop and r.feed_id = :feed and not r.vanished`,
    { feed },
  )
  return row.files
}
