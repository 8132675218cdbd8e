// The background tasks of this installation: those of the features, and those that keep the catalog
// mirror, the platform's changes and the storage in order.
import { setImmediate as turn } from 'node:timers/promises'
import type { BackgroundTask } from '../core/queue/background.ts'
import {
  allChanges,
  allRefreshed,
  allSweeps,
  allTasks,
  BUYER_PLACES,
  EVENTS,
  type TaskParts,
} from '../features.ts'
import { mirrorTask } from '../storefront/mirror/mirror.ts'
import { applyProduct } from '../storefront/mirror/product-change.ts'
import { changesTask } from '../storefront/apply-changes.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import { errorFields } from '../core/log.ts'
import { present } from '../core/lazy.ts'
import { checkBlob, type BlobCheckParts } from '../files/blob-checks.ts'
import {
  blobsWithoutSum,
  SHOPS_WITHOUT_SUMS,
  storeSums,
  computeSum,
  type BlobWithoutSum,
} from '../files/sha256-sums.ts'
import { scrubTask, upkeepTask } from './upkeep.ts'
import { paceOf, type Pace } from './pace.ts'

/** The platform reports a change of the shop's scopes once. */
const PROFILE_AGAIN_MS = 5 * 60_000

export function backgroundTasks(given: Omit<TaskParts, 'places' | 'events'>): BackgroundTask[] {
  const parts = { ...given, places: BUYER_PLACES, events: EVENTS }
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

// Computes the SHA-256 digests of new bytes, a shop at a time, at a limited rate: nobody waits for
// them. What was not computed when a worker stops is computed by the next run.

/** Takes 3 % of a processor for large files, and 10 % for small ones. */
const RATES = ['32MB', '200'] as const
/** After so many blobs it is the turn of the next shop. */
const RUN = 1000
/** How many digests one statement stores. */
const STORED = 100
/** When blobs that could not be read are tried again. */
const AGAIN_MS = 10 * 60 * 1000
/** A location is left alone for the rest of a run after so many failures. */
const MAX_FAILURES = 20

export interface SumsTaskParts extends BlobCheckParts {
  /** Tests replace the limits. */
  paces?: () => readonly Pace[]
}

const usualPaces = () => RATES.map((rate) => present(paceOf(rate), 'A rate'))

export const sumsTask = (parts: SumsTaskParts): BackgroundTask => ({
  name: 'sha256-sums',
  concurrency: 1,
  wanted: SHOPS_WITHOUT_SUMS,
  run: async ({ shop, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of a task'))
    const { read, failed } = await computeSums(parts, scope, signal)
    signal.throwIfAborted()
    if (failed > 0) return AGAIN_MS
    return read === RUN ? 0 : null
  },
})

async function computeSums(
  parts: SumsTaskParts,
  scope: ShopScope,
  signal: AbortSignal,
): Promise<{ read: number; failed: number }> {
  const paces = (parts.paces ?? usualPaces)()
  const paced = async (items: number, bytes: number) => {
    for (const pace of paces) await pace.done(items, bytes, signal)
  }
  const failures = new Map<string, number>()
  const isLost = (location: string) => (failures.get(location) ?? 0) >= MAX_FAILURES
  let [read, failed] = [0, 0]
  let after: BlobWithoutSum | null = null
  while (read < RUN) {
    const blobs: BlobWithoutSum[] = await blobsWithoutSum(scope, {
      after,
      limit: STORED,
      without: [...failures.keys()].filter(isLost),
    })
    const sums = []
    for (const blob of blobs) {
      if (isLost(blob.location)) continue
      const sum = await sumOrFailure(parts, blob, (bytes) => paced(0, bytes), signal)
      if (sum) sums.push(sum)
      else {
        failed++
        failures.set(blob.location, (failures.get(blob.location) ?? 0) + 1)
      }
      await paced(1, 0)
      await turn()
    }
    await storeSums(scope, sums)
    read += blobs.length
    after = blobs.at(-1) ?? null
    if (blobs.length < STORED) break
  }
  return { read, failed }
}

/** Null: the bytes cannot be read now, or are damaged, which is recorded. */
async function sumOrFailure(
  parts: SumsTaskParts,
  blob: BlobWithoutSum,
  paced: (bytes: number) => Promise<void>,
  signal: AbortSignal,
) {
  const { shop, hash, location } = blob
  const store = parts.stores.get(location)
  if (!store) return null
  try {
    const sum = await computeSum(store, blob, signal, paced)
    if (!sum) await checkBlob(parts, { shop, hash, location }, signal)
    return sum
  } catch (error) {
    if (!signal.aborted)
      parts.log.warn('a digest could not be computed', {
        shop,
        hash,
        location,
        ...errorFields(error),
      })
    return null
  }
}
