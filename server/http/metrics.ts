// GET /metrics, for Prometheus: this process, its requests and downloads, counted in memory; and what the workers have to do, asked of
// the database by its indexes, at most every few seconds however often this is read.
import { createHash, timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Context, Next } from 'koa'
import type { Database } from '../db/database.ts'
import { AppError } from '../errors.ts'
import { bearerToken } from './auth.ts'
import type { FailureLimiter } from './auth-failures.ts'
import { createCounter, createHistogram, exposition, type Figure, type Sample } from './exposition.ts'

const SECONDS = [0.005, 0.02, 0.1, 0.5, 2.5, 10, 60]
const ASKED_EVERY_MS = 5000
/** The event loop is looked at so often; what it says includes that time. */
const TICK_MS = 20

export interface MetricsParts {
  database: Pick<Database, 'pool'>
  failures: FailureLimiter
  /** What a reader must send; null: nobody may read. */
  token: string | null
  /** Anyone may: it can be reached from this machine alone. */
  open: boolean
  /** Downloads that were counted since the start. */
  downloads(): number
}

export interface Metrics {
  /** A request was answered. `route`: as the API describes it, never the address itself. */
  answered(route: string, method: string, status: number, seconds: number): void
  middleware(ctx: Context, next: Next): Promise<void>
}

export function createMetrics(parts: MetricsParts): Metrics {
  const requests = createCounter()
  const durations = createHistogram('route', SECONDS)
  const delay = monitorEventLoopDelay({ resolution: TICK_MS })
  delay.enable()
  const work = createWork(parts.database)
  const figures = async (): Promise<Figure[]> => [
    ...processFigures(Math.max(0, delay.max / 1e9 - TICK_MS / 1000)),
    counter('stevedore_http_requests_total', 'Requests answered, by route and status', requests.samples()),
    {
      ...{ name: 'stevedore_http_request_seconds', help: 'Until the answer was handed over', type: 'histogram' },
      samples: durations.samples(),
    },
    counter('stevedore_downloads_total', 'Downloads that were counted', [{ value: parts.downloads() }]),
    ...(await work()),
  ]
  return {
    answered: (route, method, status, seconds) => {
      requests.add({ route, method, status: String(status) })
      durations.observe(route, seconds)
    },
    middleware: async (ctx, next) => {
      if (ctx.path !== '/metrics') return next() as Promise<void>
      await admit(ctx, parts)
      ctx.set('Cache-Control', 'no-store')
      ctx.type = 'text/plain; version=0.0.4; charset=utf-8'
      ctx.body = exposition(await figures())
      delay.reset()
    },
  }
}

/** Throws `not_found` where it is closed, `unauthenticated`, `rate_limited`. */
async function admit({ req }: Context, { token, open, failures }: MetricsParts): Promise<void> {
  if (token === null && open) return
  if (token === null) throw new AppError('not_found')
  const given = digest(bearerToken(req) ?? '')
  await failures.guard(
    req,
    () => {
      if (!timingSafeEqual(given, digest(token))) throw new AppError('unauthenticated')
    },
    `metrics ${given.toString('base64')}`,
  )
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const counter = (name: string, help: string, samples: readonly Sample[]): Figure => ({
  name,
  help,
  type: 'counter',
  samples,
})
const gauge = (name: string, help: string, samples: readonly Sample[]): Figure => ({
  name,
  help,
  type: 'gauge',
  samples,
})

function processFigures(delaySeconds: number): Figure[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'Time of processors used', [{ value: (user + system) / 1e6 }]),
    gauge('process_resident_memory_bytes', 'Memory in use', [{ value: rss }]),
    gauge('process_start_time_seconds', 'When it started', [{ value: Date.now() / 1000 - process.uptime() }]),
    gauge('nodejs_heap_size_used_bytes', 'Memory of objects', [{ value: heapUsed }]),
    gauge('nodejs_eventloop_lag_max_seconds', 'The longest that work waited since this was read last', [
      { value: delaySeconds },
    ]),
  ]
}

interface WorkRow {
  status: string
  operations: number
  total: number
  done: number
  failed: number
}

// The conditions are those of the indexes operations_alive and operations_old.
const OPERATIONS = `
  select status, count(*) as operations, sum(total)::bigint as total, sum(done)::bigint as done, sum(failed)::bigint as failed from (
    select status, total, done, failed from operations
    where status in ('previewing', 'queued', 'running') or (status = 'cancelled' and finished_at is null)
    union all
    select status, total, done, failed from operations where detail = 'kept' and finished_at > now() - interval '1 hour'
  ) recent group by status`
// Few: a batch is one job, and they go when they are done.
const JOBS = `
  select count(*) filter (where locked_at is null and run_at <= now() and attempts < max_attempts) as waiting,
    count(*) filter (where locked_at is not null) as running,
    coalesce(extract(epoch from max(now() - run_at) filter (where locked_at is null and run_at <= now()
      and attempts < max_attempts)), 0)::float8 as oldest
  from graphile_worker._private_jobs`

/** Of all shops together. While the database is away, what it said last. */
function createWork({ pool }: Pick<Database, 'pool'>): () => Promise<Figure[]> {
  let known: Figure[] = []
  let asked = -Infinity
  const ask = async (): Promise<Figure[]> => {
    const operations = (await pool.query<WorkRow>(OPERATIONS)).rows
    const [jobs] = (await pool.query<{ waiting: number; running: number; oldest: number }>(JOBS)).rows
    const by = (name: 'operations' | 'total' | 'done' | 'failed') =>
      operations.map((row) => ({ labels: { status: row.status }, value: Number(row[name]) }))
    return [
      gauge('stevedore_operations', 'Operations under way, or ended within the hour', by('operations')),
      gauge('stevedore_items', 'Their items', by('total')),
      gauge('stevedore_items_done', 'Those that are done', by('done')),
      gauge('stevedore_items_failed', 'Those that failed', by('failed')),
      gauge('stevedore_jobs', 'Jobs of the workers', [
        { labels: { state: 'waiting' }, value: Number(jobs!.waiting) },
        { labels: { state: 'running' }, value: Number(jobs!.running) },
      ]),
      gauge('stevedore_job_oldest_seconds', 'How long the oldest waiting job is due', [{ value: jobs!.oldest }]),
    ]
  }
  return async () => {
    if (performance.now() - asked < ASKED_EVERY_MS) return known
    asked = performance.now()
    known = await ask().catch(() => known)
    return known
  }
}
