// Makes the carried-out changes of a sync the base of the next comparison. They are read from the
// items' outcomes at any time: nothing is lost if a worker dies in between.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import { holdConnection } from './connections.ts'
import { recordRejections } from './rejections.ts'

/** SQL: changes that were carried out and are not in the base yet; never those of a preview. */
const ENDED = `
  select c.number, c.path, c.from_path, coalesce(i.file_id, c.file_id) as now_file,
    coalesce((i.after ->> 'version')::int, c.version, 1) as now_version,
    coalesce(case when c.kind <> 'change' then i.after ->> 'filename' end, c.filename, '')
      as now_filename
  from (select * from sync_changes where shop_id = :shop and sync_id = :sync and not settled) c
  left join (select * from items where shop_id = :shop and operation_id = :operation) i
    on i.position = c.position
  where c.applied or i.status = 'done' and c.kind not in ('send', 'remove_there')
    or :complete and c.position is null and c.kind in ('forget', 'move')`

/** Adds the carried-out changes of the newest sync to the base. Safe at any time. */
export async function updateSyncBase(scope: ShopScope, connection: string): Promise<void> {
  await scope.transaction(async (tx) => {
    const { options } = await holdConnection(tx, connection)
    const [newest] = await tx.query<{ id: string }>(
      `select id from syncs where shop_id = :shop and connection_id = :connection order by id desc
        limit 1`,
      { connection },
    )
    // In a two-way sync, a file without a connection would be sent to the provider again.
    const keepsUnmapped = options.direction === 'two_way' && options.deletions === 'unmap'
    if (newest) await updateBaseFrom(tx, connection, newest.id, keepsUnmapped)
  })
}

async function updateBaseFrom(
  tx: ShopScope,
  connection: string,
  sync: string,
  keepsUnmapped: boolean,
): Promise<void> {
  const [state] = await tx.query<{ operation: string; complete: boolean; failed: boolean }>(
    `select o.id as operation, o.failed > 0 as failed, o.finished_at is not null
       and o.status in ('success', 'partial') as complete
     from syncs s join operations o on o.shop_id = s.shop_id and o.id = s.operation_id
     where s.shop_id = :shop and s.id = :sync and not s.obsolete and not (o.preview and o.round = 0)
       and o.status not in ('previewing', 'previewed')`,
    { sync },
  )
  if (!state) return
  const { failed, operation, complete } = state
  if (failed) await recordRejections(tx, { connection, sync, operation })
  const numbers = await settleEnded(tx, { connection, sync, operation, complete })
  if (numbers !== null) await addToBase(tx, { connection, sync, numbers, keepsUnmapped })
  await markEstablished(tx, { connection, sync })
}

/**
 * Removes the paths of ended changes from the base and the rejections, and returns the numbers of
 * these changes; null: none. One array: one row for each of many changes would need as much memory
 * as the rest of a sync.
 */
async function settleEnded(
  tx: ShopScope,
  ended: { connection: string; sync: string; operation: string; complete: boolean },
): Promise<number[] | null> {
  const settled = await withHashJoins(tx, () =>
    tx.one<{ numbers: number[] | null }>(
      `with ended as materialized (${ENDED}), paths as (
         select path from ended union select from_path from ended where from_path is not null
       ), gone as (
         delete from cloud_files f using paths
         where f.shop_id = :shop and f.connection_id = :connection and f.path = paths.path
       ), imported as (
         delete from cloud_rejections r using paths
         where r.shop_id = :shop and r.connection_id = :connection and r.path = paths.path
       ), marked as (
         update sync_changes set settled = true, file_id = ended.now_file,
           version = ended.now_version, filename = ended.now_filename
         from ended where sync_changes.shop_id = :shop and sync_changes.sync_id = :sync
           and sync_changes.number = ended.number
         returning sync_changes.number
       )
       select array_agg(number) as numbers from marked`,
      ended,
    ),
  )
  return settled.numbers
}

async function addToBase(
  tx: ShopScope,
  settled: { connection: string; sync: string; numbers: number[]; keepsUnmapped: boolean },
): Promise<void> {
  await tx.query(
    `insert into cloud_files (shop_id, connection_id, path, size_bytes, hash, modified_at, file_id,
       version, filename, undone)
     select distinct on (c.path) :shop, :connection, c.path, coalesce(c.size_bytes, 0), c.hash,
       c.modified_at, present.id, c.version, c.filename,
       -- An archive that was unpacked has no file here: nobody deleted it.
       c.file_id is null and c.kind not in ('forget', 'remove', 'remove_there', 'move')
     from sync_changes c
     -- Purged files have no row. "offset 0": each is looked up by its id, even without
     -- statistics.
     left join lateral (select id from files where shop_id = :shop and id = c.file_id offset 0)
       present on true
     where c.shop_id = :shop and c.sync_id = :sync and c.number = any(:numbers::int[])
       and (c.kind not in ('forget', 'remove', 'remove_there') and c.size_bytes is not null
         or c.kind = 'remove' and :keepsUnmapped::boolean)
     order by c.path, c.number desc
     on conflict (shop_id, connection_id, path) do nothing`,
    settled,
  )
}

/** After its first complete sync a connection has a base to compare with. */
async function markEstablished(
  tx: ShopScope,
  ended: { connection: string; sync: string },
): Promise<void> {
  await tx.query(
    `update connections set established = true
     where shop_id = :shop and id = :connection and not established and exists (
       select from syncs s join operations o on o.shop_id = s.shop_id and o.id = s.operation_id
       where s.shop_id = :shop and s.id = :sync and s.phase = 'planned'
         and o.finished_at is not null
         and o.status in ('success', 'partial') and not (o.preview and o.round = 0))`,
    ended,
  )
}

/**
 * Marks objects whose files the undo of a sync removed here: only a person's own deletion is sent
 * to the provider. A file that was restored from the trash is as any other.
 */
export async function markUndone(scope: ShopScope, connection: string): Promise<void> {
  await scope.query(
    `update cloud_files c set undone = false from files f
     where c.shop_id = :shop and c.connection_id = :connection and c.undone
       and f.shop_id = :shop and f.id = c.file_id and f.deleted_at is null`,
    { connection },
  )
  await scope.query(
    `update cloud_files c set undone = true from files f
     where f.shop_id = :shop and f.deleted_at is not null and c.shop_id = :shop and c.file_id = f.id
       and c.connection_id = :connection and not c.undone and exists (
         select from items i
         join operations u on u.shop_id = :shop and u.id = i.operation_id
         join syncs s on s.shop_id = :shop and s.operation_id = u.undoes
           and s.connection_id = :connection
         where i.shop_id = :shop and i.file_id = f.id and i.status = 'done'
           and f.deleted_at between u.created_at and coalesce(u.finished_at, now()))`,
    { connection },
  )
}
