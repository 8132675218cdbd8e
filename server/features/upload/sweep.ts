// The sweep of uploads, across shops: removes unfinished ones after a day and imported ones from
// the folder, and imports the received files of abandoned batches. A complete upload is never
// removed before its import has ended.
import type { Database } from '../../core/db/database.ts'
import { isDatabaseUnavailable } from '../../core/db/error-classes.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { errorFields, type Logger } from '../../core/log.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { startBatch } from './batches.ts'
import { finishUpload, type FinishParts } from './finish.ts'
import { uploadPlace, removeBytes } from './places.ts'
import { EXPIRY_MS, type UploadRow } from './rows.ts'
import { importUploads } from './start.ts'

const DAY = `interval '24 hours'`
/** How long failed files can be retried, and results of uploads can be read. */
const KEPT = `interval '7 days'`
const PAGE = 1000

type SweptUpload = UploadRow & { shop_id: number }
type KeptUpload = Pick<UploadRow, 'id' | 'folder'>

/**
 * Sweeps uploads and returns the number of unfinished ones that were removed. Several processes may
 * run it concurrently.
 */
export async function sweepUploads(
  parts: FinishParts & { log: Logger },
  database: Database,
): Promise<number> {
  const removed = await sweepUnfinished(parts, database)
  await startAbandoned(parts, database)
  await removeImported(parts, database)
  await sweepOrphans(parts, database)
  return removed
}

async function sweepUnfinished(
  parts: FinishParts & { log: Logger },
  database: Database,
): Promise<number> {
  const { rows } = await database.pool.query<SweptUpload>(
    `select * from uploads where status = 'uploading' and expires_at < now()
       and ($1::int is null or folder is null or folder = any(array[$1, $2::int])
         or expires_at < now() - ${KEPT})
     order by expires_at limit ${PAGE}`,
    [parts.folder.sharing.number, parts.folder.bucket?.number ?? null],
  )
  let removed = 0
  for (const row of rows) {
    try {
      if (await finishOrRemove(parts, forShop(database, row.shop_id), row)) removed++
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // One upload that fails each time must not keep the others from being swept.
      parts.log.warn('an unfinished upload could not be swept', {
        shop: row.shop_id,
        upload: row.id,
        ...errorFields(error),
      })
    }
  }
  return removed
}

/** Finishes or removes an unfinished upload. True: it was removed. */
async function finishOrRemove(
  parts: FinishParts,
  scope: ShopScope,
  row: UploadRow,
): Promise<boolean> {
  const found = await uploadPlace(parts.folder, row).arrived(row)
  if (found && found.size === row.size_bytes && row.unproved_from === null) {
    // The process died before it had recorded the end of the upload.
    await finishUpload(parts, scope, row)
    return false
  }
  if (found && found.changed.getTime() > Date.now() - EXPIRY_MS) {
    // One request may last longer than a day; the file's time is newer than the row's.
    const until = new Date(found.changed.getTime() + EXPIRY_MS)
    await scope.query('update uploads set expires_at = :until where shop_id = :shop and id = :id', {
      id: row.id,
      until,
    })
    return false
  }
  const isDeleted = await scope.has(
    `delete from uploads where shop_id = :shop and id = :id and status = 'uploading'
       and expires_at < now() returning id`,
    { id: row.id },
  )
  if (isDeleted) await removeBytes(parts.folder, row)
  return isDeleted
}

/**
 * Imports received files of batches that were never started: the page was closed, or the workflow
 * could not run.
 */
async function startAbandoned(
  { engine, log }: FinishParts & { log: Logger },
  database: Database,
): Promise<void> {
  const { rows } = await database.pool.query<SweptUpload>(
    `select distinct on (shop_id, coalesce(batch_id, id)) * from uploads u
     where status = 'received' and operation_id is null
       and (batch_id is null or received_at < now() - ${DAY} and not exists (
       select from uploads o where o.shop_id = u.shop_id and o.batch_id = u.batch_id
         and o.status = 'uploading'))
     limit ${PAGE}`,
  )
  for (const row of rows) {
    const scope = forShop(database, row.shop_id)
    try {
      if (row.batch_id) await startBatch(engine, scope, row.batch_id)
      else await startAlone(engine, scope, row)
    } catch (error) {
      log.warn('an upload could not be imported', {
        shop: row.shop_id,
        upload: row.id,
        ...errorFields(error),
      })
    }
  }
}

