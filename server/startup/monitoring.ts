// /healthz, /readyz and /metrics of a process without the web role, on a port of their own. It
// listens from the first moment of the start to the last of the stop, and is ready in between.
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import type { Environment } from '../core/configuration/environment.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import { AppError } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { createFailureLimiter } from '../http/auth.ts'
import { errorResponses } from '../http/errors.ts'
import { health, type Readiness } from '../http/health.ts'
import { listen } from '../http/listen.ts'
import { createMetrics, type Gauges } from '../http/metrics.ts'
import type { CloseStep } from './closing.ts'
import { starting } from './app.ts'
import { createReadiness } from './readiness.ts'

export interface Monitoring {
  port: number
  /**
   * The process has started. Returns what ends its readiness: run it first when the process stops.
   */
  started(database: Database, gauges: Gauges): CloseStep
  close(): Promise<void>
}

export interface MonitoringParts {
  environment: Environment
  limits: Limits
  log: Logger
}

type Middleware = (ctx: Koa.Context, next: Koa.Next) => Promise<void>

/** Null if MONITORING_PORT is not set. Rejects with a sentence if the port is taken. */
export async function startMonitoring(parts: MonitoringParts): Promise<Monitoring | null> {
  const { environment, log } = parts
  if (environment.monitoringPort === null) return null
  let readiness: Readiness = { check: () => Promise.reject(starting()), drain: () => {} }
  let metrics: Middleware = (ctx, next) =>
    ctx.path === '/metrics' ? Promise.reject(starting()) : (next() as Promise<void>)
  const app = new Koa({ proxy: environment.trustProxy })
  app.use(errorResponses(log))
  app.use(health({ check: () => readiness.check() }))
  app.use((ctx, next) => metrics(ctx, next))
  app.use(() => Promise.reject(new AppError('not_found')))
  const callback = app.callback()
  const server = await listen(
    (request, response) => void callback(request, response),
    environment.monitoringPort,
    environment.host,
    undefined,
    'MONITORING_PORT',
  )
  const { port } = server.address() as AddressInfo
  log.info('health and metrics are served', { port })
  return {
    port,
    started: (database, gauges) => {
      readiness = createReadiness(database)
      metrics = metricsOf(parts, database, gauges)
      return () => Promise.resolve(readiness.drain())
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function metricsOf(
  { environment, limits }: MonitoringParts,
  database: Database,
  gauges: Gauges,
): Middleware {
  const { trustProxy, metricsToken: token, platform } = environment
  const failures = createFailureLimiter({ database, limits, trustProxy })
  return createMetrics({ gauges, failures, token, open: platform === null }).middleware
}
