// The rows of drop folders: one shop's names, and the file or folder of each.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { DroppedBytes } from './dropped-bytes.ts'
import { DropError } from './errors.ts'
import { ASIDE, PROCESSED, removeNote } from './own-folders.ts'
import { joinPath, splitPath } from './paths.ts'
import { isGone } from './processes.ts'

export type FileState =
  | 'writing'
  | 'partial'
  | 'waiting'
  | 'importing'
  | 'processed'
  | 'failed'
  /** The text file next to a failed file, with the reason. */
  | 'note'

export interface DropEntry {
  id: string
  folder: string
  name: string
  kind: 'folder' | 'file'
  /** The state of a file; null: a folder. */
  state: FileState | null
  /** The BLAKE3 hash as 64 hex digits; null: there are no bytes yet. */
  hash: string | null
  location: string | null
  size_bytes: number
  modified_at: Date
  quiet_since: Date
  closed_cleanly: boolean
  protocol: 'sftp' | 'ftp' | 'ftps' | null
  account_id: string | null
  process: number | null
  write_id: string | null
  writing_since: Date | null
}

/**
 * SQL: bytes that a dead process had not stored may be lost, so a client must not resume after
 * them.
 */
const SIZE = `case when state = 'writing' and hash is null and ${isGone('process')} then 0
  else size_bytes end as size_bytes`

export const ENTRY = `id, folder, name, kind, state, encode(hash, 'hex') as hash, location, ${SIZE}, modified_at,
  quiet_since, closed_cleanly, protocol, account_id, process, write_id, writing_since`

const rootEntry = (): DropEntry => ({
  id: '',
  folder: '',
  name: '',
  kind: 'folder',
  state: null,
  hash: null,
  location: null,
  size_bytes: 0,
  modified_at: new Date(0),
  quiet_since: new Date(0),
  closed_cleanly: false,
  protocol: null,
  account_id: null,
  process: null,
  write_id: null,
  writing_since: null,
})

export async function findEntry(
  scope: ShopScope,
  folder: string,
  name: string,
): Promise<DropEntry | null> {
  if (name === '') return rootEntry()
  return scope.first<DropEntry>(
    `select ${ENTRY} from drop_entries where shop_id = :shop and folder = :folder and name = :name`,
    { folder, name },
  )
}

/** Reads a page of a folder, by name. `after`: the previous page's last name. */
export const listFolder = (
  scope: ShopScope,
  folder: string,
  after: string,
  limit: number,
): Promise<DropEntry[]> =>
  scope.query<DropEntry>(
    `select ${ENTRY} from drop_entries where shop_id = :shop and folder = :folder and name > :after
     order by name limit :limit`,
    { folder, after, limit },
  )

/** Finds the folder's id; null: the home. Throws `not_found`, `not_a_folder`. */
export async function folderId(scope: ShopScope, path: string): Promise<string | null> {
  if (path === '') return null
  const { folder, name } = splitPath(path)
  const row = await findEntry(scope, folder, name)
  if (!row) throw new DropError('not_found')
  if (row.kind !== 'folder') throw new DropError('not_a_folder')
  return row.id
}

export async function insertFolder(
  scope: ShopScope,
  folder: string,
  name: string,
): Promise<DropEntry> {
  const parent = await folderId(scope, folder)
  const [row] = await scope.query<DropEntry>(
    `insert into drop_entries (shop_id, folder, name, kind, parent_id)
     values (:shop, :folder, :name, 'folder', :parent) on conflict do nothing returning ${ENTRY}`,
    { folder, name, parent },
  )
  if (!row) throw new DropError('exists')
  return row
}

/** SQL: the bytes of a row before the statement. */
const DROPPED_BYTES = `encode(old.hash, 'hex') as hash, old.location, old.placed`

const FOREIGN_KEY = '23503'
const UNIQUE = '23505'
const codeOf = (error: unknown) => (error as { code?: string } | null)?.code

/**
 * SQL: the entry is still where its client named it. An import may have moved it to /processed/
 * since it was read.
 */
const STILL_THERE = 'id = :id and folder = :folder and name = :name'

/**
 * Removes an empty folder, or a file that is not being imported. Returns the bytes that it had; the
 * caller releases them after its transaction.
 */
export async function removeEntry(scope: ShopScope, entry: DropEntry): Promise<DroppedBytes> {
  try {
    const [removed] = await scope.query<DroppedBytes>(
      `delete from drop_entries where shop_id = :shop and ${STILL_THERE}
         and state is distinct from 'importing' returning ${DROPPED_BYTES}`,
      { id: entry.id, folder: entry.folder, name: entry.name },
    )
    await removeNote(scope, entry.folder, entry.name)
    if (!removed)
      throw new DropError((await findEntry(scope, entry.folder, entry.name)) ? 'busy' : 'not_found')
    return removed
  } catch (error) {
    if (codeOf(error) === FOREIGN_KEY) throw new DropError('not_empty')
    throw error
  }
}

/** Moves a file that is being imported aside, so that a new file can have its name. */
export const moveAside = (
  scope: ShopScope,
  { folder, name }: Pick<DropEntry, 'folder' | 'name'>,
): Promise<boolean> =>
  scope.has(
    `update drop_entries set dropped_folder = coalesce(dropped_folder, folder),
       dropped_name = coalesce(dropped_name, name), folder = '${ASIDE}', name = id::text,
       parent_id = null
     where shop_id = :shop and folder = :folder and name = :name and state = 'importing'
       returning 1`,
    { folder, name },
  )

