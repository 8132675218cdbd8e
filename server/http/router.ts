// Turns endpoints into routes: rate limit, authenticate, check scope, validate, handle, in this
// order for all of them.
import { createHash } from 'node:crypto'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Limits } from '../limits.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { AppError } from '../errors.ts'
import type { Secrets } from '../secrets.ts'
import type { Authenticator } from './auth.ts'
import { hasNoBody, jsonReader } from './body.ts'
import { scopesOf, type Caller, type Endpoint, type Reply } from './endpoint.ts'
import { runIdempotently } from './idempotency.ts'
import type { RateLimiter } from './rate-limit.ts'
import { validate } from './validate.ts'

export interface RouterParts {
  endpoints: readonly Endpoint[]
  authenticator: Authenticator
  rateLimiter: RateLimiter
  limits: Limits
  secrets: Secrets
}

export function createRouter(parts: RouterParts): Router {
  const router = new Router()
  const readJson = jsonReader(parts.limits.body_bytes)
  for (const endpoint of parts.endpoints) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    router[endpoint.method](path, async (ctx: Context) => {
      const caller = await parts.authenticator.authenticate(ctx.req)
      await parts.rateLimiter.count(ctx, caller.subject, caller.scope.shop)
      requireScope(caller, endpoint)
      // A body whose schema has a default may be absent.
      const isAbsent = hasNoBody(ctx) && endpoint.body?.safeParse(undefined).success
      const body = endpoint.body && !isAbsent ? await readJson(ctx) : undefined
      await answer(ctx, endpoint, caller, body, parts.secrets)
    })
  }
  return router
}

function requireScope(caller: Caller, endpoint: Endpoint): void {
  const scopes = scopesOf(endpoint)
  if (scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))) return
  const message = `Permission denied: this key lacks the scope ${scopes.join(' or ')}`
  throw new AppError('missing_scope', { message })
}

async function answer(
  ctx: Context,
  endpoint: Endpoint,
  caller: Caller,
  rawBody: unknown,
  secrets: Secrets,
): Promise<void> {
  const params: unknown = endpoint.params ? validateParams(endpoint, ctx.params as unknown) : {}
  const query: unknown = endpoint.query ? validate(endpoint.query, singleValues(ctx.query)) : {}
  const body: unknown = endpoint.body ? validate(endpoint.body, rawBody) : undefined
  const signal = signalOf(ctx)
  const handle = (idempotencyKey: string | undefined, scope: ShopScope) =>
    endpoint.handler({
      caller: { ...caller, scope },
      params,
      query,
      body,
      idempotencyKey,
      signal,
      ctx,
    })
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
          async (unique, scope) => (await handle(unique, scope))!,
        )
      : await handle(undefined, caller.scope)
  if (reply) send(ctx, reply)
}

/** A malformed id cannot exist: not found. */
function validateParams(endpoint: Endpoint, params: unknown): unknown {
  const parsed = endpoint.params!.safeParse(params)
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

function send(ctx: Context, { status = 200, headers = {}, body }: Reply): void {
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
  if (ctx.method !== 'GET' || status !== 200) return
  // Weak: the same answer is sent with several encodings.
  ctx.set('ETag', `W/"${createHash('sha256').update(json).digest('base64url')}"`)
  // Koa drops the body of a 304.
  if (ctx.fresh) ctx.status = 304
}
