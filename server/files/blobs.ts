// Removes the rows of unused blobs, across shops, after a grace period. The location's own sweep
// removes the bytes: it calls `knownBlobs` and deletes what has no row. Code that reuses a blob
// locks its rows (holdBlobs), and this skips locked rows.
import type { StagedBlob } from '../../plugins/contract/index.ts'
import { blobIsNeeded } from '../core/db/blob-references.ts'
import type { Database } from '../core/db/database.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { inBatches } from '../core/db/sweep-batches.ts'

/**
 * How long an unused blob is kept. An operator copies the bytes after the database that names them,
 * which may take most of a day; and downloads in progress need time to finish.
 * Exported for tests, which make blobs older than it.
 */
export const GRACE_MS = 24 * 60 * 60 * 1000
const PAGE = 5000
const ROW_BATCH = 1000

type Pool = Database['pool']

const NEEDED = blobIsNeeded('b')

/**
 * Removes expired versions, and returns their number. A version that is its file's current one
 * again is kept. The file is locked, so that a version that is being removed cannot be restored.
 * @param batch how many versions one statement removes; tests set fewer.
 */
export async function sweepVersions(pool: Pool, now: Date, batch = ROW_BATCH): Promise<number> {
  await pool.query(
    `update versions v set expires_at = null from files f
     where v.expires_at < $1 and f.shop_id = v.shop_id and f.id = v.file_id
       and f.version = v.number`,
    [now],
  )
  return inBatches(batch, (limit) =>
    pool.query(
      `delete from versions using (
         select v.shop_id, v.file_id, v.number from versions v
         join files f on f.shop_id = v.shop_id and f.id = v.file_id and f.version <> v.number
         where v.expires_at < $1 limit $2 for update of f skip locked
       ) old where versions.shop_id = old.shop_id and versions.file_id = old.file_id
         and versions.number = old.number`,
      [now, limit],
    ),
  )
}

/**
 * Removes unused blobs; returns how many were removed from a location. Several processes may run it
 * concurrently.
 * @param shops whose blobs are looked at; absent: those of all. What was found unused before is
 *   removed in every shop.
 */
export async function sweepBlobs(
  pool: Pool,
  now: Date,
  shops?: readonly number[],
): Promise<number> {
  for (const shop of shops ?? (await allShops(pool))) await markUnused(pool, now, shop)
  return removeUnused(pool, new Date(now.getTime() - GRACE_MS))
}

interface Place {
  shop_id: number
  hash: Buffer
  location: string
}
async function allShops(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>('select id from shops order by id')
  return rows.map(({ id }) => id)
}

const FIRST: Place = { shop_id: -1, hash: Buffer.alloc(0), location: '' }

/**
 * Records the time since which a blob is unused, and clears it when the blob is used again. The
 * removal checks again. Works page by page and skips locked rows, so that no import waits for it.
 */
async function markUnused(pool: Pool, now: Date, shop: number): Promise<void> {
  for (let last: Omit<Place, 'shop_id'> | undefined = FIRST; last;) {
    const { rows }: { rows: Omit<Place, 'shop_id'>[] } = await pool.query<Omit<Place, 'shop_id'>>(
      `with page as materialized (
         select shop_id, hash, location, unneeded_since from blob_locations
         where shop_id = $1 and (hash, location) > ($2, $3) order by hash, location limit ${PAGE}
       ), checked as materialized (
         select shop_id, hash, location, ${NEEDED} as needed, unneeded_since from page b
       ), changed as materialized (
         select b.shop_id, b.hash, b.location, j.needed from blob_locations b
           join checked j using (shop_id, hash, location)
         where j.needed = (j.unneeded_since is not null) for update of b skip locked
       ), recorded as (
         update blob_locations b set unneeded_since = case when c.needed then null
           else $4::timestamptz end
         from changed c where b.shop_id = c.shop_id and b.hash = c.hash and b.location = c.location
       )
       select hash, location from page order by hash desc, location desc limit 1`,
      [shop, last.hash, last.location, now],
    )
    last = rows[0]
  }
}

async function removeUnused(pool: Pool, before: Date): Promise<number> {
  let removed = 0
  for (let last: Place | undefined = FIRST; last;) {
    const { rows }: { rows: Place[] } = await pool.query<Place>(
      `select shop_id, hash, location from blob_locations
       where unneeded_since < $4 and (shop_id, hash, location) > ($1, $2, $3)
       order by shop_id, hash, location limit ${ROW_BATCH}`,
      [last.shop_id, last.hash, last.location, before],
    )
    removed += rows.length > 0 ? await removeBlobs(pool, rows, before) : 0
    last = rows.at(-1)
  }
  return removed
}

/** SQL: the rows that `$1` to `$3` name, as `o`. */
const LISTED = `unnest($1::int[], $2::bytea[], $3::text[]) as o(shop_id, hash, location)`

/**
 * In one transaction: locks the blobs, as code that reuses one does, then checks in a second
 * statement what is used, because that statement sees everything committed before the lock. A later
 * caller waits for the lock and then inserts new rows.
 */
