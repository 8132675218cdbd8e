// The differences of a sync, computed in the database: the listing against what was applied last,
// and for two-way connections against the files here. Each difference is decided separately; the
// decisions are rows. Why not `rclone sync`: docs/decisions/0032.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/present.ts'
import { nameKey } from '../../files/rules.ts'
import type { CloudConnection } from './connections.ts'
import type { DeletionCounts } from './decide.ts'
import { differencesOf } from './differences.ts'
import { uploadsOf, withFreePaths } from './plan-uploads.ts'
import { Planner } from './planner.ts'
import { keepListedRejections } from './rejections.ts'
import { writeChanges, type ChangeRow } from './sync-changes.ts'
import type { SyncCounts } from './sync-rows.ts'

export interface Plan {
  counts: SyncCounts
  guard: DeletionCounts
}

/** Writes what the sync is to do, in place of an earlier plan; nothing else is changed. */
export async function planSync(
  tx: ShopScope,
  sync: string,
  connection: CloudConnection,
): Promise<Plan> {
  await tx.query('delete from sync_changes where shop_id = :shop and sync_id = :sync', { sync })
  const rejected = await keepListedRejections(tx, connection.id)
  const planner = new Planner(connection)
  const twoWay = connection.options.direction === 'two_way'
  let number = 0
  const write = async (changes: ChangeRow[]) => {
    if (twoWay) await withFreePaths(tx, connection, changes)
    await writeChanges(tx, sync, number, changes)
    number += changes.length
  }
  for await (const rows of differencesOf(tx, connection))
    await write(
      await withTakenNames(
        tx,
        connection,
        planner,
        rows.flatMap((row) => planner.decide(row)),
      ),
    )
  if (twoWay)
    for await (const uploads of uploadsOf(tx, sync, connection, planner)) await write(uploads)
  const counts = { ...planner.counts, ignored: await countIgnored(tx, connection.id), rejected }
  return { counts, guard: await guardOf(tx, connection, planner) }
}

/**
 * Treats new objects whose names belong to files of no connection. In a first sync they become
 * those files' next versions, which a person confirms; in two-way syncs, files that differ are kept
 * as two.
 */
async function withTakenNames(
  tx: ShopScope,
  { established, options }: CloudConnection,
  { counts, guard }: Planner,
  changes: ChangeRow[],
): Promise<ChangeRow[]> {
  const twoWay = options.direction === 'two_way'
  const added = changes
    .filter(({ kind }) => kind === 'add')
    .map((change) => ({ change, key: nameKey(present(change.filename, 'The name of a new file')) }))
  if (added.length === 0 || (established && !twoWay)) return changes
  const holders = await tx.query<{ id: string; name_key: string; version: number }>(
    `select id, name_key, version from files where shop_id = :shop and deleted_at is null
       and name_key = any(:keys::text[]) and not exists (
         select from cloud_files c where c.shop_id = :shop and c.file_id = files.id)`,
    { keys: added.map(({ key }) => key) },
  )
  const free = new Map(holders.map((holder) => [holder.name_key, holder]))
  for (const { change, key } of added) {
    const holder = free.get(key)
    if (!holder) continue
    free.delete(key)
    change.file_id = holder.id
    change.version = holder.version
    if (twoWay) change.kind = 'match'
    else {
      guard.replaced++
      counts.added--
      counts.changed++
    }
  }
  return changes
}

async function countIgnored(tx: ShopScope, connection: string): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*) as count from cloud_listings
     where shop_id = :shop and connection_id = :connection and ignored`,
    { connection },
  )
  return row.count
}

async function guardOf(
  tx: ShopScope,
  { id, established }: CloudConnection,
  { guard }: Planner,
): Promise<DeletionCounts> {
  const row = await tx.one<{ known: number }>(
    'select count(*) as known from cloud_files where shop_id = :shop and connection_id = :id',
    { id },
  )
  return { ...guard, known: row.known, first: !established }
}
