// What a sync has carried out becomes the base of the next comparison. It is read from the items'
// outcomes, as often as someone looks: nothing is lost where a worker dies in between.
import type { ShopScope } from '../../db/for-shop.ts'
import { holdConnection } from './connections.ts'

/** Changes that were carried out and are not in the base yet; never those of a mere preview. */
const ENDED = `
  select c.*, coalesce(i.file_id, c.file_id) as now_file,
    coalesce((i.after ->> 'version')::int, c.version, 1) as now_version,
    coalesce(case when c.kind <> 'change' then i.after ->> 'filename' end, c.filename, '') as now_filename
  from sync_changes c
  join syncs s on s.shop_id = c.shop_id and s.id = c.sync_id
  join operations o on o.shop_id = s.shop_id and o.id = s.operation_id
  left join items i on i.shop_id = c.shop_id and i.operation_id = s.operation_id and i.position = c.position
  where c.shop_id = :shop and c.sync_id = :sync and not c.settled
    and not (o.preview and o.round = 0) and o.status not in ('previewing', 'previewed')
    and (c.applied or i.status = 'done' and c.kind not in ('send', 'remove_there')
      or c.position is null and c.kind in ('forget', 'move') and o.finished_at is not null
        and o.status in ('success', 'partial'))`

/** Safe at any time; only the newest sync of a connection has anything to settle. */
export async function settleConnection(scope: ShopScope, connection: string): Promise<void> {
  await scope.transaction(async (tx) => {
    await holdConnection(tx, connection)
    const [newest] = await tx.query<{ id: string }>(
      'select id from syncs where shop_id = :shop and connection_id = :connection order by id desc limit 1',
      { connection },
    )
    if (newest) await settleSync(tx, connection, newest.id)
  })
}

async function settleSync(tx: ShopScope, connection: string, sync: string): Promise<void> {
  const bindings = { connection, sync }
  const settled = await tx.query<{ number: number }>(
    `with ended as materialized (${ENDED}), gone as (
       delete from cloud_files f using ended
       where f.shop_id = :shop and f.connection_id = :connection
         and f.path in (ended.path, ended.from_path)
     )
     update sync_changes set settled = true, file_id = ended.now_file, version = ended.now_version,
       filename = ended.now_filename
     from ended where sync_changes.shop_id = :shop and sync_changes.sync_id = :sync
       and sync_changes.number = ended.number
     returning sync_changes.number`,
    bindings,
  )
  if (settled.length > 0)
    await tx.query(
      `insert into cloud_files (shop_id, connection_id, path, size_bytes, hash, modified_at, file_id, version, filename)
       select distinct on (c.path) :shop, :connection, c.path, c.size_bytes, c.hash, c.modified_at, files.id, c.version, c.filename
       from sync_changes c left join files on files.shop_id = :shop and files.id = c.file_id
       where c.shop_id = :shop and c.sync_id = :sync and c.number = any(:numbers::int[])
         and c.kind not in ('forget', 'remove', 'remove_there') and c.size_bytes is not null
       order by c.path, c.number desc
       on conflict (shop_id, connection_id, path) do nothing`,
      { ...bindings, numbers: settled.map(({ number }) => number) },
    )
  await tx.query(
    `update connections set established = true
     where shop_id = :shop and id = :connection and not established and exists (
       select from syncs s join operations o on o.shop_id = s.shop_id and o.id = s.operation_id
       where s.shop_id = :shop and s.id = :sync and s.phase = 'planned' and o.finished_at is not null
         and o.status in ('success', 'partial') and not (o.preview and o.round = 0))`,
    bindings,
  )
}
