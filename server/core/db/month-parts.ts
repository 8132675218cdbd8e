// A table that is divided by month: parts `<table>_2027_01` that a sweep drops whole, between
// `<table>_before` for all earlier rows and `<table>_later` for all later ones. Together they take
// every row, so that a month that was not made refuses none. Rows belong to the month of an id, a
// version 7 UUID, which begins with the time at which it was made: so the primary key is the same as
// without parts. It is the row's own id of downloads, so that a list in the order of the ids reads
// the newest months first, and that of the operation of items.
// docs/decisions/0085 and docs/decisions/0095.
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { isLockRefused } from './error-classes.ts'
import { writeFirstStatistics } from './first-statistics.ts'
import { firstOf } from '../lazy.ts'

/** Months that are made before they begin. */
const AHEAD = 2
/** The most months of one run: a clock that is years ahead must not make a thousand. */
const MOST = 12
/** The longest wait for a lock, as of a migration: readers and writers wait behind a change that waits. */
const LOCK_TIMEOUT_MS = 900
const LOCK_ATTEMPTS = 5
const PAUSE_MS = 1000
/** Autovacuum never analyzes the table itself: without it, joins are planned without its sizes. */
const ANALYZED_EVERY = '1 day'

const SETTINGS = `autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05`

/** The column whose id says the month, and the settings of each part. */
const DIVIDED = {
  downloads: { id: 'id', settings: SETTINGS },
  // An outcome updates its row within the page.
  items: { id: 'operation_id', settings: `fillfactor = 50, ${SETTINGS}` },
} as const
export type DividedTable = keyof typeof DIVIDED

const HOUR_MS = 60 * 60 * 1000
/** Clocks of processes may be this far from the database's. */
export const CLOCKS_APART_MS = 24 * HOUR_MS

/** The lowest id of rows that are written at this time or later. */
export function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/**
 * The lowest id of rows about something that was created then: a statement that names it plans and
 * reads no older months.
 */
export const firstIdSince = (created: Date): string =>
  firstIdAt(new Date(Math.min(created.getTime(), Date.now()) - CLOCKS_APART_MS))

const timeOf = (id: string) => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
const monthAfter = (time: Date, months: number) =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months))
const nameOf = (table: string, month: Date) =>
  `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`

/**
 * SQL: the parts of a new table, from this month on.
 * @param now the time at which the table is created
 */
export function monthParts(table: DividedTable, now = new Date()): string {
  const { settings } = DIVIDED[table]
  const partOf = (name: string, from: string, to: string) =>
    `create table ${name} partition of ${table} for values from (${from}) to (${to})
    with (${settings});`
  const months = Array.from({ length: AHEAD + 1 }, (_, months) => monthAfter(now, months))
  const begin = (month: Date) => `'${firstIdAt(month)}'`
  const [first, last] = [monthAfter(now, 0), monthAfter(now, AHEAD + 1)]
  return [
    partOf(`${table}_before`, 'minvalue', begin(first)),
    ...months.map((month) =>
      partOf(nameOf(table, month), begin(month), begin(monthAfter(month, 1))),
    ),
    partOf(`${table}_later`, begin(last), 'maxvalue'),
  ].join('\n  ')
}

export interface MonthPart {
  name: string
  /** The first id; null: none. */
  from: string | null
  /** The first id after it; null: none. */
  to: string | null
}

