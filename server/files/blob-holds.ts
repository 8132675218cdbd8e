// Writes and locks the rows of blobs that are about to be used, so that no sweep removes them.
import type { StagedBlob } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'

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
    select distinct on (hash, location) decode(hash, 'hex') as hash, size_bytes, location
    from jsonb_to_recordset(:blobs::jsonb)
      as g(hash text, size_bytes bigint, location text)
    order by hash, location
  ), held as (
    insert into blobs (shop_id, hash, size_bytes)
    select distinct on (hash) :shop, hash, size_bytes from given order by hash
    on conflict (shop_id, hash) do update set size_bytes = excluded.size_bytes
    returning hash
  ), placed as (
    insert into blob_locations (shop_id, hash, location)
    select :shop, given.hash, given.location from given join held using (hash)
      order by given.hash, given.location
    on conflict (shop_id, hash, location) do update set unneeded_since = null
      where blob_locations.unneeded_since is not null
  )`
