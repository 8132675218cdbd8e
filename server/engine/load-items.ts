// Loads what items are about: their files' records and, for an undo, what the other operation did.
import type { ShopScope } from '../core/db/for-shop.ts'
import type { OperationRow, WorkItem } from './types.ts'
import { loadRecords } from './item-work.ts'
import { loadUndo } from './revert.ts'

/** Loads the items' files and, for an undo, what the other operation did to them. */
export async function loadItems(
  tx: ShopScope,
  operation: OperationRow,
  items: readonly WorkItem[],
) {
  await loadRecords(tx, items)
  if (operation.undoes) await loadUndo(tx, operation.undoes, items)
}
