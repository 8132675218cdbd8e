// Steps of migrations without a transaction (`config = { transaction: false }`) that change tables
// with many rows: each holds the locks that requests wait for only briefly. A migration whose step
// is refused a lock, or whose process is killed, runs again from its beginning.
// docs/decisions/0091.
import type { Knex } from 'knex'
import type pg from 'pg'
import { isLockRefused } from './error-classes.ts'

/** The schema of the first release, one area: it is created once, and no version is before it. */
export const firstSchema = (sql: string): Pick<Knex.Migration, 'up' | 'down'> => ({
  up: (knex) => knex.raw(sql),
  down: () => Promise.reject(new Error('The tables of the first release cannot be undone.')),
})

export type Step = (knex: Knex) => Promise<unknown>

/**
 * Exported for migrations after the first release.
 * @param progress is called with the steps that are done, of all
 */
export async function migrateInSteps(
  knex: Knex,
  progress: (done: number, of: number) => void,
  steps: readonly Step[],
): Promise<void> {
  for (const [done, step] of steps.entries()) {
    progress(done, steps.length)
    await step(knex)
  }
}

/** Shorter than the time after which PostgreSQL would end a request that waits for these locks. */
const BRIEF_MS = 900
/**
 * `create index concurrently` waits for the transactions that are running. One of them may itself
 * wait for this migration: a process of an earlier version that starts now.
 */
const OTHERS_MS = 60_000

/**
 * Statements that need no time: all or none of them, in one transaction, unless an earlier run has
 * added this column (`files.view`) by them. Exported for migrations after the first release.
 */
export const expand =
  (column: string, sql: string): Step =>
  async (knex) => {
    const [table, name] = column.split('.')
    const isDone = `exists (select from pg_attribute where attrelid = to_regclass('${table}')
      and attname = '${name}' and not attisdropped)`
    if (!(await holds(knex, isDone))) await briefly(knex, sql)
  }

/**
 * Checks the rows for constraints that were added `not valid`, while everything runs. Exported for
 * migrations after the first release.
 */
export const validateRows =
  (table: string): Step =>
  async (knex) => {
    const { rows } = await knex.raw<{ rows: { name: string }[] }>(
      `select conname as name from pg_constraint
       where conrelid = '${table}'::regclass and contype = 'c' and not convalidated`,
    )
    // One statement reads the rows once for all of them.
    const each = rows.map(({ name }) => `validate constraint ${name}`).join(', ')
    if (each !== '') await knex.raw(`alter table ${table} ${each}`)
  }

/**
 * Exported for migrations after the first release.
 * @param indexes for each name, what follows `on`: table, columns and condition
 */
export const buildIndexes = (
  indexes: Readonly<Record<string, string>>,
  othersMs = OTHERS_MS,
): Step[] =>
  Object.entries(indexes).map(
    ([name, what]) =>
      (knex) =>
        buildIndex(knex, name, what, othersMs),
  )

/**
 * Builds an index while rows are written. Where a transaction does not end, writers wait for the
 * index.
 */
async function buildIndex(knex: Knex, name: string, what: string, othersMs: number): Promise<void> {
  const isBuilt = `exists (select from pg_index
    where indexrelid = to_regclass('${name}') and indisvalid)`
  if (await holds(knex, isBuilt)) return
  // Left by a run that was ended.
  await briefly(knex, `drop index if exists ${name}`)
  const [table] = what.split(' ')
  const isEmpty = `not exists (select from ${table})`
  if (await holds(knex, isEmpty)) return briefly(knex, `create index ${name} on ${what}`)
  const session = (await knex.client.acquireConnection()) as pg.Client
  try {
    await session.query(`set lock_timeout = ${othersMs}`)
    await session.query(`create index concurrently ${name} on ${what}`)
    return
  } catch (error) {
    if (!isLockRefused(error)) throw error
  } finally {
    await session.query('reset lock_timeout').catch(() => {})
    await knex.client.releaseConnection(session)
  }
  await briefly(knex, `drop index if exists ${name}; create index ${name} on ${what}`)
}

const briefly = (knex: Knex, sql: string): Promise<void> =>
  knex.transaction(async (tx) => {
    await yieldToOthers(tx, BRIEF_MS)
    await tx.raw(sql)
  })

/**
 * Of two transactions that wait for each other, PostgreSQL ends the one that looks first: the
 * migration, which is retried, where its user may change that time.
 */
export async function yieldToOthers(knex: Knex, lockTimeoutMs: number): Promise<void> {
  await knex.raw(`set local lock_timeout = ${lockTimeoutMs}`)
  await knex.raw(`select set_config('deadlock_timeout', '10ms', true)
    where has_parameter_privilege('deadlock_timeout', 'set')`)
}

/** Is there a row? */
async function holds(knex: Knex, condition: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: unknown[] }>(`select where ${condition}`)
  return rows.length > 0
}
