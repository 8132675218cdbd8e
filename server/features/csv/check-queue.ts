// The queue of checks: a merchant adds a file or removes it, and a background task checks each one.
// The checks of one shop run one after another, in the order of the requests, so that its slow
// hosts delay no other shop.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { forgetAttempts, queueTask, type TaskKind } from '../../core/queue/background.ts'
import { forgetAnswers } from './answers.ts'
import { requireOpen, requireUpload, type CheckOptions, type CsvUpload } from './uploads.ts'

export const CHECK_CSV: TaskKind = { name: 'check-csv', onePerShop: true }
/** The check of corrected rows: it does not wait for the checks of other files. */
export const RECHECK_CSV: TaskKind = { name: 'recheck-csv', onePerShop: true }

/** SQL: the files that wait for a check or are being checked. */
export const QUEUED_CHECKS = `
  select shop_id, id::text as key, now() as due_at from csv_uploads where status = 'checking' and recheck is null
    order by queued_at`
export const QUEUED_RECHECKS = `
  select shop_id, id::text as key, now() as due_at from csv_uploads where status = 'checking'
    and recheck is not null order by queued_at`

/** Queues the file for a check. Throws `conflict` if its import has started. */
export async function queueCheck(
  scope: ShopScope,
  id: string,
  options: CheckOptions,
): Promise<void> {
  await scope.transaction(async (tx) => {
    await requireOpen(tx, id)
    await tx.query(
      `update csv_uploads set status = 'checking', round = round + 1, check_options = :options,
         progress = null, failure = null, recheck = null, queued_at = now()
       where shop_id = :shop and id = :id`,
      { id, options: JSON.stringify(options) },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
    await forgetAnswers(tx, id)
    await forgetAttempts(tx, CHECK_CSV, id)
    await queueTask(tx, CHECK_CSV, id)
  })
}

/**
 * Queues the check of a checked file whose rows were corrected. It uses the answers of the earlier
 * checks, whose problems are listed until it ends. A file that was not checked stays unchecked.
 */
export async function queueRecheck(
  tx: ShopScope,
  { id, status }: Pick<CsvUpload, 'id' | 'status'>,
): Promise<void> {
  if (status === 'ready') return
  await tx.query(
    `update csv_uploads set status = 'checking', round = round + 1, failure = null, recheck = '{}',
       checked_round = case when recheck is null then round else checked_round end,
       queued_at = now()
     where shop_id = :shop and id = :id`,
    { id },
  )
  await forgetAttempts(tx, RECHECK_CSV, id)
  await queueTask(tx, RECHECK_CSV, id)
}

/**
 * Removes the file from the queue; a worker that is checking it notices when it next writes its
 * progress. Idempotent: a file that is not being checked is unchanged. Throws `conflict` if its
 * import has started.
 */
export async function stopCheck(scope: ShopScope, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { status } = await requireOpen(tx, id)
    if (status !== 'checking') return
    await tx.query(
      `update csv_uploads set status = 'ready', round = round + 1, check_options = null,
         progress = null, failure = null, recheck = null
       where shop_id = :shop and id = :id`,
      { id },
    )
    await tx.query('delete from csv_problems where shop_id = :shop and csv_id = :id', { id })
  })
}

/**
 * Starts a new round, so that a run that was taken over writes nothing. Null: the file is not
 * queued any more.
 */
export async function beginCheck(
  scope: ShopScope,
  id: string,
  { name }: TaskKind,
): Promise<CsvUpload | null> {
  const isQueued = await scope.has(
    `update csv_uploads set round = round + 1 where shop_id = :shop and id = :id
       and status = 'checking' and recheck is ${name === RECHECK_CSV.name ? 'not null' : 'null'}
     returning id`,
    { id },
  )
  return isQueued ? requireUpload(scope, id) : null
}
