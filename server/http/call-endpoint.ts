// One endpoint that does its work by others: they check, log and refuse as they do for a request of
// the caller.
import type { Context } from 'koa'
import { requireFeature } from '../files/quotas.ts'
import type { Caller, Endpoint } from './endpoint.ts'
import { requireScope, validBody } from './router.ts'
import { validate } from './validate.ts'

export interface CalledRequest {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: unknown
}

/** Calls an endpoint by its address: `GET /api/packs/{id}`. Throws what it throws. */
export type CallEndpoint = (address: string, request?: CalledRequest) => Promise<unknown>

/** Calls these endpoints as the caller, in the transaction of the caller’s scope. */
export const callerOf =
  (
    endpointOf: (address: string) => Endpoint,
    { caller, ctx, signal }: { caller: Caller; ctx: Context; signal: AbortSignal },
  ): CallEndpoint =>
  async (address, { params = {}, query = {}, body: given } = {}) => {
    const endpoint = endpointOf(address)
    requireScope(caller, endpoint)
    const body = await validBody(endpoint, caller, params, given)
    if (endpoint.feature && !endpoint.switchesOff?.(body))
      await requireFeature(caller.scope, endpoint.feature)
    const reply = await endpoint.handler({
      caller,
      ctx,
      signal,
      params,
      query: endpoint.query ? validate(endpoint.query, query) : {},
      body,
      idempotencyKey: undefined,
    })
    return reply?.body
  }
