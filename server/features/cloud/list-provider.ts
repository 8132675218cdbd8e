// Lists the provider of a connection, page by page, into the table of its newest listing.
import { isSystemFile } from '../../../plugins/_page/system-files.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Cloud } from './cloud.ts'
import { openingOf, type CloudConnection } from './connections.ts'
import { documentPaths } from './documents.ts'
import { pathFilter } from './patterns.ts'
import { CloudError } from './rclone/errors.ts'
import type { RemoteFile } from './rclone/remote-files.ts'
import type { SyncRow } from './sync-rows.ts'

const PAGE = 1000
/** After this many pages without a new name, the provider repeats itself. */
const MAX_REPEATED_PAGES = 20
/** The maximum size of all paths of a listing. */
const MAX_PATH_BYTES = 200_000_000

/**
 * Writes the provider's listing to `cloud_listings`. A refused token may only be old: the listing
 * is repeated once, with a new one. Throws `CloudError`, or the reason of `signal`.
 */
export async function listProvider(...given: Parameters<typeof list>): Promise<void> {
  const [cloud, , , { id }] = given
  try {
    await list(...given)
  } catch (error) {
    if (!(error instanceof CloudError) || error.code !== 'cloud_access_revoked') throw error
    cloud.renewToken(id)
    await list(...given)
  }
}

async function list(
  cloud: Cloud,
  scope: ShopScope,
  sync: SyncRow,
  connection: CloudConnection,
  signal: AbortSignal,
): Promise<void> {
  const { include, exclude, max_bytes } = connection.options
  const filter = pathFilter(include, exclude)
  const isIgnored = ({ path, size_bytes }: RemoteFile) =>
    size_bytes < 0 || size_bytes > max_bytes || isSystemFile(path) || !filter(path)
  await scope.query('delete from cloud_listings where shop_id = :shop and connection_id = :id', {
    id: connection.id,
  })
  const open = await cloud.open(scope, openingOf(cloud, scope, connection))
  let [listed, bytes, names, repeated] = [0, 0, 0, 0]
  try {
    await open.files.list({
      signal,
      page: PAGE,
      onPage: async (files) => {
        listed += files.length
        names += files.reduce((sum, { path }) => sum + path.length, 0)
        if (listed > cloud.maxFiles || names > MAX_PATH_BYTES)
          throw new CloudError('cloud_listing_too_large')
        bytes += files.reduce((sum, { size_bytes }) => sum + Math.max(0, size_bytes), 0)
        // Read after the page: the path is noted before a document is written there.
        const sent = await documentPaths(scope, connection.id)
        const isLeftOut = (file: RemoteFile) => sent.has(file.path) || isIgnored(file)
        const isNew = await writePage(scope, connection.id, files, isLeftOut)
        repeated = isNew ? 0 : repeated + 1
        if (repeated >= MAX_REPEATED_PAGES) throw new CloudError('cloud_listing_too_large')
        await recordProgress(scope, sync, listed, bytes)
      },
    })
  } finally {
    open.close()
  }
}

/** Writes a page of the listing. False: all its paths were listed before. */
async function writePage(
  scope: ShopScope,
  connection: string,
  files: readonly RemoteFile[],
  isIgnored: (file: RemoteFile) => boolean,
): Promise<boolean> {
  const byPath = Map.groupBy(files, ({ path }) => path)
  const same = [...byPath.values()]
  const rows = same.map((of) => firstOf(of))
  const written = await scope.query<{ fresh: boolean }>(
    `insert into cloud_listings (shop_id, connection_id, path, size_bytes, hash, modified_at,
       ignored, duplicate)
     select :shop, :connection, path, size_bytes, hash, modified_at::timestamptz, ignored, duplicate
     from unnest(:paths::text[], :sizes::bigint[], :hashes::text[], :times::text[],
       :ignored::boolean[], :duplicates::boolean[])
       as l(path, size_bytes, hash, modified_at, ignored, duplicate)
     on conflict (shop_id, connection_id, path) do update
       set duplicate = true, ignored = cloud_listings.ignored and excluded.ignored
     returning old.path is null as fresh`,
    {
      connection,
      paths: rows.map(({ path }) => path),
      sizes: rows.map(({ size_bytes }) => size_bytes),
      hashes: rows.map(({ hash }) => hash),
      times: rows.map(({ modified_at }) => modified_at),
      ignored: same.map((of) => of.every(isIgnored)),
      duplicates: same.map((of) => of.length > 1),
    },
  )
  return written.some(({ fresh }) => fresh)
}

async function recordProgress(
  scope: ShopScope,
  { id, operation_id: operation }: SyncRow,
  listed: number,
  bytes: number,
): Promise<void> {
  await scope.query(
    `update syncs set listed = :listed, listed_bytes = :bytes where shop_id = :shop and id = :id`,
    { id, listed, bytes },
  )
  await scope.query(`select pg_notify('operation_progress', :shop || '/' || :operation)`, {
    operation,
  })
}
