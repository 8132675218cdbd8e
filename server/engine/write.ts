// Writing how items ended: files made or changed, outcomes and counters, in the caller's transaction. Half a file is never
// written, and neither is a file without its outcome.
import type { ShopScope } from '../db/for-shop.ts'
import { sharedRows } from '../db/shared-rows.ts'
import { addVersion, admitFiles, type Admitted } from '../files/admit.ts'
import { changeFiles, type Changed, type Ledger } from '../files/changes.ts'
import { noteReviews } from '../files/reviews.ts'
import type { HeldChain } from './claim.ts'
import { countOutcomes } from './outcomes.ts'
import type { EndedItem, ItemError, ItemStatus, WorkItem } from './types.ts'
import { draftOf } from './work.ts'

/** What is written of an ended item. A field that is absent becomes null. */
interface OutcomeRow extends Partial<Ledger> {
  position: number
  status: ItemStatus
  attempt: number
  step: number
  file_id?: string
  error?: ItemError
  delay_ms?: number
  staged?: unknown
  candidates?: unknown
  warnings?: unknown
}

type Result = Pick<OutcomeRow, 'status' | 'file_id' | 'error' | 'before' | 'after'>
export const CHANGED_SINCE_PREVIEW = 'It has changed since the preview'
export type Limits = { file_bytes: number }

export interface WriteOptions {
  limits: Limits
  /** The items have no rows yet: they are written now, once. */
  fresh: boolean
}

/** Throws `LeaseLost` when the operation has been ended from elsewhere. */
export async function writeEnded(
  tx: ShopScope,
  held: HeldChain,
  ended: readonly EndedItem[],
  { limits, fresh }: WriteOptions,
): Promise<void> {
  const done = ended.filter(({ ending }) => ending.status === 'done').map(({ item }) => item)
  const results =
    held.operation.preview && held.operation.status === 'previewing'
      ? await foreseen(tx, done)
      : await carriedOut(tx, held, done, limits)
  const rows = ended.map((each) => outcomeRow(each, results.get(each.item)))
  if (rows.length > 0) await (fresh ? insertOutcomes : updateOutcomes)(tx, held, rows)
  const stop = ended.find(({ ending }) => ending.status === 'failed' && ending.stops !== undefined)?.ending
  const count = (status: ItemStatus) => rows.filter((row) => row.status === status).length
  // Last, since it locks the row that every chain of the operation writes.
  await countOutcomes(
    tx,
    held.operation.id,
    { done: count('done'), failed: count('failed'), skipped: count('skipped'), bytes: bytesOf(ended, rows) },
    stop?.status === 'failed' ? { step: stop.stops!, code: stop.error.code, message: stop.error.message } : null,
  )
}

async function carriedOut(tx: ShopScope, held: HeldChain, done: readonly WorkItem[], limits: Limits) {
  const results = new Map<WorkItem, Result>()
  const made = done.filter(({ entry }) => entry !== null)
  const admitted = await admitFiles(
    tx,
    made.map((item) => ({
      draft: item.draft!,
      staged: item.staged!,
      onConflict: item.entry!.on_conflict,
      channel: held.operation.channel,
    })),
    limits,
  )
  made.forEach((item, at) => results.set(item, resultOfAdmission(item, admitted[at]!)))
  const changed = done.filter(({ entry }) => entry === null)
  for (const item of changed)
    if (item.staged) draftOf(item).version = await addVersion(tx, item.record!.id, item.staged)
  await noteChanges(tx, changed, results, true)
  await noteReviews(tx, held.operation.id, questionsOf(results))
  return results
}

/** Files of which several products may be meant. */
function questionsOf(results: ReadonlyMap<WorkItem, Result>) {
  const asked = [...results].filter(([{ candidates }, { status }]) => candidates.length > 0 && status === 'done')
  return asked.map(([{ candidates, file_id }, result]) => ({ fileId: result.file_id ?? file_id!, candidates }))
}

async function foreseen(tx: ShopScope, done: readonly WorkItem[]) {
  const results = new Map<WorkItem, Result>()
  await noteChanges(tx, done, results, false)
  return results
}

const UNCHANGED: Result = { status: 'done' }

/** Makes the changes of existing files, or (`write: false`) only says what would come of them. */
async function noteChanges(tx: ShopScope, items: readonly WorkItem[], results: Map<WorkItem, Result>, write: boolean) {
  // Whatever no step has touched stays as it is, unless a preview had promised otherwise.
  const touched = items.filter(({ record, draft, plan }) => record !== null && (draft !== null || plan !== null))
  for (const item of items) results.set(item, UNCHANGED)
  const changes = await changeFiles(
    tx,
    touched.map((item) => ({ record: item.record!, draft: draftOf(item), promised: item.plan })),
    { write },
  )
  touched.forEach((item, at) => results.set(item, resultOfChange(changes[at]!)))
}

