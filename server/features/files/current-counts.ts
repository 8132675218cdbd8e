// Links and files show download counts that delivery may not have written yet, and a change to them
// must apply to the next download. Their endpoints write the pending counts first, and drop the
// shop's cached links after a change.
import type { Delivery } from '../downloads/downloads.ts'
import type { Endpoint } from '../../http/endpoint.ts'

export const withCurrentCounts =
  (delivery: Pick<Delivery, 'flush' | 'invalidate'>) =>
  (endpoints: readonly Endpoint[]): Endpoint[] =>
    endpoints.map((endpoint) => ({
      ...endpoint,
      handler: async (request) => {
        await delivery.flush()
        try {
          return await endpoint.handler(request)
        } finally {
          if (endpoint.method !== 'get') delivery.invalidate(request.caller.scope.shop)
        }
      },
    }))
