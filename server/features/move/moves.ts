// Stored exports of other apps: what was recognised, what their rows say, and what became of them.
import { say } from '../../../plugins/contract/index.ts'
import { AppError } from '../../core/errors.ts'
import { deleteRow } from '../../core/db/delete-row.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Finding } from './findings.ts'
import type { MoveField, SourceApp, SourceTable } from './presets.ts'
import type { MatchedBy } from './products.ts'

export const MAX_MOVES = 20

export interface MoveColumns {
  /** In the order of the fields. */
  read: { field: MoveField; header: string }[]
  /** The headers of columns that are not read. */
  unknown: string[]
}

export interface MoveCounts {
  rows: number
  /** Of an export of files. */
  files: {
    /** Different addresses. */
    total: number
    fresh: number
    /** The shop has a file of this address from an earlier move. */
    present: number
    /** Products without files, which are left out. */
    without_files: number
    /** Different products, by how they were found. */
    products: Record<MatchedBy | 'none', number>
  } | null
  /** Of an export of buyers. */
  buyers: {
    /** Different addresses of buyers. */
    total: number
    /** Links that would be created. */
    links: number
    files: number
    /** Buyers who have a link to the file already. */
    present: number
    /** Access that has expired, or has no downloads left. */
    ended: number
    /** Access to products that have no file here. */
    without_file: number
  } | null
  findings: Finding[]
}

export interface StoredMove {
  id: string
  filename: string
  app: SourceApp
  source: SourceTable
  kind: 'files' | 'buyers'
  columns: MoveColumns
  counts: MoveCounts
  operation_id: string | null
  operation_kind: 'import' | 'bulk' | null
  undone: boolean
  started_at: Date | null
  created_at: Date
}

export type NewMove = Pick<StoredMove, 'filename' | 'app' | 'source' | 'kind' | 'columns'>

const COLUMNS = `m.id, m.filename, m.app, m.source, m.kind, m.columns, m.counts, m.started_at,
  m.created_at, o.id as operation_id, o.kind as operation_kind,
  coalesce(o.status = 'undone', false) as undone`
const TABLES = `moves m left join operations o on o.shop_id = m.shop_id and o.id = m.operation_id`
const ROWS = 5000

/** One row of an export, as it was read. */
export interface MoveRow<Data> {
  email: string | null
  data: Data
}

/** Stores a move with its rows and returns its UUID. The shop's oldest ones make place. */
export async function storeMove(
  tx: ShopScope,
  move: NewMove & { counts: MoveCounts },
  rows: readonly MoveRow<unknown>[],
): Promise<string> {
  const { columns, counts, ...about } = move
  const { id } = await tx.one<{ id: string }>(
    `insert into moves (shop_id, filename, app, source, kind, columns, counts)
     values (:shop, :filename, :app, :source, :kind, :columns, :counts) returning id`,
    { ...about, columns: JSON.stringify(columns), counts: JSON.stringify(counts) },
  )
  for (let from = 0; from < rows.length; from += ROWS)
    await tx.query(
      `insert into move_rows (shop_id, move_id, number, email, data)
       select :shop, :id, (:from + n)::int, r ->> 'email', r -> 'data'
       from jsonb_array_elements(:rows::jsonb) with ordinality as g(r, n)`,
      { id, from, rows: JSON.stringify(rows.slice(from, from + ROWS)) },
    )
  await tx.query(
    `delete from moves where shop_id = :shop and id in (
       select id from moves where shop_id = :shop and id <> :id
       order by started_at is null desc, id desc offset :kept)`,
    { id, kept: MAX_MOVES - 1 },
  )
  return id
}

/** Newest first. */
export const listMoves = (scope: ShopScope): Promise<StoredMove[]> =>
  scope.query<StoredMove>(
    `select ${COLUMNS} from ${TABLES} where m.shop_id = :shop order by m.id desc limit :limit`,
    { limit: MAX_MOVES },
  )

/** Throws `not_found`. */
export async function requireMove(scope: ShopScope, id: string): Promise<StoredMove> {
  const [move] = await scope.query<StoredMove>(
    `select ${COLUMNS} from ${TABLES} where m.shop_id = :shop and m.id = :id`,
    { id },
  )
  if (!move) throw new AppError('not_found')
  return move
}

/** Locks a move that can still be started. Throws `not_found` and `conflict`. */
export async function requireUnstarted(tx: ShopScope, id: string): Promise<StoredMove> {
  await tx.query('select from moves where shop_id = :shop and id = :id for update', { id })
  const move = await requireMove(tx, id)
  if (move.started_at !== null)
    throw new AppError('conflict', { message: say('This export has been imported already') })
  return move
}

export async function readMoveRows<Data>(scope: ShopScope, id: string): Promise<Data[]> {
  const rows = await scope.query<{ data: Data }>(
    'select data from move_rows where shop_id = :shop and move_id = :id order by number',
    { id },
  )
  return rows.map(({ data }) => data)
}

export const markStarted = (tx: ShopScope, id: string, operation: string) =>
  tx.query(
    `update moves set operation_id = :operation, started_at = now()
     where shop_id = :shop and id = :id`,
    { id, operation },
  )

export async function removeMove(scope: ShopScope, id: string): Promise<void> {
  await deleteRow(scope, 'moves', id)
}

/**
 * Across shops, for the hourly upkeep: exports that were not started after a day, and the others when
 * their operation can neither be retried nor undone any more.
 */
export async function sweepMoves(pool: { query(sql: string): Promise<unknown> }): Promise<void> {
  await pool.query(
    `delete from moves where created_at < now() - interval '24 hours' and started_at is null
       or started_at < now() - interval '8 days'`,
  )
}
