// File claims: an executed batch keeps its files for longer than one transaction, so that no other
// operation changes them in the meantime.
// Short work checks row versions instead: docs/decisions/0012.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { WorkItem } from './types.ts'
import type { HeldChain } from './chain.ts'

/**
 * Claims the files for longer than this transaction. Returns the items whose files are claimed by
 * others.
 */
export async function claimFiles(
  tx: ShopScope,
  held: HeldChain,
  items: readonly WorkItem[],
): Promise<Set<WorkItem>> {
  const wanted = items.flatMap((item) =>
    item.entry === null && item.file_id !== null ? [{ item, file: item.file_id }] : [],
  )
  if (wanted.length === 0) return new Set()
  // The statement also writes the files' rows, so that a transaction that has read them but not
  // changed them yet is refused and reads again.
  const ids = wanted.map(({ file }) => file)
  await tx.query(
    `with ours as (
       insert into file_claims (shop_id, file_id, operation_id, lease)
       select :shop, id, :operation, :lease from files where shop_id = :shop
         and id = any(:ids::uuid[]) order by id
       on conflict do nothing returning file_id
     )
     update files set updated_at = updated_at from ours where files.shop_id = :shop
       and files.id = ours.file_id`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const others = await tx.query<{ file_id: string }>(
    `select file_id from file_claims where shop_id = :shop and file_id = any(:ids::uuid[])
       and (operation_id <> :operation or lease <> :lease)`,
    { operation: held.operation.id, lease: held.lease, ids },
  )
  const taken = new Set(others.map(({ file_id }) => file_id))
  return new Set(wanted.flatMap(({ item, file }) => (taken.has(file) ? [item] : [])))
}

/** Releases files that a lease holds: those of `ids`, or all. */
export async function releaseFiles(
  tx: ShopScope,
  operation: string,
  lease: number,
  ids?: readonly string[],
) {
  await tx.query(
    `delete from file_claims where shop_id = :shop and operation_id = :operation and lease = :lease
       and (:ids::uuid[] is null or file_id = any(:ids::uuid[]))`,
    { operation, lease, ids: ids ?? null },
  )
}
