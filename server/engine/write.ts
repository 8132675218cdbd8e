// Writes how items ended: created or changed files, outcomes and counters, in the caller's
// transaction. A file is never written without its outcome.
import type { StagedBlob } from '../../plugins/contract/index.ts'
import { storedMessage, textOfMessage } from '../core/texts.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { noteRefused } from '../files/blobs.ts'
import type { HeldChain } from './chain.ts'
import { retryDelay } from './failure.ts'
import {
  countOutcomes,
  type Counts,
  type Stop,
  doneRow,
  endedRow,
  insertOutcomes,
  updateOutcomes,
  type OutcomeRow,
  type UnfinishedEnding,
  type WriteResult,
} from './outcomes.ts'
import type { EndedItem, ItemStatus, OperationRow, WorkItem } from './types.ts'
import { resultOf, type Results } from './write-results.ts'
import { previewDone, writeDone, type WriteParts } from './write-files.ts'

export interface WriteOptions extends WriteParts {
  /** The positions of items without rows, which are inserted now, once. */
  fresh: ReadonlySet<number>
  /** The number of items that a uniform change has already written, as done. */
  uniform: number
}

/**
 * Writes the items' files, outcomes and counts.
 * @throws `LeaseLost` if the operation was ended elsewhere
 */
export async function writeEnded(
  tx: ShopScope,
  held: HeldChain,
  ended: readonly EndedItem[],
  options: WriteOptions,
): Promise<void> {
  const { fresh } = options
  const done = ended.filter(({ ending }) => ending.status === 'done').map(({ item }) => item)
  const results: Results = done.length === 0 ? new Map() : await writtenOf(tx, held, done, options)
  const outcomes = ended.map((each) => ({ item: each.item, row: rowOf(each, results) }))
  await noteRefused(tx, leftBytes(outcomes))
  const rows = outcomes.map(({ row }) => row)
  const inserted = rows.filter(({ position }) => fresh.has(position))
  const updated = rows.filter(({ position }) => !fresh.has(position))
  if (inserted.length > 0) await insertOutcomes(tx, held, inserted)
  if (updated.length > 0) await updateOutcomes(tx, held, updated)
  // Last, because it locks a row that every chain of the operation writes.
  const counts = countsOf(held.operation, outcomes, options.uniform)
  await countOutcomes(tx, held.operation.id, counts, stopOf(ended))
}

const writtenOf = (
  tx: ShopScope,
  held: HeldChain,
  done: readonly WorkItem[],
  options: WriteOptions,
): Promise<Results> =>
  held.operation.preview && held.operation.status === 'previewing'
    ? previewDone(tx, held.operation.id, done, options)
    : writeDone(tx, held, done, options)

interface ItemOutcome {
  item: WorkItem
  row: OutcomeRow
}

function rowOf({ item, ending }: EndedItem, results: Results): OutcomeRow {
  if (ending.status !== 'done') return endedRow(item, ending)
  const result = resultOf(results, item)
  const again = retryIfInUse(item, result)
  return again ? endedRow(item, again) : doneRow(item, result)
}

/** The bytes of items that ended without a file of them: nothing will name them. */
const leftBytes = (outcomes: readonly ItemOutcome[]): StagedBlob[] =>
  outcomes.flatMap(({ item: { staged }, row: { status } }) =>
    staged && (status === 'failed' || status === 'skipped') ? [staged] : [],
  )

/**
 * Lets an item wait whose file another operation holds when it is written, as at the beginning of a
 * batch. Null: it does not have to wait, or has waited often enough.
 */
function retryIfInUse({ attempt }: WorkItem, { error }: WriteResult): UnfinishedEnding | null {
  if (error?.code !== 'file_in_use') return null
  const delayMs = retryDelay(attempt, 0)
  return delayMs === null ? null : { status: 'again', error, delayMs }
}

function countsOf(
  { kind, status }: Pick<OperationRow, 'kind' | 'status'>,
  outcomes: readonly ItemOutcome[],
  uniform: number,
): Counts {
  const count = (status: ItemStatus) => outcomes.filter(({ row }) => row.status === status).length
  const counted = status !== 'previewing'
  return {
    done: uniform + count('done'),
    failed: count('failed'),
    skipped: count('skipped'),
    unchanged: counted ? outcomes.filter(kind === 'bulk' ? isUnchanged : hasSameBytes).length : 0,
    present: counted && kind === 'import' ? outcomes.filter(isPresent).length : 0,
    bytes: bytesOf(outcomes),
    saved: savedOf(outcomes),
  }
}

const isPresent = ({ item: { entry }, row: { status } }: ItemOutcome): boolean =>
  status === 'done' && entry === null

/** Did the file have the bytes of the import's entry, and all that it stated? */
const hasSameBytes = ({ row: { status, after } }: ItemOutcome): boolean =>
  status === 'done' && after?.same_bytes === true

const isUnchanged = ({ item: { acted }, row: { status, after } }: ItemOutcome): boolean =>
  status === 'done' && !acted && after === undefined

/** Why the operation stops, if an item's failure says so. */
function stopOf(ended: readonly EndedItem[]): Stop | null {
  for (const { ending } of ended)
    if (ending.status === 'failed' && ending.stops !== undefined)
      return {
        step: ending.stops,
        code: ending.error.code,
        ...storedMessage(textOfMessage(ending.error)),
      }
  return null
}

/** How many bytes fewer the changed files have. */
const savedOf = (outcomes: readonly ItemOutcome[]): number =>
  outcomes.reduce((sum, { row }) => sum + sizeIn(row.before) - sizeIn(row.after), 0)
const sizeIn = (fields?: Record<string, unknown>) =>
  typeof fields?.size_bytes === 'number' ? fields.size_bytes : 0

/** The bytes that the items' steps made. */
const bytesOf = (outcomes: readonly ItemOutcome[]): number =>
  outcomes.reduce(
    (sum, { item, row }) =>
      sum + (row.status === 'done' && !row.after?.same_bytes ? (item.staged?.size_bytes ?? 0) : 0),
    0,
  )
