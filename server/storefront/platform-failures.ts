// Classifies failed requests to the platform by what to do next. The library's messages contain
// whole responses, so they are not passed on.
import { setTimeout as delay } from 'node:timers/promises'
import {
  GraphqlQueryError,
  HttpRequestError,
  HttpResponseError,
  HttpThrottlingError,
} from '@shopify/shopify-api'
import {
  PortError,
  say,
  sayPlain,
  textOf,
  type AnyText,
  type Text,
  ownValue,
} from '../../plugins/contract/index.ts'
import { ERRORS } from '../core/errors.ts'

/** The charge of a query and the remaining points. */
export interface Cost {
  requestedQueryCost: number
  throttleStatus: ThrottleStatus
}

export type PlatformFailure = { reason: AnyText } & (
  | { kind: 'throttled'; cost: Cost | null }
  | { kind: 'too_many'; waitMs: number }
  /**
   * `ofQuery`: it may answer other queries, also this one about other objects. `thrown`: what the
   * library threw by mistake.
   */
  | { kind: 'fault'; ofQuery?: boolean; thrown?: TypeError }
  | { kind: 'unauthorized' }
  /** `scope`: for lack of one. */
  | { kind: 'refused'; scope?: boolean }
  /**
   * Every request of this store is answered like this, until its owner or the platform acts. `gone`:
   * it was deleted.
   */
  | { kind: 'closed'; gone?: boolean }
)

const TOO_MANY_WAIT_MS = 2000
const MAX_RETRY_AFTER_MS = 60_000

/** What an error of the platform means. Rethrows all other errors. */
export function classifyFailure(error: unknown): PlatformFailure {
  if (error instanceof GraphqlQueryError) return diagnoseAnswer(error)
  if (error instanceof HttpThrottlingError) {
    const seconds = error.response.retryAfter
    const waitMs = typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : TOO_MANY_WAIT_MS
    const reason = sayPlain('it asks for fewer requests')
    return { kind: 'too_many', waitMs: Math.min(waitMs, MAX_RETRY_AFTER_MS), reason }
  }
  if (error instanceof HttpResponseError) {
    const { code } = error.response
    if (code === 401)
      return { kind: 'unauthorized', reason: sayPlain('it refused the app’s access') }
    const state = ownValue(STORE_STATES, code)
    if (state !== undefined)
      return {
        kind: 'closed',
        gone: code === GONE,
        reason: say('{state} (HTTP {status})', { state: textOf(state), status: String(code) }),
      }
    // A proxy's HTML page instead of JSON arrives with status 200.
    const passing = code >= 500 || code === 408 || code === 200
    const reason = answeredText(code)
    return passing
      ? { kind: 'fault', ofQuery: OF_QUERY.includes(code), reason }
      : { kind: 'refused', reason }
  }
  if (error instanceof HttpRequestError)
    return { kind: 'fault', reason: sayPlain('it did not answer') }
  // The library itself fails on errors that are no list, or an empty one.
  if (error instanceof TypeError) return { ...UNREADABLE, thrown: error }
  throw error
}

/** Statuses with which the platform may fail on one query while it answers others. */
const OF_QUERY: readonly number[] = [500, 504]

const UNREADABLE = {
  kind: 'fault',
  ofQuery: true,
  reason: sayPlain('its answer cannot be read'),
} as const

/** The platform answered with a status that is no success. */
export const answeredText = (status: number): Text =>
  say('it answered HTTP {status}', { status: String(status) })

/** Why the platform could not be used. */
export const unavailableText = (reason: AnyText): Text =>
  say('{problem}: {reason}', {
    problem: textOf(ERRORS.storefront_unavailable.message),
    reason: textOf(reason),
  })

const GONE = 404

/**
 * States of a whole store, by the HTTP status with which the platform answers each of its requests.
 * https://shopify.dev/docs/api/usage/response-codes
 */
const STORE_STATES: Readonly<Record<number, string>> = {
  402: sayPlain('the store is frozen until its owner pays the bill of the platform'),
  403: sayPlain('the platform has closed the store'),
  [GONE]: sayPlain('the platform has no such store any more'),
  423: sayPlain('the platform has locked the store'),
}

interface GivenError {
  path?: unknown
  extensions?: { code?: string }
}

interface ErrorBody {
  data?: unknown
  errors?: { graphQLErrors?: GivenError[] | string | object }
  extensions?: unknown
}

const bodyOf = (error: GraphqlQueryError) => error.body as ErrorBody
/** The platform's gateway sends a text instead of a list. */
const errorsOf = ({ errors }: ErrorBody): readonly GivenError[] =>
  Array.isArray(errors?.graphQLErrors) ? errors.graphQLErrors : []
const codesOf = (body: ErrorBody): string[] =>
  errorsOf(body).map((one) => one.extensions?.code ?? '')

/** An error of protected customer data may have no code. */
const REFUSALS = ['ACCESS_DENIED', '']

/**
 * The answer to a query of which the platform refused these fields alone; null: it failed otherwise.
 * Refused fields are null.
 */
