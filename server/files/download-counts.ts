// The kept number of downloads of each file, by which lists are sorted. Every count of a link or a
// public address notes its change in the same transaction (migrations/0024_file-lists.ts); here the
// changes are added to the files' numbers.
import type { ShopScope } from '../core/db/for-shop.ts'

/** Adds the noted changes of the shop to the numbers of its files. */
export async function addNotedDownloads(scope: ShopScope): Promise<void> {
  const noted = await scope.query('select from file_download_changes where shop_id = :shop limit 1')
  if (noted.length === 0) return
  await scope.transaction(async (tx) => {
    // One after another: two that delete the same changes in different orders could deadlock.
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('file-downloads', :shop))`)
    // Changes of files that have gone are dropped.
    await tx.query(
      `with gone as (
         delete from file_download_changes where shop_id = :shop returning file_id, change
       ), changed as (select file_id, sum(change) as change from gone group by file_id)
       update file_downloads d set downloads = d.downloads + c.change
       from changed c where d.shop_id = :shop and d.file_id = c.file_id and c.change <> 0`,
    )
  })
}
