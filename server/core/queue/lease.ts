// Leases: rows that a process holds for longer than a transaction. A lease lasts until a time that
// its holder extends; another process takes an expired one over. Rows of work are held by a worker,
// whose heartbeat extends all its leases in one row, under a number that every write of its results
// checks: a worker that was presumed dead but still runs can write nothing. These are fragments of
// SQL, so that each table takes and gives back its rows within the statements that use them.
// All leases, and the advisory locks that remain: docs/decisions/0050.
import { setTimeout as delay } from 'node:timers/promises'
import type { Bindings, ShopScope } from '../db/for-shop.ts'

/** A worker without a heartbeat for this long, by the database's clock, is dead. */
export const SILENCE = '30 seconds'

/** Another worker has taken over, or the work was ended elsewhere: stop, and write nothing. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease was taken over')
    this.name = 'LeaseLost'
  }
}

/** A column that says until when its row is held. All times come from the database's clock. */
export interface TimedLease {
  /** SQL: the column's value for a lease that begins now. */
  readonly value: string
  /** SQL for `set`: takes or extends the lease. */
  readonly extend: string
  /** SQL for `set`: gives the lease back, so that another process may take it immediately. */
  readonly giveBack: string
  /** SQL: the lease of the row (its table or alias) was not extended in time. */
  isExpired(row: string): string
}

/**
 * @param column holds when the lease was last extended (`since`), or when it expires (`until`)
 * @param lasts an interval that is longer than the pause between two extensions
 */
export function timedLease(
  column: { since: string } | { until: string },
  lasts: string,
): TimedLease {
  const interval = `interval '${lasts}'`
  const [name, value, limit] =
    'since' in column
      ? [column.since, 'now()', `now() - ${interval}`]
      : [column.until, `now() + ${interval}`, 'now()']
  return {
    value,
    extend: `${name} = ${value}`,
    giveBack: `${name} = '-infinity'`,
    isExpired: (row) => `${row}.${name} < ${limit}`,
  }
}

/** The lease of a worker's own row, which lasts as long as the leases of all rows that it holds. */
export const HEARTBEAT = timedLease({ since: 'beat_at' }, SILENCE)

/** SQL: the worker with this id lives. */
export const isAlive = (worker: string): string =>
  `exists (select from workers w where w.id = ${worker} and not ${HEARTBEAT.isExpired('w')})`

/** SQL: the number of a new lease. No two leases of any table have the same one. */
export const NEW_LEASE = `nextval('leases')`

/** Fragments for tables with the columns `lease` and `worker_id`: chains and background tasks. */
export const WORKER_LEASE = {
  /** SQL: no living worker holds the row, except `worker` itself, which lost track of its lease. */
  isFree: (row: string, worker: string): string =>
    `(${row}.worker_id is null or ${row}.worker_id = ${worker} or not ${isAlive(`${row}.worker_id`)})`,
  /** SQL: another worker died while it held the row. */
  hasDied: (row: string, worker: string): string =>
    `(coalesce(${row}.worker_id <> ${worker}, false) and not ${isAlive(`${row}.worker_id`)})`,
  /** SQL for `set`: takes the row, also from a worker that died. */
  take: (worker: string): string => `lease = ${NEW_LEASE}, worker_id = ${worker}`,
  /** SQL for `set`: another worker may take the row immediately. */
  giveBack: 'worker_id = null',
  /** SQL for `set` of a chain: gives it back, and its last holder can write nothing any more. */
  revoke: 'worker_id = null, lease = null',
} as const

/**
 * Locks a row until the transaction ends, so that its lease is not taken over before. Throws
 * `LeaseLost` if it was taken over already.
 * @param row SQL that finds the row in the shop, with named bindings
 */
export async function holdLeased(
  tx: ShopScope,
  table: 'chains' | 'background_tasks',
  row: string,
  bindings: Bindings & { lease: number },
): Promise<void> {
  const rows = await tx.query(
    `select from ${table} where shop_id = :shop and ${row} and lease = :lease for update`,
    bindings,
  )
  if (rows.length === 0) throw new LeaseLost()
}

const POLL_MS = 200

/**
 * Repeats `attempt` until it gives something; null: `waitMs` have passed, or the signal aborted. No
 * connection and no lock is held between two attempts.
 */
export async function pollLease<T>(
  attempt: () => Promise<T | null>,
  waitMs: number,
  signal?: AbortSignal,
): Promise<T | null> {
  const until = performance.now() + waitMs
  while (true) {
    const found = await attempt()
    if (found !== null) return found
    if (performance.now() > until || signal?.aborted) return null
    await delay(POLL_MS)
  }
}
