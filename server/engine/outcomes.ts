// Counts outcomes. The operation's counters change in the transaction that writes the outcomes, and
// the transaction that completes them queues the finalization.
import type { AnyText } from '../../plugins/contract/index.ts'
import { type ShopScope, sharedRows } from '../core/db/for-shop.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import { queueFinish } from '../core/queue/queue.ts'
import { storedMessage } from '../core/texts.ts'
import type { Ledger } from '../files/change-ledger.ts'
import { storedTrail } from './trail.ts'
import { announceControl } from './runner.ts'
import type { Stop, ItemEnding, ItemError, ItemStatus, WorkItem } from './types.ts'
import type { HeldChain } from './chain.ts'

export type { Stop } from './types.ts'

export interface Counts {
  done?: number
  failed?: number
  skipped?: number
  /** Done items whose files were as wanted already. */
  unchanged?: number
  /** Done items of an import whose files existed before it. */
  present?: number
  bytes?: number
  saved?: number
  /** How long the steps worked and the results took to write, in ms. */
  times?: WorkTimes
}

export interface WorkTimes {
  steps: readonly number[]
  write: number
}

/**
 * Adds to the operation's counters, and queues its finalization when every item has ended.
 * @param stop why the operation ends now, with its other items cancelled; null: it continues
 * @throws `LeaseLost` if the operation was ended elsewhere in the meantime: then nothing may be
 *   written
 */
export async function countOutcomes(
  tx: ShopScope,
  operation: string,
  counts: Counts,
  stop: Stop | null = null,
): Promise<void> {
  const { done = 0, failed = 0, skipped = 0, unchanged = 0, present = 0 } = counts
  const { bytes = 0, saved = 0, times = { steps: [], write: 0 } } = counts
  const [row] = await tx.query<{ complete: boolean }>(
    `update operations set done = done + :done, failed = failed + :failed,
       skipped = skipped + :skipped, unchanged = unchanged + :unchanged,
       present = present + :present,
       bytes = bytes + :bytes, bytes_saved = bytes_saved + :saved,
       write_ms = write_ms + :write, step_ms = array(
         select coalesce(had, 0) + coalesce(now, 0)
         from unnest(step_ms, :steps::bigint[]) with ordinality as t (had, now, n) order by n),
       stopped = coalesce(stopped, :stop::jsonb), open = open and :stop::jsonb is null,
       cancelled = case when :stop::jsonb is null then cancelled
         else total - done - failed - skipped - :ended end
     where shop_id = :shop and id = :operation and status in ('running', 'previewing', 'paused')
       and done + failed + skipped + cancelled + :ended <= total
     returning not open and done + failed + skipped + cancelled = total as complete`,
    {
      operation,
      done,
      failed,
      skipped,
      unchanged,
      present,
      bytes,
      saved,
      write: Math.round(times.write),
      // A later step may have a time before the first one: `map` would leave its place empty.
      steps: Array.from(times.steps, (ms: number | undefined) => Math.round(ms ?? 0)),
      stop: stop && JSON.stringify(stop),
      ended: done + failed + skipped,
    },
  )
  if (!row) throw new LeaseLost()
  if (row.complete) await queueFinish(tx, operation)
  if (row.complete && stop) await announceControl(tx, operation)
}

// The rows of items that ended, and the statements that write them.

/** The columns of an ended item's row. Absent fields become null. */
export interface OutcomeRow extends Partial<Ledger> {
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
  trail?: string
}

/** How an item ended whose file is not written now. */
export type UnfinishedEnding = Exclude<ItemEnding, { status: 'done' }>

/** The outcome for an item's file. */
export type WriteResult = Pick<OutcomeRow, 'status' | 'file_id' | 'error' | 'before' | 'after'>
export const skippedFor = ({
  reason,
  code = 'skipped',
  existing,
}: Omit<Extract<ItemEnding, { status: 'skipped' }>, 'status'>): WriteResult => ({
  status: 'skipped',
  error: {
    code,
    ...storedMessage(reason),
    retryable: false,
    ...(existing === undefined ? {} : { existing }),
  },
})

