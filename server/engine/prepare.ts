// Before the first step: items whose files are gone or claimed by others end here, and an undo
// restores its items.
import type { Plugin } from '../../plugins/contract.ts'
import type { EndedItem, ItemEnding, OperationRow, WorkItem } from './types.ts'
import { revert } from './revert.ts'
import { endingOfFailure, inUse, obstacleOf } from './item-work.ts'
import { filePlaceOf } from './steps.ts'

export interface PreparedBatch {
  /** Items that need no further work. */
  ended: EndedItem[]
  open: WorkItem[]
}

export function prepare(
  operation: OperationRow,
  plugins: readonly Plugin[],
  items: readonly WorkItem[],
  busy: ReadonlySet<WorkItem>,
): PreparedBatch {
  const place = filePlaceOf(operation.workflow, plugins)
  const endingOf = (item: WorkItem): ItemEnding | null => {
    if (busy.has(item)) return endingOfFailure(null, item, inUse, 0)
    return operation.undoes === null ? obstacleOf(item, place) : revert(item)
  }
  const prepared: PreparedBatch = { ended: [], open: [] }
  for (const item of items) {
    const ending = endingOf(item)
    if (ending) prepared.ended.push({ item, ending })
    else prepared.open.push(item)
  }
  return prepared
}
