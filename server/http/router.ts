// Turns endpoints into routes: rate limit, authenticate, check scope, validate, handle, in this
// order for all of them.
import Router from '@koa/router'
import type { Context } from 'koa'
import type { z } from 'zod'
import { say, textOf } from '../../plugins/contract/index.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { countForShop } from '../core/request-body.ts'
import { requireFeature } from '../files/quotas.ts'
import type { Secrets } from '../core/secrets.ts'
import { present } from '../core/lazy.ts'
import type { Database } from '../core/db/database.ts'
import { openRateLimit } from '../core/db/callers.ts'
import type { Authenticator } from './auth.ts'
import { hasNoBody, jsonReader } from './body.ts'
import { editedRecords, editUnchanged, etagOf, type EditedRecord } from './edits.ts'
import { scopesOf, type Caller, type Endpoint, type Reply, missingScope } from './endpoint.ts'
import { runIdempotently } from './idempotency.ts'
import { LINE_TYPES, withLines } from './lines.ts'
import { validate, validateFully } from './validate.ts'

export interface RouterParts {
  endpoints: readonly Endpoint[]
  authenticator: Authenticator
  rateLimiter: RateLimiter
  limits: Limits
  secrets: Secrets
}

export function createRouter(parts: RouterParts): Router {
  const router = new Router()
  const edited = editedRecords(parts.endpoints)
  const readJson = jsonReader(parts.limits.body_bytes)
  for (const endpoint of parts.endpoints) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    router[endpoint.method](path, async (ctx: Context) => {
      const caller = await parts.authenticator.authenticate(ctx.req)
      countForShop(ctx.req, caller.scope.shop)
      await parts.rateLimiter.count(ctx, caller, endpoint)
      requireScope(caller, endpoint)
      const about = { secrets: parts.secrets, edited: edited.get(endpoint.path) }
      if (endpoint.lines && ctx.is(...LINE_TYPES))
        return answerLines(ctx, endpoint, endpoint.lines, caller, about)
      // A body whose schema has a default may be absent.
      const isAbsent = hasNoBody(ctx) && endpoint.body?.safeParse(undefined).success
      const body = endpoint.body && !isAbsent ? await readJson(ctx) : undefined
      await answer(ctx, endpoint, caller, body, about)
    })
  }
  return router
}

/** Throws `missing_scope`, or `agency_refused`. */
export function requireScope(caller: Caller, endpoint: Endpoint): void {
  if (endpoint.refusesAgencies && caller.agency?.isGranted) throw new AppError('agency_refused')
  if (!hasScope(caller, endpoint)) throw missingScope(scopesOf(endpoint).join(' or '))
}

function hasScope(caller: Caller, endpoint: Endpoint): boolean {
  const scopes = scopesOf(endpoint)
  return scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))
}

interface About {
  secrets: Secrets
  /** The record of the endpoint's path; absent: the path has none that can be edited. */
  edited: EditedRecord | undefined
}

async function answer(
  ctx: Context,
  endpoint: Endpoint,
  caller: Caller,
  rawBody: unknown,
  { secrets, edited }: About,
): Promise<void> {
  const given = { params: ctx.params as unknown, query: singleValues(ctx.query), body: rawBody }
  const signal = signalOf(ctx)
  const request = { ...(await validRequest(endpoint, caller, given)), signal, ctx }
  const write = (idempotencyKey: string | undefined, scope: ShopScope) =>
    endpoint.handler({ ...request, caller: { ...caller, scope }, idempotencyKey })
  const known = ctx.get('If-Match')
  const isEdit = endpoint.method === 'put' || endpoint.method === 'patch'
  const checks = isEdit && known !== '' && known !== '*' ? edited : undefined
  const handle = async (idempotencyKey: string | undefined, scope: ShopScope) => {
    await requirePlan(endpoint, scope, request.body)
    await endpoint.asks?.({ ...request, caller: { ...caller, scope }, idempotencyKey })
    return checks
      ? editUnchanged(scope, editOf(checks, known, caller, request), (tx) =>
          write(idempotencyKey, tx),
        )
      : write(idempotencyKey, scope)
  }
  const key = ctx.get('Idempotency-Key')
  const writes = (endpoint.method === 'post' || endpoint.method === 'put') && !endpoint.readsBody
  const reply =
    key && writes
      ? await runIdempotently(
          caller.scope,
          {
            key,
            method: endpoint.method,
            path: ctx.path,
            body: rawBody,
            secrets,
            signal,
            atomic: endpoint.atomic === true,
          },
          async (unique, scope) => present(await handle(unique, scope), 'The reply'),
        )
      : await handle(undefined, caller.scope)
  if (reply) send(ctx, reply, edited)
}

