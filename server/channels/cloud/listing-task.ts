// The background task of a sync: lists the provider, decides, and gives the operation its items.
// Every step can be repeated after a crash.
import type { Database } from '../../db/database.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { RetryLater, type BackgroundTask, type TaskLease } from '../../engine/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { errorFields, type Logger } from '../../log.ts'
import type { Cloud } from './cloud.ts'
import { raiseConfirmation, confirmationDigest } from './confirmation.ts'
import {
  holdConnection,
  listCloudConnections,
  openingOf,
  requireConnection,
  type CloudConnection,
} from './connections.ts'
import { needsConfirmation } from './decide.ts'
import { addItems } from './items.ts'
import { recordLostAccess } from './lost-access.ts'
import { raiseSyncFailure } from './notices.ts'
import { pathFilter } from './patterns.ts'
import { rejectionWarnings } from './rejections.ts'
import { planSync } from './plan.ts'
import { providerOf } from './providers/providers.ts'
import { CloudError } from './rclone/errors.ts'
import { listRemoteFiles, type Listed } from './rclone/listing.ts'
import { markUndone, updateSyncBase } from './sync-base.ts'
import { LISTING_TASK } from './sync.ts'
import { readSync, type SyncRow } from './sync-rows.ts'

export interface ListingParts {
  database: Database
  engine: Engine
  cloud: Cloud
  log: Logger
}

const PAGE = 1000
const CONCURRENCY = 2
const MAX_ATTEMPTS = 3
const RETRY_MS = 20_000
const LOOK_MS = 1000
/** Of the next scheduled sync after a provider did not answer. */
const OUTAGE_HOURS = 1

export const listingTask = (parts: ListingParts): BackgroundTask => ({
  ...LISTING_TASK,
  concurrency: CONCURRENCY,
  wanted: `select shop_id, id::text as key, now() as due_at from syncs where phase = 'listing'`,
  run: async ({ shop, key, attempt, lease, signal }) => {
    const scope = forShop(parts.database, shop!)
    const sync = await readSync(scope, key)
    if (sync?.phase !== 'listing') return null
    const watch = watchOperation(parts.engine, scope, sync.operation_id)
    try {
      await listAndPlan(parts, scope, sync, lease, AbortSignal.any([signal, watch.signal]))
      return null
    } catch (error) {
      signal.throwIfAborted()
      if (watch.signal.aborted) return await endCancelled(scope, sync)
      if (error instanceof CloudError && error.retryable && attempt < MAX_ATTEMPTS)
        throw new RetryLater(
          new Date(Date.now() + Math.max(RETRY_MS, (error.retryAfter ?? 0) * 1000)),
          { cause: error },
        )
      if (!(error instanceof CloudError) && attempt < MAX_ATTEMPTS) throw error
      await fail(parts, scope, sync, error)
      return null
    } finally {
      watch.release()
    }
  },
})

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
  const operation = sync.operation_id!
  const { total } = (await parts.engine.get(scope, operation))!
  // Existing items belong to this plan.
  if (total === 0) {
    // Files of other connections must be recognised as theirs.
    for (const { id } of await listCloudConnections(scope)) await updateSyncBase(scope, id)
    await markUndone(scope, connection.id)
    await listWithNewToken(parts, scope, sync, connection, signal)
    await plan(parts, scope, sync, lease)
  }
  signal.throwIfAborted()
  const current = await requireConnection(scope, connection.id)
  await addItems(parts.engine, scope, { id: sync.id, operation }, current)
  await scope.transaction(async (tx) => {
    await lease.hold(tx)
    // Locked before the sync and its operation, as a change of the connection does.
    await holdConnection(tx, connection.id)
    const [planned] = await tx.query<Pick<SyncRow, 'counts'>>(
      `update syncs set phase = 'planned' where shop_id = :shop and id = :id returning counts`,
      { id: sync.id },
    )
    await parts.engine.close(tx, operation, rejectionWarnings(planned!.counts.rejected ?? 0))
    await tx.query(
      `update connections set state = 'ready', error = null
       where shop_id = :shop and id = :connection and state = 'failing'`,
      { connection: connection.id },
    )
  })
}

/**
 * Repeats a listing whose token was refused, once, with a new token: the refused one may only be
 * old.
 */
async function listWithNewToken(...given: Parameters<typeof list>): Promise<void> {
  const [{ cloud }, , , { id }] = given
  try {
    await list(...given)
  } catch (error) {
    if (!(error instanceof CloudError) || error.code !== 'cloud_access_revoked') throw error
    cloud.renewToken(id)
    await list(...given)
  }
}

