// The files of a shop's drop folders, as its merchant sees them.
import type { ShopScope } from '../../db/for-shop.ts'
import { ENTRY, type DropEntry, type FileState } from './entries.ts'

export interface ListedDropFile extends DropEntry {
  /** Of a running transfer. */
  writing_seconds: number | null
}

/** By folder and name, after those given. */
export const listFiles = (
  scope: ShopScope,
  page: { folder: string; after: string; limit: number; state: FileState | null },
): Promise<ListedDropFile[]> =>
  scope.query<ListedDropFile>(
    `select ${ENTRY}, extract(epoch from now() - writing_since)::float8 as writing_seconds from drop_entries
     where shop_id = :shop and kind = 'file' and (folder, name) > (:folder, :after)
       and (:state::text is null or state = :state)
     order by folder, name limit :limit`,
    page,
  )
