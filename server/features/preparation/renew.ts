// Makes a buyer's copy again after its file got a new version; the buyer's link stays the same. The
// earlier copy is served until the new one is ready. If the new one cannot be made, the shop is
// notified and the earlier copy stays.
import { say, sentences } from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { present } from '../../core/lazy.ts'
import { MAX_ATTEMPTS } from '../../engine/failure.ts'
import type { EndedItem } from '../../engine/types.ts'
import type { EngineParts } from '../../engine/parts.ts'
import { endFailed, writeReady, type RunFailure } from './results.ts'
import { executeRun, CRASHED } from './run.ts'
import { beginRenewal, type DeliveryRun } from './runs.ts'

const RUN_CONCURRENCY = 2
/** Deliveries queued in one sweep: thousands of buyers may have copies of one file. */
const MAX_WANTED = 500

/** @param ended as in `prepareTask`; called only if the delivery must be held. */
export const renewTask = (
  parts: EngineParts,
  ended: (tx: ShopScope, delivery: string) => Promise<void>,
): BackgroundTask => ({
  name: 'renew-copies',
  concurrency: RUN_CONCURRENCY,
  waits: true,
  wanted: `select p.shop_id, p.delivery_id::text as key, now() as due_at from prepared_files p
    join delivery_runs r on r.shop_id = p.shop_id and r.delivery_id = p.delivery_id
      and r.status <> 'waiting'
    join shops s on s.id = p.shop_id and s.uninstalled_at is null
    where p.stale group by p.shop_id, p.delivery_id limit ${MAX_WANTED}`,
  run: async (task) => {
    const scope = forShop(parts.database, present(task.shop, 'the task’s shop'))
    const run = await beginRenewal(scope, task.key)
    if (!run) return null
    const result =
      task.attempt > MAX_ATTEMPTS
        ? { failure: CRASHED }
        : await executeRun(parts, scope, run, task, {
            files: await staleFiles(scope, run.delivery_id),
            write: (tx, one) => writeRenewed(tx, run, one),
          })
    if ('again' in result) return result.again
    await scope.transaction(async (tx) => {
      await task.lease.hold(tx)
      await resetAttempts(tx, run)
      const held = 'failure' in result && (await giveUp(tx, run, result.failure))
      if (held) await ended(tx, run.delivery_id)
    })
    return null
  },
})

/** The next new version has all its attempts again. */
const resetAttempts = (tx: ShopScope, { delivery_id: delivery }: DeliveryRun) =>
  tx.query(
    'update delivery_runs set attempts = 0 where shop_id = :shop and delivery_id = :delivery',
    { delivery },
  )

const staleFiles = async (scope: ShopScope, delivery: string): Promise<string[]> =>
  (
    await scope.query<{ file_id: string }>(
      `select file_id from prepared_files where shop_id = :shop and delivery_id = :delivery
         and stale and status = 'ready' order by file_id`,
      { delivery },
    )
  ).map(({ file_id }) => file_id)

async function writeRenewed(
  tx: ShopScope,
  { delivery_id }: DeliveryRun,
  { item, ending }: EndedItem,
): Promise<void> {
  if (ending.status === 'done') await writeReady(tx, delivery_id, item)
  // A rule that leaves the file out now does not take away what the buyer has.
  if (ending.status === 'skipped')
    await keepEarlier(tx, delivery_id, [present(item.file_id, 'the item’s file')])
}

const keepEarlier = (tx: ShopScope, delivery: string, files: readonly string[]) =>
  tx.query(
    `update prepared_files set stale = false where shop_id = :shop and delivery_id = :delivery
       and file_id = any(:files::uuid[]) and hash is not null`,
    { delivery, files },
  )

/**
 * Keeps the earlier copies. Returns true if a file has none: it must not be served unstamped, so
 * the delivery is held, like one that could not be prepared.
 */
async function giveUp(
  tx: ShopScope,
  { delivery_id: delivery, about }: DeliveryRun,
  failure: RunFailure,
): Promise<boolean> {
  const stale = await staleFiles(tx, delivery)
  if (stale.length === 0) return false
  await keepEarlier(tx, delivery, stale)
  const bare = await tx.query(
    `update prepared_files set status = 'waiting', stale = false
     where shop_id = :shop and delivery_id = :delivery and stale returning 1`,
    { delivery },
  )
  const held = bare.length > 0
  if (held) await endFailed(tx, delivery, failure)
  const effect = held
    ? say('The buyer cannot download it until it is prepared.')
    : say('The buyer keeps the earlier version.')
  await raiseNotice(tx, {
    level: 'warning',
    title: say('A new version did not reach the buyer of order {order}', {
      order: about.order.name,
    }),
    body: sentences(say('The shop’s workflow could not prepare it.'), effect, failure.reason),
    operation_id: null,
  })
  return held
}
