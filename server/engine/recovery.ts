// Recovery across shops: workers send heartbeats by the database's clock. A sweep frees the jobs of
// silent workers and queues running operations that have no live job.
// When a worker counts as dead: docs/decisions/0002.
import { Logger as GraphileLogger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker'
import type { Database } from '../core/db/database.ts'
import { forShop } from '../core/db/for-shop.ts'
import type { Listener } from '../core/db/listener.ts'
import { WORKER_LOCKS } from '../core/db/lock-classes.ts'
import { databaseReason, isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { firstOf } from '../core/lazy.ts'
import type { OperationRow } from './types.ts'
import { HEARTBEAT, isAlive, SILENCE, WORKER_LEASE } from '../core/queue/lease.ts'
import { dropSucceeded, isLive } from '../core/queue/live-jobs.ts'
import {
  queueChain,
  queueFinish,
  queueMessage,
  TASKS,
  type ChainLoad,
} from '../core/queue/queue.ts'

const BEAT_MS = 5_000
const SWEEP_MS = 5_000

export interface Recovery {
  /** Sends a heartbeat now. */
  beat(): Promise<void>
  stop(): Promise<void>
}

export interface RecoveryOptions {
  database: Database
  listener: Listener
  worker: string
  /** The id of its graphile-worker pool; null: not known yet. */
  pool: { id: string | null }
  /** Ids of the jobs that this process runs. */
  jobs: ReadonlySet<string>
  /** `operation:chain` of chains that this process gave up but could not release. */
  broken: Set<string>
  /** What an operation's jobs count as. */
  loadOf(operation: Pick<OperationRow, 'workflow' | 'source'>): ChainLoad
  /** Background tasks, which queue their own jobs again. */
  background: { recover(): Promise<void> }
  log: Logger
}

/** Announces this worker, then sends heartbeats and sweeps until stopped. */
export async function startRecovery(options: RecoveryOptions): Promise<Recovery> {
  const { database, log } = options
  const utils = await makeWorkerUtils({
    pgPool: database.direct,
    logger: new GraphileLogger(() => () => {}),
  })
  const suspects: Suspects = new Map()
  let held: number | null = null
  let forgotten: ReadonlySet<string> = new Set()
  const beatAndHold = async () => {
    const lock = await beat(options)
    if (lock !== held) await options.listener.hold(lock)
    held = lock
    forgotten = await releaseForgottenJobs(options, utils, forgotten)
  }
  await beatAndHold()
  const sweepAll = async () => {
    await sweep(options, utils, suspects)
    await options.background.recover()
  }
  await sweepAll()
  const stopBeat = repeatEvery(BEAT_MS, 'the heartbeat', beatAndHold, log)
  const stopSweep = repeatEvery(SWEEP_MS, 'the crash sweep', sweepAll, log)
  return {
    beat: beatAndHold,
    stop: async () => {
      await Promise.all([stopBeat(), stopSweep()])
      await database.pool
        .query('delete from workers where id = $1', [options.worker])
        .catch(() => {})
      await utils.release()
    },
  }
}

function repeatEvery(
  ms: number,
  what: string,
  work: () => Promise<unknown>,
  log: Logger,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(work).catch((error: unknown) => {
      // It is repeated every few seconds while the database is away: a stack says nothing more.
      const isAway = isDatabaseUnavailable(error)
      log.warn(`${what} failed`, isAway ? { error: databaseReason(error) } : errorFields(error))
    })
  }, ms)
  return async () => {
    clearInterval(timer)
    await running
  }
}

/**
 * Sends a heartbeat, and releases chains that could not be released before. Returns the number of
 * the worker's lock.
 */
async function beat({ database, worker, pool, broken }: RecoveryOptions): Promise<number> {
  const { rows } = await database.pool.query<{ lock: number }>(
    `insert into workers (id, pool_id) values ($1, $2)
     on conflict (id) do update set ${HEARTBEAT.extend}, pool_id = excluded.pool_id returning lock`,
    [worker, pool.id ?? worker],
  )
  // A job that threw could not release its chain, perhaps because the database was unavailable.
  const keys = [...broken]
  if (keys.length > 0) {
    await database.pool.query(
      `update chains set ${WORKER_LEASE.giveBack} where worker_id = $1
         and operation_id || ':' || chain = any($2)`,
      [worker, keys],
    )
    keys.forEach((key) => broken.delete(key))
  }
  return firstOf(rows).lock
}

/**
 * Finds jobs that our pool holds but nobody here runs: the database was unavailable when
 * graphile-worker took or returned one, and graphile-worker does not repeat that. A job must be
 * idle in two checks, since it may just have been taken. Only all jobs of the pool can be freed
 * together; a second run of a running job finds its chain held. Returns the jobs that are idle now.
 */
async function releaseForgottenJobs(
  { database, pool, jobs, log }: RecoveryOptions,
  utils: WorkerUtils,
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (pool.id === null) return new Set()
  const { rows } = await database.pool.query<{ id: string }>(
    'select id::text as id from graphile_worker.jobs where locked_by = $1',
    [pool.id],
  )
  const idle = rows.filter(({ id }) => !jobs.has(id)).map(({ id }) => id)
  if (idle.some((id) => before.has(id))) {
    log.warn('releasing jobs that this process locked but does not run', { jobs: idle.length })
    await utils.forceUnlockWorkers([pool.id])
  }
  return new Set(idle)
}

