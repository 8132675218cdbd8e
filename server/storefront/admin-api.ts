// One GraphQL request to the platform's Admin API, with everything that can go wrong on the way: the cost throttle,
// refused tokens, too many requests, faults of the platform and of the network.
import { setTimeout as delay } from 'node:timers/promises'
import {
  GraphqlQueryError,
  HttpRequestError,
  HttpResponseError,
  HttpThrottlingError,
  Session,
} from '@shopify/shopify-api'
import { PortError } from '../../plugins/contract.ts'
import { ERRORS } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Access, Grant } from './access.ts'
import type { Library } from './library.ts'
import type { Operation } from './operations.ts'
import { createThrottle, type Throttle, type ThrottleStatus } from './throttle.ts'
import { through, type Transport } from './transport.ts'

/**
 * Asks the platform for the shop. Throws `PortError` `storefront_unavailable`.
 * @param points what the query will be charged before it runs, as far as the caller can tell.
 */
export type AdminRequest = <Data>(
  shop: number,
  operation: Operation,
  variables: Record<string, unknown>,
  points: number,
  signal: AbortSignal,
) => Promise<Data>

interface Cost {
  requestedQueryCost: number
  throttleStatus: ThrottleStatus
}

/** What went wrong, as far as it matters for what to do next. */
type Trouble =
  | { kind: 'throttled'; cost: Cost | null }
  | { kind: 'too_many'; waitMs: number }
  | { kind: 'fault'; reason: string }
  | { kind: 'unauthorized' }
  | { kind: 'refused'; reason: string }

const ATTEMPTS = 5
const FIRST_BACKOFF_MS = 200
// Others may draw from the same bucket, so that one wait is not always enough.
const THROTTLED_ATTEMPTS = 30
const TOO_MANY_WAIT_MS = 2000
const LONGEST_RETRY_AFTER_MS = 60_000

export function createAdminRequest(options: {
  library: Library
  transport: Transport
  access: Access
  log: Logger
}): AdminRequest {
  const { library, transport, access, log } = options
  const throttles = new Map<number, Throttle>()
  const throttleOf = (shop: number): Throttle => {
    if (!throttles.has(shop)) throttles.set(shop, createThrottle())
    return throttles.get(shop)!
  }
  // What the platform really charges for a query may be less than its rules say: it tells after the first one.
  const charges = new Map<string, number>()

  const send = async (grant: Grant, operation: Operation, variables: Record<string, unknown>, signal: AbortSignal) => {
    const session = new Session({ id: grant.domain, shop: grant.domain, state: '', isOnline: false })
    session.accessToken = grant.accessToken
    return through(transport, () =>
      new library.clients.Graphql({ session }).request(operation.text, { variables, signal, retries: 0 }),
    )
  }

  return async <Data>(
    shop: number,
    operation: Operation,
    variables: Record<string, unknown>,
    points: number,
    signal: AbortSignal,
  ): Promise<Data> => {
    const throttle = throttleOf(shop)
    const chargeKey = `${operation.name}/${points}`
    const budget = { fault: ATTEMPTS, too_many: ATTEMPTS, throttled: THROTTLED_ATTEMPTS, unauthorized: 2, refused: 1 }
    let grant = await access.grant(shop)
    while (true) {
      const taken = charges.get(chargeKey) ?? points
      await throttle.take(taken, signal)
      let trouble: Trouble
      try {
        const answer = await send(grant, operation, variables, signal)
        const cost = costOf(answer.extensions)
        throttle.ended(taken, cost?.throttleStatus ?? null)
        if (cost) charges.set(chargeKey, cost.requestedQueryCost)
        return answer.data as Data
      } catch (error) {
        trouble = diagnose(error)
        const cost = trouble.kind === 'throttled' ? trouble.cost : null
        throttle.ended(taken, cost?.throttleStatus ?? null)
        if (cost) charges.set(chargeKey, cost.requestedQueryCost)
        signal.throwIfAborted()
      }
      log.debug('storefront query failed', { shop, operation: operation.name, trouble: trouble.kind })
      const left = --budget[trouble.kind]
      if (left === 0) throw unavailable(trouble)
      if (trouble.kind === 'unauthorized') grant = await access.renewed(shop, grant)
      else if (trouble.kind === 'too_many') await pause(trouble.waitMs, signal)
      else if (trouble.kind === 'fault') await pause(FIRST_BACKOFF_MS * 2 ** (ATTEMPTS - 1 - left), signal)
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
  signal.throwIfAborted()
}

function unavailable(trouble: Trouble): PortError {
  const reason = {
    throttled: 'it is busy with other requests of this app',
    too_many: 'it asks for fewer requests',
    unauthorized: 'it refused the app’s access',
    fault: 'reason' in trouble ? trouble.reason : '',
    refused: 'reason' in trouble ? trouble.reason : '',
  }[trouble.kind]
  return new PortError('storefront_unavailable', `${ERRORS.storefront_unavailable.message}: ${reason}`, true)
}

// The library's messages carry whole responses, so none is passed on.
function diagnose(error: unknown): Trouble {
  if (error instanceof GraphqlQueryError) {
    const { errors, extensions } = error.body as {
      errors?: { graphQLErrors?: { extensions?: { code?: string } }[] }
      extensions?: unknown
    }
    const codes = errors?.graphQLErrors?.map((one) => one.extensions?.code ?? '') ?? []
    if (codes.includes('THROTTLED')) return { kind: 'throttled', cost: costOf(extensions) }
    if (codes.some((code) => code === 'INTERNAL_SERVER_ERROR' || code === 'TIMEOUT'))
      return { kind: 'fault', reason: 'it failed on the query' }
    return { kind: 'refused', reason: codes.includes('ACCESS_DENIED') ? 'a scope is missing' : 'it refused the query' }
  }
  if (error instanceof HttpThrottlingError) {
    const seconds = error.response.retryAfter
    const waitMs = typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : TOO_MANY_WAIT_MS
    return { kind: 'too_many', waitMs: Math.min(waitMs, LONGEST_RETRY_AFTER_MS) }
  }
  if (error instanceof HttpResponseError) {
    const { code } = error.response
    if (code === 401) return { kind: 'unauthorized' }
    // A proxy's page in place of JSON comes as 200.
    const passing = code >= 500 || code === 408 || code === 200
    return { kind: passing ? 'fault' : 'refused', reason: `it answered HTTP ${code}` }
  }
  if (error instanceof HttpRequestError) return { kind: 'fault', reason: 'it did not answer' }
  throw error
}

function costOf(extensions: unknown): Cost | null {
  const cost = (extensions as { cost?: Partial<Cost> } | undefined)?.cost
  const { maximumAvailable, currentlyAvailable, restoreRate } = cost?.throttleStatus ?? {}
  const numbers = [cost?.requestedQueryCost, maximumAvailable, currentlyAvailable, restoreRate]
  return numbers.every((number) => Number.isFinite(number)) ? (cost as Cost) : null
}