/** The parts in the order of their ids. Exported for tests of what is divided. */
export async function readParts(pool: pg.Pool, table: DividedTable): Promise<MonthPart[]> {
  const { rows } = await pool.query<{ name: string; bound: string }>(
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1)`,
    [table],
  )
  return rows
    .map(({ name, bound }) => {
      const [, from = null, to = null] =
        /FROM \((?:MINVALUE|'([^']+)')\) TO \((?:MAXVALUE|'([^']+)')\)/.exec(bound) ?? []
      return { name, from, to }
    })
    .toSorted((a, b) => (a.from ?? '').localeCompare(b.from ?? ''))
}

/** Makes the months that begin soon, and moves rows that came before their month. */
export async function makeMonths(pool: pg.Pool, table: DividedTable, now: Date): Promise<void> {
  for (let made = 0; made < MOST; made++) {
    const from = (await readParts(pool, table)).at(-1)?.from
    // Not divided: it has no parts.
    if (!from || timeOf(from) > monthAfter(now, AHEAD)) break
    await makeMonth(pool, table, timeOf(from))
  }
  await writeFirstStatistics(pool)
  await analyze(pool, table)
}

/** Makes the month that begins where `<table>_later` begins. */
function makeMonth(pool: pg.Pool, table: DividedTable, month: Date): Promise<void> {
  const { id, settings } = DIVIDED[table]
  const [part, later] = [nameOf(table, month), `${table}_later`]
  const [from, to] = [month, monthAfter(month, 1)].map((time) => `'${firstIdAt(time)}'`)
  return changeBriefly(pool, [
    `alter table ${table} detach partition ${later}`,
    `create table ${part} partition of ${table} for values from (${from}) to (${to})
       with (${settings})`,
    `with moved as (delete from ${later} where ${id} < ${to} returning *)
     insert into ${part} select * from moved`,
    `alter table ${table} attach partition ${later} for values from (${to}) to (maxvalue)`,
  ])
}

/** The time at which the month of a part ended; null: it has none, or is the last one. */
export const endOfMonth = ({ from, to }: MonthPart): Date | null =>
  from === null || to === null ? null : timeOf(to)

/**
 * Drops the months that ended `kept` months ago, and what is before them. `<table>_before` grows by
 * them, so that every id has a part.
 */
export async function dropMonths(
  pool: pg.Pool,
  table: DividedTable,
  { now, kept }: { now: Date; kept: number },
): Promise<string[]> {
  const dropped: string[] = []
  for (const part of (await readParts(pool, table)).filter(({ from }) => from !== null)) {
    const end = endOfMonth(part)
    if (end === null || monthAfter(end, kept) > now) break
    await dropOldest(pool, table, part)
    dropped.push(part.name)
  }
  return dropped
}

/** Drops the oldest month, and what is before it. */
export const dropOldest = (
  pool: pg.Pool,
  table: DividedTable,
  { name, to }: MonthPart,
): Promise<void> =>
  changeBriefly(pool, [
    `alter table ${table} detach partition ${table}_before`,
    `truncate ${table}_before`,
    `drop table ${name}`,
    `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${to}')`,
  ])

/** Removes the rows of a month that is not the oldest. */
export const emptyMonth = (pool: pg.Pool, { name }: MonthPart): Promise<void> =>
  changeBriefly(pool, [`truncate ${name}`])

/** Runs the statements in one transaction, which gives up its wait for locks soon and is repeated. */
async function changeBriefly(pool: pg.Pool, statements: readonly string[]): Promise<void> {
  const sql = [`set local lock_timeout = ${LOCK_TIMEOUT_MS}`, ...statements].join(';\n')
  for (let attempt = 1; ; attempt++) {
    try {
      // Statements of one message are one transaction.
      await pool.query(sql)
      return
    } catch (error) {
      if (!isLockRefused(error) || attempt === LOCK_ATTEMPTS) throw error
      await delay(PAUSE_MS)
    }
  }
}

async function analyze(pool: pg.Pool, table: DividedTable): Promise<void> {
  const { rows } = await pool.query<{ due: boolean }>(
    `select coalesce(greatest(last_analyze, last_autoanalyze) < now() - $2::interval, true) as due
     from pg_stat_user_tables where relid = to_regclass($1)`,
    [table, ANALYZED_EVERY],
  )
  // Its parts are analyzed by autovacuum.
  if (firstOf(rows).due) await pool.query(`analyze only ${table}`)
}
