// Backups: a copy of the file's record at the time when its bytes were copied to the backup
// location.
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { holdBlobs } from './blobs.ts'
import { readRecords, type FileRecord } from './drafts.ts'

export interface BackedUp {
  /** The file's bare UUID. */
  fileId: string
  hash: string
  size_bytes: number
  location: string
}

/** Records a verified copy, unless the newest backup is identical. Throws `file_not_found`. */
export function recordBackup(
  scope: ShopScope,
  { fileId, hash, size_bytes, location }: BackedUp,
): Promise<void> {
  return scope.transaction(async (tx) => {
    const record = (await readRecords(tx, [fileId])).get(fileId)
    if (!record) throw new AppError('file_not_found')
    await holdBlobs(tx, [{ hash, size_bytes, location, content_type: null }])
    await tx.query(
      `insert into backups (shop_id, file_id, hash, location, record)
       select :shop, :fileId::uuid, decode(:hash, 'hex'), :location, :record::jsonb
       where not exists (
         select from (select * from backups where shop_id = :shop and file_id = :fileId
           order by id desc limit 1) newest
         where newest.hash = decode(:hash, 'hex') and newest.location = :location
           and newest.record = :record::jsonb)`,
      { fileId, hash, location, record: JSON.stringify({ ...restorable(record), size_bytes }) },
    )
  })
}

export interface BackupRow {
  id: string
  file_id: string
  /** The file's name at that time. */
  filename: string
  size_bytes: number
  location: string
  created_at: Date
}

/**
 * A page of the shop's backups, newest first.
 * @param before the last id of the previous page
 */
export const listBackups = (
  scope: ShopScope,
  { before, limit }: { before: string | null; limit: number },
): Promise<BackupRow[]> =>
  scope.query<BackupRow>(
    `select k.id, k.file_id, k.record ->> 'filename' as filename, b.size_bytes, k.location,
       k.created_at
     from backups k join blobs b on b.shop_id = k.shop_id and b.hash = k.hash
     where k.shop_id = :shop and (:before::uuid is null or k.id < :before::uuid)
     order by k.id desc limit :limit`,
    { before, limit },
  )

/** The fields that restoring a backup writes, without times and ids. */
function restorable(record: FileRecord): Partial<FileRecord> {
  const kept: Partial<FileRecord> = { ...record }
  delete kept.id
  delete kept.updated_at
  delete kept.deleted_at
  delete kept.row_version
  delete kept.claimed
  delete kept.trash_expired
  delete kept.created_at
  delete kept.packs
  delete kept.pack_places
  return kept
}
