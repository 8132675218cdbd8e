// The number of files of each connection here, their bytes, and the number of objects that cannot
// be imported.
import type { ShopScope } from '../../core/db/for-shop.ts'

export interface Totals {
  files: number
  bytes: number
  rejected: number
}

export const NOTHING: Totals = { files: 0, bytes: 0, rejected: 0 }

export async function totalsOf(scope: ShopScope): Promise<Map<string, Totals>> {
  const rows = await scope.query<Totals & { connection_id: string }>(
    `select connection_id, coalesce(files, 0) as files, coalesce(bytes, 0)::bigint as bytes,
       coalesce(rejected, 0) as rejected
     from (
       select c.connection_id, count(f.id) as files, sum(f.size_bytes) as bytes
       from cloud_files c join files f on f.shop_id = c.shop_id and f.id = c.file_id
         and f.deleted_at is null
       where c.shop_id = :shop group by c.connection_id
     ) here
     full join (
       select connection_id, count(*) as rejected from cloud_rejections where shop_id = :shop
         group by connection_id
     ) refused using (connection_id)`,
  )
  return new Map(rows.map(({ connection_id, ...totals }) => [connection_id, totals]))
}
