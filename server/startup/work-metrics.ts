// Metrics of the operations of all shops together, read from the database.
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../core/db/database.ts'
import type { StateMetrics } from '../http/state-metrics.ts'
import { firstOf } from '../core/present.ts'

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
export function workMetrics(
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
