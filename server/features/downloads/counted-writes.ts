// Statements that count exactly once, also when their connection breaks. Two things make it so:
// - The rows of the statement arrive before its transaction is committed. A connection that breaks
//   before has counted nothing.
// - The statement marks a row of `counted_batches` in the same transaction. If the answer of the commit
//   is lost, that row says whether there was one: then the rows are the answer, as if it had come.
// docs/decisions/0026.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { retryRolledBack } from '../../core/db/for-shop.ts'
import { inBatches } from '../../core/db/sweep-batches.ts'
import { firstOf } from '../../core/lazy.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import { openQuery, QUERY_TIMEOUT_MS, type Query } from './targets.ts'

/** Runs a statement with the clause `markBatch`, and gives its rows. */
export type CountedWrite = (
  name: string,
  text: string,
  values: readonly unknown[],
) => Promise<readonly (readonly unknown[])[]>

/**
 * The clause that marks the batch, without which nothing is known of a lost commit. The server ends a
 * transaction that waits for its commit too long: its process hangs, and others wait for its locks.
 * @param parameters how many parameters the statement has without those of the clause.
 * @param counted a relation that has rows if the statement counts anything.
 */
export const markBatch = (parameters: number, counted = '(select) one'): string => `
  insert into counted_batches (slot, number, used_at)
  select $${parameters + 1}::uuid, $${parameters + 2}::bigint, now()
  from (select count(*) as rows from ${counted}) b
  -- Also if nothing is counted: the statement may hold locks.
  where case when set_config('transaction_timeout', '${QUERY_TIMEOUT_MS}', true) is null then false
    else rows > 0 end
  on conflict (slot) do update set number = excluded.number, used_at = excluded.used_at`

// It waits for a transaction that has marked the row and is still being committed.
const MARKED = `
  insert into counted_batches as b (slot, number, used_at) values ($1, 0, now())
  on conflict (slot) do update set used_at = excluded.used_at returning b.number`

/** pg commits a statement with a limit of rows when they have arrived. */
const EVERY_ROW = 2 ** 31 - 1

/** What the statements need of pg's query beside its declared type. */
interface PgQuery extends pg.Submittable {
  callback(error: Error | null): void
  query_timeout?: number
  on(event: 'row', listener: (row: unknown[]) => void): unknown
  handleCommandComplete(message: unknown, connection: unknown): void
}
const PgQuery = pg.Query as unknown as new (config: object) => PgQuery

/** A statement whose transaction is committed when its rows have arrived. */
class HeldStatement extends PgQuery {
  readonly rows: unknown[][] = []
  /** The rows have arrived, and the commit was asked for. */
  isCommitting = false
  override query_timeout = QUERY_TIMEOUT_MS

  constructor(name: string, text: string, values: readonly unknown[]) {
    super({ name: `delivery_${name}`, text, values, rowMode: 'array', rows: EVERY_ROW })
    this.on('row', (row) => this.rows.push(row))
  }

  run(client: pg.PoolClient): Promise<void> {
    return new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve())
      client.query(this)
    })
  }

  override handleCommandComplete(message: unknown, connection: unknown): void {
    this.isCommitting = true
    super.handleCommandComplete(message, connection)
  }
}

/** A row of `counted_batches`, which one statement at a time marks with the next number. */
interface BatchSlot {
  readonly id: string
  number: number
}

const RETRY_MS = 200
/** How long a request waits to learn whether it was counted. */
const REQUEST_MS = QUERY_TIMEOUT_MS

export class CountedWrites {
  readonly #pool: pg.Pool
  readonly #query: Query
  readonly #log: Logger
  readonly #free: BatchSlot[] = []
  #end = Infinity

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool
    this.#query = openQuery(pool)
    this.#log = log
  }

  /**
   * For a request that waits. Throws only if nothing was counted, or if that cannot be learnt within
   * half a minute.
   */
  readonly forRequest: CountedWrite = (...statement) =>
    this.#write(statement, performance.now() + REQUEST_MS)

  /** For what is written after the responses. Throws only if nothing was written. */
  readonly behind: CountedWrite = (...statement) => this.#write(statement, Infinity)

  /** From now on nothing waits longer than this to learn what was counted. */
  endIn(ms: number): void {
    this.#end = performance.now() + ms
  }

  #write(statement: Parameters<CountedWrite>, until: number): ReturnType<CountedWrite> {
    // Each statement is its own transaction, so it can run again.
    return retryRolledBack(() => this.#writeOnce(statement, until))
  }

  async #writeOnce(
    [name, text, values]: Parameters<CountedWrite>,
    until: number,
  ): ReturnType<CountedWrite> {
    const client = await this.#pool.connect()
    const slot = this.#free.pop() ?? { id: randomUUID(), number: 0 }
    slot.number++
    const statement = new HeldStatement(name, text, [...values, slot.id, slot.number])
    try {
      await statement.run(client)
      client.release()
    } catch (error) {
      // pg asks for no end of the transaction after an error.
      client.release(true)
      const isMarked = statement.isCommitting && (await this.#isMarked(slot, until, error))
      if (!isMarked) {
        this.#free.push(slot)
        throw error
      }
    }
    this.#free.push(slot)
    return statement.rows
  }

  /**
   * Was the batch committed?
   * @param lost the error that is thrown if that cannot be learnt; the slot is not used again.
   */
  async #isMarked({ id, number }: BatchSlot, until: number, lost: unknown): Promise<boolean> {
    for (;;) {
      try {
        const { rows } = await this.#query('batch_marked', MARKED, [id])
        return firstOf(rows)[0] === number
      } catch (error) {
        this.#log.warn('it is not known yet whether downloads were counted', errorFields(error))
        if (performance.now() > Math.min(until, this.#end)) throw lost
        await delay(RETRY_MS)
      }
    }
  }
}

const KEPT_HOURS = 24
const SWEEP_BATCH = 10_000

/** Deletes the rows of processes that have ended, and returns their number. */
export const sweepBatches = (pool: pg.Pool, now: Date): Promise<number> =>
  inBatches(SWEEP_BATCH, (limit) =>
    pool.query(
      `delete from counted_batches where slot in (
         select slot from counted_batches where used_at <= $1::timestamptz - $2 * interval '1 hour'
         limit $3 for update skip locked)`,
      [now, KEPT_HOURS, limit],
    ),
  )
