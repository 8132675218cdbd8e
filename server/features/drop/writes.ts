// Writes the rows of transfers: a transfer takes its name when it opens, and the row gets the bytes
// when it ends. A small file does both in one statement when it ends. The statements are prepared,
// because planning them would cost more than running them.
import type { Database } from '../../core/db/database.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { HOLD_BLOBS } from '../../files/blobs.ts'
import { findEntry, folderId, moveAside, type DropEntry } from './entries.ts'
import type { DroppedBytes } from './dropped-bytes.ts'
import { DropError } from './errors.ts'
import { splitPath } from './paths.ts'

export interface DropPlace {
  shop: number
  folder: string
  name: string
}

export interface NameClaim extends DropPlace {
  mode: 'truncate' | 'keep'
  exclusive?: boolean
  account: string | null
  protocol: string
  process: number
  writeId: string
}

export interface TakenName extends Pick<DropEntry, 'id' | 'hash' | 'location' | 'size_bytes'> {
  placed: string | null
  /** The bytes that the name had; null: it keeps them, or had none. */
  dropped: DroppedBytes | null
}

interface DroppedRow {
  old_hash: string | null
  old_location: string | null
  old_placed: string | null
}

const droppedOf = (row: DroppedRow): DroppedBytes => ({
  hash: row.old_hash,
  location: row.old_location,
  placed: row.old_placed,
})

/**
 * SQL: the commit does not wait for the disk. If a crash of the database loses the name, the end of
 * the transfer is refused, and the client sends the file again.
 */
const WITHOUT_WAITING = `(select set_config('synchronous_commit', 'off', true)) unsynced`

/** SQL: the folder's row, with its path as $2 (parent) and $3 (name); the home has no row. */
const parentOf = (folder: string): string =>
  folder === ''
    ? `(select null::uuid as id where $2 = '' and $3 = '')`
    : `(select id from drop_entries
         where shop_id = $1 and folder = $2 and name = $3 and kind = 'folder')`

/** SQL: new bytes are not part of an earlier preview. */
const UNCLAIMED = 'claim = null, operation_id = null, position = null, manifest_id = null'

const TAKE = (folder: string) => `
  insert into drop_entries (shop_id, folder, name, kind, parent_id, state, account_id, protocol,
    process, write_id,
    writing_since)
  select $1::int, $4, $5, 'file', parent.id, 'writing', $6::uuid, $7, $8::int, $9::uuid, now()
  from ${parentOf(folder)} parent, ${WITHOUT_WAITING}
  on conflict (shop_id, folder, name) do update
    set state = 'writing', account_id = excluded.account_id,
    protocol = excluded.protocol, process = excluded.process, write_id = excluded.write_id,
    writing_since = now(),
    closed_cleanly = false, ${UNCLAIMED}, hash = case when $10::boolean then drop_entries.hash end,
    location = case when $10 then drop_entries.location end,
    size_bytes = case when $10 and drop_entries.hash is not null then drop_entries.size_bytes
      else 0 end,
    placed = case when $10 then drop_entries.placed end
    where drop_entries.kind = 'file' and drop_entries.state <> 'importing' and not $11::boolean
  returning id, encode(hash, 'hex') as hash, location, size_bytes, placed,
    case when not $10 then encode(old.hash, 'hex') end as old_hash, old.location as old_location,
    old.placed as old_placed`

const preparedName = (what: string, folder: string): string =>
  folder === '' ? `${what}-home` : `${what}-folder`

/**
 * Gives the name to this transfer in one statement, so that an earlier transfer of the name cannot
 * commit. With `keep` the row keeps its bytes until the end, so that they remain after a crash.
 * Throws `not_found` (no such folder), `exists`, `is_a_folder`, `busy`.
 */
