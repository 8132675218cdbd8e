// Syncs by the clock: each due connection starts a sync, once, with any number of workers. It looks
// across shops; each sync belongs to its own shop.
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDatabaseUnavailable, isRollback } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { AppError } from '../../core/errors.ts'
import { errorFields } from '../../core/log.ts'
import { firstOf } from '../../core/lazy.ts'
import type { ListingParts } from './listing-task.ts'
import { markUndone, updateSyncBase } from './sync-base.ts'
import { startSync } from './sync.ts'

const LOOK_MS = 10_000
const DUE_BATCH = 100
/** The age of abandoned objects in the staging folder: a run takes a day at most. */
const STALE_MS = 25 * 3_600_000

export const dueTask = (parts: ListingParts): BackgroundTask => ({
  name: 'cloud-syncs',
  concurrency: 1,
  run: async () => {
    await updateEndedBases(parts)
    await startDue(parts)
    await sweepStaging(parts.cloud.stagingFolder)
    return LOOK_MS
  },
})

/** Starts the due syncs and returns their number. Exported for tests that start them without waiting for the minute. */
export async function startDue(parts: ListingParts): Promise<number> {
  const { rows } = await parts.database.pool.query<{ shop_id: number; id: string }>(
    `select c.shop_id, c.id from connections c join shops on shops.id = c.shop_id
     where c.next_sync_at <= now() and shops.uninstalled_at is null order by c.next_sync_at
       limit $1`,
    [DUE_BATCH],
  )
  let started = 0
  for (const { shop_id, id } of rows) {
    try {
      if (await forShop(parts.database, shop_id).transaction((tx) => fire(parts, tx, id))) started++
    } catch (error) {
      parts.log.warn('a cloud sync could not be started, it will be tried again', {
        connection: id,
        ...errorFields(error),
      })
    }
  }
  return started
}

/**
 * Sets the next time in the transaction that starts this sync, so that no sync is lost or started
 * twice.
 */
async function fire(
  { cloud, engine, log }: ListingParts,
  tx: ShopScope,
  id: string,
): Promise<boolean> {
  const due = await tx.query<{ name: string }>(
    `update connections set next_sync_at = now() + frequency_hours * interval '1 hour'
     where shop_id = :shop and id = :id and next_sync_at <= now() returning name`,
    { id },
  )
  if (due.length === 0) return false
  try {
    const requestedBy = `connection ${firstOf(due).name}`
    await tx.transaction((inner) =>
      startSync(cloud, engine, inner, id, { dryRun: false, requestedBy }),
    )
    return true
  } catch (error) {
    if (isDatabaseUnavailable(error) || isRollback(error) || !(error instanceof AppError))
      throw error
    // A sync is running already, or a person must sign in: the connection shows that.
    log.info('a cloud sync was not started', { connection: id, code: error.code })
    return false
  }
}

/** Updates the bases of connections whose syncs have ended, or were undone, since the last run. */
async function updateEndedBases({ database, log }: ListingParts): Promise<void> {
  const { rows } = await database.pool.query<{ shop_id: number; connection_id: string }>(
    `select distinct s.shop_id, s.connection_id from syncs s
     join operations o on o.shop_id = s.shop_id and o.id = s.operation_id
     left join operations undo on undo.shop_id = o.shop_id and undo.id = o.undone_by
     where s.phase = 'planned' and greatest(o.finished_at, undo.finished_at) > now() -
       interval '1 hour' limit 1000`,
  )
  for (const { shop_id, connection_id } of rows)
    await updateBase(forShop(database, shop_id), connection_id).catch((error: unknown) => {
      log.warn('the base of a cloud sync could not be updated, it will be tried again', {
        connection: connection_id,
        ...errorFields(error),
      })
    })
}

async function updateBase(scope: ShopScope, connection: string): Promise<void> {
  await updateSyncBase(scope, connection)
  await markUndone(scope, connection)
}

/** Removes files that a killed process left. */
async function sweepStaging(folder: string): Promise<void> {
  const before = Date.now() - STALE_MS
  for (const connection of await readdir(folder).catch(() => []))
    for (const run of await readdir(path.join(folder, connection)).catch(() => [])) {
      const place = path.join(folder, connection, run)
      const found = await stat(place).catch(() => null)
      if (found && found.mtimeMs < before) await rm(place, { recursive: true, force: true })
    }
}
