// Gives an existing file a new version.
import type { StagedBlob } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { contentTypeOf } from './rules.ts'
import { holdBlobs } from './blobs.ts'

/**
 * Makes staged bytes the newest and current version of a file (a bare UUID); older versions stay.
 * Its links serve the new bytes. Returns the version's number.
 */
export async function admitVersion(
  tx: ShopScope,
  fileId: string,
  staged: StagedBlob,
): Promise<number> {
  const number = await addVersion(tx, fileId, staged, null)
  await tx.query(
    `update files set version = :number, version_since = now(), size_bytes = :size,
       updated_at = now()
     where shop_id = :shop and id = :file`,
    { file: fileId, number, size: staged.size_bytes },
  )
  return number
}

/**
 * Adds a version to a file, which keeps its current one. `filename`: the name that the file will
 * get, or null.
 */
export async function addVersion(
  tx: ShopScope,
  fileId: string,
  staged: StagedBlob,
  filename: string | null,
): Promise<number> {
  await holdBlobs(tx, [staged])
  const row = await tx.one<{ number: number }>(
    `insert into versions (shop_id, file_id, number, hash, location, size_bytes, content_type,
       filename, source)
     select :shop, :file, (select max(number) + 1 from versions where shop_id = :shop
       and file_id = :file),
       decode(:hash, 'hex'), :location, :size, coalesce(:type, content_type),
       coalesce(:filename, filename), :source::jsonb
     from files where files.shop_id = :shop and files.id = :file
     returning number`,
    {
      file: fileId,
      hash: staged.hash,
      location: staged.location,
      size: staged.size_bytes,
      filename,
      source: staged.source ? JSON.stringify(staged.source) : null,
      type: filename === null ? null : contentTypeOf(filename),
    },
  )
  return row.number
}
