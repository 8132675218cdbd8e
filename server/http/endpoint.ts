// An endpoint: method, path, scope, the schemas that validate its requests and describe it in
// OpenAPI, and a short handler. Routes are lists of endpoints.
import type { Context } from 'koa'
import { z } from 'zod'
import { say, type Entry } from '../../plugins/contract/index.ts'
import type { PlanFeature } from '../core/configuration/plan-list.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { type ErrorDetail, AppError } from '../core/errors.ts'
import { scopesOfConflict } from '../engine/moves.ts'
import type { LinesSchema, ReceivedLines } from './lines.ts'
import type { LoggedChange } from './logged-change.ts'
import type { Tag } from './tags.ts'

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

/** What drop folders and cloud syncs do: they import, replace, read and delete files. */
const CHANNEL_WORK = [
  'settings:write',
  'imports:write',
  'files:read',
  'files:write',
  'files:delete',
] as const satisfies readonly Scope[]

/**
 * The scopes of a key, with those that it implies: a key that may change settings reads the
 * channels, and a key that may also do all that the channels do changes them. No key gains access
 * to files that it did not have.
 */
export function impliedScopes(given: readonly Scope[]): ReadonlySet<Scope> {
  const scopes = new Set(given)
  if (scopes.has('settings:write')) scopes.add('drop:read').add('cloud:read')
  if (CHANNEL_WORK.every((scope) => scopes.has(scope))) scopes.add('drop:write').add('cloud:write')
  return scopes
}

/** The authenticated caller. */
export interface Caller {
  scope: ShopScope
  shop: { domain: string; name: string; demo: boolean }
  /** What rate limits count: `key:<id>`, or `user:<shop>:<id>` of a person in the admin page. */
  subject: string
  /** The name that history shows. */
  name: string
  scopes: ReadonlySet<Scope>
  /** The key of an agency, which acts in several shops: a bare UUID. Absent: another caller. */
  agency?: { key: string; isGranted: boolean }
}

/** Is it a program with an API key, not a person in the admin page? */
export const isApiKey = ({ subject }: Pick<Caller, 'subject'>): boolean =>
  subject.startsWith(KEY_SUBJECT)

/** The bare UUID of the caller's API key; null: a person. */
export const apiKeyOf = (caller: Pick<Caller, 'subject'>): string | null =>
  isApiKey(caller) ? caller.subject.slice(KEY_SUBJECT.length) : null

const KEY_SUBJECT = 'key:'

export interface Request<Params, Query, Body> {
  caller: Caller
  params: Params
  query: Query
  body: Body
  /** A text that is unique for the request under its Idempotency-Key; undefined without a key. */
  idempotencyKey: string | undefined
  /** Aborts when the client disconnects. */
  signal: AbortSignal
  ctx: Context
}

/**
 * A body with malformed fields: those are absent, and what is malformed inside a field is undefined.
 * The other fields are parsed; a field with something malformed inside it is as it was sent.
 */
export type Given<Body> = Body extends readonly (infer Element)[]
  ? readonly (Given<Element> | undefined)[]
  : Body extends object
    ? { readonly [Name in keyof Body]?: Given<Body[Name]> | undefined }
    : Body

/** An answer that is sent as JSON; null: the handler has answered directly. */
export interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
  /**
   * The body that is stored for a repeated request under the same Idempotency-Key, if it differs:
   * secrets are not stored.
   */
  kept?: unknown
}

/** The other form of a body: one JSON value in each line. */
interface LinesForm<About = unknown, Line = unknown> extends LinesSchema<About, Line> {
  /** For people who read the API's document. */
  description: string
  handler(request: Request<unknown, unknown, ReceivedLines<About, Line>>): Promise<Reply>
}

/** Checks the types of such a form, which are erased for the list of endpoints. */
export const linesForm = <About, Line>(form: LinesForm<About, Line>): LinesForm =>
  form as unknown as LinesForm

