// How a name changes hands while its file is written: taken when a transfer opens, given bytes when
// it ends.
import type { Database } from '../../db/database.ts'
import type { ShopScope } from '../../db/for-shop.ts'
import { HOLD_BLOBS } from '../../files/admit.ts'
import { findEntry, folderId, type DropEntry } from './entries.ts'
import { DropError } from './errors.ts'
import { ASIDE } from './own-folders.ts'
import { splitPath } from './paths.ts'

interface Taking {
  folder: string
  name: string
  mode: 'truncate' | 'keep'
  exclusive?: boolean
  account: string | null
  protocol: string
  process: number
  writeId: string
}

type Taken = Pick<DropEntry, 'id' | 'hash' | 'location' | 'size_bytes'>

/**
 * Its commit does not wait for the disk: a name that a crash of the database forgets is refused when
 * the transfer ends, and the client sends the file again.
 */
const WITHOUT_WAITING = `(select set_config('synchronous_commit', 'off', true)) unsynced`

/**
 * In one statement: the name is this transfer's from now on, and a transfer that had it can end no
 * more. With `keep` the row keeps its bytes until the end, so that a crash falls back to them.
 * Throws `not_found` (no such folder), `exists`, `is_a_folder`, `busy`.
 */
export async function takeName(scope: ShopScope, taking: Taking): Promise<Taken> {
  const { folder, exclusive = false } = taking
  const keep = taking.mode === 'keep'
  const [row] = await scope.query<Taken>(
    `insert into drop_entries (shop_id, folder, name, kind, parent_id, state, account_id, protocol, process, write_id,
       writing_since)
     select :shop, :folder, :name, 'file', parent.id, 'writing', :account, :protocol, :process, :writeId, now()
     from (${folder === '' ? 'select null::uuid as id' : FOLDER}) parent, ${WITHOUT_WAITING}
     on conflict (shop_id, folder, name) do update set state = 'writing', account_id = excluded.account_id,
       protocol = excluded.protocol, process = excluded.process, write_id = excluded.write_id, writing_since = now(),
       closed_cleanly = false, hash = case when :keep then drop_entries.hash end,
       location = case when :keep then drop_entries.location end,
       size_bytes = case when :keep and drop_entries.hash is not null then drop_entries.size_bytes else 0 end
       where drop_entries.kind = 'file' and drop_entries.state <> 'importing' and not :exclusive
     returning id, encode(hash, 'hex') as hash, location, size_bytes`,
    {
      ...taking,
      keep,
      exclusive,
      parentFolder: splitPath(folder).folder,
      parentName: splitPath(folder).name,
    },
  )
  if (row) return row
  return (await moveAside(scope, taking)) ? takeName(scope, taking) : refused(scope, taking)
}

/** A file that is being imported leaves its name to one that is sent meanwhile. */
async function moveAside(scope: ShopScope, { folder, name, mode }: Taking): Promise<boolean> {
  if (mode === 'keep') return false
  const rows = await scope.query(
    `update drop_entries set dropped_folder = coalesce(dropped_folder, folder),
       dropped_name = coalesce(dropped_name, name), folder = '${ASIDE}', name = id::text, parent_id = null
     where shop_id = :shop and folder = :folder and name = :name and state = 'importing' returning 1`,
    { folder, name },
  )
  return rows.length > 0
}

const FOLDER = `select id from drop_entries
  where shop_id = :shop and folder = :parentFolder and name = :parentName and kind = 'folder'`

async function refused(scope: ShopScope, { folder, name, exclusive }: Taking): Promise<never> {
  await folderId(scope, folder)
  const there = await findEntry(scope, folder, name)
  if (there?.kind === 'folder') throw new DropError('is_a_folder')
  if (there?.state === 'importing') throw new DropError('busy')
  throw new DropError(exclusive ? 'exists' : 'interrupted')
}

interface Ended {
  id: string
  writeId: string
  clean: boolean
  modifiedAt: Date | null
  protocol: string
  hash: string | null
  location: string | null
  size_bytes: number
}

/** False: another transfer has taken the name meanwhile, or it was removed. */
export async function commitBytes(scope: ShopScope, ended: Ended): Promise<boolean> {
  const { hash, location, size_bytes } = ended
  const blobs = hash === null ? [] : [{ hash, location, size_bytes }]
  // One statement, and so one wait for the disk.
  const rows = await scope.query(
    `with ${HOLD_BLOBS}
     update drop_entries set state = :state, closed_cleanly = :sure, size_bytes = :size_bytes, location = :location,
       hash = decode(:hash, 'hex'), modified_at = coalesce(:modifiedAt::timestamptz, now()), quiet_since = now(),
       process = null, write_id = null, writing_since = null
     where shop_id = :shop and id = :id and write_id = :writeId returning 1`,
    {
      ...ended,
      blobs: JSON.stringify(blobs),
      state: ended.clean ? 'waiting' : 'partial',
      sure: ended.clean && ended.protocol === 'sftp',
    },
  )
  return rows.length > 0
}

/** The size so far, for those who look at it. */
export async function noteProgress(
  { pool }: Database,
  writeId: string,
  size: number,
): Promise<void> {
  await pool.query(
    `update drop_entries set size_bytes = $2 where write_id = $1 and state = 'writing' and size_bytes <> $2 and hash is null`,
    [writeId, size],
  )
}
