// Makes the copies of deliveries again when a file of theirs has another version: buyers find it under
// the link that they have. Until the new copy is there they get the earlier one, and still do when it
// cannot be made; the shop is told then.
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { raiseNotice } from '../../files/notices.ts'
import type { BackgroundTask } from '../background.ts'
import { MAX_ATTEMPTS } from '../batches/failure.ts'
import type { EndedItem, EngineParts } from '../types.ts'
import { writeReady, type RunFailure } from './results.ts'
import { carryOutRun, CRASHED } from './run.ts'
import { readRun, type DeliveryRun } from './runs.ts'

const RUN_CONCURRENCY = 2
/** Of a file that many have bought: their copies take turns with each other. */
const MAX_WANTED = 500

/** @param ended as of `prepareTask`; called where the delivery must be held. */
export const renewTask = (
  parts: EngineParts,
  ended: (tx: ShopScope, delivery: string) => Promise<void>,
): BackgroundTask => ({
  name: 'renew-copies',
  concurrency: RUN_CONCURRENCY,
  wanted: `select p.shop_id, p.delivery_id::text as key, now() as due_at from prepared_files p
    join delivery_runs r on r.shop_id = p.shop_id and r.delivery_id = p.delivery_id and r.status = 'ready'
    join shops s on s.id = p.shop_id and s.uninstalled_at is null
    where p.stale group by p.shop_id, p.delivery_id limit ${MAX_WANTED}`,
  run: async (task) => {
    const scope = forShop(parts.database, task.shop!)
    const run = await readRun(scope, task.key)
    if (run?.status !== 'ready') return null
    const files = await staleFiles(scope, run.delivery_id)
    if (files.length === 0) return null
    const write = (tx: ShopScope, ended: EndedItem) => writeRenewed(tx, run, ended)
    const result =
      task.attempt > MAX_ATTEMPTS
        ? { failure: CRASHED }
        : await carryOutRun(parts, scope, run, task, { files, write })
    if ('again' in result) return new Date(Date.now() + result.again)
    if ('failure' in result) {
      const { failure } = result
      await scope.transaction(async (tx) => {
        await task.lease.hold(tx)
        const held = await giveUp(tx, run, failure)
        if (held) await ended(tx, run.delivery_id)
      })
    }
    return null
  },
})

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
  if (ending.status === 'skipped') await keepEarlier(tx, delivery_id, [item.file_id!])
}

const keepEarlier = (tx: ShopScope, delivery: string, files: readonly string[]) =>
  tx.query(
    `update prepared_files set stale = false where shop_id = :shop and delivery_id = :delivery
       and file_id = any(:files::uuid[]) and hash is not null`,
    { delivery, files },
  )

/**
 * True: one of them has no earlier copy, and nothing without a stamp may be served. The delivery is
 * held then, as it is when it cannot be prepared for the first time.
 */
async function giveUp(
  tx: ShopScope,
  { delivery_id: delivery, about }: DeliveryRun,
  { code, reason }: RunFailure,
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
  if (held)
    await tx.query(
      `update delivery_runs set status = 'failed', code = :code, reason = :reason, updated_at = now()
       where shop_id = :shop and delivery_id = :delivery`,
      { delivery, code, reason },
    )
  const effect = held ? 'The delivery is held.' : 'The buyer keeps the earlier version.'
  await raiseNotice(tx, {
    level: 'warning',
    title: `A new version did not reach the buyer of order ${about.order.name}`,
    body: `The shop’s workflow could not prepare it. ${effect} ${reason}`,
    operation_id: null,
  })
  return held
}
