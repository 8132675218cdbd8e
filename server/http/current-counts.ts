// Links and files show download counts that delivery may not have written yet, and a change to them
// must apply to the next download. Their endpoints write the pending counts first, and drop the
// shop's cached links after a change.
import type { Endpoint } from './endpoint.ts'

export interface DownloadCounts {
  /** Resolves when all pending counts are written. */
  flush(): Promise<void>
  /** Forgets what is cached of the shop's links. */
  invalidate(shop: number): void
}

export const withCurrentCounts = (counts: DownloadCounts, endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  handler: async (request) => {
    await counts.flush()
    try {
      return await endpoint.handler(request)
    } finally {
      if (endpoint.method !== 'get') counts.invalidate(request.caller.scope.shop)
    }
  },
})