export async function takeName(database: Database, taking: NameClaim): Promise<TakenName> {
  const { shop, folder, name, account, protocol, process, writeId, exclusive = false } = taking
  const parent = splitPath(folder)
  const keep = taking.mode === 'keep'
  const take = async () => {
    const { rows } = await database.pool.query<TakenName & DroppedRow>({
      name: preparedName('take-drop-name', folder),
      text: TAKE(folder),
      values: [
        shop,
        parent.folder,
        parent.name,
        folder,
        name,
        account,
        protocol,
        process,
        writeId,
        keep,
        exclusive,
      ],
    })
    return rows[0] && { ...rows[0], dropped: droppedOf(rows[0]) }
  }
  return untilTaken(forShop(database, shop), { ...taking, aside: !keep, exclusive }, take)
}

/** Rounds in which the import that refused the name ended before the reason was read. */
const MOST_ATTEMPTS = 5

interface Taking extends DropPlace {
  /** A file that is being imported leaves the name. */
  aside: boolean
  exclusive: boolean
}

/** Tries again while the import that had the name ends in between. */
async function untilTaken<T>(
  scope: ShopScope,
  taking: Taking,
  take: () => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const taken = await take()
    if (taken !== undefined) return taken
    const moved = taking.aside && (await moveAside(scope, taking))
    if (!moved) await checkTakeable(scope, taking)
  }
  throw new DropError('interrupted')
}

/** Throws if the name cannot be taken now. */
async function checkTakeable(scope: ShopScope, { folder, name, exclusive }: Taking): Promise<void> {
  await folderId(scope, folder)
  const there = await findEntry(scope, folder, name)
  if (there?.kind === 'folder') throw new DropError('is_a_folder')
  if (there?.state === 'importing') throw new DropError('busy')
  if (exclusive) throw new DropError('exists')
}

/** The result of a transfer. */
export interface TransferResult {
  clean: boolean
  modifiedAt: Date | null
  protocol: string
  hash: string | null
  location: string | null
  size_bytes: number
  /** As in `WrittenBlob`. */
  placed?: string | null
}

/** SQL: holds the blobs, with the parameters $1 (the shop) and $2 (the blobs). */
const HOLD = HOLD_BLOBS.replaceAll(':shop', '$1::int').replaceAll(':blobs', '$2')
const blobsOf = ({ hash, location, size_bytes }: TransferResult): string =>
  JSON.stringify(hash === null ? [] : [{ hash, location, size_bytes }])
const stateOf = ({ clean }: TransferResult) => (clean ? 'waiting' : 'partial')
/** Did the protocol itself confirm that the file is whole? */
const isSure = ({ clean, protocol }: TransferResult): boolean => clean && protocol === 'sftp'

const COMMIT = `with ${HOLD}
  update drop_entries set state = $3, closed_cleanly = $4, size_bytes = $5, location = $6,
    hash = decode($7, 'hex'), placed = $11,
    modified_at = coalesce($8::timestamptz, now()), quiet_since = now(), process = null,
    write_id = null,
    writing_since = null
  where shop_id = $1 and id = $9::uuid and write_id = $10::uuid
  returning encode(old.hash, 'hex') as old_hash, old.location as old_location,
    old.placed as old_placed`

/**
 * Writes the bytes of a name that was taken, in one statement and so with one wait for the disk.
 * Returns the bytes that it had. Null: another transfer has taken the name, or it was removed.
 */
export async function commitBytes(
  { pool }: Database,
  { shop, id, writeId }: { shop: number; id: string; writeId: string },
  ended: TransferResult,
): Promise<DroppedBytes | null> {
  const { size_bytes, location, hash, modifiedAt, placed = null } = ended
  const { rows } = await pool.query<DroppedRow>({
    name: 'commit-drop-bytes',
    text: COMMIT,
    values: [
      shop,
      blobsOf(ended),
      stateOf(ended),
      isSure(ended),
      size_bytes,
      location,
      hash,
      modifiedAt,
      id,
      writeId,
      placed,
    ],
  })
  return rows[0] ? droppedOf(rows[0]) : null
}

/**
 * Releases a name whose transfer could not store its bytes: it keeps its earlier bytes, can be
 * written again, and is not imported.
 */
