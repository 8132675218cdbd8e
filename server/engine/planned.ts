// The planned strategy: a batch is leased, planned with no transaction open, then changed and
// written with its outcomes in one transaction. A crash leaves nothing to clean up: nothing was
// written, and the lease expires.
import { isDeepStrictEqual } from 'node:util'
import type { ItemPlugin, ReadContext } from '../../plugins/contract/index.ts'
import { retryRolledBack, type ShopScope } from '../core/db/for-shop.ts'
import { isDatabaseUnavailable } from '../core/db/error-classes.ts'
import { uniformUpdate, type UniformUpdate } from '../files/uniform-update.ts'
import { errorFields } from '../core/log.ts'
import { LeaseLost } from '../core/queue/lease.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import { filePlaceOf, strategyOf } from './steps.ts'
import type { EndedItem, ResolvedStep, WorkItem } from './types.ts'
import type { EngineParts } from './parts.ts'
import {
  holdLease,
  lockChain,
  enqueueNext,
  readRunning,
  restChain,
  takeChain,
  type HeldChain,
} from './chain.ts'
import { withCancellation, type EngineRunner } from './runner.ts'
import type { ConditionReader } from './item-work.ts'
import { resolveSteps, writeContext } from './context.ts'
import {
  dropLeased,
  leaseBatches,
  readLeased,
  anyCrashed,
  claimPlanned,
  holdPlanned,
  type PlannedBatch,
} from './item-batches.ts'
import { loadItems, prepare } from './undo.ts'
import { countOutcomes } from './outcomes.ts'
import {
  planBatch,
  planUnread,
  type RecordedStep,
  changeUniformly,
  UNIFORM_BATCHES,
} from './plan.ts'
import { withRenameConflicts, type WholeBatch } from './rename-conflicts.ts'
import { writeEnded } from './commit.ts'

/**
 * Thrown if another chain, whose worker died, turned a leased batch into items or works on these
 * items. Nothing was written.
 */
class BatchTaken extends Error {}

/**
 * Works on the chain's next batch.
 * @returns false if the remaining items must be executed one by one
 */
export async function workPlanned(
  runner: EngineRunner,
  scope: ShopScope,
  job: ChainJob,
): Promise<boolean> {
  const { parts, worker } = runner
  return withCancellation(runner, job.operation, async (signal) => {
    const batch = await takePlanned(parts, scope, job, worker)
    if (batch === 'executed') return false
    if (batch !== null) await workOn(parts, scope, batch, signal)
    return true
  })
}

/** Plans and writes a batch. Queues the chain's next job even if the batch could not be written. */
async function workOn(
  parts: EngineParts,
  scope: ShopScope,
  batch: PlannedBatch,
  signal: AbortSignal,
): Promise<void> {
  try {
    await planAndWrite(parts, scope, batch, signal)
  } catch (error) {
    if (error instanceof LeaseLost || isDatabaseUnavailable(error)) throw error
    // Nothing was written. Unless it was interrupted, one item is the cause: executed one by one,
    // only that one fails.
    if (!signal.aborted && !(error instanceof BatchTaken)) {
      const { operation, chain } = batch
      parts.log.error('a batch could not be written, its items are written one by one', {
        operation: operation.id,
        ...errorFields(error),
      })
      await markCrashed(scope, { operation: operation.id, chain })
    }
    await scope.transaction((tx) => enqueueNext(tx, batch, batch.strategy.load))
  }
}

/** Marks the chain, so that from now on its items are executed. */
async function markCrashed(
  scope: ShopScope,
  { operation, chain }: Pick<ChainJob, 'operation' | 'chain'>,
) {
  await scope.query(
    `update chains set crashed = true where shop_id = :shop and operation_id = :operation
      and chain = :chain`,
    { operation, chain },
  )
}

/**
 * Takes the chain with its next batch. Locks the chain before the operation, as `holdChain` does.
 * @returns null if there is nothing to do, and `executed` if the items must be executed: the
 *   operation is not planned (any more), or a worker died in this chain
 */
