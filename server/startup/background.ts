// The background tasks of this installation: those of the features, and those that keep the catalog
// mirror, the platform's changes and the storage in order.
import type { BackgroundTask } from '../core/queue/background.ts'
import { allTasks, BUYER_PLACES, type TaskParts } from '../features.ts'
import { complianceChanges } from '../features/compliance/changes.ts'
import { rematchFiles } from '../features/mapping/rematch-files.ts'
import { mirrorTask } from '../storefront/mirror/mirror.ts'
import { applyProduct } from '../storefront/mirror/product-change.ts'
import { changesTask } from '../storefront/webhooks/apply.ts'
import { sumsTask } from './sums-task.ts'
import { scrubTask, upkeepTask } from './upkeep.ts'

/** The platform reports a change of the shop's scopes once. */
const PROFILE_AGAIN_MS = 5 * 60_000

export function backgroundTasks(parts: TaskParts): BackgroundTask[] {
  const { database, engine, storefront, stores, folder, clock, log } = parts
  const upkeep = { database, stores, uploads: { engine, folder }, clock, log }
  return [
    ...allTasks(parts),
    mirrorTask({
      database,
      storefront,
      log,
      refreshed: (scope, { matchable }) => rematchFiles(engine, scope, matchable),
    }),
    changesTask(database, {
      product: applyProduct(storefront, (scope, { matchable }) =>
        rematchFiles(engine, scope, matchable),
      ),
      profile: async ({ shop }) =>
        (await storefront.refreshProfile(shop))
          ? null
          : new Date(clock().getTime() + PROFILE_AGAIN_MS),
      ...complianceChanges({ ...parts, places: BUYER_PLACES }, storefront.hasAccess),
    }),
    upkeepTask(upkeep),
    scrubTask(upkeep),
    sumsTask({ database, stores, clock, log }),
  ]
}
