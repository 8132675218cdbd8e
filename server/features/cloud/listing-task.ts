// The background task of a sync: lists the provider, decides, and gives the operation its items.
// Every step can be repeated after a crash.
import { storedMessage } from '../../core/texts.ts'
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { RetryLater, type BackgroundTask, type TaskLease } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { errorFields, type LogFields, type Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import type { Cloud } from './cloud.ts'
import { raiseConfirmation, confirmationDigest } from './confirmation.ts'
import { holdConnection, listCloudConnections, requireConnection } from './connections.ts'
import { needsConfirmation } from './decide.ts'
import { findMoved } from './find-moved.ts'
import { addItems } from './items.ts'
import { listProvider } from './list-provider.ts'
import { recordLostAccess } from './lost-access.ts'
import { raiseSyncFailure } from './notices.ts'
import { planSync } from './plan.ts'
import { providerOf } from './providers/providers.ts'
import { CloudError } from './rclone/errors.ts'
import { rejectionWarnings } from './rejections.ts'
import { markUndone, updateSyncBase } from './sync-base.ts'
import { LISTING_TASK } from './sync.ts'
import { operationOf, readSync, type SyncRow } from './sync-rows.ts'

export interface ListingParts {
  database: Database
  engine: Engine
  cloud: Cloud
  log: Logger
}

const CONCURRENCY = 4
const MAX_ATTEMPTS = 3
const RETRY_MS = 20_000
/** rclone has waited for this long in its own tries if the provider does not answer at all. */
const SILENT_MS = 60_000
const LOOK_MS = 1000
/** The delay of the next scheduled sync after a provider did not answer. */
const OUTAGE_HOURS = 1

export const listingTask = (parts: ListingParts): BackgroundTask => ({
  ...LISTING_TASK,
  concurrency: CONCURRENCY,
  waits: true,
  wanted: `select shop_id, id::text as key, now() as due_at from syncs where phase = 'listing'`,
  run: async ({ shop, key, attempt, lease, signal }) => {
    const scope = forShop(parts.database, present(shop, 'The shop of the run'))
    const sync = await readSync(scope, key)
    if (sync?.phase !== 'listing') return null
    const watch = watchOperation(parts.engine, scope, sync.operation_id)
    const began = performance.now()
    try {
      await listAndPlan(parts, scope, sync, lease, AbortSignal.any([signal, watch.signal]))
      return null
    } catch (error) {
      signal.throwIfAborted()
      if (watch.signal.aborted) return await endCancelled(scope, sync)
      const isSilent = performance.now() - began > SILENT_MS && (await hasListedNothing(scope, key))
      const retry = attempt < MAX_ATTEMPTS ? retryOf(error, isSilent) : null
      if (retry) throw logged(parts.log, retry, { sync: key, connection: sync.connection_id })
      await fail(parts, scope, sync, error)
      return null
    } finally {
      watch.release()
    }
  },
})

async function hasListedNothing(scope: ShopScope, sync: string): Promise<boolean> {
  return (await readSync(scope, sync))?.listed === 0
}

/** The error that makes the task run again, or null if another run would not help. */
function retryOf(error: unknown, isSilent: boolean): Error | null {
  if (!(error instanceof CloudError)) return error as Error
  if (!error.retryable || (isSilent && error.code === 'cloud_unreachable')) return null
  const ms = Math.max(RETRY_MS, (error.retryAfter ?? 0) * 1000)
  return new RetryLater(ms, { cause: error })
}

/** Logs a `RetryLater`, because the task itself does not; returns the error. */
function logged(log: Logger, error: Error, fields: LogFields): Error {
  if (error instanceof RetryLater)
    log.warn('a cloud sync could not be prepared, it will be tried again', {
      ...fields,
      ...errorFields(error.cause),
    })
  return error
}

/** A signal that aborts when the operation takes no more items: it was cancelled. */
function watchOperation(engine: Engine, scope: ShopScope, operation: string | null) {
  const gone = new AbortController()
  let looking = false
  const look = async () => {
    if (looking) return
    looking = true
    try {
      const row = operation === null ? null : await engine.get(scope, operation)
      if (!row || row.finished_at !== null || row.status === 'cancelled')
        gone.abort(new Error('the sync was cancelled'))
    } catch {
      // The next check may succeed.
    } finally {
      looking = false
    }
  }
  const forget = engine.onProgress(scope.shop, (id) => {
    if (id === null || id === operation) void look()
  })
  const timer = setInterval(() => void look(), LOOK_MS)
  return {
    signal: gone.signal,
    release: () => {
      clearInterval(timer)
      forget()
    },
  }
}

const endCancelled = async (scope: ShopScope, { id }: SyncRow): Promise<null> => {
  await scope.query(`update syncs set phase = 'failed' where shop_id = :shop and id = :id`, { id })
  return null
}

async function listAndPlan(
  parts: ListingParts,
  scope: ShopScope,
  sync: SyncRow,
  lease: TaskLease,
  signal: AbortSignal,
): Promise<void> {
  const connection = await requireConnection(scope, sync.connection_id)
  const operation = operationOf(sync)
  const { total } = present(await parts.engine.get(scope, operation), 'The operation')
  // Existing items belong to this plan.
  if (total === 0) {
    // Files of other connections must be recognised as theirs.
    for (const { id } of await listCloudConnections(scope)) await updateSyncBase(scope, id)
    await markUndone(scope, connection.id)
    await listProvider(parts.cloud, scope, sync, connection, signal)
    await findMoved(parts.cloud, scope, connection, signal)
    await plan(parts, scope, sync, lease)
  }
  signal.throwIfAborted()
  const current = await requireConnection(scope, connection.id)
  await addItems(parts.engine, scope, { id: sync.id, operation }, current)
  await scope.transaction(async (tx) => {
    await lease.hold(tx)
    // Locked before the sync and its operation, as a change of the connection does.
    await holdConnection(tx, connection.id)
    const planned = await tx.one<Pick<SyncRow, 'counts'>>(
      `update syncs set phase = 'planned' where shop_id = :shop and id = :id returning counts`,
      { id: sync.id },
    )
    await parts.engine.close(tx, operation, rejectionWarnings(planned.counts))
    await tx.query(
      `update connections set state = 'ready', error = null
       where shop_id = :shop and id = :connection and state = 'failing'`,
      { connection: connection.id },
    )
  })
}

/**
 * Decides, and asks a person to confirm if too much would be deleted or replaced, unless exactly
 * that was confirmed.
 */
async function plan(
  { engine }: ListingParts,
  scope: ShopScope,
  sync: SyncRow,
  lease: TaskLease,
): Promise<void> {
  const { id, connection_id, dry_run } = sync
  const operation = operationOf(sync)
  await scope.transaction(async (tx) => {
    await lease.hold(tx)
    const connection = await holdConnection(tx, connection_id)
    const { preview, status } = present(await engine.get(tx, operation), 'The operation')
    const changed = preview && status !== 'previewing'
    const confirmed = changed ? await confirmationDigest(tx, id, connection) : null
    const { counts, guard } = await planSync(tx, id, connection)
    const danger = needsConfirmation(guard)
    const asks =
      danger !== null && !dry_run && (await confirmationDigest(tx, id, connection)) !== confirmed
    if (asks && (await engine.preview(tx, operation)))
      await raiseConfirmation(tx, connection, operation, {
        reason: danger,
        counts: guard,
        changed,
      })
    const reason = asks && changed ? 'changed' : (danger ?? (dry_run ? 'requested' : null))
    await tx.query(
      `update syncs set counts = :counts, preview_reason = :reason where shop_id = :shop
         and id = :id`,
      { id, counts: JSON.stringify(counts), reason },
    )
  })
}

/** Ends the operation as failed, and shows the reason at the connection. */
async function fail(
  { engine, log }: ListingParts,
  scope: ShopScope,
  sync: SyncRow,
  error: unknown,
): Promise<void> {
  const { id, connection_id } = sync
  const operation = operationOf(sync)
  const cause = error instanceof CloudError ? error : new CloudError('cloud_failed')
  if (!(error instanceof CloudError))
    log.error('a cloud connection could not be listed', { sync: id, ...errorFields(error) })
  const { code, text: message } = cause
  const said = JSON.stringify({ code, ...storedMessage(message) })
  await scope.transaction(async (tx) => {
    const connection = await holdConnection(tx, connection_id)
    await tx.query(
      `update syncs set phase = 'failed', error = :said where shop_id = :shop and id = :id`,
      { id, said },
    )
    await engine.fail(tx, operation, { step: 'sync', code, ...storedMessage(message) })
    if (code === 'cloud_access_revoked' && providerOf(connection.provider).oauth)
      return recordLostAccess(tx, connection_id, operation)
    await tx.query(
      `update connections set state = 'failing', error = :said, next_sync_at = case
         when :temporary and next_sync_at is not null
           then least(next_sync_at, now() + :hours * interval '1 hour')
         else next_sync_at end
       where shop_id = :shop and id = :connection_id`,
      { connection_id, said, temporary: cause.retryable, hours: OUTAGE_HOURS },
    )
    await raiseSyncFailure(tx, connection, message, operation)
  })
}
