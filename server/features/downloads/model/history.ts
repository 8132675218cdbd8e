// Lists the recorded downloads of a file with download tracking.
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { firstIdSince } from '../../../core/db/month-parts.ts'

export interface DownloadRow {
  /** Bare UUIDs. */
  id: string
  /** The link that was used; null for a download through the public address. */
  link_id: string | null
  address: string
  agent: string
  at: Date
}

/** Newest first. `before`: the last id of the previous page. Null: there is no such file. */
export async function listDownloads(
  scope: ShopScope,
  fileId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<DownloadRow[] | null> {
  const [file] = await scope.query<{ created_at: Date }>(
    'select created_at from files where shop_id = :shop and id = :fileId and deleted_at is null',
    {
      fileId,
    },
  )
  if (!file) return null
  return scope.query<DownloadRow>(
    `select id, link_id, address, agent, at from downloads where shop_id = :shop
      and file_id = :fileId and id >= :since
       ${before === null ? '' : 'and id < :before'} order by id desc limit :limit`,
    { fileId, limit, since: firstIdSince(file.created_at), ...(before === null ? {} : { before }) },
  )
}
