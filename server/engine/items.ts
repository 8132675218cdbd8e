// Reads items: for the steps on the whole operation, and for history.
import {
  searchWords,
  usualSettings,
  type Candidate,
  type Entry,
  type FinishedItem,
  type PresentFiles,
  type StagedBlob,
  type ReportedItem,
} from '../../plugins/contract/index.ts'
import { textOfMessage, textsOfDetail } from '../core/texts.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { hasAllWords } from '../core/db/word-match.ts'
import { lastOf } from '../core/lazy.ts'
import {
  viewOfDraft,
  draftOfRecord,
  type Draft,
  readRecords,
  type FileRecord,
} from '../files/drafts.ts'
import { shownUrl } from '../files/rules.ts'
import { IS_ENDED_PREVIEW } from './lifecycle.ts'
import { MARKED, markedBindings } from './trail.ts'
import type { ItemError, ItemStatus, StepResult, StoredWarning } from './types.ts'
import { CANCELLED, DISCARDED, FAILED_PREVIEW, STOPPED } from './read.ts'

const PAGE = 1000

/**
 * SQL: the results of an operation `o` are kept. Those of others may still be stored until their
 * month is dropped.
 */
const KEEPS_RESULTS = `o.detail <> 'record'`

export interface ItemRow {
  position: number
  status: ItemStatus
  file_id: string | null
  /** The name that the operation gave the file, or its current one, or its last one. */
  filename: string
  product_mapped: boolean
  attempt: number
  entry: Entry | null
  draft: Draft | null
  staged: StagedBlob | null
  /** The products among which a person can choose. */
  candidates: Candidate[] | null
  warnings: StoredWarning[] | null
  error: ItemError | null
  /** The changed fields, before and after. Null: nothing changed, or the undo window is over. */
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  finished_at: Date | null
}

export interface ItemFilter {
  /** Only items with one of these statuses. */
  statuses?: readonly ItemStatus[]
  /** Only items whose name contains this, ignoring case. */
  search?: string
  /** Only items that failed with this code. */
  error?: string
  /** Only items with a warning. */
  warned?: boolean
  /** Only items that ended so at the step of this index among those on files. */
  step?: { index: number; result: StepResult }
  /** Only items after this position. */
  after?: number
  limit: number
  report?: ReportFilter
}

/**
 * Selects items that failed or have a warning. `unmapped` adds items that are done and have no
 * product; with `brought`, only those of files that the import brought.
 */
export interface ReportFilter {
  unmapped: boolean
  brought: boolean
}

/**
 * SQL: items with rows, and waiting items in batches. Unless all are needed (`whole`), it reads
 * only as many of each as the page has: a large operation is read page by page.
 */
const all = (whole: boolean, report?: ReportFilter) => `
  (select position, status, file_id, attempt, entry, draft, staged, candidates, warnings, error,
    before, after, finished_at, trail
  from items
  where shop_id = :shop and operation_id = :operation
    and position > :after ${report ? `and ${isReported(report)}` : ''}
    ${whole ? '' : 'order by position limit :limit'})
  ${report ? '' : waiting(whole)}`

const waiting = (whole: boolean) => `
  union all
  (select (b.position + n - 1)::int, 'pending', id, 0::smallint, null, null, null, null, null, null,
    null, null, null, null
  from item_batches b, unnest(b.file_ids) with ordinality as t(id, n)
  where b.shop_id = :shop and b.operation_id = :operation
    and b.position + cardinality(b.file_ids) > :after
    and b.position + n - 1 > :after
    ${whole ? '' : 'order by b.position, n limit :limit'})`

const isReported = ({ unmapped, brought }: ReportFilter) => `
  (status = 'failed' or warnings is not null
    ${unmapped ? `or status = 'done' ${brought ? 'and entry is not null' : ''} and not ${isMapped('(select mapping_state from files where shop_id = :shop and id = file_id)')}` : ''})`

/** SQL: the item's file has a product, as the operation recorded it, else as it is now. */
const isMapped = (state: string) =>
  `coalesce((after ->> 'product_mapped')::boolean, ${state} = 'mapped', false)`

/** The columns with what a preview found about an item, hidden if it was discarded or failed. */
const FOUND = ['candidates', 'warnings', 'before', 'after']

/**
 * SQL: why an item without its own reason has ended: the operation was cancelled, or (without a
 * ledger) failed as a whole.
 */
