// GET /metrics, for Prometheus: this process, its requests and downloads, counted in memory, and
// the state of all operations and jobs, read from the database at most every few seconds. Labels
// contain fixed words only, never the name of a shop, a file or a person.
import { createHash, timingSafeEqual } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Context, Next } from 'koa'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { say } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import {
  blobFindings,
  bodyRefusals,
  poolWaits,
  sweeps,
  tokenFailures,
  type RunningTotals,
} from '../core/totals.ts'
import { bodyBudget } from '../core/body-budget.ts'
import { bearerToken, type FailureLimiter } from './auth.ts'

/** Bounds of the buckets, in seconds. */
const DURATIONS = [0.005, 0.02, 0.1, 0.5, 2.5, 10, 60]
/** The resolution of the event loop monitor. Every delay that it measures includes this time. */
const TICK_MS = 20

export interface MetricsParts {
  /** Registers the gauges of stored state, and returns the function that updates them. */
  gauges: Gauges
  failures: FailureLimiter
  /** The bearer token that readers must send; null: nobody may read unless `open`. */
  token: string | null
  /** Readable without a token: the server listens on this machine only. */
  open: boolean
  /** Counted downloads since the start; absent: the process serves none. */
  downloads?: () => number
}

export const METRICS_PATH = '/metrics'

export type Gauges = (registers: Registry[]) => () => Promise<void>

export interface Metrics {
  /** Counts an answered request. `route`: as in the API document, never the requested address. */
  answered(route: string, method: string, status: number, seconds: number): void
  middleware(ctx: Context, next: Next): Promise<void>
}

export function createMetrics(parts: MetricsParts): Metrics {
  const registry = new Registry()
  const registers = [registry]
  processMetrics(registers)
  const requests = new Counter({
    registers,
    name: 'stevedore_http_requests_total',
    help: 'Answered requests, by route and status',
    labelNames: ['route', 'method', 'status'],
  })
  const durations = new Histogram({
    registers,
    name: 'stevedore_http_request_seconds',
    help: 'Time until the response was handed to the operating system',
    labelNames: ['route'],
    buckets: DURATIONS,
  })
  const { downloads } = parts
  if (downloads)
    new Counter({
      registers,
      name: 'stevedore_downloads_total',
      help: 'Counted downloads',
      collect: absolute(downloads),
    })
  totalMetrics(registers)
  const refresh = parts.gauges(registers)
  return {
    answered: (route, method, status, seconds) => {
      requests.inc({ route, method, status: String(status) })
      durations.observe({ route }, seconds)
    },
    middleware: async (ctx, next) => {
      if (ctx.path !== METRICS_PATH) return next() as Promise<void>
      await admit(ctx, parts)
      await refresh()
      ctx.set('Cache-Control', 'no-store')
      ctx.body = await registry.metrics()
      ctx.type = registry.contentType
    },
  }
}

/** Throws `not_found` if reading is off, `unauthenticated` and `rate_limited`. */
async function admit({ req }: Context, { token, open, failures }: MetricsParts): Promise<void> {
  if (token === null && open) return
  if (token === null) throw new AppError('not_found')
  const given = digest(bearerToken(req) ?? '')
  await failures.guard(
    req,
    () => {
      if (!timingSafeEqual(given, digest(token)))
        throw new AppError('unauthenticated', {
          message: say('Send the token for metrics: Authorization: Bearer …'),
        })
    },
    `metrics ${given.toString('base64')}`,
  )
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Sets a counter to a total that is counted elsewhere. */
const absolute = (total: () => number) =>
  function (this: Counter) {
    this.reset()
    this.inc(total())
  }

/** What other layers have counted in this process. */
function totalMetrics(registers: Registry[]): void {
  const counter = (name: string, help: string, labelName: string, totals: RunningTotals) =>
    new Counter({
      registers,
      name,
      help,
      labelNames: [labelName],
      collect() {
        this.reset()
        for (const [label, sum] of totals.read()) this.inc({ [labelName]: label }, sum)
      },
    })
  counter(
    'stevedore_token_failures_total',
    'Requests for a token of a shop that failed, by the platform’s code',
    'code',
    tokenFailures,
  )
  counter(
    'stevedore_bodies_refused_total',
    'Bodies of requests that were not read to their end, by the limit',
    'reason',
    bodyRefusals,
  )
  new Gauge({
    registers,
    name: 'stevedore_body_bytes',
    help: 'Bytes of bodies of requests in memory, of clients that have signed in and of others',
    labelNames: ['client'],
    collect() {
      const { signedIn, unsigned } = bodyBudget.held()
      this.set({ client: 'signed_in' }, signedIn)
      this.set({ client: 'unsigned' }, unsigned)
    },
  })
  counter('stevedore_pool_waits_total', 'Waits for a connection', 'pool', poolWaits.count)
  counter('stevedore_pool_wait_seconds_total', 'Their duration', 'pool', poolWaits.seconds)
  counter('stevedore_sweeps_total', 'Sweeps that ended', 'sweep', sweeps.ended)
  counter('stevedore_sweep_failures_total', 'Sweeps that failed', 'sweep', sweeps.failed)
  counter('stevedore_sweep_seconds_total', 'Duration of all sweeps', 'sweep', sweeps.seconds)
  counter(
    'stevedore_blob_findings_total',
    'Blobs found missing or damaged, and those restored',
    'found',
    blobFindings,
  )
}

/** Only the metrics that docs/operators.md uses, instead of prom-client's full set. */
function processMetrics(registers: Registry[]): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      registers,
      name,
      help,
      collect() {
        this.set(value())
      },
    })
  new Counter({
    registers,
    name: 'process_cpu_seconds_total',
    help: 'Processor time',
    collect: absolute(() => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }),
  })
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
  gauge(
    'process_start_time_seconds',
    'Start time since the epoch',
    () => Date.now() / 1000 - process.uptime(),
  )
  gauge('nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed)
  const delay = monitorEventLoopDelay({ resolution: TICK_MS })
  delay.enable()
  gauge('nodejs_eventloop_lag_max_seconds', 'Longest event loop delay since the last read', () => {
    const seconds = Math.max(0, delay.max / 1e9 - TICK_MS / 1000)
    delay.reset()
    return seconds
  })
}