export function answerWithout(
  error: unknown,
  refusable: readonly string[],
): { data: unknown; extensions: unknown } | null {
  if (!(error instanceof GraphqlQueryError)) return null
  const body = bodyOf(error)
  const { data, extensions } = body
  const all = errorsOf(body)
  const refused = all.filter(
    ({ path }) => Array.isArray(path) && path.some((key) => refusable.includes(key as string)),
  )
  const only = all.length > 0 && refused.length === all.length
  const refusals = codesOf(body).every((code) => REFUSALS.includes(code))
  return only && refusals && data ? { data, extensions } : null
}

export const OTHER_REQUESTS = sayPlain('it is busy with other requests of this app')

function diagnoseAnswer(error: GraphqlQueryError): PlatformFailure {
  const { extensions } = bodyOf(error)
  const codes = codesOf(bodyOf(error))
  if (codes.length === 0) return UNREADABLE
  if (codes.includes('THROTTLED'))
    return {
      kind: 'throttled',
      cost: costOf(extensions),
      reason: OTHER_REQUESTS,
    }
  if (codes.includes('SHOP_INACTIVE'))
    return { kind: 'closed', reason: sayPlain('the store is not active') }
  if (codes.some((code) => code === 'INTERNAL_SERVER_ERROR' || code === 'TIMEOUT'))
    return { kind: 'fault', ofQuery: true, reason: sayPlain('it failed on the query') }
  return codes.includes('ACCESS_DENIED')
    ? { kind: 'refused', scope: true, reason: sayPlain('a scope is missing') }
    : { kind: 'refused', reason: sayPlain('it refused the query') }
}

/** The platform answered, but not with the data: one object of the query may be the reason. */
export class QueryFailure extends PortError {}

/** The platform would give the same answer again. */
export class PlatformRefusal extends QueryFailure {}

/** The shop has not granted a scope that the query needs. */
export class ScopeMissing extends PlatformRefusal {}

/** The platform did not answer, or with the error page of a server on the way. */
export class NoAnswer extends PortError {}

/** The platform does not find the store: it was deleted, or a server on the way fails. */
export class StoreGone extends PortError {}

/** Does the platform not find the store? */
export const isStoreGone = (error: unknown): boolean =>
  error instanceof HttpResponseError && error.response.code === GONE

export function unavailableError(failure: PlatformFailure): PortError {
  const Failure = errorOf(failure)
  return new Failure('storefront_unavailable', unavailableText(failure.reason), true)
}

function errorOf(failure: PlatformFailure): typeof PortError {
  if (failure.kind === 'refused') return failure.scope ? ScopeMissing : PlatformRefusal
  if (failure.kind === 'closed') return failure.gone ? StoreGone : PortError
  if (failure.kind === 'fault') return failure.ofQuery ? QueryFailure : NoAnswer
  return PortError
}

export function costOf(extensions: unknown): Cost | null {
  const cost = (extensions as { cost?: Partial<Cost> } | undefined)?.cost
  const { maximumAvailable, currentlyAvailable, restoreRate } = cost?.throttleStatus ?? {}
  const numbers = [cost?.requestedQueryCost, maximumAvailable, currentlyAvailable, restoreRate]
  return numbers.every((number) => Number.isFinite(number)) ? (cost as Cost) : null
}

// Obeys the platform's cost throttle: a leaky bucket of points from which every query of this app
// and shop draws. The platform reports the remaining points after each query; between two answers
// they are estimated here.

/** The state of the bucket as the platform reports it: points, and points per second. */
interface ThrottleStatus {
  maximumAvailable: number
  currentlyAvailable: number
  restoreRate: number
}

export interface Throttle {
  /** Waits until the bucket has that many points, in the order of the calls, and takes them. */
  take(points: number, signal: AbortSignal): Promise<void>
  /**
   * Ends the query that took `points`. `status`: the platform's report, null if it did not answer.
   */
  ended(points: number, status: ThrottleStatus | null): void
}

// The longest wait: the platform may report that nothing is restored.
const MAX_WAIT_MS = 30_000

export function createThrottle(): Throttle {
  // Until the first answer the status is unknown, and queries do not wait.
  let status: ThrottleStatus = {
    maximumAvailable: Infinity,
    currentlyAvailable: Infinity,
    restoreRate: 50,
  }
  let at = performance.now()
  let running = 0
  let turn: Promise<unknown> = Promise.resolve()

  const available = () =>
    Math.min(
      status.maximumAvailable,
      status.currentlyAvailable + ((performance.now() - at) / 1000) * status.restoreRate,
    )
  const set = (points: number) => {
    status = { ...status, currentlyAvailable: points }
    at = performance.now()
  }
  const wait = async (points: number, signal: AbortSignal) => {
    while (true) {
      signal.throwIfAborted()
      // A query that costs more than the whole bucket is sent, and the platform refuses it.
      const missing = Math.min(points, status.maximumAvailable) - available()
      if (missing <= 0) break
      const ms = Math.min(Math.ceil((missing / status.restoreRate) * 1000), MAX_WAIT_MS)
      await delay(ms, undefined, { signal }).catch(() => {})
    }
    set(available() - points)
    running += points
  }

  return {
    take: (points, signal) => {
      const mine = turn.then(() => wait(points, signal))
      turn = mine.catch(() => {})
      return mine
    },
    ended: (points, now) => {
      running -= points
      if (now === null) return
      status = now
      // The platform's figure may or may not include the queries that are still running:
      // subtracting them is the safe side.
      set(now.currentlyAvailable - running)
    },
  }
}