export interface Move {
  entry: DropEntry
  folder: string
  name: string
  /**
   * Whether a file of that name is replaced. One that is being imported has left the folder for its
   * client: the name is always free of it.
   */
  overwrite: boolean
}

/**
 * Moves an entry in one transaction; a folder keeps its contents. Returns the bytes of the file that
 * it replaced, as `removeEntry` does; null: none.
 */
export function moveEntry(
  scope: ShopScope,
  { entry, folder, name, overwrite }: Move,
): Promise<DroppedBytes | null> {
  const from = joinPath(entry.folder, entry.name)
  const to = joinPath(folder, name)
  if (from === to) return Promise.resolve(null)
  // A client that moves a failed file back moves its note too; the note is then not needed.
  if (entry.state === 'note') return removeEntry(scope, entry)
  if (entry.kind === 'folder' && `${to}/`.startsWith(`${from}/`))
    throw new DropError('denied', 'A folder cannot be moved into itself')
  return scope
    .transaction(async (tx) => {
      const parent = await folderId(tx, folder)
      // Both rows are locked: no import takes them, or moves them away, while they are moved.
      await tx.query(
        `select from drop_entries where shop_id = :shop
           and (id = :id or folder = :folder and name = :name) order by id for update`,
        { id: entry.id, folder, name },
      )
      const there = await findEntry(tx, folder, name)
      const leaves = there?.state === 'importing'
      if (there && (there.kind !== 'file' || entry.kind !== 'file' || !(overwrite || leaves)))
        throw new DropError('exists')
      const isAside = leaves && (await moveAside(tx, there))
      const replaced = there && !isAside ? await removeEntry(tx, there) : null
      const moved = await tx.query(
        `update drop_entries set folder = :to, name = :as, parent_id = :parent,
          quiet_since = now(),
           ${RESET_IF_FILED}
         where shop_id = :shop and ${STILL_THERE} and state is distinct from 'importing'
         returning 1`,
        { id: entry.id, folder: entry.folder, name: entry.name, to: folder, as: name, parent },
      )
      await removeNote(tx, entry.folder, entry.name)
      if (moved.length === 0) throw new DropError('busy')
      if (entry.kind === 'folder') await moveContents(tx, from, to)
      return replaced
    })
    .catch((error: unknown) => {
      if (codeOf(error) === UNIQUE) throw new DropError('exists')
      throw error
    })
}

/** SQL: a file that is moved back from /processed/ or /failed/ is imported like a new one. */
const RESET_IF_FILED = `
  state = case when filed_at is null then state else 'waiting' end,
  closed_cleanly = closed_cleanly or filed_at is not null,
  claim = null, operation_id = null, position = null, manifest_id = null, filed_at = null,
  file_id = null,
  dropped_folder = null, dropped_name = null, error = null`

async function moveContents(tx: ShopScope, from: string, to: string): Promise<void> {
  const inside = `shop_id = :shop and (folder = :from or starts_with(folder, :from || '/'))`
  const busy = await tx.query(
    `select 1 from drop_entries where ${inside} and state = 'importing' limit 1`,
    { from },
  )
  if (busy.length > 0) throw new DropError('busy', 'A file in this folder is being imported')
  const rows = await tx.query<{ longest: number }>(
    `update drop_entries set folder = :to || substr(folder, length(:from) + 1), quiet_since = now()
     where ${inside} returning octet_length(folder) as longest`,
    { from, to },
  )
  if (rows.some(({ longest }) => longest > 1000))
    throw new DropError('bad_name', 'A path in it would be too long')
}

/** Sets the time of an entry. False: the entry was removed in the meantime. */
export const setModified = (scope: ShopScope, id: string, at: Date): Promise<boolean> =>
  scope.has(
    `update drop_entries set modified_at = :at where shop_id = :shop and id = :id returning 1`,
    { id, at },
  )

/** Marks a file that waits to be imported as an interrupted transfer. */
export const markInterrupted = async (scope: ShopScope, id: string): Promise<void> =>
  void (await scope.query(
    `update drop_entries set state = 'partial', closed_cleanly = false where shop_id = :shop
       and id = :id and state = 'waiting'`,
    { id },
  ))

/** Records that the client was still connected after these files ended, so they are whole. */
export const confirm = async (scope: ShopScope, ids: readonly string[]): Promise<void> =>
  void (await scope.query(
    `update drop_entries set closed_cleanly = true
     where shop_id = :shop and id = any(:ids::uuid[]) and state = 'waiting' and not closed_cleanly`,
    { ids },
  ))

/**
 * Sums the bytes of files in the shop's folders, including files that are being written and failed
 * files, but not imported files; and those that were removed and are still stored. `process`: without the files that this process writes.
 */
export async function waitingBytes(scope: ShopScope, process: number | null): Promise<number> {
  const row = await scope.one<{ bytes: number }>(
    `select (
       select coalesce(sum(size_bytes), 0) from drop_entries
       where shop_id = :shop and kind = 'file' and split_part(folder, '/', 1) <> '${PROCESSED}'
         and (state <> 'writing' or process is distinct from :process)
     )::bigint + (
       select coalesce(sum(b.size_bytes), 0) from blob_locations l
       join blobs b on b.shop_id = l.shop_id and b.hash = l.hash
       where l.shop_id = :shop and l.dropped_at is not null and l.unneeded_since is not null
     )::bigint as bytes`,
    { process },
  )
  return row.bytes
}
