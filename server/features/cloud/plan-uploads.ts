// What a two-way sync makes at the provider: files of no connection, and paths that are free there.
import type { ShopScope } from '../../core/db/for-shop.ts'
import { withHashJoins } from '../../core/db/hash-joins.ts'
import { lastOf, present } from '../../core/present.ts'
import type { CloudConnection } from './connections.ts'
import { inAnyCase } from './find-moved.ts'
import { markedName, pathFor } from './names.ts'
import type { Planner } from './planner.ts'
import { providerOf } from './providers/providers.ts'
import type { ChangeRow } from './sync-changes.ts'

const PAGE = 2000
const MAX_NUMBER = 100

/** Yields the files that belong to no connection, a page at a time. */
export async function* uploadsOf(
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
export async function withFreePaths(
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