function resultOfAdmission({ draft }: WorkItem, admitted: Admitted): Result {
  if (admitted.status === 'refused') return refusal(admitted)
  const after = { filename: admitted.filename, product_mapped: draft!.mappings.length > 0 }
  const { fileId: file_id } = admitted
  switch (admitted.status) {
    case 'created':
      return { status: 'done', file_id, after: { ...after, created: true } }
    case 'replaced':
      return { status: 'done', file_id, after: { ...after, replaced: true } }
    case 'versioned':
      return {
        status: 'done',
        file_id,
        before: { version: admitted.before },
        after: { ...after, version: admitted.version },
      }
  }
}

function resultOfChange(changed: Changed): Result {
  switch (changed.status) {
    case 'changed':
      return { status: 'done', ...changed.ledger }
    case 'same':
      return { status: 'done' }
    case 'overtaken':
      return { status: 'pending' }
    case 'drifted':
      return skippedFor(CHANGED_SINCE_PREVIEW)
    case 'refused':
      return refusal(changed)
  }
}

const refusal = ({
  code,
  message,
  retryable = code === 'file_in_use',
}: {
  code: string
  message: string
  retryable?: boolean
}): Result => ({
  status: 'failed',
  error: { code, message, retryable },
})

const skippedFor = (reason: string): Result => ({
  status: 'skipped',
  error: { code: 'skipped', message: reason, retryable: false },
})

function outcomeRow({ item, ending }: EndedItem, result: Result | undefined): OutcomeRow {
  const row = {
    position: item.position,
    step: item.step,
    attempt: item.attempt,
    ...(item.file_id === null ? {} : { file_id: item.file_id }),
    ...(item.candidates.length > 0 ? { candidates: item.candidates } : {}),
    ...(item.warnings.length > 0 ? { warnings: item.warnings } : {}),
  }
  const staged = item.staged ? { staged: item.staged } : {}
  switch (ending.status) {
    case 'done':
      if (result!.status === 'pending') return { ...row, status: 'pending', attempt: item.attempt - 1, step: 0 }
      return { ...row, ...(result!.status === 'done' ? {} : staged), ...result! }
    case 'skipped':
      return { ...row, ...staged, ...skippedFor(ending.reason) }
    case 'failed':
      return { ...row, ...staged, status: 'failed', error: ending.error }
    case 'again':
      return { ...row, ...staged, status: 'pending', error: ending.error, delay_ms: ending.delayMs }
    case 'returned':
      return { ...row, ...staged, status: 'pending', attempt: item.attempt - 1 }
  }
}

const COLUMNS = {
  position: 'int',
  status: 'text',
  file_id: 'uuid',
  error: 'jsonb',
  delay_ms: 'int',
  step: 'smallint',
  staged: 'jsonb',
  candidates: 'jsonb',
  warnings: 'jsonb',
  before: 'jsonb',
  after: 'jsonb',
  attempt: 'smallint',
}
const runAfter = (delay: string) => `now() + ${delay} * interval '1 millisecond'`
const finishedAt = (status: string) => `case when ${status} = 'pending' then null else now() end`

async function updateOutcomes(tx: ShopScope, held: HeldChain, rows: readonly OutcomeRow[]): Promise<void> {
  const { from, value, bindings } = sharedRows(rows, COLUMNS, ['position', 'file_id', 'before', 'after'])
  await tx.query(
    `update items set status = ${value('status')}, file_id = coalesce(${value('file_id')}, items.file_id),
       error = ${value('error')}, step = ${value('step')}, staged = ${value('staged')}, candidates = ${value('candidates')},
       warnings = ${value('warnings')}, before = ${value('before')}, after = ${value('after')}, attempt = ${value('attempt')},
       lease = null, run_after = ${runAfter(value('delay_ms'))}, finished_at = ${finishedAt(value('status'))}
     from ${from}
     where items.shop_id = :shop and items.operation_id = :operation and items.position = o.position`,
    { operation: held.operation.id, ...bindings },
  )
}

async function insertOutcomes(tx: ShopScope, held: HeldChain, rows: readonly OutcomeRow[]): Promise<void> {
  const { from, value, bindings } = sharedRows(rows, COLUMNS, ['position', 'file_id'])
  const names = [
    'position',
    'file_id',
    'status',
    'attempt',
    'step',
    'error',
    'candidates',
    'warnings',
    'before',
    'after',
  ] as const
  await tx.query(
    `insert into items (shop_id, operation_id, ${names.join(', ')}, run_after, finished_at)
     select :shop, :operation, ${names.map(value).join(', ')}, ${runAfter(value('delay_ms'))}, ${finishedAt(value('status'))}
     from ${from}`,
    { operation: held.operation.id, ...bindings },
  )
}

const bytesOf = (ended: readonly EndedItem[], rows: readonly OutcomeRow[]): number =>
  ended.reduce((sum, { item }, at) => sum + (rows[at]!.status === 'done' ? (item.staged?.size_bytes ?? 0) : 0), 0)
