// Kept counts of a shop's files: all, by extension, by tag, without a product, and the bytes of all
// stored copies. Triggers note each change in the transaction that makes it
// (migrations/0002_files.ts); here the notes are added to the counts, and checked.
// Which totals are kept, and which are bounded: docs/decisions/0067.
import type { Database } from '../core/db/database.ts'
import { forShop, type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'
import type { Logger } from '../core/log.ts'
import { sweepInTurn } from '../core/shop-turns.ts'

export type CountKind = 'all' | 'extension' | 'tag' | 'unmapped' | 'stored'

export interface KeptCount {
  kind: CountKind
  /** The extension or the tag; '' otherwise. */
  subject: string
  files: number
  bytes: number
}

/** SQL: the counts with the changes that were not added yet. Both are read in one snapshot. */
const CURRENT = `(
  select kind, subject, files, bytes from file_counts where shop_id = :shop and kind = any(:kinds::text[])
  union all
  select kind, subject, files, bytes from file_count_changes
  where shop_id = :shop and kind = any(:kinds::text[])) as c`

/**
 * The current counts, also inside the transaction that changes files. Read tags with `listTags`: a
 * shop may have many.
 */
export function readCounts(
  scope: ShopScope,
  kinds: readonly Exclude<CountKind, 'tag'>[],
): Promise<KeptCount[]> {
  return scope.query<KeptCount>(
    `select kind, subject, sum(files)::bigint as files, sum(bytes)::bigint as bytes
     from ${CURRENT} group by 1, 2 having sum(files) <> 0 or sum(bytes) <> 0`,
    { kinds: [...kinds] },
  )
}

/** How many files have the tag. */
export async function countOfTag(scope: ShopScope, tag: string): Promise<number> {
  const { files } = await scope.one<{ files: number }>(
    `select coalesce(sum(files), 0)::bigint as files
     from ${CURRENT} where subject = :tag`,
    { kinds: ['tag'], tag },
  )
  return files
}

/** Adds the noted changes of the shop to its counts. */
export async function addNotedCounts(scope: ShopScope): Promise<void> {
  const noted = await scope.query('select from file_count_changes where shop_id = :shop limit 1')
  if (noted.length === 0) return
  await scope.transaction(async (tx) => {
    // One after another: two that delete the same notes in different orders could deadlock. An
    // advisory lock: a lock on the counts would make readers of other kinds of rows wait for it.
    await lockUntilCommit(tx, 'file-counts')
    await tx.query(
      `with gone as (
         delete from file_count_changes where shop_id = :shop
         returning kind, subject, files, bytes
       )
       insert into file_counts as k (shop_id, kind, subject, files, bytes)
       select :shop, kind, subject, sum(files), sum(bytes) from gone group by 2, 3
       having sum(files) <> 0 or sum(bytes) <> 0 order by 2, 3
       on conflict (shop_id, kind, subject) do update
         set files = k.files + excluded.files, bytes = k.bytes + excluded.bytes`,
    )
  })
}

/**
 * Counts the shop's files again and notes the differences to the kept counts, in one snapshot: files
 * may change meanwhile. Returns how many counts were wrong.
 * Exported for the bench, which counts one shop.
 */
export async function checkCounts(scope: ShopScope): Promise<number> {
  const wrong = await scope.query(
    `insert into file_count_changes (shop_id, kind, subject, files, bytes)
     select :shop, kind, subject, sum(files), sum(bytes) from (
       select 'all' as kind, '' as subject, count(*) as files, sum(size_bytes) as bytes
       from files where shop_id = :shop and deleted_at is null
       union all select 'extension', extension, count(*), sum(size_bytes)
       from files where shop_id = :shop and deleted_at is null group by 2
       union all select 'unmapped', '', count(*), 0
       from files where shop_id = :shop and deleted_at is null and mapping_state <> 'mapped'
       union all select 'tag', tag, count(*), 0
       from files, unnest(tags) as tag where shop_id = :shop and deleted_at is null group by 2
       union all select 'stored', '', 0, sum(b.size_bytes) from blob_locations l
         join blobs b using (shop_id, hash) where l.shop_id = :shop
       union all select kind, subject, -files, -bytes from file_counts where shop_id = :shop
       union all select kind, subject, -files, -bytes from file_count_changes where shop_id = :shop
     ) c group by 2, 3 having sum(files) <> 0 or coalesce(sum(bytes), 0) <> 0
     returning kind, subject, files, bytes`,
  )
  await addNotedCounts(scope)
  await scope.query('delete from file_counts where shop_id = :shop and files = 0 and bytes = 0')
  return wrong.length
}

/** Checks the counts of each shop once a day, by turns. */
export const sweepCounts = (
  database: Pick<Database, 'pool' | 'knex'>,
  now: Date,
  { log, signal }: { log: Logger; signal?: AbortSignal },
): Promise<void> =>
  sweepInTurn(database.pool, 'file_counts', now, async (shops) => {
    for (const shop of shops) {
      signal?.throwIfAborted()
      const wrong = await checkCounts(forShop(database, shop))
      if (wrong > 0) log.warn('kept counts of files were wrong and are corrected', { shop, wrong })
    }
  })
