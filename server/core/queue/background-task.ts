// What a background task is: its identity, its runs, and their leases.
import type { Database } from '../db/database.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Logger } from '../log.ts'

/** The identity of a task, as needed to queue its jobs. */
export interface TaskKind {
  /** graphile-worker's task identifier, and the first part of the job keys. */
  readonly name: string
  /** Jobs of one shop run one after another, in the order in which they were queued. */
  readonly onePerShop?: boolean
}

/**
 * When a task runs next: in so many milliseconds, or at a time that the database has. A time that
 * this machine's clock gives is early or late by the difference of the clocks, and a clock that is
 * set back by an hour would stop the task for that long.
 */
export type NextRun = number | Date

/** Thrown by a run that failed: it counts as an attempt, and the next one is at this time. */
export class RetryLater extends Error {
  readonly at: NextRun
  constructor(at: NextRun, options?: ErrorOptions) {
    super('the run is repeated later', options)
    this.name = 'RetryLater'
    this.at = at
  }
}

export interface BackgroundTask extends TaskKind {
  /** Maximum number of concurrent runs in one process. */
  concurrency: number
  /**
   * The runs of the task wait for other systems: one shop gets half of the places, and slow runs
   * have places of their own (server/core/queue/places.ts).
   */
  waits?: true
  /**
   * SQL that gives (shop_id, key, due_at) of everything that must have a job: the sweep queues the
   * missing jobs. Absent: the task has one job for the whole installation, with the empty key.
   */
  wanted?: string
  /**
   * The runs of the task lock their work in the database. The locks end with the connection, so no
   * lease is needed: several processes may run one key concurrently, and a dead process releases
   * its work immediately. Each process runs a key only once at a time.
   */
  claims?: boolean
  /** The job is due each time a worker starts, not only at its next time. */
  atStart?: boolean
  /**
   * One run. Returns when the next one is; null: when `wanted` next returns the key. Errors are
   * logged and the run is retried; `RetryLater` sets the time, without a log line. When `signal`
   * aborts, it throws the signal's reason.
   */
  run(run: TaskRun): Promise<NextRun | null>
}

export interface TaskRun {
  /** The shop's number; null: the task is about the whole installation. */
  shop: number | null
  key: string
  /**
   * The number of this run: 1 for the first one since a run ended. Stopped runs are not counted.
   */
  attempt: number
  /** The lease of the run. A task with `claims` has none, and cannot hold it. */
  lease: TaskLease
  /** Aborts when the worker stops or the lease is lost. */
  signal: AbortSignal
}

export interface TaskLease {
  readonly number: number
  /** Locks the lease for the rest of the transaction. Throws `LeaseLost` if another run has it. */
  hold(tx: ShopScope): Promise<void>
}

export interface TaskJob {
  shop: number | null
  key: string
}

export interface BackgroundOptions {
  database: Pick<Database, 'pool'>
  /** The id of this worker, whose row in `workers` keeps its leases alive. */
  worker: string
  tasks: readonly BackgroundTask[]
  /** A run that takes longer is slow. */
  slowAfterMs: number
  log: Logger
  /** Aborts when the worker stops. */
  signal: AbortSignal
}

/** A run of this process; `lease` is null until it is taken. */
export interface HeldRun {
  lease: number | null
  lost: AbortController
}
