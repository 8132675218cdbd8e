// What a sync decided, as rows in its order.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Decision } from './decide.ts'

/**
 * `duplicate`: its name is there several times. `rename`: it moved there. `match`: both sides have
 * that name and nothing was applied yet. `move`: a rename of what is not here any more. `uncompared`:
 * it may be a vanished object, but could not be read to compare them.
 */
export type ChangeKind =
  | Exclude<Decision, null>
  | 'duplicate'
  | 'rename'
  | 'match'
  | 'move'
  | 'uncompared'

export interface ChangeRow {
  kind: ChangeKind
  path: string
  from_path: string | null
  size_bytes: number | null
  hash: string | null
  modified_at: string | null
  file_id: string | null
  version: number | null
  /** The name of the file, or the future name of a new one. */
  filename: string | null
}

export async function writeChanges(
  tx: ShopScope,
  sync: string,
  first: number,
  changes: readonly ChangeRow[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query(
    `insert into sync_changes (shop_id, sync_id, number, kind, path, from_path, size_bytes, hash,
       modified_at, file_id, version, filename)
     select :shop, :sync, :first + n::int - 1, kind, path, from_path, size_bytes, hash, modified_at,
       file_id, version, filename
     from rows from (jsonb_to_recordset(:changes::jsonb) as (kind text, path text, from_path text,
       size_bytes bigint,
       hash text, modified_at timestamptz, file_id uuid, version int, filename text))
       with ordinality as t(kind, path, from_path, size_bytes, hash, modified_at, file_id, version,
         filename, n)`,
    { sync, first, changes: JSON.stringify(changes) },
  )
}