const WHY = `case
  when r.status not in ('pending', 'running') then null
  when o.status = 'cancelled' then case when o.stopped is null then :whyCancelled::jsonb
    else :whyStopped::jsonb end
  when o.status = 'failed' and not o.ledger then jsonb_build_object(
    'code', coalesce(o.stopped ->> 'code', 'plugin_failed'), 'message', o.stopped ->> 'message',
    'retryable', true) end`

/**
 * SQL: the items as history shows them. Waiting items of a cancelled operation count as cancelled
 * even before their rows are updated.
 */
const rowsOf = (whole: boolean, report?: ReportFilter) => `
  select i.position, i.file_id, i.attempt, i.entry #- '{source,sealed}' as entry, i.draft, i.staged,
    i.candidates, i.warnings, i.error, i.before, i.after,
    i.finished_at, i.trail,
    case when i.is_ended_preview or i.status in ('pending', 'running') and i.operation_status = 'cancelled'
      then 'cancelled'
      -- Without a ledger all items have the result of the operation.
      when i.status = 'pending' and not i.ledger then
        case i.operation_status when 'success' then 'done' when 'failed' then 'failed'
          else i.status end
      else i.status end as status,
    coalesce(i.after ->> 'filename', f.filename, g.filename, i.draft ->> 'filename', i.before ->> 'filename',
      '') as filename,
    ${isMapped('f.mapping_state')} as product_mapped
  from (
    select r.position, r.file_id, r.attempt, r.entry, r.draft, r.staged, r.finished_at, r.status, r.trail,
      o.status as operation_status, o.ledger, ${IS_ENDED_PREVIEW} as is_ended_preview,
      ${FOUND.map((name) => `case when not ${IS_ENDED_PREVIEW} then r.${name} end as ${name}`).join(', ')},
      case when ${IS_ENDED_PREVIEW} then
          case o.status when 'failed' then :whyFailed::jsonb else :whyDiscarded::jsonb end
        else coalesce(r.error, ${WHY}) end as error
    from (${all(whole, report)}) r
    join operations o on o.shop_id = :shop and o.id = :operation and ${KEEPS_RESULTS}
  ) i
  -- One probe for each item: without statistics of new tables, the planner would read all files.
  left join lateral (select filename, mapping_state from files where shop_id = :shop
    and id = i.file_id limit 1) f on true
  left join lateral (select filename from purged_files where f.filename is null
    and shop_id = :shop and id = i.file_id limit 1) g on true`

const WHY_ENDED = {
  whyDiscarded: JSON.stringify(DISCARDED),
  whyFailed: JSON.stringify(FAILED_PREVIEW),
  whyCancelled: JSON.stringify(CANCELLED),
  whyStopped: JSON.stringify(STOPPED),
}

const IS_WARNED = 'warnings is not null'

/** The number of items with a warning. It reads every item, so do not call it repeatedly. */
export async function countWarned(scope: ShopScope, operation: string): Promise<number> {
  const row = await scope.one<{ warned: number }>(
    `select count(*)::int as warned from items where shop_id = :shop and operation_id = :operation
       and ${IS_WARNED}`,
    { operation },
  )
  return row.warned
}

/** Counts an import's done items that made no file: their files existed before it, or they were unpacked. */
export async function countPresent(scope: ShopScope, operation: string): Promise<PresentFiles> {
  const row = await scope.one<PresentFiles>(
    `select count(*) filter (where after ->> 'deleted' = 'true')::int as trashed,
       count(*) filter (where entry is null and after ->> 'deleted' is distinct from 'true'
         and ${IS_CHANGED})::int as changed,
       count(*) filter (where not ${IS_CHANGED})::int as unchanged,
       count(*) filter (where entry is not null)::int as unpacked
     from items where shop_id = :shop and operation_id = :operation and status = 'done'
       and (entry is null or after -> 'unpacked' is not null)`,
    { operation },
  )
  return row
}

/** Counts the paid deliveries of the files that the operation moved to the trash. */
export async function countLostDeliveries(scope: ShopScope, operation: string): Promise<number> {
  const row = await scope.one<{ deliveries: number }>(
    `select count(distinct df.delivery_id) as deliveries from items i
     join delivery_files df on df.shop_id = i.shop_id and df.file_id = i.file_id
       and not df.withdrawn
     join deliveries d on d.shop_id = df.shop_id and d.id = df.delivery_id
       and d.revoked_at is null and d.withdrawn_at is null
     where i.shop_id = :shop and i.operation_id = :operation and i.status = 'done'
       and i.after ->> 'deleted' = 'true'`,
    { operation },
  )
  return row.deliveries
}