export async function releaseName(
  { pool }: Database,
  { shop, id, writeId }: { shop: number; id: string; writeId: string },
): Promise<void> {
  await pool.query(
    `update drop_entries set state = 'partial', closed_cleanly = false, quiet_since = now(),
       size_bytes = case when hash is null then 0 else size_bytes end,
       process = null, write_id = null, writing_since = null
     where shop_id = $1 and id = $2 and write_id = $3`,
    [shop, id, writeId],
  )
}

/**
 * SQL: no later transfer has opened the name. An interrupted transfer also leaves a name unchanged
 * that has changed since it began.
 */
const STILL_OURS = `(case when $6 = 'waiting'
    then coalesce(drop_entries.state <> 'writing' or drop_entries.writing_since <= opened.at, true)
    else greatest(drop_entries.quiet_since, drop_entries.writing_since) <= opened.at end)`

const PUT = (folder: string) => `with ${HOLD.replaceAll('$2', '$4')}
  insert into drop_entries (shop_id, folder, name, kind, parent_id, state, account_id, protocol,
    hash, location,
    size_bytes, modified_at, closed_cleanly, placed)
  select $1::int, $5, $7, 'file', parent.id, $6, $8::uuid, $9, decode($10, 'hex'), $11, $12::bigint,
    coalesce($13::timestamptz, now()), $14::boolean, $16
  from ${parentOf(folder)} parent
  on conflict (shop_id, folder, name) do update
    set state = excluded.state, account_id = excluded.account_id,
    protocol = excluded.protocol, hash = excluded.hash, location = excluded.location,
    size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
    closed_cleanly = excluded.closed_cleanly, placed = excluded.placed,
    quiet_since = now(), process = null, write_id = null, writing_since = null, ${UNCLAIMED}
    where drop_entries.kind = 'file' and drop_entries.state <> 'importing'
      and ${STILL_OURS.replaceAll('opened.at', `(now() - make_interval(secs => $15::float8))`)}
  returning id, encode(old.hash, 'hex') as old_hash, old.location as old_location,
    old.placed as old_placed`

export interface TransferEnd extends DropPlace, TransferResult {
  account: string | null
  /** How long the transfer has been open, in seconds. */
  openSeconds: number
}

/**
 * Writes name and bytes of a file in one statement. Returns its id, and the bytes that the name had;
 * throws as `takeName` does.
 */
export async function putFile(
  database: Database,
  putting: TransferEnd,
): Promise<{ id: string; dropped: DroppedBytes }> {
  const { shop, folder, name, account, protocol, modifiedAt, placed = null } = putting
  const { hash, location, size_bytes } = putting
  const parent = splitPath(folder)
  const put = async () => {
    const { rows } = await database.pool.query<{ id: string } & DroppedRow>({
      name: preparedName('put-drop-file', folder),
      text: PUT(folder),
      values: [
        shop,
        parent.folder,
        parent.name,
        blobsOf(putting),
        folder,
        stateOf(putting),
        name,
        account,
        protocol,
        hash,
        location,
        size_bytes,
        modifiedAt,
        isSure(putting),
        putting.openSeconds,
        placed,
      ],
    })
    return rows[0] && { id: rows[0].id, dropped: droppedOf(rows[0]) }
  }
  const taking = { shop, folder, name, aside: putting.clean, exclusive: false }
  return untilTaken(forShop(database, shop), taking, put)
}

export interface TransferSize {
  writeId: string
  size: number
}

/** Records the sizes so far, for listings. */
export async function recordProgress(
  { pool }: Database,
  transfers: readonly TransferSize[],
): Promise<void> {
  await pool.query(
    `update drop_entries set size_bytes = given.size
     from unnest($1::uuid[], $2::bigint[]) as given (write_id, size)
     where drop_entries.write_id = given.write_id and state = 'writing' and size_bytes <> given.size
       and hash is null`,
    [transfers.map(({ writeId }) => writeId), transfers.map(({ size }) => size)],
  )
}
