// Checks that stored bytes are still the ones that were admitted: a disk can return other bytes
// than were written, without an error. Each blob is read and hashed again. A damaged one is
// restored from another location, or reported.
import { Blake3Hasher } from '@napi-rs/blake-hash'
import { english, say, sentences, type Text } from '../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../core/db/for-shop.ts'
import type { Database } from '../core/db/database.ts'
import { takeTurn } from '../core/db/shop-maximum.ts'
import type { Logger } from '../core/log.ts'
import { queueMessage } from '../core/queue/queue.ts'
import { raiseNotice } from '../core/outbox/notices.ts'
import { readShop } from './shop-settings.ts'
import { StoreError, type BlobStore } from '../core/store/store.ts'
import { blobFindings } from '../core/totals.ts'

export interface StoredBlob {
  shop: number
  hash: string
  location: string
}

export interface SizedBlob extends StoredBlob {
  size_bytes: number
}

export interface BlobCheckParts {
  database: Database
  stores: ReadonlyMap<string, BlobStore>
  log: Logger
  clock: () => Date
}

export type Verdict = 'whole' | 'restored' | 'damaged'

/**
 * Reads a blob, restores it if it is damaged, and records the result. Rejects if its location does
 * not answer.
 */
export async function checkBlob(
  parts: BlobCheckParts,
  blob: StoredBlob,
  signal: AbortSignal,
): Promise<Verdict> {
  const { database, stores, log, clock } = parts
  const store = stores.get(blob.location)
  if (!store) throw new StoreError('unavailable')
  if (await isWhole(store, blob, signal)) {
    await recordVerdict(forShop(database, blob.shop), blob, false, clock())
    return 'whole'
  }
  const found = (await store.size(blob.shop, blob.hash)) === null ? 'missing' : 'damaged'
  const verdict = (await restore(stores, store, blob, signal)) ? 'restored' : 'damaged'
  blobFindings.add(found)
  if (verdict === 'restored') blobFindings.add('restored')
  log.error('stored bytes are damaged', { ...blob, found, verdict })
  await recordVerdict(forShop(database, blob.shop), blob, verdict === 'damaged', clock())
  return verdict
}

