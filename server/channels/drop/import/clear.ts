// Clears /processed/ and /failed/ after 30 days, across shops.
import type { Database } from '../../../db/database.ts'
import { KEPT_DAYS, PROCESSED } from '../own-folders.ts'

/** Returns the number of files that were removed. A day's folder is removed with its last file. */
export async function clearFiled(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from drop_entries where filed_at < now() - interval '${KEPT_DAYS} days'
       and state in ('processed', 'failed', 'note')`,
  )
  await pool.query(
    `delete from drop_entries f where kind = 'folder' and folder = '${PROCESSED}'
       and name < to_char(now() - interval '1 day', 'YYYY-MM-DD') and not exists (
         select from drop_entries e where e.shop_id = f.shop_id and e.parent_id = f.id)`,
  )
  return rowCount ?? 0
}
