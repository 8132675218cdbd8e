// One GraphQL request to the platform's Admin API, with retries for the cost throttle, refused
// tokens, rate limits, and errors of the platform and the network.
import { setTimeout as delay } from 'node:timers/promises'
import { Session } from '@shopify/shopify-api'
import { english, PortError, say, textOf, ownValue } from '../../plugins/contract/index.ts'
import type { Logger } from '../core/log.ts'
import { traced } from '../core/tracing.ts'
import type { Access } from './access.ts'
import type { Library } from './library.ts'
import { type GraphqlOperation, withTransport, type Transport } from './operations.ts'
import type { Grant } from './shop-tokens.ts'
import {
  createThrottle,
  answerWithout,
  costOf,
  classifyFailure,
  OTHER_REQUESTS,
  unavailableError,
  type Cost,
  type PlatformFailure,
} from './platform-failures.ts'

/**
 * Sends a query for one shop. Throws `PortError` `storefront_unavailable`.
 * @param points the query's expected charge before it runs.
 */
export type AdminRequest = <Data>(
  operation: GraphqlOperation,
  variables: Record<string, unknown>,
  points: number,
  signal: AbortSignal,
) => Promise<Data>

/** A page of a list, as the platform answers it. */
export interface PlatformPage<Node> {
  nodes: Node[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

type Attempt = { data: unknown } | { failure: PlatformFailure }

/** The points that the platform charges for each mutation of a request. */
export const MUTATION_POINTS = 10
const ATTEMPTS = 5
/** The pause after a first fault; each further one is twice as long. */
export const FIRST_BACKOFF_MS = 200
// Other apps may draw from the same bucket, so one wait is not always enough.
const THROTTLED_ATTEMPTS = 30

interface RequestParts {
  library: Library
  transport: Transport
  access: Access
  log: Logger
  firstBackoffMs: number
}

/** Returns the requests of each shop. */
export function createAdminRequests(parts: RequestParts): (shop: number) => AdminRequest {
  // The platform's actual charge of a query, known after its first answer; it may be lower than by
  // its rules.
  const charges = new Map<string, number>()
  return keptPerShop((shop) => createAdminRequest(parts, charges, shop))
}

function createAdminRequest(
  { library, transport, access, log, firstBackoffMs }: RequestParts,
  charges: Map<string, number>,
  shop: number,
): AdminRequest {
  const throttle = createThrottle()
  return async <Data>(...given: Parameters<AdminRequest>): Promise<Data> => {
    const [operation, variables, points, signal] = given
    const query = `${operation.name}/${points}`
    const left = attemptsLeft()
    let grant = await access.grant(shop)
    while (true) {
      const taken = charges.get(query) ?? points
      await throttle.take(taken, signal).catch(endOfWait(signal, BUSY))
      const ended = (cost: Cost | null) => {
        throttle.ended(taken, cost?.throttleStatus ?? null)
        if (cost) charges.set(query, cost.requestedQueryCost)
      }
      const ask = () =>
        tracedQuery(operation, shop, () =>
          sendQuery(library, grant, operation.text, { variables, signal }),
        )
      const result = await attempt(
        () => withTransport(transport, ask),
        ended,
        operation.refusable ?? [],
      )
      if ('data' in result) return result.data as Data
      signal.throwIfAborted()
      const { failure } = result
      const { reason } = failure
      log.debug('storefront query failed', {
        shop,
        operation: operation.name,
        reason: english(reason),
      })
      if (--left[failure.kind] === 0) {
        if (failure.kind === 'fault' && failure.thrown) warnOf(log, operation, failure.thrown)
        throw unavailableError(failure)
      }
      if (failure.kind === 'unauthorized') grant = await access.renewed(shop, grant)
      if (failure.kind === 'too_many')
        await pause(failure.waitMs, signal).catch(endOfWait(signal, failure))
      if (failure.kind === 'fault')
        await pause(firstBackoffMs * 2 ** (ATTEMPTS - 1 - left.fault), signal)
    }
  }
}

/** Logs an error without its message, which may quote the answer, or a header with the token. */
function warnOf(log: Logger, { name }: GraphqlOperation, { stack = '' }: Error): void {
  const frames = stack.split('\n').filter((line) => /^ +at /.test(line))
  log.warn('an answer of the platform could not be read', {
    operation: name,
    stack: frames.join('\n'),
  })
}

/** The number of further attempts after each kind of failure. */
const attemptsLeft = (): Record<PlatformFailure['kind'], number> => ({
  fault: ATTEMPTS,
  too_many: ATTEMPTS,
  throttled: THROTTLED_ATTEMPTS,
  unauthorized: 2,
  refused: 1,
  closed: 1,
})

/** Records a span of the query without its variables, which name customers. */
const tracedQuery = <T>({ name }: GraphqlOperation, shop: number, work: () => Promise<T>) =>
  traced(
    `storefront ${name}`,
    { kind: 'client', fields: { 'graphql.operation.name': name, 'stevedore.shop': shop } },
    work,
  )

function sendQuery(
  library: Library,
  { domain, accessToken }: Grant,
  text: string,
  options: { variables: Record<string, unknown>; signal: AbortSignal },
) {
  const session = new Session({ id: domain, shop: domain, state: '', isOnline: false })
  session.accessToken = accessToken
  return new library.clients.Graphql({ session }).request(text, { ...options, retries: 0 })
}

/** One request: its data, or how it failed. `ended` gets what the platform charged. */
async function attempt(
  ask: () => ReturnType<typeof sendQuery>,
  ended: (cost: Cost | null) => void,
  refusable: readonly string[],
): Promise<Attempt> {
  let cost: Cost | null = null
  try {
    const { data, extensions } = await ask()
    cost = costOf(extensions)
    return { data }
  } catch (error) {
    const answer = answerWithout(error, refusable)
    if (answer) {
      cost = costOf(answer.extensions)
      return { data: answer.data }
    }
    const failure = classifyFailure(error)
    if (failure.kind === 'throttled') cost = failure.cost
    return { failure }
  } finally {
    ended(cost)
  }
}

/** The wait for points of the shop was too long for a request. */
const BUSY: PlatformFailure = {
  kind: 'throttled',
  cost: null,
  reason: OTHER_REQUESTS,
}

/**
 * A time limit that ends while the request waits for its turn is not the fault of what it asks about:
 * throws `PortError`.
 */
const endOfWait = (signal: AbortSignal, failure: PlatformFailure) => (error: unknown) => {
  const isLate = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  throw isLate ? unavailableError(failure) : error
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}

/** Makes a value for each shop when it is first used, and keeps it. */
export function keptPerShop<T>(make: (shop: number) => T): (shop: number) => T {
  const made = new Map<number, { value: T }>()
  return (shop) => {
    const kept = made.get(shop) ?? { value: make(shop) }
    made.set(shop, kept)
    return kept.value
  }
}

// Mutations of the platform's orders: many orders share one request, and each has its own result.

/** The result of one change; null: it was made. */
export type MarkResult = PortError | null

/** Sends a mutation; returns what the platform objects to, by the field's alias. */
export type ChangeOrders = (
  operation: GraphqlOperation,
  variables: Record<string, unknown>,
  points: number,
  signal: AbortSignal,
) => Promise<(alias: string) => MarkResult>

interface UserErrors {
  userErrors: { message: string }[]
}

/** @param retryable may the platform make a change later that it objects to now? */
export const orderChanges =
  (request: AdminRequest, retryable: boolean): ChangeOrders =>
  async (operation, variables, points, signal) => {
    const data = await request<Record<string, UserErrors | null>>(
      operation,
      variables,
      points,
      signal,
    )
    return (alias) => {
      const [objection] = ownValue(data, alias)?.userErrors ?? []
      if (!objection) return null
      const message = say('The order: {reason}', { reason: textOf(objection.message) })
      return new PortError('storefront_unavailable', message, retryable)
    }
  }

/** Works on `size` at a time; returns the result of each, in order. */
export async function inGroups<One, Result>(
  all: readonly One[],
  size: number,
  work: (group: readonly One[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let at = 0; at < all.length; at += size)
    results.push(...(await work(all.slice(at, at + size))))
  return results
}
