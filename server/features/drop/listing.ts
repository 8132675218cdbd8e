// Lists, retries and deletes files of a shop's drop folders for the merchant.
import { sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import {
  findEntry,
  moveEntry,
  removeEntry,
  ENTRY,
  type DropEntry,
  type FileState,
} from './entries.ts'
import { releaseBytes, type ReleaseParts } from './dropped-bytes.ts'
import { DropError } from './errors.ts'
import { KEPT_DAYS } from './own-folders.ts'
import type { Reason } from './note.ts'
import { WAITS_FOR, type AwaitedEvent } from './waits-for.ts'

export interface ListedDropFile extends DropEntry {
  /** How long the transfer has been running; null: none is running. */
  writing_seconds: number | null
  account_name: string | null
  /** The import that takes or took the file. */
  operation_id: string | null
  error: Reason | null
  /** The folder where the file was dropped, if it is in another one now. */
  dropped_folder: string | null
  dropped_name: string | null
  cleared_at: Date | null
  waits_for: AwaitedEvent | null
}

/**
 * Lists files by folder and name, after the given ones. Without a state: files that are not
 * imported yet.
 */
export const listFiles = (
  scope: ShopScope,
  page: { folder: string; after: string; limit: number; state: FileState | null },
): Promise<ListedDropFile[]> =>
  scope.query<ListedDropFile>(
    `${SELECT} where e.shop_id = :shop and e.kind = 'file'
       and (e.folder, e.name) > (:folder, :after)
       and (e.state = :state or (:state::text is null
         and e.state in ('writing', 'partial', 'waiting', 'importing')))
     order by e.folder, e.name limit :limit`,
    page,
  )

const SELECT = `
  select ${ENTRY}, extract(epoch from now() - writing_since)::float8 as writing_seconds,
    (select a.name from drop_accounts a where a.shop_id = e.shop_id
      and a.id = e.account_id) as account_name,
    operation_id, error, dropped_folder, dropped_name,
    filed_at + interval '${KEPT_DAYS} days' as cleared_at,
    ${WAITS_FOR} as waits_for
  from drop_entries e`

/** Reads the file with this UUID, or null. */
export const readDropFile = (scope: ShopScope, id: string): Promise<ListedDropFile | null> =>
  scope.first<ListedDropFile>(
    `${SELECT} where e.shop_id = :shop and e.id = :id and e.kind = 'file' and e.state <> 'note'`,
    { id },
  )

/**
 * Moves a failed or imported file back to the folder where it was dropped: the next import takes
 * it. Throws `not_found`; `denied` for other files, `exists` if its name is taken.
 */
export async function retryFile(scope: ShopScope, id: string): Promise<void> {
  const [row] = await scope.query<{ folder: string; name: string; to: string | null; as: string }>(
    `select folder, name, dropped_folder as to, dropped_name as as from drop_entries
     where shop_id = :shop and id = :id and kind = 'file'`,
    { id },
  )
  if (!row) throw new DropError('not_found')
  const entry = await findEntry(scope, row.folder, row.name)
  if (entry?.state !== 'failed' && entry?.state !== 'processed')
    throw new DropError(
      'denied',
      sayPlain('Only files that failed or were imported can be tried again'),
    )
  await moveEntry(scope, { entry, folder: row.to ?? '', name: row.as, overwrite: false })
}

/** Deletes a file. Throws `not_found`, and `busy` while the file is written or imported. */
export async function deleteFile(parts: ReleaseParts, scope: ShopScope, id: string): Promise<void> {
  const file = await readDropFile(scope, id)
  if (!file) throw new DropError('not_found')
  if (file.state === 'writing') throw new DropError('busy', sayPlain('The file is being sent'))
  await releaseBytes(parts, scope.shop, await removeEntry(scope, file))
}
