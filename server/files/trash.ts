// The trash: a file is kept there for 7 days with its links, then purged.
import type { Database } from '../core/db/database.ts'
import { inBatches } from '../core/db/sweep-batches.ts'

const TRASH_DAYS = 7
/** SQL, for a row of `files` in the trash: its days have ended, and the next sweep purges it. */
export const TRASH_EXPIRED = `files.deleted_at <= now() - interval '${TRASH_DAYS} days'`
/** The same, for lists: without an index of the time, they are read in their order. */
export const TRASH_ENDED = `files.deleted_at + interval '${TRASH_DAYS} days' <= now()`
const FILE_BATCH = 5000
const MAX_DELETED = 100
const MAX_SHARE = 0.2

/** Whether a person must confirm that so many of these files are deleted together. */
export const mustConfirmDeletions = (deleted: number, of: number): boolean =>
  deleted > MAX_DELETED || deleted > of * MAX_SHARE

/**
 * SQL: keeps the names of purged files, the rows `gone (shop_id, id, filename)`, for the results of
 * operations that name them.
 */
export const KEEP_NAMES = `insert into purged_files (shop_id, id, filename)
  select shop_id, id, filename from gone on conflict do nothing`

/**
 * Purges expired files of all shops, and returns their number.
 * @param batch how many files one statement deletes; tests set fewer.
 */
export const sweepTrash = (
  pool: Database['pool'],
  now: Date,
  batch = FILE_BATCH,
): Promise<number> =>
  inBatches(batch, (limit) =>
    pool.query(
      `with gone as (
         delete from files using (
           select shop_id, id from files where deleted_at < $1::timestamptz - $2 * interval '1 day'
             and not exists (select from file_claims c where c.shop_id = files.shop_id
               and c.file_id = files.id)
           order by shop_id, id limit $3 for update skip locked
         ) old where files.shop_id = old.shop_id and files.id = old.id
         returning files.shop_id, files.id, files.filename
       ), kept as (${KEEP_NAMES})
       select from gone`,
      [now, TRASH_DAYS, limit],
    ),
  )
