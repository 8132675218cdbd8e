// Retention across shops. Ledgers, and sealed addresses of files and callbacks that could be
// retried, are kept for 7 days; each file's result for 90 days; operations for 13 months, like
// messages about no operation. Each operation is one transaction, so a sweep blocks other
// transactions only briefly. Items are divided by the month of their operation
// (server/core/db/month-parts.ts): results that are over are shown no longer, and dropped with
// their month.
import type { Database } from '../core/db/database.ts'
import {
  dropOldest,
  emptyMonth,
  endOfMonth,
  firstIdAt,
  makeMonths,
  readParts,
  type MonthPart,
} from '../core/db/month-parts.ts'
import { inBatches } from '../core/db/sweep-batches.ts'
import { DISCARD } from './moves.ts'
import { FORGET_ENTRY, SECRET_PART } from './sealed.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LEDGER_DAYS = 7
const ITEM_DAYS = 90
const OPERATION_MONTHS = 13
/** The days after which an unconfirmed preview expires. One that is a question has its own time. */
const PREVIEW_DAYS = 7
const OPERATION_BATCH = 100
const NAME_BATCH = 5000

type Pool = Database['pool']

/** Removes what is kept no longer. Returns how many operations it reduced or removed. */
export async function sweepOperations(pool: Pool, now: Date): Promise<number> {
  await discardPreviews(pool, daysBefore(now, PREVIEW_DAYS))
  const stripped = await eachOperation(pool, 'kept', daysBefore(now, LEDGER_DAYS), dropLedger)
  const emptied = await eachOperation(
    pool,
    'results',
    daysBefore(now, ITEM_DAYS),
    dropResults(await monthsToCome(pool, now)),
  )
  const oldest = monthsBefore(now, OPERATION_MONTHS)
  const removed = await eachOperation(pool, 'record', oldest, dropOperation)
  await dropMessages(pool, oldest)
  // The results that name these files were kept as long as this.
  await dropNames(pool, daysBefore(now, ITEM_DAYS))
  await makeMonths(pool, 'items', now)
  await dropMonths(pool, now)
  return stripped + emptied + removed
}

const dropNames = (pool: Pool, before: Date) =>
  inBatches(NAME_BATCH, (limit) =>
    pool.query(
      `delete from purged_files using (
         select shop_id, id from purged_files where purged_at < $1 order by purged_at limit $2
       ) old where purged_files.shop_id = old.shop_id and purged_files.id = old.id`,
      [before, limit],
    ),
  )

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

function monthsBefore(now: Date, months: number): Date {
  const before = new Date(now)
  before.setUTCMonth(before.getUTCMonth() - months)
  return before
}

async function discardPreviews(pool: Pool, before: Date): Promise<void> {
  await pool.query(
    `update operations set ${DISCARD}, finished_at = $1::timestamptz + $2 * interval '1 day'
     where status = 'previewed' and created_at < $1 and continue_at is null`,
    [before, PREVIEW_DAYS],
  )
}

type Detail = 'kept' | 'results' | 'record'
type Sweep = (pool: Pool, shop: number, id: string) => Promise<void>

/**
 * Sweeps every operation that ended before this time and of which this much is kept, except those
 * that are being undone or whose undo can still be retried. Results stay while the workflow waits:
 * its next part is on the files that are done.
 */
async function eachOperation(
  pool: Pool,
  detail: Detail,
  before: Date,
  sweep: Sweep,
): Promise<number> {
  let count = 0
  while (true) {
    const { rows } = await pool.query<{ shop_id: number; id: string }>(
      `select shop_id, id from operations o where detail = $1 and finished_at < $2
         and (detail = 'kept' or continue_at is null)
         and not exists (select from operations u
           where u.shop_id = o.shop_id and u.id = o.undone_by
             and (u.finished_at is null or u.detail = 'kept' and u.failed + u.cancelled > 0))
       order by finished_at limit $3`,
      [detail, before, OPERATION_BATCH],
    )
    for (const { shop_id, id } of rows) await sweep(pool, shop_id, id)
    count += rows.length
    if (rows.length < OPERATION_BATCH) return count
  }
}

async function dropLedger(pool: Pool, shop: number, id: string): Promise<void> {
  await dropAddresses(pool, shop, id)
  await pool.query(
    `with dropped as (
       update items set before = null, after = null, plan = null
       where shop_id = $1 and operation_id = $2 and coalesce(before, after, plan) is not null
     ) update operations set detail = 'results', undo_until = null,
       request = request - 'callback_sealed'
     where shop_id = $1 and id = $2`,
    [shop, id],
  )
}

/**
 * Removes the secrets of addresses, which no request needs any more: a file that is retried later
 * is fetched without its query.
 */
