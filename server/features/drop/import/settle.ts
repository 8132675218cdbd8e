// Files of a preview that was confirmed and has ended. An item takes its file when it imports it,
// so the files of items that failed before, were skipped or were cancelled still wait.
import { queueTask } from '../../../core/queue/background.ts'
import type { ShopScope } from '../../../core/db/for-shop.ts'
import { DROP_TASK } from '../wake.ts'

/**
 * Gives these files to the import that has ended: the task moves them to /failed/ with their
 * reasons, as in an import without a preview. A file that was sent again or renamed since, or that
 * another import has claimed, is no longer of this import. A preview that was not confirmed leaves
 * its files waiting.
 */
export async function settleConfirmed(tx: ShopScope, { id }: { id: string }): Promise<void> {
  const settled = await tx.query(
    `update drop_entries set state = 'importing' where shop_id = :shop and operation_id = :id
       and state = 'waiting' returning 1`,
    { id },
  )
  if (settled.length > 0) await queueTask(tx, DROP_TASK, String(tx.shop))
}
