// Lists, locates and restores versions of a file.
import { extensionOf, LINK_TYPE } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError } from '../core/errors.ts'
import { editFile } from './edit.ts'
import { VERSION_SHA256 } from './digests.ts'
import { QUARANTINE } from './quarantine.ts'
import type { LocatedFile } from './list.ts'

export interface VersionRow {
  number: number
  /** The file's name when these bytes arrived. */
  filename: string
  size_bytes: number
  content_type: string
  /** The address that buyers of a link are sent to; null: it is none. */
  link_url: string | null
  location: string
  /** Is it the file's current version? */
  current: boolean
  created_at: Date
  /** When the version is removed, after an operation that keeps no old versions replaced it. */
  expires_at: Date | null
}

const VERSIONS = `from files f join versions v on v.shop_id = f.shop_id and v.file_id = f.id
  where f.shop_id = :shop and f.id = :fileId and f.deleted_at is null`

/**
 * A page of versions, newest first; empty for an unknown file. `before`: the last number of the
 * previous page.
 */
export function listVersions(
  scope: ShopScope,
  fileId: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<VersionRow[]> {
  return scope.query<VersionRow>(
    `select v.number, coalesce(v.filename, f.filename) as filename, v.size_bytes, v.content_type,
       v.location, case when v.content_type = '${LINK_TYPE}' then (select b.link_url from blobs b
         where b.shop_id = v.shop_id and b.hash = v.hash) end as link_url,
       v.number = f.version as current, v.created_at, v.expires_at ${VERSIONS}
       ${before === null ? '' : 'and v.number < :before'} order by v.number desc limit :limit`,
    { fileId, limit, ...(before === null ? {} : { before }) },
  )
}

/** The location of a version's bytes, or null if the file has no such version. */
export const locateVersion = (
  scope: ShopScope,
  fileId: string,
  number: number,
): Promise<LocatedFile | null> =>
  scope.first<LocatedFile>(
    `select encode(v.hash, 'hex') as hash, ${VERSION_SHA256} as sha256, v.location, v.size_bytes,
       coalesce(v.filename, f.filename) as filename,
       v.content_type, v.created_at as modified_at, ${QUARANTINE} as quarantine ${VERSIONS} and v.number = :number`,
    { fileId, number },
  )

/**
 * Makes a version the file's current one; its links serve those bytes. If a conversion had changed
 * the file's extension, the name gets that version's extension back. Throws as `editFile` does, and
 * `not_found` if there is no such version.
 */
export function restoreVersion(scope: ShopScope, fileId: string, number: number): Promise<void> {
  return editFile(scope, fileId, async (tx, draft) => {
    // The row is locked, so that a sweep does not remove an expired version at the same time.
    const [version] = await tx.query<{ filename: string }>(
      `select coalesce(v.filename,
        f.filename) as filename ${VERSIONS} and v.number = :number for key share of v`,
      { fileId, number },
    )
    if (!version) throw new AppError('not_found')
    draft.version = number
    draft.filename = withExtensionOf(version.filename, draft.filename)
    return []
  })
}

/**
 * Sets, at the end of an operation that keeps no old versions, when the versions that it replaced
 * expire: when it can no longer be undone. `window`: an interval.
 */
export async function expireReplaced(
  tx: ShopScope,
  operation: string,
  window: string,
): Promise<void> {
  await tx.query(
    `update versions v set expires_at = now() + :window::interval
     from items i join files f on f.shop_id = i.shop_id and f.id = i.file_id
     where i.shop_id = :shop and i.operation_id = :operation and i.status = 'done'
       and i.after -> 'drop_previous' is not null and v.shop_id = f.shop_id and v.file_id = f.id
       and v.number = (i.before ->> 'version')::int and v.number <> f.version`,
    { operation, window },
  )
}

/** `cover.jpg`, `Front.webp` → `Front.jpg` */
export function withExtensionOf(model: string, filename: string): string {
  if (extensionOf(model) === extensionOf(filename)) return filename
  const stem =
    extensionOf(filename) === '' ? filename : filename.slice(0, filename.lastIndexOf('.'))
  return extensionOf(model) === '' ? stem : stem + model.slice(model.lastIndexOf('.'))
}