/** Are the bytes present, and do they match the hash? Reads to the end. */
export async function isWhole(
  store: BlobStore,
  { shop, hash }: Pick<StoredBlob, 'shop' | 'hash'>,
  signal: AbortSignal,
): Promise<boolean> {
  const hasher = new Blake3Hasher()
  try {
    for await (const chunk of await store.read(shop, hash)) {
      signal.throwIfAborted()
      hasher.update(chunk as Buffer)
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return false
    throw error
  }
  return hasher.digest('hex') === hash
}

/**
 * Writes the blob again from the first other location (the backup is one) that has it undamaged.
 */
async function restore(
  stores: BlobCheckParts['stores'],
  to: BlobStore,
  { shop, hash, location }: StoredBlob,
  signal: AbortSignal,
): Promise<boolean> {
  for (const [name, from] of stores) {
    if (name === location || (await from.size(shop, hash).catch(() => null)) === null) continue
    if (!(await isWhole(from, { shop, hash }, signal).catch(() => false))) continue
    await to.write(shop, await from.read(shop, hash), signal)
    if (await isWhole(to, { shop, hash }, signal)) return true
  }
  return false
}

/** Withdraws bytes from delivery, or offers them again, and says whose they are. */
async function markBytes(
  tx: ShopScope,
  { hash, location }: StoredBlob,
  damaged: boolean,
): Promise<void> {
  const given = { hash, location, damaged }
  const those = `shop_id = :shop and hash = decode(:hash, 'hex') and location = :location`
  // The files' rows are written too: an edit of a file that was read before notices the change.
  const files = await tx.query(
    `update files f set version = f.version
     from (select f.id from versions v join files f on f.shop_id = v.shop_id and f.id = v.file_id
       where v.shop_id = :shop and v.hash = decode(:hash, 'hex') and v.location = :location
         and v.bytes_damaged <> :damaged
       group by f.id order by f.id) v
     where f.shop_id = :shop and f.id = v.id returning 1`,
    given,
  )
  if (files.length > 0)
    await tx.query(
      `update versions set bytes_damaged = :damaged where ${those} and bytes_damaged <> :damaged`,
      given,
    )
  const copies = await tx.query(
    `update prepared_files set damaged = :damaged where ${those} and damaged <> :damaged
     returning 1`,
    given,
  )
  // Links that another process serves from memory.
  if (files.length + copies.length > 0)
    await tx.query(`select pg_notify('link_changed', :shop::text)`)
}

/**
 * Withdraws damaged bytes from delivery in every process. `checkBlob` restores and offers them
 * again, or reports them.
 */
export const withdrawBytes = ({ database }: Pick<BlobCheckParts, 'database'>, blob: StoredBlob) =>
  forShop(database, blob.shop).transaction((tx) => markBytes(tx, blob, true))

async function recordVerdict(
  scope: ShopScope,
  blob: StoredBlob,
  damaged: boolean,
  now: Date,
): Promise<void> {
  const { hash, location } = blob
  await scope.transaction(async (tx) => {
    const [checked] = await tx.query<{ isNews: boolean; isCurrent: boolean }>(
      `update blob_locations b set checked_at = :now,
         damaged_since = case when :damaged then coalesce(damaged_since, :now) end
       where shop_id = :shop and hash = decode(:hash, 'hex') and location = :location
       returning old.damaged_since is null as "isNews", exists (
         select from versions v join files f on f.shop_id = v.shop_id and f.id = v.file_id
           and f.version = v.number and f.deleted_at is null
         where v.shop_id = b.shop_id and v.hash = b.hash and v.location = b.location
       ) as "isCurrent"`,
      { hash, location, now, damaged },
    )
    await markBytes(tx, blob, damaged)
    if (damaged && checked?.isNews && checked.isCurrent) await reportDamage(tx, now)
  })
}

const MAX_NAMED = 5
/** Files that are found within this time are one notice. */
const TOGETHER = '1 hour'

/**
 * Reports all damaged files of the shop in one notice, which replaces an unread one of the last
 * hour, and in one mail a day.
 */
async function reportDamage(tx: ShopScope, now: Date): Promise<void> {
  const rows = await tx.query<{ filename: string }>(
    `select f.filename from versions v
     join files f on f.shop_id = v.shop_id and f.id = v.file_id and f.version = v.number
       and f.deleted_at is null
     where v.shop_id = :shop and v.bytes_damaged order by f.filename`,
  )
  const notice = noticeOf(rows.map(({ filename }) => filename))
  await takeTurn(tx)
  await tx.query(
    `delete from notices where shop_id = :shop and read_at is null and title = any(:titles::text[])
       and created_at > now() - interval '${TOGETHER}'`,
    { titles: earlierTitles(rows.length) },
  )
  await raiseNotice(tx, notice)
  const { name, settings } = await readShop(tx)
  if (settings.recipients.length === 0) return
  const { title, body } = notice
  const payload = { template: 'files-damaged', data: { shop: { name }, title, body } }
  const [message] = (await tx
    .insert('outbox', {
      key: `damaged/${now.toISOString().slice(0, 10)}`,
      kind: 'email',
      payload: JSON.stringify(payload),
    })
    .onConflict()
    .ignore()
    .returning('id')) as { id: string }[]
  if (message) await queueMessage(tx, message.id)
}

const titleOf = (files: number): Text =>
  say('The bytes of {count, plural, one {a file} other {# files}} are damaged', { count: files })
const earlierTitles = (files: number) =>
  Array.from({ length: files }, (_, n) => english(titleOf(n + 1)))

function noticeOf(names: readonly string[]) {
  const named = names.slice(0, MAX_NAMED).map((name) => `“${name}”`)
  const more = names.length - named.length
  const listed = named.join(', ')
  return {
    level: 'critical' as const,
    title: titleOf(names.length),
    body: sentences(
      say(
        '{names}: the stored bytes are missing or differ from the uploaded ones, and the backup location has no intact copy.',
        {
          names:
            more > 0 ? say('{names} and {count} more', { names: listed, count: more }) : listed,
        },
      ),
      say('Links to it answer that it is unavailable, and count nothing.'),
      say('Upload the file again as a new version.'),
    ),
    operation_id: null,
  }
}

/** Damaged blobs are checked again each time: an operator may have restored their bytes. */
const DAMAGED = [
  ['versions', 'bytes_damaged'],
  ['prepared_files', 'damaged'],
]
  .map(
    ([table, damaged]) => `exists (select from ${table} v
      where v.shop_id = b.shop_id and v.hash = b.hash and v.location = b.location and v.${damaged})`,
  )
  .join(' or ')
const DAY_MS = 24 * 60 * 60 * 1000
const DUE_MS = 20 * DAY_MS
/**
 * Due blobs are read within this many hourly runs (a week), so that every blob is read within 30
 * days.
 */
const RUNS = 7 * 24
const MIN_BLOBS = 100
/** The scrub is divided by the first byte of the hash, so that several workers share it. */
export const SCRUB_PARTS = 8

/**
 * Reads the blobs that are due; returns how many were damaged.
 * @param part below `SCRUB_PARTS`
 */
export async function scrubBlobs(
  parts: BlobCheckParts,
  signal: AbortSignal,
  part: number,
): Promise<number> {
  const { database, clock, log } = parts
  const { rows } = await database.pool.query<StoredBlob>(
    // The number of blobs is PostgreSQL's estimate: counting millions each hour takes seconds.
    `with share as (select greatest($2::bigint, reltuples::bigint / $3) / $4 as size
       from pg_class where oid = 'blob_locations'::regclass
     ), due as (
       select * from blob_locations where coalesce(checked_at, created_at) < $1
         and unneeded_since is null and get_byte(hash, 0) % $4 = $5
       order by coalesce(checked_at, created_at) limit (select size from share)
     ), chosen as (
       select shop_id, hash, location from due
       union select b.shop_id, b.hash, b.location from blob_locations b where (${DAMAGED})
         and get_byte(b.hash, 0) % $4 = $5
     )
     select shop_id as shop, encode(hash, 'hex') as hash, location from chosen`,
    [new Date(clock().getTime() - DUE_MS), MIN_BLOBS * SCRUB_PARTS, RUNS, SCRUB_PARTS, part],
  )
  let found = 0
  for (const blob of rows) {
    if (signal.aborted) break
    const verdict = await checkBlob(parts, blob, signal).catch((error: unknown) => {
      if (!signal.aborted)
        log.warn('a blob could not be checked', { ...blob, error: String(error) })
    })
    if (verdict && verdict !== 'whole') found++
  }
  return found
}

/**
 * Marks these blobs as read today and returns those that were not marked before. Of several
 * processes that ask for a blob, one gets it.
 */
export async function claimForToday(
  pool: Database['pool'],
  blobs: readonly StoredBlob[],
  now: Date,
): Promise<StoredBlob[]> {
  const { rows } = await pool.query<StoredBlob>(
    `update blob_locations b set checked_at = $4
     from unnest($1::int[], $2::text[], $3::text[]) as o(shop_id, hash, location)
     where b.shop_id = o.shop_id and b.hash = decode(o.hash, 'hex') and b.location = o.location
       and coalesce(b.checked_at, b.created_at) < date_trunc('day', $4::timestamptz, 'UTC')
     returning b.shop_id as shop, o.hash, b.location`,
    [
      blobs.map(({ shop }) => shop),
      blobs.map(({ hash }) => hash),
      blobs.map(({ location }) => location),
      now,
    ],
  )
  return rows
}
