// Where the newest listing, what was applied last and the files here differ, in the database.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { CloudConnection } from './connections.ts'

const PAGE = 2000

export interface Difference {
  path: string
  there: boolean
  size_bytes: number | null
  hash: string | null
  modified_at: string | null
  ignored: boolean | null
  duplicate: boolean | null
  changed: boolean | null
  /** Whether an earlier sync found that this version of the object cannot be imported. */
  rejected: boolean
  /** Whether the object may be a vanished one, and its bytes could not be compared. */
  uncompared: boolean
  /** Whether the object vanished, and one that could not be compared may be it. */
  awaited: boolean
  base_path: string | null
  base_version: number | null
  base_filename: string | null
  /** Whether an undo removed the file of the object. */
  base_undone: boolean | null
  ours_id: string | null
  ours_version: number | null
  ours_filename: string | null
  ours_mapped: boolean | null
}

const CHANGED = `(l.size_bytes <> c.size_bytes or case
  when l.hash is not null and c.hash is not null then l.hash <> c.hash
  else l.modified_at is distinct from c.modified_at end)`

const differences = (twoWay: boolean) => `
  with uncompared as materialized (
    select distinct size_bytes from cloud_listings
    where shop_id = :shop and connection_id = :connection and uncompared
      and renamed_from is null
  )
  select coalesce(l.path, c.path) as path, l.path is not null as there, l.size_bytes, l.hash,
    l.modified_at::text as modified_at, l.ignored, l.duplicate, ${CHANGED} as changed,
    c.path as base_path, c.version as base_version, c.filename as base_filename,
    c.undone as base_undone,
    f.id as ours_id, f.version as ours_version, f.filename as ours_filename,
    f.mapped as ours_mapped, exists (select from cloud_rejections r
      where r.shop_id = :shop and r.connection_id = :connection and r.path = l.path) as rejected,
    coalesce(l.uncompared and l.renamed_from is null, false) as uncompared,
    l.path is null and c.size_bytes in (select size_bytes from uncompared) as awaited
  from (select * from cloud_listings where shop_id = :shop and connection_id = :connection) l
  full join (select * from cloud_files where shop_id = :shop and connection_id = :connection) c
    on c.path = coalesce(l.renamed_from, l.path)
  -- Offset: each is looked up by its id, without statistics too.
  left join lateral (
    select id, version, filename, mapping_state = 'mapped' as mapped from files
      where shop_id = :shop and id = c.file_id and deleted_at is null offset 0
  ) f on true
  where l.path is null or l.duplicate and not l.ignored or c.path is null and not l.ignored
    or c.path <> l.path
    or not l.ignored and ${CHANGED}
    ${twoWay ? 'or c.path is not null and (f.id is null or f.version <> c.version or f.filename <> c.filename)' : ''}`

/** Yields all differences, a page at a time. */
export async function* differencesOf(
  tx: ShopScope,
  { id: connection, options }: CloudConnection,
): AsyncGenerator<Difference[]> {
  const query = differences(options.direction === 'two_way')
  await tx.query(`declare sync_differences cursor for ${query}`, { connection })
  while (true) {
    const rows = await tx.query<Difference>(
      `fetch ${PAGE} from sync_differences -- of the shop :shop`,
    )
    if (rows.length === 0) break
    yield rows
  }
  await tx.query('close sync_differences -- of the shop :shop')
}
