// Recovery across shops: workers beat by the database's clock, and a sweep frees the jobs of those that fell silent and
// queues again whatever runs without a live job.
import { Logger as GraphileLogger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker'
import type { Database } from '../db/database.ts'
import { forShop } from '../db/for-shop.ts'
import { errorFields, type Logger } from '../log.ts'
import { SILENCE } from './claim.ts'
import { queueChain, queueFinish, queueMessage } from './queue.ts'

const BEAT_MS = 5_000
const SWEEP_MS = 10_000

export interface Recovery {
  stop(): Promise<void>
}

export interface RecoveryOptions {
  database: Database
  worker: string
  poolId: string
  /** `operation:chain` of what this process gave up without letting it go. */
  broken: Set<string>
  log: Logger
}

/** Announces this worker, then beats and sweeps until stopped. */
export async function startRecovery(options: RecoveryOptions): Promise<Recovery> {
  const { database, log } = options
  const utils = await makeWorkerUtils({ pgPool: database.pool, logger: new GraphileLogger(() => () => {}) })
  await beat(options)
  await sweep(database, utils, log)
  const every = (ms: number, what: string, work: () => Promise<unknown>) => {
    let running: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      running = running.then(work).catch((error: unknown) => log.warn(`${what} failed`, errorFields(error)))
    }, ms)
    return async () => {
      clearInterval(timer)
      await running
    }
  }
  const stopBeat = every(BEAT_MS, 'the heartbeat', () => beat(options))
  const stopSweep = every(SWEEP_MS, 'the crash sweep', () => sweep(database, utils, log))
  return {
    stop: async () => {
      await Promise.all([stopBeat(), stopSweep()])
      await database.pool.query('delete from workers where id = $1', [options.worker]).catch(() => {})
      await utils.release()
    },
  }
}

async function beat({ database, worker, poolId, broken }: RecoveryOptions): Promise<void> {
  await database.pool.query(
    `insert into workers (id, pool_id) values ($1, $2) on conflict (id) do update set beat_at = now()`,
    [worker, poolId],
  )
  // A job that threw could not let its chain go, perhaps because the database was away.
  const keys = [...broken]
  if (keys.length === 0) return
  await database.pool.query(
    `update chains set worker_id = null where worker_id = $1 and operation_id || ':' || chain = any($2)`,
    [worker, keys],
  )
  keys.forEach((key) => broken.delete(key))
}

/** Frees what dead workers hold and queues again what has no live job. */
async function sweep(database: Database, utils: WorkerUtils, log: Logger): Promise<void> {
  const dead = await database.pool.query<{ id: string; pool_id: string }>(
    `select id, pool_id from workers where beat_at < now() - interval '${SILENCE}'`,
  )
  if (dead.rows.length > 0) {
    log.warn('freeing the jobs of silent workers', { workers: dead.rows.length })
    await utils.forceUnlockWorkers(dead.rows.map(({ pool_id }) => pool_id))
    await database.pool.query('delete from workers where id = any($1) and beat_at < now() - $2::interval', [
      dead.rows.map(({ id }) => id),
      SILENCE,
    ])
  }
  await freeUnknownPools(database, utils)
  await seedAgain(database, log)
}

/** Jobs locked by a pool that is in no worker's row: its worker was swept before, or died before its first beat. */
async function freeUnknownPools(database: Database, utils: WorkerUtils): Promise<void> {
  const { rows } = await database.pool.query<{ locked_by: string }>(
    `select distinct locked_by from graphile_worker.jobs j
     where locked_at < now() - $1::interval and not exists (select from workers w where w.pool_id = j.locked_by)`,
    [SILENCE],
  )
  if (rows.length > 0) await utils.forceUnlockWorkers(rows.map(({ locked_by }) => locked_by))
}

const LIVE_JOB = (key: string) =>
  `exists (select from graphile_worker.jobs j where j.key = ${key} and (j.attempts < j.max_attempts or j.locked_at is not null))`

async function seedAgain(database: Database, log: Logger): Promise<void> {
  const chains = await database.pool.query<{ shop_id: number; operation_id: string; chain: number }>(
    `select c.shop_id, c.operation_id, c.chain from operations o join chains c on c.shop_id = o.shop_id and c.operation_id = o.id
     where o.status in ('queued', 'running') and o.done + o.failed + o.skipped + o.cancelled < o.total
       and c.chain >= 0 and not c.ended
       and not exists (select from workers w where w.id = c.worker_id)
       and not ${LIVE_JOB(`'chain:' || c.operation_id || ':' || c.chain`)}`,
  )
  for (const { shop_id, operation_id, chain } of chains.rows)
    await queueChain(forShop(database, shop_id), operation_id, chain)
  const ends = await database.pool.query<{ shop_id: number; id: string }>(
    `select shop_id, id from operations o
     where status in ('queued', 'running') and done + failed + skipped + cancelled = total
       and not ${LIVE_JOB(`'finish:' || o.id`)}`,
  )
  for (const { shop_id, id } of ends.rows) await queueFinish(forShop(database, shop_id), id)
  const messages = await database.pool.query<{ shop_id: number; id: string }>(
    `select shop_id, id from outbox o where status = 'waiting' and not ${LIVE_JOB(`'message:' || o.id`)}`,
  )
  for (const { shop_id, id } of messages.rows) await queueMessage(forShop(database, shop_id), id)
  const seeded = chains.rows.length + ends.rows.length + messages.rows.length
  if (seeded > 0) log.info('queued again what had no live job', { jobs: seeded })
}