async function list(
  { cloud }: ListingParts,
  scope: ShopScope,
  sync: SyncRow,
  connection: CloudConnection,
  signal: AbortSignal,
): Promise<void> {
  const { include, exclude, max_bytes } = connection.options
  const filter = pathFilter(include, exclude)
  const isIgnored = ({ path, size_bytes }: Listed) =>
    size_bytes < 0 || size_bytes > max_bytes || !filter(path)
  await scope.query('delete from cloud_listings where shop_id = :shop and connection_id = :id', {
    id: connection.id,
  })
  const open = await cloud.open(scope, openingOf(cloud, scope, connection))
  let [listed, bytes] = [0, 0]
  try {
    await listRemoteFiles(open.program, open.remote, {
      environment: open.environment,
      signal,
      page: PAGE,
      onPage: async (files) => {
        listed += files.length
        bytes += files.reduce((sum, { size_bytes }) => sum + Math.max(0, size_bytes), 0)
        await writePage(scope, connection.id, files, isIgnored)
        await scope.query(
          `update syncs set listed = :listed, listed_bytes = :bytes where shop_id = :shop and id = :id`,
          { id: sync.id, listed, bytes },
        )
        await scope.query(`select pg_notify('operation_progress', :shop || '/' || :operation)`, {
          operation: sync.operation_id,
        })
      },
    })
  } finally {
    open.close()
  }
}

async function writePage(
  scope: ShopScope,
  connection: string,
  files: readonly Listed[],
  isIgnored: (file: Listed) => boolean,
): Promise<void> {
  const byPath = Map.groupBy(files, ({ path }) => path)
  const same = [...byPath.values()]
  const rows = same.map((of) => of[0]!)
  await scope.query(
    `insert into cloud_listings (shop_id, connection_id, path, size_bytes, hash, modified_at, ignored, duplicate)
     select :shop, :connection, path, size_bytes, hash, modified_at::timestamptz, ignored, duplicate
     from unnest(:paths::text[], :sizes::bigint[], :hashes::text[], :times::text[], :ignored::boolean[], :duplicates::boolean[])
       as l(path, size_bytes, hash, modified_at, ignored, duplicate)
     on conflict (shop_id, connection_id, path) do update
       set duplicate = true, ignored = cloud_listings.ignored and excluded.ignored`,
    {
      connection,
      paths: rows.map(({ path }) => path),
      sizes: rows.map(({ size_bytes }) => size_bytes),
      hashes: rows.map(({ hash }) => hash),
      times: rows.map(({ modified_at }) => modified_at),
      ignored: same.map((of) => of.every(isIgnored)),
      duplicates: same.map((of) => of.length > 1),
    },
  )
}

/**
 * Decides, and asks a person to confirm if too much would be deleted or replaced, unless exactly
 * that was confirmed.
 */
async function plan(
  { engine }: ListingParts,
  scope: ShopScope,
  { id, connection_id, operation_id: operation, dry_run }: SyncRow,
  lease: TaskLease,
): Promise<void> {
  await scope.transaction(async (tx) => {
    await lease.hold(tx)
    const connection = await holdConnection(tx, connection_id)
    const { preview, status } = (await engine.get(tx, operation!))!
    const changed = preview && status !== 'previewing'
    const confirmed = changed ? await confirmationDigest(tx, id, connection) : null
    const { counts, guard } = await planSync(tx, id, connection)
    const danger = needsConfirmation(guard)
    const asks =
      danger !== null && !dry_run && (await confirmationDigest(tx, id, connection)) !== confirmed
    if (asks && (await engine.preview(tx, operation!)))
      await raiseConfirmation(tx, connection, operation!, {
        reason: danger,
        counts: guard,
        changed,
      })
    const reason = asks && changed ? 'changed' : (danger ?? (dry_run ? 'requested' : null))
    await tx.query(
      `update syncs set counts = :counts, preview_reason = :reason where shop_id = :shop and id = :id`,
      { id, counts: JSON.stringify(counts), reason },
    )
  })
}

/** Ends the operation as failed, and shows the reason at the connection. */
async function fail(
  { engine, log }: ListingParts,
  scope: ShopScope,
  { id, connection_id, operation_id }: SyncRow,
  error: unknown,
): Promise<void> {
  const cause = error instanceof CloudError ? error : new CloudError('cloud_failed')
  if (!(error instanceof CloudError))
    log.error('a cloud connection could not be listed', { sync: id, ...errorFields(error) })
  const { code, message } = cause
  const said = JSON.stringify({ code, message })
  await scope.transaction(async (tx) => {
    const connection = await holdConnection(tx, connection_id)
    await tx.query(
      `update syncs set phase = 'failed', error = :said where shop_id = :shop and id = :id`,
      { id, said },
    )
    await engine.fail(tx, operation_id!, { step: 'sync', code, message })
    if (code === 'cloud_access_revoked' && providerOf(connection.provider).oauth)
      return recordLostAccess(tx, connection_id, operation_id)
    await tx.query(
      `update connections set state = 'failing', error = :said, next_sync_at = case
         when :temporary and next_sync_at is not null then least(next_sync_at, now() + :hours * interval '1 hour')
         else next_sync_at end
       where shop_id = :shop and id = :connection_id`,
      { connection_id, said, temporary: cause.retryable, hours: OUTAGE_HOURS },
    )
    await raiseSyncFailure(tx, connection, message, operation_id)
  })
}
