// The gauges of stored state that the web and worker roles report: those of work, of delays, of
// all features, and of this machine's folders.
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../core/db/database.ts'
import type { Gauges } from '../http/metrics.ts'
import type { StateMetrics } from '../http/state-metrics.ts'
import { firstOf } from '../core/lazy.ts'
import { countTaskJobs } from '../core/queue/private-jobs.ts'
import { stagingMetrics } from './staging-metrics.ts'

/**
 * @param folders of unfinished files, by name.
 * @param ofFeatures the gauges that features state.
 */
export const stateGauges =
  (
    database: Pick<Database, 'pool'>,
    folders: Readonly<Record<string, string>>,
    ofFeatures: readonly StateMetrics[],
  ): Gauges =>
  (registers) => {
    const work = workMetrics(registers, database, [delayMetrics, ...ofFeatures])
    const staging = stagingMetrics(folders)(registers)
    // Neither waits for the other: the database may be down, and a folder may be large.
    return async () => void (await Promise.allSettled([work(), staging()]))
  }

// Metrics of the operations of all shops together, read from the database.

const READ_EVERY_MS = 5000

interface OperationRow {
  status: string
  operations: string
  total: string
  done: string
  failed: string
}

// The conditions are those of the indexes operations_alive and operations_old.
const OPERATIONS = `
  select status, count(*) as operations, sum(total)::bigint as total, sum(done)::bigint as done,
    sum(failed)::bigint as failed
  from (
    select status, total, done, failed from operations
    where status in ('previewing', 'queued', 'running')
      or (status = 'cancelled' and finished_at is null)
    union all
    select status, total, done, failed from operations
    where detail = 'kept' and finished_at > now() - interval '1 hour'
  ) recent group by status`
/**
 * Registers the gauges and returns the function that updates them. It reads the database at most
 * every 5 seconds. While the database is unavailable, the gauges keep their last values.
 * `others`: those of the features.
 */
function workMetrics(
  registers: Registry[],
  { pool }: Pick<Database, 'pool'>,
  others: readonly StateMetrics[],
): () => Promise<void> {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ registers, name, help, labelNames })
  const operations = gauge(
    'stevedore_operations',
    'Operations running or ended within the hour',
    'status',
  )
  const items = gauge('stevedore_items', 'Their items', 'status')
  const done = gauge('stevedore_items_done', 'Their items that are done', 'status')
  const failed = gauge('stevedore_items_failed', 'Their items that failed', 'status')
  const receivers = gauge(
    'stevedore_receivers_failing',
    'Receivers of webhooks and callbacks that did not answer last',
  )
  const readOthers = others.map((metrics) => metrics(registers, { pool }))

  const read = async (): Promise<void> => {
    const { rows } = await pool.query<OperationRow>(OPERATIONS)
    // A status that no operation has any more must not keep its last value.
    for (const one of [operations, items, done, failed]) one.reset()
    for (const row of rows) {
      const { status } = row
      operations.set({ status }, Number(row.operations))
      items.set({ status }, Number(row.total))
      done.set({ status }, Number(row.done))
      failed.set({ status }, Number(row.failed))
    }
    const failing = await pool.query<{ count: string }>('select count(*) from receiver_failures')
    receivers.set(Number(firstOf(failing.rows).count))
    for (const read of readOthers) await read()
  }

  let readAt = -Infinity
  return async () => {
    if (performance.now() - readAt < READ_EVERY_MS) return
    readAt = performance.now()
    await read().catch(() => {})
  }
}

// Metrics of what waits and for how long: jobs of each task, messages, changes that the platform
// reported, catalog mirrors; and of blobs that are known to be damaged. All shops together.

// The index outbox_open has these rows.
const MESSAGES = `
  select kind, status, count(*), extract(epoch from now() - min(created_at))::float8 as oldest
  from outbox where status in ('waiting', 'sending') group by 1, 2 order by oldest`
const CHANGES = `
  select kind, count(*), coalesce(extract(epoch from max(now() - due_at)), 0)::float8 as oldest
  from platform_changes where due_at <= now() group by 1`
const MIRRORS = `
  select coalesce(extract(epoch from max(now() - coalesce(m.finished_at, s.installed_at))), 0)::float8
      as oldest,
    count(*) filter (where m.failed_at > coalesce(m.finished_at, '-infinity')) as failing
  from shop_tokens t join shops s on s.id = t.shop_id and s.uninstalled_at is null
  left join catalog_mirrors m on m.shop_id = t.shop_id`