export function takePlanned(
  { plugins }: Pick<EngineParts, 'plugins'>,
  scope: ShopScope,
  job: ChainJob,
  worker: string,
): Promise<PlannedBatch | 'executed' | null> {
  return scope.transaction(async (tx) => {
    const row = await lockChain(tx, job.operation, job.chain, worker)
    if (!row) return null
    if (row.crashed) return 'executed'
    if (row.dead !== null) {
      await markCrashed(tx, job)
      return 'executed'
    }
    const operation = await readRunning(tx, job.operation)
    if (!operation) return null
    const strategy = strategyOf(operation, plugins)
    if (strategy.kind !== 'planned') return 'executed'
    const { row: taken, ...held } = await takeChain(tx, job, { worker, row, operation })
    const leased = await leaseBatches(tx, job.operation, held.lease, 1)
    if (leased.length > 0) return { ...held, strategy, leased, rows: [] }
    const rows = await claimPlanned(tx, held, { hint: taken.hint, limit: strategy.batch })
    if (rows.length > 0) return { ...held, strategy, leased, rows }
    if (await anyCrashed(tx, job.operation)) return 'executed'
    await restChain(tx, job, strategy.load)
    return null
  })
}

/**
 * Plans a batch and writes it with its outcomes.
 * @throws `LeaseLost` with nothing written if the chain was taken over in the meantime
 */
export async function planAndWrite(
  parts: EngineParts,
  scope: ShopScope,
  batch: PlannedBatch,
  signal: AbortSignal,
): Promise<void> {
  const context = await writeContext(parts, scope, batch.operation, signal)
  const work: PlannedWork = {
    parts,
    batch,
    steps: resolveSteps(parts, scope, batch.operation.workflow),
    read: context,
    times: [],
  }
  const { recorded, update } = await planAhead(scope, work)
  // Plan again after a rollback: the files have changed.
  await retryRolledBack(async () => {
    if (update) return scope.transaction((tx) => writeUniform(tx, work, recorded, update))
    const fresh =
      batch.leased.length > 0 ? await readLeased(scope, batch.operation.id, batch.lease) : []
    const known = recordedFor(recorded, fresh)
    const ended = await planItems(scope, work, [...fresh, ...batch.rows], known)
    const whole = { ended, fresh, rows: batch.rows }
    const all = await withRenameConflicts(scope, batch, whole, (items) =>
      planItems(scope, work, items),
    )
    return scope.transaction((tx) => writeAll(tx, work, all))
  })
}

/** What all functions on one batch need. */
interface PlannedWork {
  parts: EngineParts
  batch: PlannedBatch
  steps: readonly ResolvedStep<ItemPlugin>[]
  read: ReadContext & ConditionReader
  /** The time of each step, in ms. */
  times: number[]
}

/** What the plan without files found. */
interface PlannedAhead {
  recorded: readonly RecordedStep[]
  /**
   * The uniform change of all files of the batch, as SQL. Null: there is none, or it cannot be
   * used.
   */
  update: UniformUpdate | null
}

/**
 * Plans the batch without reading its files, as far as possible. If the change is uniform, leases
 * further batches for the same transaction.
 */
async function planAhead(
  scope: ShopScope,
  { parts, batch, steps, read, times }: PlannedWork,
): Promise<PlannedAhead> {
  const { operation, strategy, chain, lease } = batch
  // If a step calls external systems, planning twice would cost more than reading the files.
  if (batch.leased.length === 0 || strategy.load !== 'quick') return { recorded: [], update: null }
  const first = await planUnread(steps, batch.leased, read, times)
  // A preview records a result for each file, and the statement cannot express which files must be
  // in the trash.
  const each =
    operation.status === 'previewing' || filePlaceOf(operation.workflow, parts.plugins) === 'trash'
  const update = first.change && !each ? uniformUpdate(first.change) : null
  if (!update) return { recorded: first.recorded, update }
  const more = await scope.transaction(async (tx) => {
    await holdLease(tx, operation.id, chain, lease)
    return leaseBatches(tx, operation.id, lease, UNIFORM_BATCHES - 1)
  })
  batch.leased.push(...more)
  const rest = more.length > 0 ? await planUnread(steps, more, read, times) : first
  const recorded = first.recorded.map(
    (one, step) => new Map([...one, ...(rest.recorded[step] ?? [])]),
  )
  if (isDeepStrictEqual(rest.change, first.change)) return { recorded, update }
  return { recorded: [], update: null }
}

