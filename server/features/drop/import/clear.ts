// Clears /processed/ and /failed/ after 30 days, and system files after a day, across shops.
import type { Database } from '../../../core/db/database.ts'
import { FAILED, KEPT_DAYS, PROCESSED } from '../own-folders.ts'
import { isSystemEntry } from '../waits-for.ts'

/** Removes old files, and each folder with its last file. Returns the number of removed files. */
export async function clearFiled(pool: Database['pool']): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from drop_entries where filed_at < now() - interval '${KEPT_DAYS} days'
       and state in ('processed', 'failed', 'note')
       or kind = 'file' and state = 'waiting' and ${isSystemEntry()}
         and quiet_since < now() - interval '1 day'`,
  )
  for (let left = 1; left > 0;) {
    // A folder of today may be about to get a file.
    const { rowCount: removed } = await pool.query(
      `delete from drop_entries f where kind = 'folder'
         and split_part(folder, '/', 1) in ('${PROCESSED}', '${FAILED}')
         and quiet_since < now() - interval '2 days'
         and not exists (
           select from drop_entries e where e.shop_id = f.shop_id and e.parent_id = f.id)`,
    )
    left = removed ?? 0
  }
  return rowCount ?? 0
}
