// The kept number of downloads of each file, by which lists are sorted. Every count of a link or a
// public address notes its change in the same transaction (migrations/0006_orders-and-links.ts); here the
// changes are added to the files' numbers. Triggers, because five statements count, two take a
// count back, and deletes cascade. A table apart, because an update of the file would change the
// version by which previews notice a changed file.
import { type ShopScope, lockUntilCommit } from '../core/db/for-shop.ts'

/** Changes that one transaction adds: it locks the numbers of as many files. */
const PIECE = 5000

/**
 * Adds the noted changes of the shop to the numbers of its files, piece by piece, so that deleted
 * files never wait long for their numbers. Only the background task calls it: lists read the notes
 * too (download-order.ts).
 */
export async function addNotedDownloads(
  scope: ShopScope,
  signal?: AbortSignal,
  piece = PIECE,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    if ((await addPiece(scope, piece)) < piece) return
  }
}

/** Returns the number of notes that it has added. */
function addPiece(scope: ShopScope, piece: number): Promise<number> {
  return scope.transaction(async (tx) => {
    // One after another: two that update the same numbers in different orders could deadlock. An
    // advisory lock: the notes are new rows, which no one else locks.
    await lockUntilCommit(tx, 'file-downloads')
    // Changes of files that have gone are dropped.
    const { notes } = await tx.one<{ notes: number }>(
      `with gone as (
         delete from file_download_changes where ctid = any(array(
           select ctid from file_download_changes where shop_id = :shop limit :piece))
         returning file_id, change
       ), changed as (select file_id, sum(change) as change from gone group by file_id), added as (
         update file_downloads d set downloads = d.downloads + c.change
         from changed c where d.shop_id = :shop and d.file_id = c.file_id and c.change <> 0)
       select count(*)::int as notes from gone`,
      { piece },
    )
    return notes
  })
}