/** What an endpoint says of itself, beside its address. */
interface Definition<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  summary: string
  description?: string
  /** A page asks for many of these together: they have a limit of their own, ten times as high. */
  ofManyOnAPage?: true
  /** Absent: each name in the path is a text. */
  params?: Params
  query?: Query
  body?: Body
  /** Takes a body of lines too, under its own media type. */
  lines?: LinesForm
  /**
   * It changes only the database: under an Idempotency-Key the answer is written in the same
   * transaction, once or not at all.
   */
  atomic?: true
  /**
   * Of a PUT or PATCH whose body has fields that the record does not have: what such a field replaces.
   * Called once for each record.
   * With `If-Match`, the field is refused if that was changed meanwhile.
   */
  edits?: (record: Readonly<Record<string, unknown>>) => (field: string) => unknown
  /**
   * Problems of a body with malformed fields that its schema cannot see, such as unknown ids: they
   * are named in the same answer. The handler finds those of other bodies.
   */
  problems?(request: {
    caller: Caller
    params: z.output<Params>
    body: Given<z.output<Body>>
  }): Promise<readonly ErrorDetail[]>
  /** Whether the work that a body starts reads download counts; of those that its answer shows it is known. */
  readsCounts?(body: z.output<Body>): boolean
  /** It changes the shop's configuration: the log of changes names who did, and what differs. */
  logs?: LoggedChange
  /**
   * Asks another server before the handler, which may run in a transaction: no connection of the
   * database waits for the answer. Throws what the handler would.
   */
  asks?(request: Request<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<void>
  /** It only switches off what `feature` set up: possible without the feature. */
  switchesOff?(body: z.output<Body>): boolean
  /**
   * It reads the request's body itself and handles Idempotency-Key afterwards, because the key
   * covers that body.
   */
  readsBody?: true
  /**
   * By status. A schema, or null for an answer that is not JSON: of this `type`, or of any type.
   */
  replies: Record<number, { description: string; schema: z.ZodType | null; type?: string }>
  handler(
    request: Request<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<Reply | null>
}

/** What an endpoint shares with others. */
interface Group {
  tag: Tag
  /** The scope that an API key needs, or several of which one is enough; null: any valid key. */
  scope: Scope | readonly Scope[] | null
  /** `agency_refused` for the key of another shop: it would get access that no owner granted. */
  refusesAgencies?: true
  /** It sets this up, or changes it: `plan_limit` if the shop's plan does not include it. */
  feature?: PlanFeature
}

export interface Endpoint extends Definition<z.ZodType, z.ZodType, z.ZodType>, Group {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path, with `{name}` for parameters, as OpenAPI writes it. */
  path: string
}

type Address = `${Uppercase<Endpoint['method']>} /${string}`
type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & PathParams<Rest>
  : unknown

/**
 * Declares endpoints that share a tag, or a tag and a scope; one of them may state another. The
 * declared schemas' types are checked while an endpoint is written, and erased for the list of
 * endpoints. An address is a method and a path: `GET /api/packs/{id}`.
 */
export const endpointsOf =
  <Shared extends Partial<Group>>(shared: Shared) =>
  <
    At extends Address,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Params extends z.ZodType = z.ZodType<PathParams<At>>,
  >(
    address: At,
    definition: Definition<Params, Query, Body> & Partial<Group> & Omit<Group, keyof Shared>,
  ): Endpoint => {
    const [method, path] = address.split(' ') as [string, string]
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, z.string()] as const)
    return {
      ...(names.length === 0 ? {} : { params: z.strictObject(Object.fromEntries(names)) }),
      ...shared,
      ...definition,
      method: method.toLowerCase(),
      path,
    } as unknown as Endpoint
  }

/** One endpoint, with its tag and its scope. */
export const endpoint = endpointsOf({})

/** The scopes of which one is enough; empty: any valid key. */
export const scopesOf = ({ scope }: Pick<Endpoint, 'scope'>): readonly Scope[] =>
  scope === null ? [] : typeof scope === 'string' ? [scope] : scope

// Scopes that depend on the request, in addition to the endpoint's own scope.

/** `Permission denied`, as the specification words it; its detail names the missing scope. */
export const missingScope = (missing: string) =>
  new AppError('missing_scope', {
    details: [
      {
        param: 'scope',
        code: 'missing_scope',
        message: say('This key lacks the scope {missing}', { missing }),
      },
    ],
  })

/** Throws `missing_scope`, which names the first missing one. */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !caller.scopes.has(scope))
  if (missing) throw missingScope(missing)
}

/**
 * What an import needs in addition to `imports:write`: replacing the bytes of files changes them.
 */
export const requireImportScopes = (caller: Caller, onConflict: Entry['on_conflict']): void =>
  requireScopes(caller, scopesOfConflict(onConflict))
