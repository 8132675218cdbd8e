// What plugins may fetch from the internet: connects the guarded client with the shop's storage
// location.
import type { RemoteFetcher } from '../../plugins/contract.ts'
import { createSemaphore, type Semaphore } from '../core/semaphore.ts'
import type { GuardedClient } from './guarded-fetch.ts'
import { stageBytes, type StagePlace } from './stage.ts'

/**
 * Both functions throw `PortError`: `url_not_accessible` and `file_too_large` for the source,
 * `storage_…` for the store.
 */
export function createRemote({
  client,
  places,
  ...place
}: StagePlace & { client: GuardedClient; places?: Semaphore }): RemoteFetcher {
  const requester = { shop: place.shop, ...(places ? { places } : {}) }
  return {
    atMost: (count) => createRemote({ client, places: createSemaphore(count), ...place }),
    probe: (url, signal) => client.probe(url, signal, requester),
    download: async (url, signal) => {
      const { body, content_type } = await client.open(url, signal, requester)
      try {
        return await stageBytes(place, body, content_type, signal)
      } finally {
        await body.return?.()
      }
    },
  }
}
