// Syncs that a person must confirm. Days may pass before the confirmation, so the provider is then
// listed again, and what was confirmed is compared with what the sync would do now.
import { say, sentences } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { queueTask } from '../../core/queue/background.ts'
import type { Engine } from '../../engine/engine.ts'
import { raiseNoticeOnce } from '../../core/outbox/notices.ts'
import type { Cloud } from './cloud.ts'
import { holdConnection, type CloudConnection } from './connections.ts'
import type { DeletionCounts, GuardReason } from './decide.ts'
import { confirmationTitle } from './notices.ts'
import { readSync } from './sync-rows.ts'
import { LISTING_TASK, requireReady } from './sync.ts'

/**
 * Confirms the preview of a sync: the same operation lists the provider again. Throws `not_found`,
 * `operation_state` if its operation is not a preview, and as `startSync` does.
 */
export function confirmSync(
  cloud: Pick<Cloud, 'rclone'>,
  engine: Engine,
  scope: ShopScope,
  about: { sync: string; operation: string },
): Promise<void> {
  return scope.transaction(async (tx) => {
    const sync = await readSync(tx, about.sync)
    // The connection was deleted with it, and the preview discarded.
    if (!sync) return engine.move(tx, about.operation, 'confirm')
    requireReady(cloud, await holdConnection(tx, sync.connection_id))
    await engine.reopen(tx, about.operation)
    await tx.query(
      `update syncs set phase = 'listing', dry_run = false, listed = 0, listed_bytes = 0
       where shop_id = :shop and id = :id`,
      { id: sync.id },
    )
    await queueTask(tx, LISTING_TASK, sync.id)
  })
}

/**
 * A digest of what the sync's plan would delete or replace, and what a first sync would send. A
 * file that has another version since gives another digest.
 */
export async function confirmationDigest(
  tx: ShopScope,
  sync: string,
  { established }: CloudConnection,
): Promise<string> {
  const row = await tx.one<{ digest: string }>(
    `select md5(coalesce(string_agg(kind || ' ' || file_id || ' ' || version || ' ' || path, chr(10)
       order by kind, file_id, path), '')) as digest
     from sync_changes where shop_id = :shop and sync_id = :sync and file_id is not null and (
       kind in ('remove', 'remove_there') or kind = 'add' or kind = 'send'
         and not :established::boolean)`,
    { sync, established },
  )
  return row.digest
}

const CHANGED = say('The folder has changed since the preview that you confirmed.')

/** Raises the notice that asks to confirm a sync. `changed`: another plan was confirmed before. */
export function raiseConfirmation(
  tx: ShopScope,
  { name }: CloudConnection,
  operation: string,
  { reason, counts, changed }: { reason: GuardReason; counts: DeletionCounts; changed: boolean },
): Promise<void> {
  const { deleted, replaced, sent, known } = counts
  const what = {
    first_sync: say(
      'Its first sync would replace {count} and delete {files, plural, one {# file} other {# files}}.',
      {
        count: replaced,
        files: deleted,
      },
    ),
    deletions: say(
      'It would delete {count} of {total, plural, one {# file} other {# files}}, and a sync may delete 20 % or 100 files.',
      { count: deleted, total: known },
    ),
    uploads: say(
      'Its first sync would send {count, plural, one {# file} other {# files}} to the provider.',
      { count: sent },
    ),
  }[reason]
  return raiseNoticeOnce(tx, {
    level: 'warning',
    title: confirmationTitle(name),
    body: sentences(
      ...(changed ? [CHANGED] : []),
      what,
      say('Nothing was changed: look at the preview and confirm it.'),
    ),
    operation_id: operation,
  })
}