// The index versions_damaged has these rows.
const DAMAGED = `
  select count(*) from (select distinct shop_id, hash, location from versions where bytes_damaged) blobs`

interface MessageCount {
  kind: string
  status: string
  count: string
  oldest: number
}

interface ChangeCount {
  kind: string
  count: string
  oldest: number
}

type Pool = Database['pool']
type NewGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

/** Creates the gauges of one table, and returns the function that updates them. */
type TableMetrics = (gauge: NewGauge, pool: Pool) => () => Promise<void>

const jobMetrics: TableMetrics = (gauge, pool) => {
  const jobs = gauge('stevedore_jobs', 'Jobs of the workers', 'state')
  const age = gauge('stevedore_job_oldest_seconds', 'Time since the oldest waiting job was due')
  const taskJobs = gauge('stevedore_task_jobs', 'Jobs of each task', 'task', 'state')
  const taskAge = gauge(
    'stevedore_task_oldest_seconds',
    'Time since the oldest waiting job of a task was due',
    'task',
  )
  // Without this the gauge is 0 until the database has answered.
  age.remove()
  return async () => {
    const tasks = await countTaskJobs(pool)
    taskJobs.reset()
    taskAge.reset()
    for (const { task, waiting, running, given_up, oldest } of tasks) {
      taskJobs.set({ task, state: 'waiting' }, Number(waiting))
      taskJobs.set({ task, state: 'running' }, Number(running))
      taskJobs.set({ task, state: 'given_up' }, Number(given_up))
      taskAge.set({ task }, oldest)
    }
    for (const state of ['waiting', 'running'] as const)
      jobs.set(
        { state },
        tasks.reduce((sum, task) => sum + Number(task[state]), 0),
      )
    age.set(Math.max(0, ...tasks.map(({ oldest }) => oldest)))
  }
}

const messageMetrics: TableMetrics = (gauge, pool) => {
  const messages = gauge('stevedore_messages', 'Messages of the outbox', 'kind', 'status')
  const age = gauge(
    'stevedore_message_oldest_seconds',
    'Age of the oldest message of the outbox that is not sent',
    'kind',
  )
  return async () => {
    const { rows } = await pool.query<MessageCount>(MESSAGES)
    messages.reset()
    age.reset()
    // Of a kind's statuses, the one with the oldest message comes last.
    for (const { kind, status, count, oldest } of rows) {
      messages.set({ kind, status }, Number(count))
      age.set({ kind }, oldest)
    }
  }
}

const changeMetrics: TableMetrics = (gauge, pool) => {
  const changes = gauge(
    'stevedore_platform_changes',
    'Changes that webhooks reported and that are due to be applied',
    'kind',
  )
  const age = gauge(
    'stevedore_platform_change_oldest_seconds',
    'Time since the oldest of them was due',
    'kind',
  )
  return async () => {
    const { rows } = await pool.query<ChangeCount>(CHANGES)
    changes.reset()
    age.reset()
    for (const { kind, count, oldest } of rows) {
      changes.set({ kind }, Number(count))
      age.set({ kind }, oldest)
    }
  }
}

const catalogMetrics: TableMetrics = (gauge, pool) => {
  const age = gauge(
    'stevedore_catalog_oldest_seconds',
    'Age of the oldest catalog mirror of an installed shop',
  )
  const failing = gauge('stevedore_catalogs_failing', 'Catalog mirrors whose last refresh failed')
  return async () => {
    for (const row of (await pool.query<{ oldest: number; failing: string }>(MIRRORS)).rows) {
      age.set(row.oldest)
      failing.set(Number(row.failing))
    }
  }
}

const damageMetrics: TableMetrics = (gauge, pool) => {
  const damaged = gauge('stevedore_damaged_blobs', 'Blobs that are known to be missing or damaged')
  return async () => {
    for (const { count } of (await pool.query<{ count: string }>(DAMAGED)).rows)
      damaged.set(Number(count))
  }
}

const delayMetrics: StateMetrics = (registers, { pool }) => {
  const gauge: NewGauge = (name, help, ...labelNames) =>
    new Gauge({ registers, name, help, labelNames })
  const tables = [jobMetrics, messageMetrics, changeMetrics, catalogMetrics, damageMetrics]
  const updates = tables.map((metrics) => metrics(gauge, pool))
  return async () => {
    for (const update of updates) await update()
  }
}
