// The HTTP application: downloads and other raw requests are answered before Koa; Koa answers
// health, what features have mounted, the API, and the page for all other addresses.
import type { IncomingMessage, RequestListener, ServerResponse, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import { say } from '../../plugins/contract/index.ts'
import { AppError } from '../core/errors.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { receiveFrom } from '../core/request-body.ts'
import { setTracedRoute, tracedRequest } from '../core/tracing.ts'
import { WEBHOOKS_PATH } from '../storefront/intake.ts'
import type { AccessLog } from '../http/access-log.ts'
import { createAuthenticator, createFailureLimiter } from '../http/auth.ts'
import { subnetOfRequest } from '../core/client-address.ts'
import { docsPage } from '../http/docs.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { errorResponses, notAllowed } from '../http/errors.ts'
import { commandPackage } from '../http/command-package.ts'
import { health, HEALTH_PATHS } from '../http/health.ts'
import { createMetrics, METRICS_PATH, type Metrics } from '../http/metrics.ts'
import {
  mounted,
  mountsByPath,
  type Mount,
  type RawMount,
  apiOrigins,
  listen,
} from '../http/listen.ts'
import { openApiDocument } from '../http/openapi.ts'
import { pageRoute } from '../http/page.ts'
import { createRateLimiter, createRouter } from '../http/router.ts'
import { version } from '../ports/user-agent.ts'
import {
  allEndpoints,
  allMetrics,
  allRequests,
  EXAMPLES,
  ORIGINS,
  REQUEST_PATHS,
  type WebParts,
} from '../features.ts'
import type { Environment } from '../core/configuration/environment.ts'
import { stateGauges } from './state-gauges.ts'

export function createApp(parts: WebParts): RequestListener {
  const { delivery, database, demo, accessLog, metricsToken: token = null } = parts
  const failures = createFailureLimiter(parts)
  const downloads = () => delivery.counted()
  const gauges = stateGauges(database, parts.stagingFolders, allMetrics)
  const metrics = createMetrics({ gauges, failures, token, open: demo, downloads })
  const authenticator = createAuthenticator({ ...parts, failures })
  const rateLimiter = createRateLimiter(database, parts.limits)
  const endpoints = allEndpoints(parts)
  const requests = allRequests({ ...parts, failures, authenticator, rateLimiter, endpoints })
  const rawMountOf = mountsByPath<RawMount>([
    { raw: true, path: WEBHOOKS_PATH, handle: parts.storefront.intake },
    ...requests.filter((each) => 'raw' in each),
  ])
  const mounts = requests.filter((each): each is Mount => !('raw' in each))
  const router = createRouter({ ...parts, endpoints, authenticator, rateLimiter })
  const others = createKoa(parts, { metrics, accessLog, mounts, router, endpoints }).callback()
  const answer: RequestListener = (request, response) => {
    accessLog?.begin(request, response, methodOf(request))
    const { url = '' } = request
    const [path = ''] = url.split('?', 1)
    const mount = rawMountOf(path)
    const route = mount ? labelOf(mount, url, path) : null
    if (!mount || route === null) return void others(request, response)
    accessLog?.setRoute(response, route)
    setTracedRoute(response, route)
    const begun = performance.now()
    const answered = () =>
      metrics.answered(
        route,
        methodOf(request),
        response.statusCode,
        (performance.now() - begun) / 1000,
      )
    void mount.handle(request, response).then(answered)
  }
  return (request, response) => {
    receiveFrom(request, response, subnetOfRequest(request, parts.trustProxy))
    tracedRequest(request, response, methodOf(request), () => answer(request, response))
  }
}

/** Null: an address below a prefix that is not the mount's own. */
const labelOf = ({ route }: RawMount, url: string, path: string): string | null =>
  typeof route === 'function' ? route(url) : (route ?? path)

/** Clients may send any method: all unknown ones are counted as one. */
const methodOf = ({ method = '' }: IncomingMessage): string =>
  METHODS.has(method) ? method : 'other'
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A client that leaves is not a fault of the server. */
const DISCONNECTED = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

interface KoaParts {
  metrics: Metrics
  accessLog: AccessLog | undefined
  endpoints: readonly Endpoint[]
  router: ReturnType<typeof createRouter>
  /** What answers addresses that are no endpoints. */
  mounts: readonly Mount[]
}

function createKoa(
  parts: WebParts,
  { metrics, accessLog, endpoints, router, mounts }: KoaParts,
): Koa {
  const app = new Koa({ proxy: parts.trustProxy })
  app.on('error', (error: NodeJS.ErrnoException) => {
    const level = DISCONNECTED.has(error.code ?? '') ? 'debug' : 'warn'
    parts.log[level]('a response was not sent completely', errorFields(error))
  })
  if (parts.storefront.demo) app.use(withoutKoa(parts.storefront.demo.handle))
  const own: Mount[] = [
    ...HEALTH_PATHS.map((path) => ({ path, route: path, handle: health(parts.readiness) })),
    {
      path: METRICS_PATH,
      route: METRICS_PATH,
      handle: (ctx, next) => metrics.middleware(ctx, next),
    },
  ]
  const documents = docsPage(() =>
    openApiDocument(endpoints, REQUEST_PATHS, { ...parts, examples: EXAMPLES, version }),
  )
  const command = commandPackage({ folder: () => parts.page.command(), baseUrl: parts.ownUrl })
  const served = [...mounts, documents, command]
  app.use(observed({ metrics, accessLog }, routesOf([...own, ...served])))
  app.use(errorResponses(parts.log))
  app.use(mounted(own))
  app.use(compress({ zstd: false, deflate: false }))
  app.use(apiOrigins(ORIGINS))
  app.use(mounted(served))
  app.use(router.routes())
  app.use(unknownApi(router.match.bind(router)))
  app.use(pageRoute(parts.page, parts.storefront, parts.demo, parts.bucketOrigin))
  return app
}

/** A handler that answers Node's own request itself, before Koa sees it. */
function withoutKoa(handle: (request: IncomingMessage, response: ServerResponse) => boolean) {
  return (ctx: Context, next: Next): Promise<unknown> | undefined => {
    if (!handle(ctx.req, ctx.res)) return next() as Promise<unknown>
    ctx.respond = false
    return undefined
  }
}

function observed(
  { metrics, accessLog }: Pick<KoaParts, 'metrics' | 'accessLog'>,
  routeOf: (ctx: Context) => string,
) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const begun = performance.now()
    try {
      await next()
    } finally {
      const route = routeOf(ctx)
      accessLog?.setRoute(ctx.res, route)
      setTracedRoute(ctx.res, route)
      metrics.answered(
        route,
        methodOf(ctx.req),
        ctx.res.statusCode,
        (performance.now() - begun) / 1000,
      )
    }
  }
}

