// The number of files of each connection here, and their bytes.
import type { ShopScope } from '../../db/for-shop.ts'

export interface Totals {
  files: number
  bytes: number
}

export async function totalsOf(scope: ShopScope): Promise<Map<string, Totals>> {
  const rows = await scope.query<Totals & { connection_id: string }>(
    `select c.connection_id, count(f.id) as files, coalesce(sum(f.size_bytes), 0)::bigint as bytes
     from cloud_files c join files f on f.shop_id = c.shop_id and f.id = c.file_id and f.deleted_at is null
     where c.shop_id = :shop group by c.connection_id`,
  )
  return new Map(rows.map(({ connection_id, files, bytes }) => [connection_id, { files, bytes }]))
}
