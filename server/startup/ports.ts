// The ports of one shop for the engine: guarded fetch, storage, the live catalog, the shop's
// settings.
import type { Cloud } from '../features/cloud/cloud.ts'
import type { UploadFolder } from '../features/upload/upload.ts'
import { featurePorts } from '../features.ts'
import type { Database } from '../core/db/database.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Logger } from '../core/log.ts'
import type { EngineParts, Ports } from '../engine/parts.ts'
import { checkBlob } from '../files/blob-checks.ts'
import { findPack } from '../files/packs.ts'
import { readShop } from '../files/shop-settings.ts'
import { createMatcher } from '../matching/match.ts'
import { createTitleCache } from '../matching/title-cache.ts'
import { createBytesPort } from '../ports/bytes.ts'
import { createCatalogPort } from '../ports/catalog.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import { createRemote } from '../ports/remote.ts'
import type { CheckBlob } from '../ports/repair.ts'
import { SCRATCH } from '../ports/scratch.ts'
import type { Sandboxes } from '../ports/sandbox.ts'
import { createStage } from '../ports/stage.ts'
import { createPastOrders } from '../features/orders/past-orders.ts'
import { createStoredFiles } from '../ports/stored.ts'
import type { BlobStore } from '../core/store/store.ts'
import type { Storefront } from '../storefront/storefront.ts'
import { present } from '../core/present.ts'

export function portsFactory(parts: {
  database: Database
  log: Logger
  clock: () => Date
  client: GuardedClient
  stores: ReadonlyMap<string, BlobStore>
  storefront: Storefront
  uploads: UploadFolder
  cloud: Cloud
  secrets: Secrets
  sandboxes: Sandboxes
}): EngineParts['ports'] {
  const match = createMatcher(createTitleCache())
  const check: CheckBlob = (blob, signal) => checkBlob(parts, blob, signal)
  return async (scope, scratch) => {
    const { name, domain, settings } = await readShop(scope)
    const stores = scratch ? new Map([...parts.stores, [SCRATCH, scratch]]) : parts.stores
    // The location of new bytes.
    const location = scratch ? SCRATCH : settings.storage_location
    const store = present(stores.get(location), `The location ${location}`)
    const place = { store, shop: scope.shop, location }
    const { uploads, cloud } = parts
    const ours: Partial<Ports> = {
      shop: { name, domain, settings },
      catalog: createCatalogPort(scope, parts.storefront.catalog(scope.shop), match),
      remote: createRemote({ client: parts.client, ...place }),
      stage: createStage(place),
      stored: createStoredFiles(scope, parts.stores, check),
      packs: { find: (pack) => findPack(scope, pack) },
      bytes: createBytesPort({ scope, stores, check, place }),
      pastOrders: createPastOrders(scope, {
        orders: parts.storefront.orders(scope.shop),
        secrets: parts.secrets,
      }),
      sandbox: parts.sandboxes.of(scope.shop),
      ...featurePorts({ scope, place, stores: parts.stores, check, uploads, cloud }),
    }
    return ours as Ports
  }
}
