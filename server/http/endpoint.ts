// What an endpoint is: method, path, scope, the schemas that both validate its requests and
// describe it in OpenAPI, and a short handler. Routes are lists of these.
import type { Context } from 'koa'
import type { z } from 'zod'
import type { ShopScope } from '../db/for-shop.ts'

export const SCOPES = [
  'files:read',
  'files:write',
  'files:delete',
  'files:purge',
  'imports:write',
  'links:write',
  'operations:read',
  'operations:write',
  'settings:write',
  'drop:read',
  'drop:write',
  'cloud:read',
  'cloud:write',
] as const
export type Scope = (typeof SCOPES)[number]

/** Who asks, once authenticated. */
export interface Caller {
  scope: ShopScope
  shop: { domain: string; name: string; demo: boolean }
  /** For rate limits and history: `key:<name>` or `user:<id>`. */
  subject: string
  /** What history shows. */
  name: string
  scopes: ReadonlySet<Scope>
}

export interface Request<Params, Query, Body> {
  caller: Caller
  params: Params
  query: Query
  body: Body
  /** Unique for what was asked under one Idempotency-Key; undefined without one. */
  idempotencyKey: string | undefined
  /** Aborts when the client goes away. */
  signal: AbortSignal
  ctx: Context
}

/** Sent as JSON, unless the handler answered by itself (`null`). */
export interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
  /**
   * What the same request under the same Idempotency-Key is answered with, where that is not the
   * body: a secret is kept nowhere.
   */
  kept?: unknown
}

export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With `{name}` for parameters, as OpenAPI writes it. */
  path: string
  summary: string
  description?: string
  tag: string
  /** The scope that an API key needs, or any one of several; null: any valid key will do. */
  scope: Scope | readonly Scope[] | null
  params?: Params
  query?: Query
  body?: Body
  /**
   * All that it does is in the database: under an Idempotency-Key its answer is written in the same
   * transaction, once or not at all.
   */
  atomic?: true
  /**
   * It reads the request's body itself and handles Idempotency-Key afterwards: the key covers that
   * body.
   */
  readsBody?: true
  /** By status. A schema, or null for an answer that is not JSON: of this `type`, or of any. */
  replies: Record<number, { description: string; schema: z.ZodType | null; type?: string }>
  handler(
    request: Request<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Reply | null>
}

/** Keeps the schemas' types while an endpoint is written, and gives them up when it is listed. */
export function endpoint<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  definition: Endpoint<Params, Query, Body>,
): Endpoint {
  return definition as unknown as Endpoint
}

/** Any one of them will do; none: any valid key. */
export const scopesOf = ({ scope }: Pick<Endpoint, 'scope'>): readonly Scope[] =>
  scope === null ? [] : typeof scope === 'string' ? [scope] : scope
