// The differences of a sync, computed in the database: the listing against what was applied last,
// and for two-way connections against the files here. Each difference is decided separately; the
// decisions are rows. Why not `rclone sync`: docs/decisions/0032.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present, lastOf } from '../../core/lazy.ts'
import { nameKey } from '../../files/rules.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import type { CloudConnection } from './connections.ts'
import type { DeletionCounts } from './decide.ts'
import { differencesOf, Planner } from './planner.ts'
import { keepListedRejections } from './rejections.ts'
import { writeChanges, type ChangeRow } from './sync-changes.ts'
import type { SyncCounts } from './sync-rows.ts'
import { inAnyCase } from './find-moved.ts'
import { markedName, pathFor } from './names.ts'
import { providerOf } from './providers/providers.ts'

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

// What a two-way sync makes at the provider: files of no connection, and paths that are free there.

const PAGE = 2000
const MAX_NUMBER = 100

/** Yields the files that belong to no connection, a page at a time. */
async function* uploadsOf(
  tx: ShopScope,
  sync: string,
  { options }: CloudConnection,
  { counts, guard, filter }: Planner,
): AsyncGenerator<ChangeRow[]> {
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const files = await tx.query<{ id: string; version: number; filename: string }>(
      `select id, version, filename from files
       where shop_id = :shop and id > :after::uuid and deleted_at is null and size_bytes <= :most
         and not exists (select from cloud_files c where c.shop_id = :shop and c.file_id = files.id)
         and not exists (select from sync_changes s where s.shop_id = :shop and s.sync_id = :sync
           and s.file_id = files.id)
       order by id limit ${PAGE}`,
      { sync, after, most: options.max_bytes },
    )
    if (files.length === 0) return
    after = lastOf(files).id
    const wanted = files.filter(({ filename }) => filter(filename))
    counts.uploaded += wanted.length
    guard.sent += wanted.length
    yield wanted.map(({ id, version, filename }) => ({
      kind: 'send',
      from_path: null,
      size_bytes: null,
      hash: null,
      modified_at: null,
      file_id: id,
      version,
      filename,
      path: filename,
    }))
  }
}

/**
 * Gives a marked path to what would be sent where another object is: nothing there is replaced but
 * the file's own object.
 */
async function withFreePaths(
  tx: ShopScope,
  connection: CloudConnection,
  changes: readonly ChangeRow[],
): Promise<void> {
  const { names } = connection.options
  const caseInsensitive = providerOf(connection.provider).caseInsensitive ?? false
  const keyOf = (path: string) => (caseInsensitive ? path.toLowerCase() : path)
  let open = changes.filter(
    ({ kind, path, from_path }) => kind === 'send' && keyOf(path) !== keyOf(from_path ?? ''),
  )
  for (let number = 1; open.length > 0 && number <= MAX_NUMBER; number++) {
    const taken = await takenPaths(tx, connection.id, open, caseInsensitive)
    open = open.filter(({ path }) => taken.has(path))
    const mark = number === 1 ? 'Stevedore' : `Stevedore ${number}`
    for (const change of open) {
      const filename = present(change.filename, 'The name of a file to send')
      change.path = pathFor(markedName(filename, mark), change.path, names)
    }
  }
}

/** Returns those of the paths where the listing has an object. */
async function takenPaths(
  tx: ShopScope,
  connection: string,
  changes: readonly ChangeRow[],
  caseInsensitive: boolean,
): Promise<Set<string>> {
  const same = caseInsensitive
    ? `${inAnyCase('l.path')} = ${inAnyCase('wanted.path')}`
    : 'l.path = wanted.path'
  const read = () =>
    tx.query<{ path: string }>(
      `select wanted.path from unnest(:paths::text[]) as wanted(path) where exists (
         select from cloud_listings l where l.shop_id = :shop and l.connection_id = :connection
           and ${same})`,
      { connection, paths: changes.map(({ path }) => path) },
    )
  // No index contains paths without their case, so a hash join is faster.
  const rows = await (caseInsensitive ? withHashJoins(tx, read) : read())
  return new Set(rows.map(({ path }) => path))
}
