// Writes how items ended: created or changed files, outcomes and counters, in the caller's
// transaction. A file is never written without its outcome.
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { HeldChain } from './chain.ts'
import { retryDelay } from './failure.ts'
import { countOutcomes, type Counts, type Stop } from './outcomes.ts'
import type { EndedItem, ItemStatus, WorkItem } from '../types.ts'
import {
  insertOutcomes,
  outcomeRow,
  updateOutcomes,
  type OutcomeRow,
  type WriteResult,
} from './outcome-rows.ts'
import { previewDone, writeDone, type WriteParts } from './write-files.ts'

export interface WriteOptions extends WriteParts {
  /** Positions of items without rows: they are inserted now, once. */
  fresh: ReadonlySet<number>
  /** Items that a uniform change has already written, as done. */
  uniform: number
}

/** Throws `LeaseLost` if the operation was ended elsewhere. */
export async function writeEnded(
  tx: ShopScope,
  held: HeldChain,
  ended: readonly EndedItem[],
  options: WriteOptions,
): Promise<void> {
  const { fresh } = options
  const done = ended.filter(({ ending }) => ending.status === 'done').map(({ item }) => item)
  const results =
    held.operation.preview && held.operation.status === 'previewing'
      ? await previewDone(tx, held.operation.id, done, options)
      : await writeDone(tx, held, done, options)
  const rows = ended.map((each) => outcomeRow(retryIfInUse(each, results), results.get(each.item)))
  const [unwritten, written] = [true, false].map((is) =>
    rows.filter(({ position }) => fresh.has(position) === is),
  )
  if (unwritten!.length > 0) await insertOutcomes(tx, held, unwritten!)
  if (written!.length > 0) await updateOutcomes(tx, held, written!)
  // Last, because it locks a row that every chain of the operation writes.
  await countOutcomes(tx, held.operation.id, countsOf(ended, rows, options.uniform), stopOf(ended))
}

function countsOf(
  ended: readonly EndedItem[],
  rows: readonly OutcomeRow[],
  uniform: number,
): Counts {
  const count = (status: ItemStatus) => rows.filter((row) => row.status === status).length
  return {
    done: uniform + count('done'),
    failed: count('failed'),
    skipped: count('skipped'),
    bytes: bytesOf(ended, rows),
    saved: savedOf(rows),
  }
}

/** Why the operation stops, if an item's failure says so. */
function stopOf(ended: readonly EndedItem[]): Stop | null {
  const stop = ended.find(
    ({ ending }) => ending.status === 'failed' && ending.stops !== undefined,
  )?.ending
  return stop?.status === 'failed'
    ? { step: stop.stops!, code: stop.error.code, message: stop.error.message }
    : null
}

/**
 * If another operation holds a file when this one is written, wait for it, as at the beginning of a
 * batch.
 */
function retryIfInUse(ended: EndedItem, results: ReadonlyMap<WorkItem, WriteResult>): EndedItem {
  const { item, ending } = ended
  const error = ending.status === 'done' ? results.get(item)!.error : undefined
  if (error?.code !== 'file_in_use') return ended
  const delayMs = retryDelay(item.attempt, 0)
  return delayMs === null ? ended : { item, ending: { status: 'again', error, delayMs } }
}

const savedOf = (rows: readonly OutcomeRow[]): number =>
  rows.reduce((sum, { before, after }) => sum + sizeIn(before) - sizeIn(after), 0)
const sizeIn = (fields?: Record<string, unknown>) =>
  typeof fields?.size_bytes === 'number' ? fields.size_bytes : 0

const bytesOf = (ended: readonly EndedItem[], rows: readonly OutcomeRow[]): number =>
  ended.reduce(
    (sum, { item }, at) => sum + (rows[at]!.status === 'done' ? (item.staged?.size_bytes ?? 0) : 0),
    0,
  )
