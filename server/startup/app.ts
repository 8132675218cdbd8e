// The HTTP application: downloads and other raw requests are answered before Koa; Koa answers
// health, what features have mounted, the API, and the page for all other addresses.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import { AppError } from '../core/errors.ts'
import { errorFields } from '../core/log.ts'
import { receiveFrom } from '../core/request-body.ts'
import { setTracedRoute, tracedRequest } from '../core/tracing.ts'
import { WEBHOOKS_PATH } from '../storefront/webhooks/intake.ts'
import type { AccessLog } from '../http/access-log.ts'
import { createAuthenticator, type Authenticator } from '../http/auth.ts'
import { subnetOfRequest } from '../http/clients.ts'
import { createFailureLimiter } from '../http/auth-failures.ts'
import { docsPage } from '../http/docs.ts'
import { errorResponses, notAllowed } from '../http/errors.ts'
import { health, HEALTH_PATHS } from '../http/health.ts'
import { createMetrics, METRICS_PATH, type Metrics } from '../http/metrics.ts'
import { mounted, mountsByPath, type Mount, type RawMount } from '../http/mounts.ts'
import { apiOrigins } from '../http/origins.ts'
import { stateGauges } from './state-gauges.ts'
import { openApiDocument } from '../http/openapi.ts'
import { pageRoute } from '../http/page.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createRouter } from '../http/router.ts'
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

export function createApp(parts: WebParts): RequestListener {
  const { delivery, database, demo, accessLog, metricsToken: token = null } = parts
  const failures = createFailureLimiter(parts)
  const downloads = () => delivery.counted()
  const gauges = stateGauges(database, parts.stagingFolders, allMetrics)
  const metrics = createMetrics({ gauges, failures, token, open: demo, downloads })
  const authenticator = createAuthenticator({ ...parts, failures })
  const requests = allRequests({ ...parts, failures, authenticator })
  const rawMountOf = mountsByPath<RawMount>([
    { raw: true, path: WEBHOOKS_PATH, handle: parts.storefront.intake },
    ...requests.filter((each) => 'raw' in each),
  ])
  const mounts = requests.filter((each): each is Mount => !('raw' in each))
  const others = createKoa(parts, { metrics, accessLog, mounts, authenticator }).callback()
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
  authenticator: Authenticator
  /** What answers addresses that are no endpoints. */
  mounts: readonly Mount[]
}

function createKoa(parts: WebParts, { metrics, accessLog, authenticator, mounts }: KoaParts): Koa {
  const endpoints = allEndpoints(parts)
  const router = createRouter({
    endpoints,
    authenticator,
    rateLimiter: createRateLimiter(parts.database, parts.limits),
    limits: parts.limits,
    secrets: parts.secrets,
  })
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
  const served = [...mounts, documents]
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
