// The background tasks of this installation, each with the parts that it needs.
import type { Cloud } from '../features/cloud/cloud.ts'
import { dueTask } from '../features/cloud/due.ts'
import { listingTask } from '../features/cloud/listing-task.ts'
import { csvCheckTask } from '../features/csv/check-run.ts'
import { createSkuCount } from '../features/csv/sku-count.ts'
import { dropTask } from '../features/drop/import/task.ts'
import { rematchFiles } from '../features/mapping/rematch-files.ts'
import { scheduleTask } from '../features/schedules/task.ts'
import type { UploadFolder } from '../features/upload/upload.ts'
import { complianceChanges } from '../features/compliance/changes.ts'
import { directAddress } from '../../plugins/contract.ts'
import type { Limits } from '../core/configuration/limits.ts'
import type { Database } from '../core/db/database.ts'
import type { BackgroundTask } from '../core/queue/background.ts'
import { type Engine } from '../engine/engine.ts'
import { prepareTask } from '../features/preparation/run.ts'
import { renewTask } from '../features/preparation/renew.ts'
import type { EngineParts } from '../engine/parts.ts'
import type { Logger } from '../core/log.ts'
import type { GuardedClient } from '../ports/guarded-fetch.ts'
import type { BlobStore } from '../core/store/store.ts'
import { effectTask } from '../features/orders/effects.ts'
import { endPreparation } from '../features/orders/preparation.ts'
import { reconcileTask, syncTask } from '../features/orders/tasks.ts'
import type { Secrets } from '../core/secrets.ts'
import type { Plans } from '../core/configuration/plan-list.ts'
import { planTask } from '../features/settings/shop-plan.ts'
import { mirrorTask } from '../storefront/mirror/mirror.ts'
import { applyProduct } from '../storefront/mirror/product-change.ts'
import type { Storefront } from '../storefront/storefront.ts'
import { changesTask } from '../storefront/webhooks/apply.ts'
import { scrubTask, upkeepTask } from './upkeep.ts'

export interface BackgroundParts {
  database: Database
  engine: Engine
  /** The engine's parts for workflows on deliveries. */
  engineParts: EngineParts
  storefront: Storefront
  stores: ReadonlyMap<string, BlobStore>
  folder: UploadFolder
  client: GuardedClient
  cloud: Cloud
  limits: Limits
  plans: Plans | null
  secrets: Secrets
  /** The start of the addresses that this server gives to others. */
  baseUrl: string
  clock: () => Date
  log: Logger
}

export function backgroundTasks(parts: BackgroundParts): BackgroundTask[] {
  const { database, engine, storefront, stores, folder, client, cloud, limits, clock, log } = parts
  const orders = { database, storefront, secrets: parts.secrets, clock, log }
  const upkeep = { database, stores, uploads: { engine, folder }, clock, log }
  return [
    csvCheckTask({
      database,
      probe: (url, signal) => client.probe(directAddress(url), signal),
      oddSkus: (scope) => createSkuCount(scope, storefront.catalog(scope.shop)),
      limits,
    }),
    mirrorTask({
      ...{ database, storefront, log },
      refreshed: (scope, { matchable }) => rematchFiles(engine, scope, matchable),
    }),
    reconcileTask(orders),
    prepareTask(parts.engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
    renewTask(parts.engineParts, (tx, delivery) => endPreparation(tx, delivery, clock())),
    syncTask(orders),
    effectTask({ ...orders, baseUrl: parts.baseUrl }),
    changesTask(database, {
      product: applyProduct(storefront, (scope, { matchable }) =>
        rematchFiles(engine, scope, matchable),
      ),
      profile: async ({ shop }) => {
        await storefront.refreshProfile(shop)
        return null
      },
      ...complianceChanges({ database, stores, folder, secrets: parts.secrets, clock, log }),
    }),
    planTask({ database, storefront, plans: parts.plans, log }),
    scheduleTask({ database, engine, clock, log }),
    dropTask({ database, engine, stores, log }),
    listingTask({ database, engine, cloud, log }),
    dueTask({ database, engine, cloud, log }),
    upkeepTask(upkeep),
    scrubTask(upkeep),
  ]
}
