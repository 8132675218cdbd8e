// The row of an upload: the requested import, and the number of bytes that have arrived.
import { textOf, type Entry } from '../../../plugins/contract/index.ts'
import { type ShopScope, lockUntilCommit } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import { OVERWRITING } from '../../files/admission.ts'
import { refusedByQuota, type ShopQuotas } from '../../files/quotas.ts'
import { cleanName, nameKey } from '../../files/rules.ts'

/** An unfinished upload is removed after this long without a byte. */
export const EXPIRY_MS = 24 * 60 * 60 * 1000

export type UploadStatus = 'uploading' | 'received' | 'imported' | 'failed'

export interface UploadChoices {
  filename: string
  on_conflict: Entry['on_conflict']
  tags: string[]
  /** A bare UUID. */
  batch: string | null
}

export interface UploadRow {
  /** A bare UUID. */
  id: string
  batch_id: string | null
  status: UploadStatus
  filename: string
  /** The key of the name; null: the upload is older than this column. */
  name_key: string | null
  size_bytes: number
  offset_bytes: number
  unproved_from: number | null
  /** The number of the folder that has the bytes; null: the upload is older than this column. */
  folder: number | null
  on_conflict: Entry['on_conflict']
  tags: string[]
  metadata: Record<string, string>
  requested_by: string
  operation_id: string | null
  position: number | null
  expires_at: Date
  /** Whether the batch announced its number of files. Set by `findUpload` only. */
  counted?: boolean
}

export const findUpload = (scope: ShopScope, id: string): Promise<UploadRow | null> =>
  scope.first<UploadRow>(
    `select u.*, b.count is not null as counted from uploads u
     left join upload_batches b on b.shop_id = u.shop_id and b.id = u.batch_id
     where u.shop_id = :shop and u.id = :id`,
    { id },
  )

export interface UploadQuotas {
  /** The maximum number of unfinished uploads of one shop. */
  shop_open_uploads: number
  /**
   * The maximum number of announced bytes of one shop, including uploads that wait to be imported.
   */
  shop_upload_bytes: number
}

async function refuseAboveQuota(
  tx: ShopScope,
  { choices, size }: { choices: UploadChoices; size: number },
  quotas: Partial<ShopQuotas>,
): Promise<void> {
  const { filename, on_conflict } = choices
  const overwrites = OVERWRITING.includes(on_conflict)
  const wanted = { newName: nameKey(cleanName(filename)), bytes: size, overwrites }
  const [refusal] = await refusedByQuota(tx, [wanted], quotas)
  if (refusal) throw new AppError(refusal.code, { message: textOf(refusal.message) })
}

/**
 * Creates the row. Throws `upload_quota`, and `storage_quota`, `file_quota` or `plan_limit` if the
 * shop has no room for the file: the import checks the name again. Uploads of a shop are created one after another, so that
 * concurrent ones cannot exceed the quota.
 */
export function insertUpload(
  scope: ShopScope,
  upload: {
    id: string
    size: number
    choices: UploadChoices
    metadata: Record<string, string>
    requestedBy: string
    folder: number | null
  },
  quotas: UploadQuotas & Partial<ShopQuotas>,
): Promise<UploadRow> {
  const { filename, on_conflict, tags, batch } = upload.choices
  return scope.transaction(async (tx) => {
    // An advisory lock: a quota counts rows, some of which do not exist yet.
    await lockUntilCommit(tx, 'quota of uploads')
    const used = await tx.one<{ open: number; bytes: number }>(
      `select count(*) filter (where status = 'uploading') as open,
         coalesce(sum(size_bytes), 0)::float8 as bytes
       from uploads where shop_id = :shop and status in ('uploading', 'received')`,
    )
    if (
      used.open >= quotas.shop_open_uploads ||
      used.bytes + upload.size > quotas.shop_upload_bytes
    )
      throw new AppError('upload_quota', { retryAfter: 60 })
    await refuseAboveQuota(tx, upload, quotas)
    const row = await tx.one<UploadRow>(
      `insert into uploads
         (shop_id, id, batch_id, filename, name_key, size_bytes, on_conflict, tags, metadata,
           requested_by, folder, expires_at)
       values (:shop, :id, :batch, :filename, :name, :size, :on_conflict, :tags, :metadata,
         :requestedBy, :folder, now() + :expiry * interval '1 millisecond') returning *`,
      {
        id: upload.id,
        batch,
        filename,
        name: nameKey(cleanName(filename)),
        size: upload.size,
        on_conflict,
        tags,
        expiry: EXPIRY_MS,
        metadata: JSON.stringify(upload.metadata),
        requestedBy: upload.requestedBy,
        folder: upload.folder,
      },
    )
    return row
  })
}

/** Records the offset and postpones the expiry. */
export async function recordOffset(scope: ShopScope, id: string, offset: number): Promise<void> {
  await scope.query(
    `update uploads set offset_bytes = :offset, unproved_from = null,
       expires_at = now() + :expiry * interval '1 millisecond'
     where shop_id = :shop and id = :id and status = 'uploading'`,
    { id, offset, expiry: EXPIRY_MS },
  )
}

export const isNameTaken = (scope: ShopScope, { filename }: UploadRow): Promise<boolean> =>
  scope.has('select from files where shop_id = :shop and deleted_at is null and name_key = :name', {
    name: nameKey(cleanName(filename)),
  })

export async function changeConflict(
  scope: ShopScope,
  id: string,
  on_conflict: Entry['on_conflict'],
): Promise<void> {
  await scope.query(
    `update uploads set on_conflict = :on_conflict,
       metadata = metadata || jsonb_build_object('on_conflict', :on_conflict::text)
     where shop_id = :shop and id = :id and status = 'uploading'`,
    { id, on_conflict },
  )
}

/**
 * Records that bytes from this offset on count only after their checksum was verified
 * (`recordOffset`).
 */
export async function recordUnverified(scope: ShopScope, id: string, from: number): Promise<void> {
  await scope.query('update uploads set unproved_from = :from where shop_id = :shop and id = :id', {
    id,
    from,
  })
}

export async function deleteUpload(scope: ShopScope, id: string): Promise<void> {
  await scope.query('delete from uploads where shop_id = :shop and id = :id', { id })
}

/** Reads everything that decides whether an upload may begin, and its name, in one query. */
export async function readUploadState(
  scope: ShopScope,
  nameKey: string,
  batch: string | null,
): Promise<{ id: string; taken: boolean; batch: boolean }> {
  const row = await scope.one<{ id: string; taken: boolean; batch: boolean }>(
    `select uuidv7() as id, exists (select from files where shop_id = :shop and deleted_at is null
       and name_key = :nameKey) as taken,
       exists (select from upload_batches where shop_id = :shop and id = :batch::uuid) as batch`,
    { nameKey, batch },
  )
  return row
}
