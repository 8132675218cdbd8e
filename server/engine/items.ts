// Reading items back: for the steps that work on the whole operation, and for history.
import type { Entry, FinishedItem, StagedBlob, Warning } from '../../plugins/contract.ts'
import type { ShopScope } from '../db/for-shop.ts'
import { viewOfDraft, type Draft } from '../files/drafts.ts'
import type { ItemError, ItemStatus } from './types.ts'

const PAGE = 1000

export interface ItemRow {
  position: number
  status: ItemStatus
  file_id: string | null
  attempt: number
  entry: Entry | null
  draft: Draft
  staged: StagedBlob | null
  warnings: Warning[] | null
  error: ItemError | null
  after: { filename: string; product_mapped: boolean } | null
  finished_at: Date | null
}

export interface ItemFilter {
  /** One of these. */
  statuses?: readonly ItemStatus[]
  /** Items after this position. */
  after?: number
  limit: number
}

export function listItems(scope: ShopScope, operation: string, filter: ItemFilter): Promise<ItemRow[]> {
  return scope.query<ItemRow>(
    `select position, status, file_id, attempt, entry, draft, staged, warnings, error, after, finished_at from items
     where shop_id = :shop and operation_id = :operation and position > :after
       and (:statuses::text[] is null or status = any(:statuses::text[]))
     order by position limit :limit`,
    { operation, after: filter.after ?? -1, statuses: filter.statuses ?? null, limit: filter.limit },
  )
}

/** All items in order, a page at a time. */
export async function* finishedItems(scope: ShopScope, operation: string): AsyncGenerator<FinishedItem[]> {
  let after = -1
  while (true) {
    const rows = await listItems(scope, operation, { after, limit: PAGE })
    if (rows.length === 0) return
    after = rows.at(-1)!.position
    yield rows.map(finishedItem)
  }
}

function finishedItem(row: ItemRow): FinishedItem {
  const view = viewOfDraft(row.draft, row.staged?.size_bytes ?? null)
  return {
    id: String(row.position),
    position: row.position,
    file: { ...view, id: row.file_id, filename: row.after?.filename ?? view.filename },
    entry: row.entry,
    staged: row.staged,
    status: row.status as FinishedItem['status'],
    error: row.error,
    product_mapped: row.after?.product_mapped ?? false,
    warnings: row.warnings ?? [],
  }
}
