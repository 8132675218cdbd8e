// The HTTP application: downloads are answered before Koa, since they are the hot path; Koa answers
// health, the API, and the page for all other addresses.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import { UPLOADS_PATH } from '../features/upload/upload.ts'
import { deliveryAddress } from '../features/downloads/request.ts'
import { AppError } from '../core/errors.ts'
import { errorFields } from '../core/log.ts'
import { receiveFrom } from '../core/request-body.ts'
import { setTracedRoute, tracedRequest } from '../core/tracing.ts'
import { publicSamples } from '../features/samples/public.ts'
import { accountLibrary } from '../features/library/account.ts'
import { createLibraryRequests, isLibraryPath } from '../features/library/requests.ts'
import { createFlowRequests, isFlowPath } from '../features/flow/requests.ts'
import {
  createReportRequests,
  isMailReportPath,
  reportAddress,
} from '../features/mail/report-requests.ts'
import { WEBHOOKS_PATH } from '../storefront/webhooks/intake.ts'
import { NO_ACCESS_LOG, type AccessLog } from '../http/access-log.ts'
import { createAuthenticator } from '../http/auth.ts'
import { cloudCallback } from '../features/cloud/routes/callback.ts'
import { subnetOfRequest } from '../http/clients.ts'
import { createFailureLimiter, type FailureLimiter } from '../http/auth-failures.ts'
import { docsPage } from '../http/docs.ts'
import { errorResponses, notAllowed } from '../http/errors.ts'
import { adminExtensionOrigin } from '../features/orders/extensions/admin-origin.ts'
import { thankYouRoute } from '../features/orders/extensions/thank-you.ts'
import {
  LICENCE_PATHS,
  licencePaths,
  licenceVerification,
} from '../features/preparation/verification.ts'
import { health } from '../http/health.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { stateGauges } from './state-gauges.ts'
import { openApiDocument } from '../http/openapi.ts'
import { pageRoute } from '../http/page.ts'
import { createRateLimiter } from '../http/rate-limit.ts'
import { createRouter } from '../http/router.ts'
import { tusPaths } from '../features/upload/tus-paths.ts'
import { tusRoute } from '../features/upload/tus-route.ts'
import { version } from '../ports/user-agent.ts'
import { allEndpoints, EXAMPLES, type WebParts } from '../features.ts'

export function createApp(parts: WebParts): RequestListener {
  const { delivery, database, demo, metricsToken: token = null } = parts
  const failures = createFailureLimiter(parts)
  const downloads = () => delivery.counted()
  const gauges = stateGauges(database, parts.stagingFolders)
  const metrics = createMetrics({ gauges, failures, token, open: demo, downloads })
  const flow = createFlowRequests(parts)
  const library = createLibraryRequests(parts)
  const mailReports = createReportRequests(parts)
  const { accessLog = NO_ACCESS_LOG } = parts
  const others = createKoa(parts, { metrics, accessLog }, failures).callback()
  const answer: RequestListener = (request, response) => {
    const address = addressBeforeKoa(request.url)
    accessLog.begin(request, response, methodOf(request))
    if (address === null) return void others(request, response)
    accessLog.setRoute(response, address)
    setTracedRoute(response, address)
    const begun = performance.now()
    const answered = () =>
      metrics.answered(
        address,
        methodOf(request),
        response.statusCode,
        (performance.now() - begun) / 1000,
      )
    const handle =
      address === WEBHOOKS_PATH
        ? parts.storefront.intake
        : isFlowPath(address)
          ? flow
          : isLibraryPath(address)
            ? library
            : isMailReportPath(address)
              ? mailReports
              : delivery.handle
    void handle(request, response).then(answered)
  }
  return (request, response) => {
    receiveFrom(request, response, subnetOfRequest(request, parts.trustProxy))
    tracedRequest(request, response, methodOf(request), () => answer(request, response))
  }
}

/**
 * Downloads bypass Koa because they are the hot path, and webhooks because the signature covers the
 * raw body. Null: Koa answers.
 */
function addressBeforeKoa(url: string | undefined): string | null {
  const path = url?.split('?', 1)[0] ?? ''
  // Any name below the address: all unknown ones are counted as one.
  if (isMailReportPath(path)) return reportAddress(path)
  return path === WEBHOOKS_PATH || isFlowPath(path) || isLibraryPath(path)
    ? path
    : deliveryAddress(url)
}

/** Clients may send any method: all unknown ones are counted as one. */
const methodOf = ({ method = '' }: IncomingMessage): string =>
  METHODS.has(method) ? method : 'other'
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A client that leaves is not a fault of the server. */
const DISCONNECTED = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** What observes requests. */
interface Observers {
  metrics: Metrics
  accessLog: AccessLog
}

function createKoa(parts: WebParts, observers: Observers, failures: FailureLimiter): Koa {
  const { metrics } = observers
  const endpoints = allEndpoints(parts)
  const authenticator = createAuthenticator({ ...parts, failures })
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
  app.use(observed(observers))
  app.use(errorResponses(parts.log))
  app.use(health(parts.readiness))
  app.use((ctx, next) => metrics.middleware(ctx, next))
  app.use(compress({ zstd: false, deflate: false }))
  app.use(cloudCallback())
  app.use(adminExtensionOrigin)
  app.use(thankYouRoute({ ...parts, failures }))
  app.use(accountLibrary({ ...parts, failures }))
  app.use(licenceVerification(parts))
  app.use(publicSamples(parts))
  app.use(
    docsPage(() =>
      openApiDocument(
        endpoints,
        { ...tusPaths, ...licencePaths },
        { ...parts, examples: EXAMPLES, version },
      ),
    ),
  )
  app.use(tusRoute(parts.uploads, authenticator))
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

function observed({ metrics, accessLog }: Observers) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const begun = performance.now()
    try {
      await next()
    } finally {
      const route = routeOf(ctx)
      accessLog.setRoute(ctx.res, route)
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
function routeOf(ctx: Context): string {
  const { _matchedRoute: matched } = ctx as { _matchedRoute?: string }
  if (matched !== undefined) return matched
  if (NAMED_PATHS.has(ctx.path)) return ctx.path
  return [UPLOADS_PATH, '/api'].find((path) => `${ctx.path}/`.startsWith(`${path}/`)) ?? 'page'
}

const NAMED_PATHS = new Set(['/healthz', '/readyz', '/metrics', ...LICENCE_PATHS])

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
