// Replacing a file: new bytes, from an address or an earlier upload, are imported as its next
// version. The file is identified by its id, since it may be renamed or deleted during the import.
import { isLinkName, say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Engine } from '../../engine/engine.ts'
import { AppError } from '../../core/errors.ts'
import { importFromApi } from '../imports/start.ts'
import { findUpload } from '../upload/rows.ts'
import { importUploads } from '../upload/start.ts'

interface By {
  name: string
  idempotencyKey: string | undefined
}

/**
 * Imports the bytes at an address, or the next address of a link, as the next version of the file with
 * the bare UUID `id`. Returns the import's UUID. Throws `not_found`, and `validation_failed` for an
 * address of a file that is no link.
 */
export async function replaceFromUrl(
  engine: Engine,
  scope: ShopScope,
  id: string,
  address: { url?: string | undefined; link_url?: string | undefined },
  by: By,
): Promise<string> {
  const filename = await nameOf(scope, id)
  if (address.link_url !== undefined && !isLinkName(filename)) throw notALink(filename)
  // A new version keeps the file's products; nothing is matched.
  return importFromApi(engine, scope, {
    files: [{ filename, ...address, replaces: id }],
    auto_map: false,
    on_conflict: 'new_version',
    requestedBy: by.name,
    idempotencyKey: by.idempotencyKey,
  })
}

/**
 * Imports an upload as the next version of a file. `upload`: a complete upload that is in no
 * import, such as one of a batch that was not started. Throws `not_found`, `validation_failed` for
 * an unknown upload, `conflict` if it cannot be used.
 */
export function replaceFromUpload(
  engine: Engine,
  scope: ShopScope,
  id: string,
  upload: string | null,
  by: By,
): Promise<string> {
  return scope.transaction(async (tx) => {
    const before = await startedBefore(tx, by)
    if (before !== null) return before
    const filename = await nameOf(tx, id)
    if (upload)
      await tx.query('select from uploads where shop_id = :shop and id = :upload for update', {
        upload,
      })
    const found = upload && (await findUpload(tx, upload))
    if (!found) throw noUpload()
    if (found.status === 'uploading')
      throw new AppError('conflict', { message: say('This upload is not complete yet') })
    if (found.status !== 'received' || found.operation_id !== null)
      throw new AppError('conflict', { message: say('This upload has been imported already') })
    return importUploads(
      engine,
      tx,
      [{ ...found, filename, on_conflict: 'new_version', replaces: id }],
      {
        auto_map: false,
        requestedBy: by.name,
        idempotencyKey: by.idempotencyKey,
      },
    )
  })
}

/**
 * Finds the import of a repeated request whose answer was lost: the upload is in its own import
 * already.
 */
async function startedBefore(tx: ShopScope, { idempotencyKey: key }: By): Promise<string | null> {
  if (key === undefined) return null
  const [row] = await tx.query<{ id: string }>(
    'select id from operations where shop_id = :shop and idempotency_key = :key',
    { key },
  )
  return row?.id ?? null
}

async function nameOf(scope: ShopScope, id: string): Promise<string> {
  const [file] = await scope.query<{ filename: string }>(
    'select filename from files where shop_id = :shop and id = :id and deleted_at is null',
    { id },
  )
  if (!file) throw new AppError('not_found')
  return file.filename
}

function notALink(filename: string): AppError {
  const message = say(
    '{filename} is not a link: buyers of a file are sent to no address. Add the link as a file of its own',
    { filename },
  )
  const details = [{ param: 'link_url', code: 'invalid_value', message } as const]
  return new AppError('validation_failed', { param: 'link_url', details })
}

function noUpload(): AppError {
  const details = [
    { param: 'upload_id', code: 'not_found', message: say('There is no such upload') } as const,
  ]
  return new AppError('validation_failed', { param: 'upload_id', details })
}