/**
 * The route as the API document names it: `/api/files/:id`. All unknown addresses are counted as
 * one.
 */
function routesOf(mounts: readonly Mount[]): (ctx: Context) => string {
  const mountOf = mountsByPath(mounts)
  return (ctx) => {
    const { _matchedRoute: matched } = ctx as { _matchedRoute?: string }
    return matched ?? mountOf(ctx.path)?.route ?? (isApi(ctx.path) ? '/api' : 'page')
  }
}

const isApi = (path: string) => path === '/api' || path.startsWith('/api/')

function unknownApi(
  match: (path: string, method: string) => { path: readonly { methods: readonly string[] }[] },
) {
  return async (ctx: Context, next: Next): Promise<void> => {
    // `//api/files`: an address with a slash at its end, and a path after it.
    if (!/^\/+api(\/|$)/.test(ctx.path)) return next() as Promise<void>
    const methods = match(ctx.path, ctx.method).path.flatMap((route) => route.methods)
    if (methods.length > 0) throw notAllowed(ctx, methods)
    throw new AppError('not_found')
  }
}

// The port of the web role. It is closed until the process is ready, so that a proxy sends requests
// to another one. Only if the start has to wait, it is open before: probes then learn that the
// process lives and is not ready.

const STOP_WITHIN_MS = 5000
const RETRY_SECONDS = 2

/** The answer of a process that is not ready yet. */
export const starting = (): AppError =>
  new AppError('unavailable', {
    message: say('This process is starting'),
    retryAfter: RETRY_SECONDS,
  })

export interface Entrance {
  /** Listens before the application is ready. Rejects with a sentence if the port is taken. */
  open(): Promise<void>
  /** Listens, if it does not yet, and passes all requests on. */
  serve(app: RequestListener): Promise<{ port: number }>
  /** Closes the port, and connections that do not end. */
  close(): Promise<void>
}

export function createEntrance(
  { port, host }: Pick<Environment, 'port' | 'host'>,
  log: Logger,
): Entrance {
  let handle: RequestListener | null = null
  let server: Server | null = null
  const open = async (first: () => RequestListener) => {
    handle = first()
    server ??= await listen((request, response) => handle?.(request, response), port, host)
    return server
  }
  return {
    open: async () => void (await open(() => startingApp(log))),
    serve: async (app) => ({ port: ((await open(() => app)).address() as AddressInfo).port }),
    close: async () => {
      if (!server?.listening) return
      const closed = new Promise((resolve) => server?.close(resolve))
      server.closeIdleConnections()
      setTimeout(() => server?.closeAllConnections(), STOP_WITHIN_MS).unref()
      await closed
    },
  }
}

function startingApp(log: Logger): RequestListener {
  const app = new Koa()
  app.use(errorResponses(log))
  app.use(health({ check: () => Promise.reject(starting()) }))
  app.use(() => Promise.reject(starting()))
  const callback = app.callback()
  return (request, response) => void callback(request, response)
}
