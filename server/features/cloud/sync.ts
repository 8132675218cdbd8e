// Starts and cancels syncs: one operation, which is open while the provider is listed. One sync
// runs at a time for each connection.
import { say, textOf } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { startImport } from '../imports/start.ts'
import { cloudChannel } from './channel.ts'
import type { Cloud } from './cloud.ts'
import { holdConnection, type CloudConnection } from './connections.ts'
import { dropRejections } from './rejections.ts'
import { providerOf } from './providers/providers.ts'
import { updateSyncBase } from './sync-base.ts'
import { operationOf, isRunning, newestSync } from './sync-rows.ts'

export const LISTING_TASK = { name: 'cloud-listing' } as const

export interface SyncRequest {
  dryRun: boolean
  /** Whether objects that could not be imported before are tried again. */
  retryRejected?: boolean
  requestedBy: string
  idempotencyKey?: string
}

/**
 * Starts a sync and returns the operation's UUID. Throws `not_found`, `conflict` while a sync runs
 * or if nobody has signed in, and `cloud_unavailable`.
 */
export function startSync(
  cloud: Pick<Cloud, 'rclone'>,
  engine: Engine,
  scope: ShopScope,
  id: string,
  request: SyncRequest,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const connection = await holdConnection(tx, id)
    requireReady(cloud, connection)
    const last = await newestSync(tx, id)
    if (last && isRunning(last))
      throw new AppError('conflict', {
        message: say('A sync of this connection is running already'),
      })
    await updateSyncBase(tx, id)
    if (request.retryRejected) await dropRejections(tx, id)
    if (last?.status === 'previewed') await discard(tx, engine, operationOf(last))
    const sync = await tx.one<{ id: string }>(
      `insert into syncs (shop_id, connection_id, dry_run) values (:shop, :id, :dryRun)
         returning id`,
      { id, dryRun: request.dryRun },
    )
    const operation = await openOperation(tx, engine, connection, sync.id, request)
    await tx.query(
      'update syncs set operation_id = :operation where shop_id = :shop and id = :sync',
      { operation, sync: sync.id },
    )
    await queueTask(tx, LISTING_TASK, sync.id)
    return operation
  })
}

/** Starts the operation of a sync without items, which are added after the listing. */
function openOperation(
  tx: ShopScope,
  engine: Engine,
  { id, name, options: { auto_map, notify, bytes_per_second } }: CloudConnection,
  sync: string,
  { requestedBy, dryRun, idempotencyKey }: SyncRequest,
): Promise<string> {
  return startImport(engine, tx, cloudChannel, {
    files: [],
    open: true,
    label: name,
    from: { connection: id },
    sync,
    requestedBy,
    dryRun,
    // Each batch is a run of rclone that may use the whole bandwidth, so batches run one after
    // another.
    ...(bytes_per_second === null ? {} : { parallel: 1 }),
    // The connection decides, not the settings of the shop.
    auto_map,
    notify,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })
}

/**
 * Checks that a connection can be used. Throws `cloud_unavailable`, and `conflict` if nobody has
 * signed in.
 */
export function requireReady(
  { rclone: { message } }: Pick<Cloud, 'rclone'>,
  { state, provider }: CloudConnection,
): void {
  if (message !== null && !providerOf(provider).folder)
    throw new AppError('cloud_unavailable', { message: textOf(message) })
  if (state === 'unauthorized')
    throw new AppError('conflict', {
      message: say('Authorize this connection first: the provider does not accept it now'),
    })
}

/** Discards an unconfirmed preview, because a new sync replaces it. */
async function discard(tx: ShopScope, engine: Engine, operation: string): Promise<void> {
  await engine.move(tx, operation, 'cancel')
  await tx.query(
    `update notices set read_at = now() where shop_id = :shop and read_at is null
       and operation_id = :operation`,
    { operation },
  )
}

/** Interrupts a running sync; does nothing if none runs. */
export async function cancelSync(tx: ShopScope, engine: Engine, id: string): Promise<void> {
  const last = await newestSync(tx, id)
  if (!last?.operation_id) return
  const operation = await engine.get(tx, last.operation_id)
  if (operation && engine.actions(operation).includes('cancel'))
    await engine.move(tx, operation.id, 'cancel')
}
