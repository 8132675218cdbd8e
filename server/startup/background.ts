// The background tasks of this installation: those of the features, and those that keep the catalog
// mirror, the platform's changes and the storage in order.
import type { BackgroundTask } from '../core/queue/background.ts'
import {
  allChanges,
  allRefreshed,
  allSweeps,
  allTasks,
  BUYER_PLACES,
  type TaskParts,
} from '../features.ts'
import { mirrorTask } from '../storefront/mirror/mirror.ts'
import { applyProduct } from '../storefront/mirror/product-change.ts'
import { changesTask } from '../storefront/webhooks/apply.ts'
import { sumsTask } from './sums-task.ts'
import { scrubTask, upkeepTask } from './upkeep.ts'

/** The platform reports a change of the shop's scopes once. */
const PROFILE_AGAIN_MS = 5 * 60_000

export function backgroundTasks(given: Omit<TaskParts, 'places'>): BackgroundTask[] {
  const parts = { ...given, places: BUYER_PLACES }
  const { database, engine, storefront, stores, folder, clock, log } = parts
  const ofFeatures = allSweeps({ database, uploads: { engine, folder }, clock, log })
  const upkeep = { database, stores, clock, log }
  const refreshed = allRefreshed(parts)
  return [
    ...allTasks(parts),
    mirrorTask({ database, storefront, log, refreshed }),
    changesTask(database, {
      ...allChanges(parts),
      product: applyProduct(storefront, refreshed),
      profile: async ({ shop }) =>
        (await storefront.refreshProfile(shop))
          ? null
          : new Date(clock().getTime() + PROFILE_AGAIN_MS),
    }),
    upkeepTask({ ...upkeep, ofFeatures }),
    scrubTask(upkeep),
    sumsTask({ database, stores, clock, log }),
  ]
}
