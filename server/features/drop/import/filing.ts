// Moves files whose import has ended to /processed/YYYY-MM-DD/, or to /failed/, where a text file
// next to each gives the reason. They keep their folders there. Only rows move: the bytes stay in
// the store.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { holdBlobs } from '../../../files/blobs.ts'
import { numberedName } from '../../../files/rules.ts'
import { readShop } from '../../../files/shop-settings.ts'
import type { BlobStore } from '../../../core/store/store.ts'
import { ENTRY, type DropEntry } from '../entries.ts'
import { isPathAllowed, joinPath, splitPath } from '../paths.ts'
import { FAILED, noteName, PROCESSED, removeNote } from '../own-folders.ts'
import { noteOf, type Reason } from '../note.ts'

export interface FilingParts {
  scope: ShopScope
  stores: ReadonlyMap<string, BlobStore>
}

const MAX_NUMBERS = 10_000

/** Reads the date in the shop's time zone. */
async function today(tx: ShopScope): Promise<string> {
  const { time_zone } = (await readShop(tx)).settings
  const row = await tx.one<{ day: string }>(
    `select to_char(now() at time zone :zone, 'YYYY-MM-DD') as day from shops where id = :shop`,
    { zone: time_zone },
  )
  return row.day
}

/** Returns the id of the folder; creates it and its parent folders. */
async function ensureFolder(tx: ShopScope, path: string): Promise<string> {
  const { folder, name } = splitPath(path)
  const parent = folder === '' ? null : await ensureFolder(tx, folder)
  const row = await tx.one<{ id: string; kind: string }>(
    `insert into drop_entries (shop_id, folder, name, kind, parent_id)
     values (:shop, :folder, :name, 'folder', :parent)
     on conflict (shop_id, folder, name) do update set name = excluded.name returning id, kind`,
    { folder, name, parent },
  )
  return row.id
}

/** The name, with a number if the folder has it already. */
async function freeName(tx: ShopScope, folder: string, name: string): Promise<string> {
  for (let number = 1; number < MAX_NUMBERS; number++) {
    const wanted = number === 1 ? name : numberedName(name, number)
    const taken = await tx.query(
      'select 1 from drop_entries where shop_id = :shop and folder = :folder and name = :wanted',
      { folder, wanted },
    )
    if (taken.length === 0) return wanted
  }
  throw new Error(`There are ${MAX_NUMBERS} files called ${name} in ${folder}`)
}

interface FiledEntry extends Pick<DropEntry, 'id' | 'folder' | 'name'> {
  dropped_folder?: string | null
  dropped_name?: string | null
}

/** The folder in a managed one for files from `dropped`; the managed one itself if it is too deep. */
function folderIn(managed: string, dropped: string): string {
  if (dropped === '') return managed
  const path = joinPath(managed, dropped)
  return isPathAllowed(path) ? path : managed
}

async function moveTo(
  tx: ShopScope,
  { id, folder, name, ...dropped }: FiledEntry,
  to: { managed: string; state: 'processed' | 'failed'; error: Reason | null },
): Promise<string> {
  const target = folderIn(to.managed, dropped.dropped_folder ?? folder)
  const parent = await ensureFolder(tx, target)
  const free = folder === target ? name : await freeName(tx, target, dropped.dropped_name ?? name)
  await tx.query(
    `update drop_entries set state = :state, folder = :to, name = :free, parent_id = :parent,
       filed_at = now(), error = :error::jsonb,
       dropped_folder = coalesce(dropped_folder, folder),
       dropped_name = coalesce(dropped_name, name)
     where shop_id = :shop and id = :id`,
    {
      id,
      free,
      parent,
      state: to.state,
      to: target,
      error: to.error && JSON.stringify(to.error),
    },
  )
  return free
}

/** Notes for each imported file which account sent it: its entry here is cleared later. */
export async function noteAccounts(
  tx: ShopScope,
  entries: readonly Pick<DropEntry, 'id'>[],
): Promise<void> {
  if (entries.length === 0) return
  await tx.query(
    `with imported as (
       update drop_entries e set file_id = f.id
       from items i join files f on f.shop_id = i.shop_id and f.id = i.file_id
       where i.shop_id = e.shop_id and i.operation_id = e.operation_id and i.position = e.position
         and e.shop_id = :shop and e.id = any(:ids::uuid[])
       returning e.shop_id, e.account_id, e.file_id
     )
     insert into dropped_files (shop_id, account_id, file_id)
     select distinct * from imported where account_id is not null order by 1, 2, 3
     on conflict do nothing`,
    { ids: entries.map(({ id }) => id) },
  )
}

/** Moves imported files to /processed/, or deletes them if `keep` is false. */
export async function fileProcessed(
  tx: ShopScope,
  entries: readonly FiledEntry[],
  keep: boolean,
): Promise<void> {
  if (entries.length === 0) return
  for (const { folder, name } of entries) await removeNote(tx, folder, name)
  if (!keep) {
    await tx.query('delete from drop_entries where shop_id = :shop and id = any(:ids::uuid[])', {
      ids: entries.map(({ id }) => id),
    })
    return
  }
  const managed = `${PROCESSED}/${await today(tx)}`
  for (const entry of entries) await moveTo(tx, entry, { managed, state: 'processed', error: null })
}

/** Moves a file that was not imported to /failed/, with the reason in a text file next to it. */
export async function fileFailed(
  { scope: tx, stores }: FilingParts,
  entry: FiledEntry,
  reason: Reason,
): Promise<void> {
  await removeNote(tx, entry.folder, entry.name)
  const name = await moveTo(tx, entry, { managed: FAILED, state: 'failed', error: reason })
  const { storage_location: location } = (await readShop(tx)).settings
  const store = stores.get(location)
  if (!store) return
  const text = Buffer.from(
    noteOf(
      joinPath(entry.dropped_folder ?? entry.folder, entry.dropped_name ?? entry.name),
      reason,
    ),
  )
  const written = await store.write(tx.shop, oneChunk(text))
  await holdBlobs(tx, [{ ...written, location, content_type: null }])
  await tx.query(
    `insert into drop_entries (shop_id, folder, name, kind, parent_id, state, hash, location,
       size_bytes, filed_at)
     select :shop, folder, :note, 'file', parent_id, 'note', decode(:hash, 'hex'), :location,
       :size_bytes, now()
     from drop_entries where shop_id = :shop and id = :id
     on conflict (shop_id, folder, name) do nothing`,
    { id: entry.id, note: noteName(name), location, ...written },
  )
}

/** Files of the shop whose items have ended, with their results. */
export interface EndedFile extends DropEntry {
  status: 'done' | 'failed' | 'skipped' | 'cancelled' | null
  item_error: Reason | null
  /** The folder where the file was dropped, if it is in another one now. */
  dropped_folder: string | null
  dropped_name: string | null
  /** The UUID of the import.csv with which the file was imported. */
  manifest_id: string | null
}

export const endedFiles = (tx: ShopScope, limit: number): Promise<EndedFile[]> =>
  tx.query<EndedFile>(
    `select ${ENTRY}, dropped_folder, dropped_name, manifest_id, i.status, i.error as item_error
       from drop_entries e
     left join items i
       on i.shop_id = :shop and i.operation_id = e.operation_id and i.position = e.position
     where e.shop_id = :shop and e.state = 'importing'
       and (i.status is null or i.status in ('done', 'failed', 'skipped', 'cancelled'))
     order by e.operation_id, e.position limit :limit for update of e skip locked`,
    { limit },
  )

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
