// Commits a group of ended items: files, changes and outcomes in one transaction. Only items that
// still carry this claim's lease are written, so a worker that lost the lease writes nothing.
import type { StagedBlob } from '../../plugins/contract/index.ts'
import { retryTransaction, type ShopScope } from '../core/db/for-shop.ts'
import { isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { AppError } from '../core/errors.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import { storedMessage, textOfMessage } from '../core/texts.ts'
import { noteRefused } from '../files/blobs.ts'
import { enqueueNext, type HeldChain } from './chain.ts'
import { type Claim, releaseFiles } from './claim.ts'
import { partsInOrder, UNBLOCKED } from './freeze.ts'
import type { Effect } from './effect.ts'
import type { EndedItem, ItemStatus, OperationRow, WorkItem } from './types.ts'
import { type WriteLimits, previewDone, writeDone, type WriteParts } from './write-files.ts'
import { retryDelay } from './failure.ts'
import { addUnpacked } from './unpacked.ts'
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
import { resultOf, type Results } from './write-results.ts'

export interface CommitOptions {
  limits: WriteLimits
  effects: readonly Effect[]
  log: Logger
  /** How long each step worked since the last commit, in ms. */
  times: readonly number[]
  /** Whether the batch ends with this group: then the chain's next job is queued. */
  last: boolean
}

/**
 * Writes a group of ended items. Of two items of one name the second is written after the first.
 * @throws `LeaseLost`, or the error of an unavailable database: the rest of the group is then
 *   unwritten
 */
export async function commit(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  const parts = partsInOrder(group)
  for (const [at, part] of parts.entries())
    await commitPart(scope, claim, part, {
      ...options,
      times: at === 0 ? options.times : [],
      last: options.last && at === parts.length - 1,
    })
}

async function commitPart(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
): Promise<void> {
  try {
    await commitGroup(scope, claim, group, options)
  } catch (error) {
    if (error instanceof LeaseLost || isDatabaseUnavailable(error)) throw error
    await commitOneByOne(scope, claim, group, options, error)
  }
}

/**
 * Writes each item of a group that the database rejects in its own transaction, so that only the
 * faulty one fails.
 */
async function commitOneByOne(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  options: CommitOptions,
  cause: unknown,
): Promise<void> {
  const [only, ...others] = group
  if (!only) throw cause
  const notLast = { ...options, times: [], last: false }
  if (others.length > 0) {
    for (const ended of group) await commit(scope, claim, [ended], notLast)
  } else {
    const error = { code: 'internal', message: new AppError('internal').message, retryable: true }
    const failed: EndedItem = { item: only.item, ending: { status: 'failed', error } }
    await commitGroup(scope, claim, [failed], notLast)
    options.log.error('an item could not be written', {
      operation: claim.operation.id,
      ...errorFields(cause),
    })
  }
  if (options.last) await commit(scope, claim, [], { ...options, times: [] })
}

function commitGroup(
  scope: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
  { limits, effects, times, last }: CommitOptions,
): Promise<void> {
  return retryTransaction(scope, async (tx) => {
    const blocked = await holdItems(tx, claim, group)
    const files = group.flatMap(({ item }) =>
      item.record && !claim.inUse.has(item) ? [item.record.id] : [],
    )
    if (files.length > 0) await releaseFiles(tx, claim.operation.id, claim.lease, files)
    if (last) await enqueueNext(tx, claim)
    const ended = group.map((each) => (blocked.has(each.item.position) ? waitingItem(each) : each))
    await writeEnded(tx, claim, ended, { limits, effects, times, fresh: new Set(), uniform: 0 })
  })
}

/**
 * Puts an item back whose predecessor waits for a retry: taking the name now would break the order.
 */
const waitingItem = (ended: EndedItem): EndedItem =>
  ended.ending.status === 'done' ? { item: ended.item, ending: { status: 'returned' } } : ended

/**
 * Locks the items. Returns the positions of those whose name an item before them may still take.
 * @throws `LeaseLost` if this claim no longer holds all of them
 */
async function holdItems(
  tx: ShopScope,
  claim: Claim,
  group: readonly EndedItem[],
): Promise<ReadonlySet<number>> {
  const held = await tx.query<{ position: number; blocked: boolean }>(
    `select position, not ${UNBLOCKED} as blocked from items where shop_id = :shop
       and operation_id = :operation and position = any(:positions)
       and status = 'running' and lease = :lease
     order by position for update`,
    {
      operation: claim.operation.id,
      lease: claim.lease,
      positions: group.map(({ item }) => item.position),
    },
  )
  if (held.length !== group.length) throw new LeaseLost()
  return new Set(held.flatMap(({ position, blocked }) => (blocked ? [position] : [])))
}

// Writes how items ended: created or changed files, outcomes and counters, in the caller's
// transaction. A file is never written without its outcome.

export interface WriteOptions extends WriteParts {
  /** The positions of items without rows, which are inserted now, once. */
  fresh: ReadonlySet<number>
  /** The number of items that a uniform change has already written, as done. */
  uniform: number
  /** How long each step worked, in ms. */
  times: readonly number[]
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
  const { fresh, times } = options
  const since = performance.now()
  const done = ended.filter(({ ending }) => ending.status === 'done').map(({ item }) => item)
  const archives = done.filter(({ unpacked }) => unpacked !== null && unpacked.length > 0)
  if (archives.length > 0) await addUnpacked(tx, held.operation, archives)
  const results: Results = done.length === 0 ? new Map() : await writtenOf(tx, held, done, options)
  const outcomes = ended.map((each) => ({ item: each.item, row: rowOf(each, results) }))
  await noteRefused(tx, leftBytes(outcomes))
  const rows = outcomes.map(({ row }) => row)
  const inserted = rows.filter(({ position }) => fresh.has(position))
  const updated = rows.filter(({ position }) => !fresh.has(position))
  if (inserted.length > 0) await insertOutcomes(tx, held, inserted)
  if (updated.length > 0) await updateOutcomes(tx, held, updated)
  // Last, because it locks a row that every chain of the operation writes.
  const counts = {
    ...countsOf(held.operation, outcomes, options.uniform),
    times: { steps: times, write: performance.now() - since },
  }
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
  outcomes.flatMap(({ item: { staged, unpacked }, row: { status } }) =>
    staged && (status === 'failed' || status === 'skipped' || unpacked !== null) ? [staged] : [],
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

const isPresent = ({ item: { entry, unpacked }, row: { status } }: ItemOutcome): boolean =>
  status === 'done' && (entry === null || unpacked !== null)

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
      sum +
      (row.status === 'done' && !row.after?.same_bytes && item.unpacked === null
        ? (item.staged?.size_bytes ?? 0)
        : 0),
    0,
  )