/**
 * After this long without a byte or a request of its page the import of a batch ends. A page that
 * leaves is not believed: a reload looks the same and would divide the import. Files that are
 * continued later get another import.
 */
const IDLE = `interval '5 minutes'`

/** Ends the imports of batches that nobody sends any more: the page was closed. */
export async function closeAbandoned(
  { engine, log }: FinishParts & { log: Logger },
  database: Database,
): Promise<void> {
  const { rows } = await database.pool.query<{ shop_id: number; id: string }>(
    `select b.shop_id, b.id from upload_batches b
     join operations o on o.shop_id = b.shop_id and o.id = b.operation_id and o.open
       and o.finished_at is null
     where b.operation_id is not null and b.seen_at < now() - ${IDLE} limit ${PAGE}`,
  )
  for (const { shop_id, id } of rows)
    await startBatch(engine, forShop(database, shop_id), id).catch((error: unknown) =>
      log.warn('an import of uploads could not be closed', {
        shop: shop_id,
        batch: id,
        ...errorFields(error),
      }),
    )
}

const LOOK_MS = 60_000

export interface AbandonedBatchParts extends FinishParts {
  database: Database
  log: Logger
}

/** The background task that ends the imports of closed pages: not hourly, since merchants see them. */
export const abandonedBatchTask = ({
  database,
  ...parts
}: AbandonedBatchParts): BackgroundTask => ({
  name: 'abandoned-batches',
  concurrency: 1,
  run: async () => {
    await closeAbandoned(parts, database)
    return LOOK_MS
  },
})

function startAlone(
  engine: FinishParts['engine'],
  scope: ShopScope,
  row: UploadRow,
): Promise<void> {
  return scope.transaction(async (tx) => {
    const [still] = await tx.query<UploadRow>(
      `select * from uploads where shop_id = :shop and id = :id and operation_id is null
        for update`,
      { id: row.id },
    )
    if (still) await importUploads(engine, tx, [still], { requestedBy: still.requested_by })
  })
}

/**
 * Removes the bytes of imported uploads; those of failed ones are kept while they can be retried.
 */
async function removeImported({ folder }: FinishParts, database: Database): Promise<void> {
  const { rows } = await database.pool.query<KeptUpload>(
    `update uploads u set status = case when i.status = 'done' then 'imported' else 'failed' end,
     settled_at = now()
     from operations o, items i
     where u.status = 'received' and o.shop_id = u.shop_id and o.id = u.operation_id
       and i.shop_id = u.shop_id and i.operation_id = u.operation_id and i.position = u.position
       and (i.status = 'done'
         or o.finished_at < now() - ${KEPT} and i.status not in ('pending', 'running'))
     returning u.id, u.folder`,
  )
  // Files of earlier sweeps are removed again: a process may have died between the row and the
  // file.
  const again = await database.pool.query<KeptUpload>(
    `delete from uploads where status in ('imported', 'failed')
      and settled_at < now() - ${KEPT} returning id, folder`,
  )
  for (const upload of [...rows, ...again.rows]) await removeBytes(folder, upload)
  await database.pool.query(
    `delete from upload_batches b where created_at < now() - ${KEPT}
       and not exists (select from uploads u where u.shop_id = b.shop_id and u.batch_id = b.id)`,
  )
}

/** Removes bytes whose row is gone, or was never written. */
async function sweepOrphans({ folder }: FinishParts, database: Database): Promise<void> {
  const before = new Date(Date.now() - EXPIRY_MS)
  for (const place of folder.bucket ? [folder, folder.bucket] : [folder])
    for await (const ids of place.old(before)) {
      const { rows } = await database.pool.query<{ id: string }>(
        'select id from uploads where id = any($1::uuid[])',
        [ids],
      )
      const known = new Set(rows.map(({ id }) => id))
      for (const id of ids) if (!known.has(id)) await place.remove(id)
    }
}