/**
 * The recorded outcomes, if they are those of all these items. A retry may find further batches
 * under the lease, without outcomes: then all are planned again.
 */
const recordedFor = (recorded: readonly RecordedStep[], items: readonly WorkItem[]) =>
  recorded.every((one) => one.size === items.length) ? recorded : []

/** Reads the items' files and plans the steps for them, except those with recorded outcomes. */
async function planItems(
  scope: ShopScope,
  { parts: { plugins, log }, batch: { operation }, steps, read, times }: PlannedWork,
  items: readonly WorkItem[],
  recorded: readonly RecordedStep[] = [],
): Promise<EndedItem[]> {
  await loadItems(scope, operation, items)
  // A file that is claimed after this has a new row version, so our change of it is refused.
  const inUse = new Set(items.filter(({ record }) => record?.claimed))
  const { ended, open } = prepare(operation, plugins, items, inUse)
  return [...ended, ...(await planBatch(steps, open, { read, log, recorded, times }))]
}

/** Writes planned items. Throws `BatchTaken` if another chain has taken some of them. */
async function writeAll(
  tx: ShopScope,
  { parts: { limits, effects }, batch, times }: PlannedWork,
  { ended, fresh, rows }: WholeBatch,
): Promise<void> {
  const { operation, chain, lease, strategy } = batch
  await holdLease(tx, operation.id, chain, lease)
  const whole =
    (await dropLeased(tx, operation.id, lease)) === fresh.length &&
    (await holdPlanned(tx, operation.id, rows))
  if (!whole) throw new BatchTaken()
  const last = batch.rows.at(-1)
  if (last) await moveHint(tx, batch, last.position + 1)
  await enqueueNext(tx, batch, strategy.load)
  ended.sort((a, b) => a.item.position - b.item.position)
  await writeEnded(tx, batch, ended, {
    limits,
    effects,
    fresh: positionsOf(fresh),
    uniform: 0,
    times,
  })
}

/**
 * Writes a uniform change. Files that its statement skipped are read here and get the recorded
 * outcomes: no plugin is called.
 */
async function writeUniform(
  tx: ShopScope,
  work: PlannedWork,
  recorded: readonly RecordedStep[],
  update: UniformUpdate,
): Promise<void> {
  const { parts, batch, steps, times } = work
  const { operation, chain, lease, strategy } = batch
  const since = performance.now()
  await holdLease(tx, operation.id, chain, lease)
  const { done, left } = await changeUniformly(tx, batch, update, steps.length)
  if (done + left.length === 0) throw new BatchTaken()
  if (left.length === 0) {
    await enqueueNext(tx, batch, strategy.load)
    const write = performance.now() - since
    return countOutcomes(tx, operation.id, { done, times: { steps: times, write } })
  }
  const ended = await planItems(tx, work, left, recorded)
  await enqueueNext(tx, batch, strategy.load)
  const { limits, effects } = parts
  await writeEnded(tx, batch, ended, {
    limits,
    effects,
    fresh: positionsOf(left),
    uniform: done,
    times,
  })
}

const positionsOf = (items: readonly WorkItem[]) => new Set(items.map(({ position }) => position))

const moveHint = (tx: ShopScope, { operation, chain }: HeldChain, hint: number) =>
  tx.query(
    `update chains set hint = :hint where shop_id = :shop and operation_id = :operation
      and chain = :chain`,
    { operation: operation.id, chain, hint },
  )