/** The row of an item whose steps succeeded, with the outcome for its file. */
export function doneRow(item: WorkItem, result: WriteResult): OutcomeRow {
  const row = rowOf(item)
  if (result.status === 'pending')
    return { ...row, status: 'pending', attempt: item.attempt - 1, step: 0 }
  const unchanged = unchangedReason(item, result)
  const trail = storedTrail(item.trail, item.acted || result.after !== undefined)
  if (unchanged !== null) return { ...row, trail, ...skippedFor({ reason: unchanged }) }
  return { ...row, trail, ...(result.status === 'done' ? {} : stagedOf(item)), ...result }
}

/** The row of an item that a step or a failure ended. */
export function endedRow(item: WorkItem, ending: UnfinishedEnding): OutcomeRow {
  const row = rowOf(item)
  switch (ending.status) {
    case 'skipped':
      return { ...row, ...stagedOf(item), ...skippedFor(ending) }
    case 'failed':
      return { ...row, ...stagedOf(item), status: 'failed', error: ending.error }
    case 'again':
      return {
        ...row,
        ...resumed(item),
        status: 'pending',
        error: ending.error,
        delay_ms: ending.delayMs,
        ...(ending.uncounted ? { attempt: item.attempt - 1 } : {}),
      }
    case 'returned':
      return { ...row, ...resumed(item), status: 'pending', attempt: item.attempt - 1 }
  }
}

function rowOf(item: WorkItem) {
  const candidates = item.effects.candidates?.flat() ?? []
  return {
    position: item.position,
    step: item.step,
    attempt: item.attempt,
    trail: storedTrail(item.trail),
    ...(item.file_id === null ? {} : { file_id: item.file_id }),
    ...(candidates.length > 0 ? { candidates } : {}),
    ...(item.warnings.length > 0 ? { warnings: item.warnings } : {}),
  }
}

const stagedOf = ({ staged }: WorkItem) => (staged ? { staged } : {})

const resumed = ({ resume: { step, staged } }: WorkItem) => ({
  step,
  ...(staged ? { staged } : {}),
})

/**
 * The reason that a step gave for having nothing to do; null if something changed all the same.
 * Candidates for a review are no change.
 */
const unchangedReason = (
  { unchanged, acted }: WorkItem,
  { status, after }: WriteResult,
): AnyText | null => (!acted && status === 'done' && after === undefined ? unchanged : null)

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
  trail: 'text',
  before: 'jsonb',
  after: 'jsonb',
  attempt: 'smallint',
}

const runAfter = (delay: string) => `now() + ${delay} * interval '1 millisecond'`
const finishedAt = (status: string) => `case when ${status} = 'pending' then null else now() end`

/** Writes the outcomes of items that have rows. */
export async function updateOutcomes(
  tx: ShopScope,
  held: HeldChain,
  rows: readonly OutcomeRow[],
): Promise<void> {
  const { from, value, bindings } = sharedRows(rows, COLUMNS, [
    'position',
    'file_id',
    'before',
    'after',
  ])
  await tx.query(
    `update items set status = ${value('status')},
       file_id = coalesce(${value('file_id')}, items.file_id),
       error = ${value('error')}, step = ${value('step')}, staged = ${value('staged')},
       candidates = ${value('candidates')},
       warnings = ${value('warnings')}, trail = ${value('trail')}, before = ${value('before')}, after = ${value('after')},
       attempt = ${value('attempt')},
       lease = null, run_after = ${runAfter(value('delay_ms'))},
       finished_at = ${finishedAt(value('status'))}
     from ${from}
     where items.shop_id = :shop and items.operation_id = :operation and items.position = o.position
       -- The planner has no statistics of a new operation's items, and would read all of them for
       -- each of these.
       and items.position = any(:positions::int[])`,
    { operation: held.operation.id, positions: rows.map(({ position }) => position), ...bindings },
  )
}

/** Writes the outcomes of items that have no rows yet. */
export async function insertOutcomes(
  tx: ShopScope,
  held: HeldChain,
  rows: readonly OutcomeRow[],
): Promise<void> {
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
    'trail',
    'before',
    'after',
  ] as const
  await tx.query(
    // Items have no foreign key to their operation: docs/decisions/0024.
    `insert into items (shop_id, operation_id, ${names.join(', ')}, run_after, finished_at)
     select :shop, :operation, ${names.map(value).join(', ')}, ${runAfter(value('delay_ms'))},
       ${finishedAt(value('status'))}
     from ${from}`,
    { operation: held.operation.id, ...bindings },
  )
}