async function dropAddresses(pool: Pool, shop: number, id: string): Promise<void> {
  await pool.query(
    `update items set ${FORGET_ENTRY} where shop_id = $1 and operation_id = $2 and ${SECRET_PART}`,
    [shop, id],
  )
  await pool.query(
    `update outbox set payload = payload - 'sealed'
     where shop_id = $1 and operation_id = $2 and kind = 'callback'
       and status not in ('waiting', 'sending')`,
    [shop, id],
  )
}

/** The months that are dropped later, because operations of theirs may have ended 89 days ago. */
async function monthsToCome(pool: Pool, now: Date): Promise<readonly MonthPart[]> {
  const parts = await readParts(pool, 'items')
  return parts.filter(
    (part) => (endOfMonth(part) ?? now) > daysBefore(now, ITEM_DAYS) && endOfMonth(part),
  )
}

/** Ends what is kept of each file; its rows stay until their month is dropped, if that is to come. */
const dropResults =
  (months: readonly MonthPart[]): Sweep =>
  async (pool, shop, id) => {
    const comes = months.some(({ from, to }) => (from ?? '') <= id && id < (to ?? ''))
    await pool.query(
      `with ${comes ? '' : `dropped as (${ITEMS_OF}),`}
         waiting as (delete from item_batches where shop_id = $1 and operation_id = $2),
         produced as (delete from artifacts where shop_id = $1 and operation_id = $2)
       update operations set detail = 'record' where shop_id = $1 and id = $2`,
      [shop, id],
    )
  }

const ITEMS_OF = 'delete from items where shop_id = $1 and operation_id = $2'

/**
 * Drops the months that ended 90 days ago. Of one that has an operation which ended later, or has
 * not ended, the rows of the others are deleted.
 */
async function dropMonths(pool: Pool, now: Date): Promise<void> {
  let isOldest = true
  for (const part of await readParts(pool, 'items')) {
    const end = endOfMonth(part)
    if (end === null) continue
    if (end > daysBefore(now, ITEM_DAYS)) break
    if (await hasResults(pool, part)) await dropOver(pool, part)
    else if (isOldest && !(await hasResults(pool, { ...part, from: null }))) {
      await dropOldest(pool, 'items', part)
      continue
    } else if (await hasRows(pool, part)) await emptyMonth(pool, part)
    isOldest = false
  }
}

const FIRST_ID = firstIdAt(new Date(0))

async function hasResults(
  pool: Pool,
  { from, to }: Pick<MonthPart, 'from' | 'to'>,
): Promise<boolean> {
  const { rows } = await pool.query(
    `select from operations where id >= $1 and id < $2 and detail <> 'record' limit 1`,
    [from ?? FIRST_ID, to],
  )
  return rows.length > 0
}

async function hasRows(pool: Pool, { name }: MonthPart): Promise<boolean> {
  return (await pool.query(`select from ${name} limit 1`)).rows.length > 0
}

/** Deletes the rows of this part whose operations are only a record. */
async function dropOver(pool: Pool, { from, to }: MonthPart): Promise<void> {
  const { rows } = await pool.query<{ shop_id: number; id: string }>(
    `select shop_id, id from operations o where id >= $1 and id < $2 and detail = 'record'
       and exists (select from items i where i.shop_id = o.shop_id and i.operation_id = o.id)`,
    [from, to],
  )
  for (const { shop_id, id } of rows) await pool.query(ITEMS_OF, [shop_id, id])
}

async function dropOperation(pool: Pool, shop: number, id: string): Promise<void> {
  await pool.query('delete from operations where shop_id = $1 and id = $2', [shop, id])
}

/**
 * Removes messages that are about no operation; the others were removed with theirs. Unsent ones
 * stay.
 */
async function dropMessages(pool: Pool, before: Date): Promise<void> {
  await pool.query('delete from notices where operation_id is null and created_at < $1', [before])
  await pool.query(
    `delete from outbox where operation_id is null and created_at < $1
       and status not in ('waiting', 'sending')`,
    [before],
  )
}

// Staged bytes of unfinished items, across shops: stored by one step, not yet a file's version. An
// operation may be paused for days in between, so the sweeps of the storage locations ask for them.

/** Returns those of the blobs that an unfinished item will need. */
export async function stagedBlobs(
  pool: Database['pool'],
  location: string,
  shop: number,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  // Of operations that have not ended: all items of a shop may be a million.
  const { rows } = await pool.query<{ hash: string }>(
    `select distinct i.staged ->> 'hash' as hash from operations o
     join items i on i.shop_id = o.shop_id and i.operation_id = o.id
     where o.shop_id = $1 and o.finished_at is null and i.staged ->> 'location' = $2
       and i.staged ->> 'hash' = any($3) and i.status in ('pending', 'running')`,
    [shop, location, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}
