// The ports of one shop for the engine: guarded fetch, storage, the live catalog, the shop's
// settings.
import type { ShopQuotas } from '../files/quotas.ts'
import { featurePorts, type PortParts } from '../features.ts'
import type { Database } from '../core/db/database.ts'
import { lazy, type Makers, present } from '../core/lazy.ts'
import type { Logger } from '../core/log.ts'
import type { EngineParts, Ports } from '../engine/parts.ts'
import { checkBlob } from '../files/blob-checks.ts'
import { findPack } from '../files/mappings.ts'
import { readContents } from '../files/same-content.ts'
import { readShop } from '../files/shop-settings.ts'
import { createMatcher } from '../matching/match.ts'
import { createTitleCache } from '../matching/title-cache.ts'
import { createBytesPort } from '../ports/bytes.ts'
import { createCatalogPort, createRemote, createStage } from '../ports/catalog.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import type { CheckBlob } from '../ports/repair.ts'
import { SCRATCH } from '../ports/scratch.ts'
import type { Sandboxes } from '../ports/sandbox.ts'
import { createStoredFiles } from '../ports/stored.ts'

interface PortsParts extends Omit<PortParts, 'scope' | 'place' | 'check'> {
  database: Database
  log: Logger
  clock: () => Date
  client: GuardedClient
  sandboxes: Sandboxes
  quotas: Partial<ShopQuotas>
}

/** Each port is made when a plugin that needs it runs, at most once for a batch. */
export function portsFactory(parts: PortsParts): EngineParts['ports'] {
  const match = createMatcher(createTitleCache())
  const check: CheckBlob = (blob, signal) => checkBlob(parts, blob, signal)
  return async (scope, scratch) => {
    const { name, domain, settings } = await readShop(scope)
    const stores = scratch ? new Map([...parts.stores, [SCRATCH, scratch]]) : parts.stores
    // The location of new bytes.
    const location = scratch ? SCRATCH : settings.storage_location
    const store = present(stores.get(location), `The location ${location}`)
    const place = { store, shop: scope.shop, location }
    const ours: Partial<Makers<Ports>> = {
      shop: () => ({ name, domain, settings }),
      catalog: () => createCatalogPort(scope, parts.storefront.catalog(scope.shop), match),
      remote: () => createRemote({ client: parts.client, ...place }),
      stage: () => createStage(place),
      stored: () => createStoredFiles(scope, parts.stores, check, parts.quotas),
      packs: () => ({ find: (pack) => findPack(scope, pack) }),
      contents: () => ({ read: (ids) => readContents(scope, ids, parts.clock()) }),
      bytes: () => createBytesPort({ scope, stores, check, place }),
      sandbox: () => parts.sandboxes.of(scope.shop),
      ...featurePorts({ ...parts, scope, place, check }),
    }
    return lazy(ours as Makers<Ports>)
  }
}