interface GivenRequest {
  params?: unknown
  query?: Readonly<Record<string, unknown>>
  body?: unknown
}

async function validRequest(
  endpoint: Endpoint,
  caller: Caller,
  given: GivenRequest,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const params = endpoint.params ? validateParams(endpoint.params, given.params) : {}
  const query = endpoint.query ? validate(endpoint.query, given.query ?? {}) : {}
  return { params, query, body: await validBody(endpoint, caller, params, given.body) }
}

async function requirePlan(endpoint: Endpoint, scope: ShopScope, body: unknown): Promise<void> {
  if (endpoint.feature && !endpoint.switchesOff?.(body))
    await requireFeature(scope, endpoint.feature)
}

/**
 * Calls an endpoint as its route does, for a request of another form: with its scope, its schemas and
 * the shop's plan. The caller counts the request.
 * @returns the body of the answer
 */
export async function callEndpoint(
  endpoint: Endpoint,
  {
    caller,
    ctx,
    signal,
    ...given
  }: GivenRequest & { caller: Caller; ctx: Context; signal: AbortSignal },
): Promise<unknown> {
  requireScope(caller, endpoint)
  const request = await validRequest(endpoint, caller, given)
  await requirePlan(endpoint, caller.scope, request.body)
  const about = { caller, ctx, signal, idempotencyKey: undefined }
  await endpoint.asks?.({ ...request, ...about })
  return present(await endpoint.handler({ ...request, ...about }), 'The reply').body
}

/** Under an Idempotency-Key, the hash of the lines stands for the body. */
function answerLines(
  ctx: Context,
  { body: _, problems: __, ...endpoint }: Endpoint,
  form: NonNullable<Endpoint['lines']>,
  caller: Caller,
  about: About,
): Promise<void> {
  if (ctx.request.charset && !/^utf-?8$/i.test(ctx.request.charset))
    throw new AppError('unsupported_media_type', { message: textOf('Send the lines in UTF-8') })
  return withLines(ctx.req, form, (lines) =>
    answer(
      ctx,
      { ...endpoint, handler: (request) => form.handler({ ...request, body: lines }) },
      caller,
      { sha256: lines.sha256 },
      about,
    ),
  )
}

/** An edit of the record as the caller knows it. */
const editOf = (
  edited: EditedRecord,
  known: string,
  caller: Caller,
  request: Omit<Parameters<Endpoint['handler']>[0], 'caller' | 'idempotencyKey'>,
) => ({
  path: request.ctx.path,
  known,
  edited,
  body: request.body as Record<string, unknown>,
  mayRead: hasScope(caller, edited.reader),
  read: (tx: ShopScope) =>
    edited.reader.handler({
      ...request,
      query: {},
      body: undefined,
      idempotencyKey: undefined,
      caller: { ...caller, scope: tx },
    }),
})

/** The checked body of a request. Throws every problem. */
export function validBody(
  { body: schema, problems }: Endpoint,
  caller: Caller,
  params: unknown,
  rawBody: unknown,
): unknown {
  if (!schema || !problems) return schema && validate(schema, rawBody)
  return validateFully(schema, rawBody, (body) => problems({ caller, params, body }))
}

