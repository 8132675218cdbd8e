// A sync's decisions, by their items.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { packOf } from './names.ts'
import type { ChangeRow } from './sync-changes.ts'

export interface SyncTask extends ChangeRow {
  number: number
  position: number
  applied: boolean
  /** The pack of the object's subfolder, if the connection makes packs. */
  pack: string | null
}

/**
 * Reads the tasks of items, by position. Empty if the connection was deleted, has another folder or
 * has been synced again since.
 */
export async function tasksOf(
  scope: ShopScope,
  sync: string,
  positions: readonly number[],
): Promise<{ connection: string | null; tasks: Map<number, SyncTask> }> {
  if (sync === '') return { connection: null, tasks: new Map() }
  const rows = await scope.query<SyncTask & { connection_id: string; packs: boolean }>(
    `select c.*, s.connection_id, coalesce((k.options ->> 'packs_from_subfolders')::boolean, false)
       as packs
     from sync_changes c
     join syncs s on s.shop_id = c.shop_id and s.id = c.sync_id
     join connections k on k.shop_id = s.shop_id and k.id = s.connection_id
     where c.shop_id = :shop and c.sync_id = :sync and not s.obsolete
       and c.position = any(:positions::int[])
       and not exists (select from syncs newer where newer.shop_id = :shop
         and newer.connection_id = s.connection_id and newer.id > s.id)`,
    { sync, positions },
  )
  const tasks = rows.map((row) => ({ ...row, pack: row.packs ? packOf(row.path) : null }))
  return {
    connection: rows[0]?.connection_id ?? null,
    tasks: new Map(tasks.map((task) => [task.position, task])),
  }
}