const IS_CHANGED = `(coalesce(after, '{}') - 'product_mapped' <> '{}')`

export function listItems(
  scope: ShopScope,
  operation: string,
  filter: ItemFilter,
): Promise<ItemRow[]> {
  const found = hasAllWords('search_text(filename)', searchWords(filter.search ?? ''))
  const conditions = [
    ...(filter.warned ? [IS_WARNED] : []),
    ...(filter.statuses ? ['status = any(:statuses::text[])'] : []),
    ...(filter.error ? [`error ->> 'code' = :error`] : []),
    ...(filter.step ? [MARKED] : []),
    found.sql,
  ]
  return scope.query<ItemRow>(
    `select * from (${rowsOf(conditions.length > 0, filter.report)}) rows ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     order by position limit :limit`,
    {
      operation,
      ...WHY_ENDED,
      after: filter.after ?? -1,
      limit: filter.limit,
      ...(filter.statuses ? { statuses: filter.statuses } : {}),
      ...(filter.error ? { error: filter.error } : {}),
      ...(filter.step ? markedBindings(filter.step.index, filter.step.result) : {}),
      ...found.bindings,
    },
  )
}

/** All items in order, a page at a time. */
export async function* pagesOfItems(
  scope: ShopScope,
  operation: string,
  filter: Pick<ItemFilter, 'report'> = {},
): AsyncGenerator<ItemRow[]> {
  let after = -1
  while (true) {
    const rows = await listItems(scope, operation, { ...filter, after, limit: PAGE })
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = lastOf(rows).position
  }
}

/** All items as plugins see them, with their files' current state. */
export async function* finishedItems(
  scope: ShopScope,
  operation: string,
): AsyncGenerator<FinishedItem[]> {
  for await (const rows of pagesOfItems(scope, operation)) {
    const records = await readRecords(
      scope,
      rows.flatMap(({ file_id, draft }) => (file_id && !draft ? [file_id] : [])),
    )
    yield rows.map((row) => finishedItem(row, records.get(row.file_id ?? '') ?? null))
  }
}

/** The file and the error to show: an entry that was left out for a file of the shop shows this file. */
export function shownOutcome({
  file_id,
  error,
}: Pick<ItemRow, 'file_id' | 'error'>): Pick<ItemRow, 'file_id' | 'error'> {
  if (error?.existing === undefined) return { file_id, error }
  const { existing, ...own } = error
  return { file_id: existing, error: own }
}

/** The address that the item's import used, without secrets. Null: it used none. */
export const urlOf = ({ entry }: Pick<ItemRow, 'entry'>): string | null =>
  entry?.source.type === 'url' ? shownUrl(entry.source.url) : null

/** All items, or those worth reporting, with only the names of their files. */
export async function* reportedItems(
  scope: ShopScope,
  operation: string,
  report?: ReportFilter,
): AsyncGenerator<ReportedItem[]> {
  for await (const rows of pagesOfItems(scope, operation, report && { report }))
    yield rows.map(({ status, filename, entry, error, product_mapped, warnings }) => ({
      filename,
      url: urlOf({ entry }),
      product_mapped,
      ...reportOf(error, warnings),
      status: status as ReportedItem['status'],
    }))
}

function finishedItem(row: ItemRow, record: FileRecord | null): FinishedItem {
  const draft = record ? draftOfRecord(record) : (row.draft ?? GONE)
  return {
    id: String(row.position),
    position: row.position,
    file: {
      ...viewOfDraft(draft, row.staged?.size_bytes ?? null, record),
      id: row.file_id,
      filename: row.filename,
    },
    entry: row.entry,
    staged: row.staged,
    wanted: null,
    status: row.status as FinishedItem['status'],
    product_mapped: row.product_mapped,
    ...reportOf(row.error, row.warnings),
  }
}

/** The error and the warnings as steps see them: texts, for other languages. */
const reportOf = (error: ItemError | null, warnings: readonly StoredWarning[] | null) => ({
  error: error && { code: error.code, ...textsOfDetail(error) },
  warnings: (warnings ?? []).map((warning) => ({
    code: warning.code,
    message: textOfMessage(warning),
  })),
})

/** The draft of a purged file, of which only what the operation recorded is known. */
const GONE: Draft = {
  filename: '',
  tags: [],
  mappings: [],
  ...usualSettings(),
}