/** A malformed id cannot exist: not found. */
function validateParams(schema: z.ZodType, params: unknown): unknown {
  const parsed = schema.safeParse(params)
  if (!parsed.success) throw new AppError('not_found')
  return parsed.data
}

/** A parameter given twice is an error, not a list. */
function singleValues(query: Context['query']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query))
}

function signalOf(ctx: Context): AbortSignal {
  const gone = new AbortController()
  ctx.res.once('close', () => gone.abort())
  return gone.signal
}

function send(
  ctx: Context,
  { status = 200, headers = {}, body }: Reply,
  edited: EditedRecord | undefined,
): void {
  ctx.set(headers)
  ctx.set('Cache-Control', 'no-store')
  ctx.status = status
  if (body === null || body === undefined) {
    ctx.body = body
    return
  }
  const json = JSON.stringify(body)
  ctx.type = 'json'
  ctx.body = json
  const isRead = ctx.method === 'GET'
  // The answer to an edit is the record, unless nothing is `edited`.
  if (status !== 200 || !(isRead || edited)) return
  ctx.set('ETag', etagOf(json, body, edited))
  // Koa drops the body of a 304.
  if (isRead && ctx.fresh) ctx.status = 304
}

// Limits per caller and minute, counted in the database so that they hold for all web processes.

const MINUTE = 60

export interface RateLimiter {
  /**
   * Counts one request; throws `rate_limited` with the seconds to wait. Sets the RateLimit headers
   * in any case. A key's request counts for its shop too: many keys together get no more than the
   * shop's limit. People in the admin page have another limit, so that keys cannot lock them out.
   */
  count(
    ctx: Context,
    caller: Pick<Caller, 'subject' | 'scope'>,
    endpoint: Pick<Endpoint, 'method' | 'ofManyOnAPage'>,
  ): Promise<void>
}

export function createRateLimiter(database: Database, limits: Limits): RateLimiter {
  const limiterOf = (name: string, points: number) => ({
    name,
    points,
    limit: openRateLimit(database.pool, { name, points, seconds: MINUTE }),
  })
  const reads = limiterOf('reads', limits.reads_per_minute)
  const writes = limiterOf('writes', limits.writes_per_minute)
  const pictures = limiterOf('pictures', 10 * limits.reads_per_minute)
  const shopReads = limiterOf('shop-reads', limits.shop_reads_per_minute)
  const shopWrites = limiterOf('shop-writes', limits.shop_writes_per_minute)
  type Counted = typeof reads
  const count = async ({ name, points, limit }: Counted, subject: string) => {
    const { exceeded, remainingPoints, retryAfter } = await limit.consume(subject)
    return {
      exceeded,
      retryAfter,
      policy: `"${name}";q=${points};w=${MINUTE}`,
      limit: `"${name}";r=${Math.max(0, remainingPoints)};t=${retryAfter}`,
    }
  }
  return {
    count: async (ctx, { subject, scope: { shop } }, { method, ofManyOnAPage }) => {
      const isRead = method === 'get'
      const own = await count(ofManyOnAPage ? pictures : isRead ? reads : writes, subject)
      ctx.set('RateLimit-Policy', own.policy)
      ctx.set('RateLimit', own.limit)
      // A request that the key's own limit refuses does not count for its shop: one key in a loop
      // must not use up the other keys' requests.
      if (own.exceeded) throw new AppError('rate_limited', { retryAfter: own.retryAfter })
      if (ofManyOnAPage || !subject.startsWith('key:')) return
      const shared = await count(isRead ? shopReads : shopWrites, `shop:${shop}`)
      if (!shared.exceeded) return
      ctx.set('RateLimit-Policy', shared.policy)
      ctx.set('RateLimit', shared.limit)
      const message = say(
        'The API keys of this shop have made too many requests together: wait as long as Retry-After says',
      )
      throw new AppError('rate_limited', { retryAfter: shared.retryAfter, message })
    },
  }
}