async function removeBlobs(pool: Pool, places: readonly Place[], before: Date): Promise<number> {
  const listed = [
    places.map((one) => one.shop_id),
    places.map((one) => one.hash),
    places.map((one) => one.location),
  ]
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows: held } = await client.query<Pick<Place, 'shop_id' | 'hash'>>(
      `select b.shop_id, b.hash from blobs b
         where (b.shop_id, b.hash) in (select o.shop_id, o.hash from ${LISTED})
       for update of b skip locked`,
      listed,
    )
    const free = new Set(held.map(nameOf))
    const ours = places.filter((place) => free.has(nameOf(place)))
    const names = [
      ours.map((one) => one.shop_id),
      ours.map((one) => one.hash),
      ours.map((one) => one.location),
    ]
    const { rowCount } = await client.query(
      `delete from blob_locations using (
         select b.shop_id, b.hash, b.location from blob_locations b
           join ${LISTED} using (shop_id, hash, location)
         where b.unneeded_since < $4 and not (${NEEDED}) for update of b skip locked
       ) gone where blob_locations.shop_id = gone.shop_id and blob_locations.hash = gone.hash
         and blob_locations.location = gone.location`,
      [...names, before],
    )
    await client.query(
      `delete from blobs b using ${LISTED} where b.shop_id = o.shop_id and b.hash = o.hash
         and not exists (select from blob_locations l where l.shop_id = b.shop_id
           and l.hash = b.hash)`,
      names,
    )
    await client.query('commit')
    return rowCount ?? 0
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

/**
 * Writes the rows of bytes that were staged and refused: until a sweep removes them they count in
 * the shop's quota (`StorageUsage.leaving`).
 */
export async function noteRefused(tx: ShopScope, blobs: readonly StagedBlob[]): Promise<void> {
  if (blobs.length === 0) return
  await tx.query(
    `with given as (
       select distinct on (hash, location) decode(hash, 'hex') as hash, size_bytes, location
       from jsonb_to_recordset(:blobs::jsonb) as g(hash text, size_bytes bigint, location text)
       order by hash, location
     ), noted as (
       insert into blobs (shop_id, hash, size_bytes)
       select distinct on (hash) :shop, hash, size_bytes from given order by hash
       on conflict do nothing
     )
     insert into blob_locations as b (shop_id, hash, location, unneeded_since)
     select :shop, hash, location, now() from given order by hash, location
     on conflict (shop_id, hash, location) do update set unneeded_since = now()
       where b.unneeded_since is null and not (${NEEDED})`,
    { blobs: JSON.stringify(blobs) },
  )
}

/**
 * Removes a blob that was just dropped, without the grace period, if no row names it. Its rows are
 * locked meanwhile: a concurrent writer of the same bytes has placed its own file, which `remove`
 * leaves, and inserts new rows afterwards.
 * @param remove removes the bytes if that is safe; false: a sweep removes them after the grace
 *   period, and until then they count in the drop folder (`dropped_at`).
 */
export async function removeUnnamed(
  pool: Pool,
  { shop, hash, location }: { shop: number; hash: string; location: string },
  remove: () => Promise<boolean>,
): Promise<void> {
  const client = await pool.connect()
  const place = [shop, Buffer.from(hash, 'hex'), location]
  const own = 'b.shop_id = $1 and b.hash = $2 and b.location = $3'
  try {
    await client.query('begin')
    await client.query(
      'select from blobs where shop_id = $1 and hash = $2 for update',
      place.slice(0, 2),
    )
    const { rows } = await client.query<{ needed: boolean }>(
      `select ${NEEDED} as needed from blob_locations b where ${own} for update of b`,
      place,
    )
    if (rows[0]?.needed === false) {
      if (await remove()) {
        await client.query(`delete from blob_locations b where ${own}`, place)
        await client.query(
          `delete from blobs b where b.shop_id = $1 and b.hash = $2 and not exists (
             select from blob_locations l where l.shop_id = b.shop_id and l.hash = b.hash)`,
          place.slice(0, 2),
        )
      } else
        await client.query(
          `update blob_locations b set dropped_at = now(), unneeded_since = coalesce(unneeded_since, now())
           where ${own}`,
          place,
        )
    } else if (rows.length === 0) await remove()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

const nameOf = ({ shop_id, hash }: Pick<Place, 'shop_id' | 'hash'>) =>
  `${shop_id} ${hash.toString('hex')}`

/** Returns the blobs of the list that a location must keep, because a row names them. */
export async function knownBlobs(
  pool: Pool,
  location: string,
  shop: number,
  hashes: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from blob_locations
     where shop_id = $1 and location = $2 and hash = any(select decode(h, 'hex')
       from unnest($3::text[]) h)`,
    [shop, location, hashes],
  )
  return new Set(rows.map(({ hash }) => hash))
}

// Writes and locks the rows of blobs that are about to be used, so that no sweep removes them.

/**
 * Writes the blobs' rows and locks those that exist, so that no sweep removes them in the meantime.
 * Their bytes were written just before, or `holdsBlob` has confirmed them.
 */
export async function holdBlobs(tx: ShopScope, blobs: readonly StagedBlob[]): Promise<void> {
  if (blobs.length === 0) return
  await tx.query(`with ${HOLD_BLOBS} select 1`, { blobs: JSON.stringify(blobs) })
}

/**
 * SQL: `holdBlobs` as a part of another statement's `with`; binds `blobs`. Rows are locked in the
 * order of their hashes: two transactions that share some then wait for each other instead of
 * deadlocking.
 */
export const HOLD_BLOBS = `
  given as (
    select distinct on (hash, location) decode(hash, 'hex') as hash, size_bytes, location, link_url
    from jsonb_to_recordset(:blobs::jsonb)
      as g(hash text, size_bytes bigint, location text, link_url text)
    order by hash, location
  ), held as (
    insert into blobs (shop_id, hash, size_bytes, link_url)
    select distinct on (hash) :shop, hash, size_bytes, link_url from given order by hash
    on conflict (shop_id, hash) do update set size_bytes = excluded.size_bytes,
      link_url = coalesce(blobs.link_url, excluded.link_url)
    returning hash
  ), placed as (
    insert into blob_locations (shop_id, hash, location)
    select :shop, given.hash, given.location from given join held using (hash)
      order by given.hash, given.location
    on conflict (shop_id, hash, location) do update set unneeded_since = null
      where blob_locations.unneeded_since is not null
  )`
