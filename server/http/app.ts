// The HTTP application: downloads are answered before Koa, since they are the hot path; Koa answers
// health, the API, and the page for all other addresses.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import path from 'node:path'
import { createRequire } from 'node:module'
import Koa, { type Context, type Next } from 'koa'
import compress from 'koa-compress'
import type { Channel } from '../workflows/channel.ts'
import type { Cloud } from '../channels/cloud/cloud.ts'
import { UPLOADS_PATH, type UploadParts } from '../channels/upload/upload.ts'
import type { DropAddress } from '../environment.ts'
import type { Limits } from '../limits.ts'
import type { Database } from '../db/database.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { deliveryAddress } from '../delivery/request.ts'
import type { Engine } from '../engine/engine.ts'
import { AppError } from '../errors.ts'
import { createFlowRequests, isFlowPath } from '../flow/requests.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'
import type { BlobStore } from '../store/store.ts'
import type { Storefront } from '../storefront/storefront.ts'
import { WEBHOOKS_PATH } from '../storefront/webhooks/intake.ts'
import type { Plans } from '../plan-list.ts'
import { createAuthenticator } from './auth.ts'
import { cloudCallback } from './cloud-callback.ts'
import { createFailureLimiter, type FailureLimiter } from './auth-failures.ts'
import { docsPage } from './docs.ts'
import { withCurrentCounts } from './current-counts.ts'
import type { Endpoint } from './endpoint.ts'
import { errorResponses, notAllowed } from './errors.ts'
import { adminExtensionOrigin } from './extensions/admin-origin.ts'
import type { OrderPages } from '../orders/order-pages.ts'
import { thankYouRoute } from './extensions/thank-you.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { openApiDocument } from './openapi.ts'
import { pageRoute, type PageSource } from './page.ts'
import { createRateLimiter } from './rate-limit.ts'
import { createRouter } from './router.ts'
import { activityRoutes } from './routes/activity.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { connectionRoutes } from './routes/connections.ts'
import { csvRoutes } from './routes/csv.ts'
import { customerDataRoutes } from './routes/customer-data.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { dropRoutes } from './routes/drop.ts'
import { fileListRoutes } from './routes/file-list.ts'
import { fileRoutes } from './routes/files.ts'
import { impactRoutes } from './routes/impact.ts'
import { importRoutes } from './routes/imports.ts'
import { licenceListRoutes } from './routes/licence-lists.ts'
import { linkChangeRoutes } from './routes/link-changes.ts'
import { linkRoutes } from './routes/links.ts'
import { messageRoutes } from './routes/messages.ts'
import { noticeRoutes } from './routes/notices.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { buyerPageRoutes } from './routes/buyer-page.ts'
import { channelRoutes } from './routes/channels.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { operationLogRoutes } from './routes/operation-log.ts'
import { operationRoutes } from './routes/operations.ts'
import { packRoutes } from './routes/packs.ts'
import { planRoutes } from './routes/plan.ts'
import { pluginRoutes } from './routes/plugins.ts'
import { productRoutes } from './routes/products.ts'
import { renamePreviewRoutes } from './routes/rename-preview.ts'
import { reviewRoutes } from './routes/reviews.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { tusRoute } from './tus.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { sessionRoutes } from './routes/session.ts'
import { settingsRoutes } from './routes/settings.ts'
import { storefrontRoutes } from './routes/storefront.ts'
import { tagTemplateRoutes } from './routes/tag-templates.ts'
import { versionRoutes } from './routes/versions.ts'
import { webVitalRoutes } from './routes/web-vitals.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { workflowRoutes } from './routes/workflows.ts'

export interface AppParts {
  database: Database
  engine: Engine
  storefront: Storefront
  delivery: Delivery
  stores: ReadonlyMap<string, BlobStore>
  secrets: Secrets
  uploads: UploadParts
  channels: readonly Channel[]
  cloud: Cloud
  /** Where merchants connect to. */
  drop: DropAddress
  limits: Limits
  page: PageSource
  baseUrl: string
  demo: boolean
  trustProxy: boolean
  /** The bearer token that readers of /metrics must send. */
  metricsToken?: string | null
  clock: () => Date
  log: Logger
  orderPages: OrderPages
  plans: Plans | null
}

export function listEndpoints(parts: AppParts): Endpoint[] {
  const counted = withCurrentCounts(parts.delivery)
  return [
    ...importRoutes(parts.engine, parts.limits),
    ...uploadRoutes(parts),
    ...csvRoutes(parts),
    ...dropRoutes(parts),
    ...connectionRoutes(parts),
    ...counted(fileListRoutes(parts)),
    ...counted(fileRoutes(parts)),
    ...counted(versionRoutes(parts)),
    ...counted(packRoutes(parts)),
    ...tagTemplateRoutes(),
    ...counted(linkRoutes(parts)),
    ...counted(linkChangeRoutes(parts)),
    ...counted(deliveryRoutes(parts)),
    ...storefrontRoutes(),
    ...counted(operationRoutes(parts)),
    ...operationLogRoutes(parts),
    ...counted(artifactRoutes(parts)),
    ...counted(bulkRoutes(parts)),
    ...renamePreviewRoutes(parts),
    ...counted(impactRoutes(parts)),
    ...workflowRoutes(parts.engine),
    ...channelRoutes(parts.channels),
    ...pluginRoutes(parts.engine),
    ...scheduleRoutes(parts),
    ...productRoutes(),
    ...reviewRoutes(parts),
    ...settingsRoutes(parts),
    ...licenceListRoutes(parts),
    ...customerDataRoutes(parts),
    ...planRoutes(parts),
    ...buyerPageRoutes(),
    ...apiKeyRoutes(parts.clock),
    ...noticeRoutes(),
    ...messageRoutes(parts),
    ...webhookRoutes(parts),
    ...sessionRoutes(),
    ...activityRoutes(parts.engine),
    ...webVitalRoutes(parts),
  ]
}