/** Frees the jobs of dead workers and queues operations that have no live job. */
async function sweep(
  options: RecoveryOptions,
  utils: WorkerUtils,
  suspects: Suspects,
): Promise<void> {
  const { database, log } = options
  const dead = await findDead(database, suspects)
  if (dead.length > 0) {
    log.warn('releasing the jobs of dead workers', { workers: dead.length })
    await utils.forceUnlockWorkers(dead.map(({ pool_id }) => pool_id))
    for (const { id, beat } of dead)
      await database.pool.query('delete from workers where id = $1 and beat_at::text = $2', [
        id,
        beat,
      ])
  }
  await freeUnknownPools(database, utils)
  await dropSucceeded(database, TASKS)
  await requeueOperations(options)
}

interface WorkerRow {
  id: string
  pool_id: string
  beat: string
  silent: boolean
  connected: boolean
}

/** The last heartbeat of workers that were not connected at the previous check. */
type Suspects = Map<string, string>

/**
 * Finds workers that are dead: silent for too long, or disconnected without a heartbeat since the
 * previous sweep. A slow worker keeps its connection, and a disconnected one has reconnected by
 * then. Treating a living worker as dead costs work, but never correctness.
 */
async function findDead(database: Database, suspects: Suspects): Promise<WorkerRow[]> {
  const { rows } = await database.pool.query<WorkerRow>(
    `select id, pool_id, beat_at::text as beat, ${HEARTBEAT.isExpired('w')} as silent, exists (
         select from pg_locks
         where locktype = 'advisory' and classid = $1 and objid = w.lock and granted
           and database = (select oid from pg_database where datname = current_database())
       ) as connected
     from workers w`,
    [WORKER_LOCKS],
  )
  const dead = rows.filter(
    ({ id, beat, silent, connected }) => silent || (!connected && suspects.get(id) === beat),
  )
  suspects.clear()
  for (const { id, beat, connected } of rows) if (!connected) suspects.set(id, beat)
  return dead
}

/**
 * Frees jobs that are locked by a pool without a worker's row: its worker was removed before, or
 * died before its first heartbeat.
 */
async function freeUnknownPools(database: Database, utils: WorkerUtils): Promise<void> {
  const { rows } = await database.pool.query<{ locked_by: string }>(
    `select distinct locked_by from graphile_worker.jobs j
     where locked_at < now() - $1::interval and not exists (select from workers w
       where w.pool_id = j.locked_by)`,
    [SILENCE],
  )
  if (rows.length > 0) await utils.forceUnlockWorkers(rows.map(({ locked_by }) => locked_by))
}

interface ChainToSeed extends Pick<OperationRow, 'workflow' | 'source'> {
  shop_id: number
  operation_id: string
  chain: number
}

/** Rows of each kind that one sweep queues again; the next one continues a few seconds later. */
const MAX_REQUEUED = 1000

async function requeueOperations({ database, loadOf, log }: RecoveryOptions): Promise<void> {
  const chains = await database.pool.query<ChainToSeed>(
    `select c.shop_id, c.operation_id, c.chain, o.workflow, o.source from operations o
     join chains c on c.shop_id = o.shop_id and c.operation_id = o.id
     where o.status in ('previewing', 'queued', 'running') and o.ledger
       and o.done + o.failed + o.skipped + o.cancelled < o.total
       and c.chain >= 0 and not c.ended
       and not ${isAlive('c.worker_id')}
       and not ${isLive(`'chain:' || c.operation_id || ':' || c.chain`)} limit ${MAX_REQUEUED}`,
  )
  for (const { shop_id, operation_id, chain, ...operation } of chains.rows)
    await queueChain(forShop(database, shop_id), operation_id, chain, { load: loadOf(operation) })
  const ends = await database.pool.query<{ shop_id: number; id: string }>(
    `select shop_id, id from operations o
     where (status in ('previewing', 'queued', 'running')
           and not open and (not ledger or done + failed + skipped + cancelled = total)
         or status = 'cancelled' and finished_at is null)
       and not ${isLive(`'finish:' || o.id`)} limit ${MAX_REQUEUED}`,
  )
  for (const { shop_id, id } of ends.rows) await queueFinish(forShop(database, shop_id), id)
  const messages = await database.pool.query<{ shop_id: number; id: string; due_at: Date | null }>(
    `select shop_id, id, due_at from outbox o where status = 'waiting' and not batched
       and not ${isLive(`'message:' || o.id`)} limit ${MAX_REQUEUED}`,
  )
  for (const { shop_id, id, due_at } of messages.rows)
    await queueMessage(forShop(database, shop_id), id, due_at ?? undefined)
  const seeded = chains.rows.length + ends.rows.length + messages.rows.length
  if (seeded > 0) log.info('queued work that had no live job', { jobs: seeded })
}