export function createApp(parts: AppParts): RequestListener {
  const { delivery, database, demo, metricsToken: token = null } = parts
  const failures = createFailureLimiter(parts)
  const downloads = () => delivery.counted()
  const metrics = createMetrics({ database, failures, token, open: demo, downloads })
  const flow = createFlowRequests(parts)
  const others = createKoa(parts, metrics, failures).callback()
  return (request, response) => {
    const address = addressBeforeKoa(request.url)
    if (address === null) return void others(request, response)
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
          : delivery.handle
    void handle(request, response).then(answered)
  }
}

/**
 * Downloads bypass Koa because they are the hot path, and webhooks because the signature covers the
 * raw body. Null: Koa answers.
 */
function addressBeforeKoa(url: string | undefined): string | null {
  const path = url?.split('?', 1)[0] ?? ''
  return path === WEBHOOKS_PATH || isFlowPath(path) ? path : deliveryAddress(url)
}

/** Clients may send any method: all unknown ones are counted as one. */
const methodOf = ({ method = '' }: IncomingMessage): string =>
  METHODS.has(method) ? method : 'other'
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function createKoa(parts: AppParts, metrics: Metrics, failures: FailureLimiter): Koa {
  const endpoints = listEndpoints(parts)
  const { version } = createRequire(import.meta.url)(
    path.resolve(import.meta.dirname, '../../package.json'),
  ) as {
    version: string
  }
  const authenticator = createAuthenticator({ ...parts, failures })
  const router = createRouter({
    endpoints,
    authenticator,
    rateLimiter: createRateLimiter(parts.database, parts.limits),
    limits: parts.limits,
    secrets: parts.secrets,
  })
  const app = new Koa({ proxy: parts.trustProxy })
  app.on('error', (error: Error) => parts.log.debug('response', { error: error.message }))
  if (parts.storefront.handle)
    app.use(withoutKoa((request, response) => parts.storefront.handle!(request, response)))
  app.use(withMetrics(metrics))
  app.use(errorResponses(parts.log))
  app.use(health(parts.database))
  app.use((ctx, next) => metrics.middleware(ctx, next))
  app.use(compress({ zstd: false, deflate: false }))
  app.use(cloudCallback())
  app.use(adminExtensionOrigin)
  app.use(thankYouRoute({ ...parts, failures }))
  app.use(docsPage(openApiDocument(endpoints, parts.baseUrl, version)))
  app.use(tusRoute(parts.uploads, authenticator))
  app.use(router.routes())
  app.use(unknownApi(router.match.bind(router)))
  app.use(pageRoute(parts.page, parts.storefront, parts.demo))
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

function withMetrics(metrics: Metrics) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const begun = performance.now()
    try {
      await next()
    } finally {
      metrics.answered(
        routeOf(ctx),
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
  if (['/healthz', '/readyz', '/metrics'].includes(ctx.path)) return ctx.path
  return [UPLOADS_PATH, '/api'].find((path) => `${ctx.path}/`.startsWith(`${path}/`)) ?? 'page'
}

function health(database: Database) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' }
    } else if (ctx.path === '/readyz') {
      await database.pool.query('select 1').catch((cause: unknown) => {
        throw new AppError('unavailable', { retryAfter: 2, cause })
      })
      ctx.body = { status: 'ready' }
    } else await next()
  }
}

function unknownApi(
  match: (path: string, method: string) => { path: readonly { methods: readonly string[] }[] },
) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (!ctx.path.startsWith('/api/') && ctx.path !== '/api') return next() as Promise<void>
    const methods = match(ctx.path, ctx.method).path.flatMap((route) => route.methods)
    if (methods.length > 0) throw notAllowed(ctx, methods)
    throw new AppError('not_found')
  }
}

/** Longer than the longest wait for an operation's end, during which no bytes are sent. */
const STALL_MS = 300_000

/**
 * Listens, and resolves with the server once it does. Rejects with a sentence if the port is taken.
 * A connection that is idle for `stallMs` is closed; the duration of a whole request is not
 * limited, since an upload may take hours.
 */
export async function listen(
  app: RequestListener,
  port: number,
  host: string,
  stallMs = STALL_MS,
): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: 0 },
    app,
  )
  server.setTimeout(stallMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`PORT: ${port} is taken on ${host}; write another one`)
          : error,
      ),
    )
    server.listen(port, host, resolve)
  })
  return server
}
