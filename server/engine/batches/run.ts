// One job of a chain: take the next items, run them through the steps, commit what ends in groups, hand the chain on.
import type { ItemPlugin, ReadContext, StagedBlob } from '../../../plugins/contract.ts'
import { isDatabaseAway } from '../../db/faults.ts'
import { forShop, type ShopScope } from '../../db/for-shop.ts'
import { keepsPromise, ledgerOf } from '../../files/changes.ts'
import { workAsking } from './asking.ts'
import { claimBatch, goesTogether, holdChain, markChain, type Claim } from './claim.ts'
import { errorFields } from '../../log.ts'
import { commit, handOn } from './commit.ts'
import { BrokenStep, resolveSteps, writeContext } from './context.ts'
import type { Control } from '../worker/control.ts'
import { grouped } from './batch-stream.ts'
import { LeaseLost } from '../worker/lease.ts'
import { inNameOrder } from '../operations/name-order.ts'
import { countOutcomes } from './outcomes.ts'
import { planBatch } from './plan.ts'
import { prepare } from './prepare.ts'
import type { Progress } from '../worker/progress.ts'
import type { ChainJob } from '../worker/queue.ts'
import { openEntries } from '../operations/sealed-addresses.ts'
import { BATCH } from '../operations/start.ts'
import { runSteps } from './run-steps.ts'
import { workTogether } from './together.ts'
import type { EndedItem, Ending, EngineParts, OperationRow, ResolvedStep, WorkItem } from '../types.ts'
import { draftOf } from './item-work.ts'
import { CHANGED_SINCE_PREVIEW } from './write.ts'

const COMMIT_GROUP = 50
const COMMIT_MS = 500
// Below this, fetching again after a crash is cheaper than remembering every item's bytes.
const REMEMBER_BYTES = 4 * 1024 ** 2

export interface BatchRunner {
  parts: EngineParts
  worker: string
  progress: Progress
  control: Control
  /** What this process works on, by `operation:chain`. */
  active: Map<string, Promise<void>>
  /** And what it gave up without letting it go: the next heartbeat does. */
  broken: Set<string>
  signal: AbortSignal
}

export function runChain(runner: BatchRunner, job: ChainJob): Promise<void> {
  return exclusively(runner, job, async () => {
    const scope = forShop(runner.parts.database, job.shop)
    try {
      await nextBatches(runner, scope, job)
    } catch (error) {
      if (!(error instanceof BrokenStep)) throw error
      // No item can be worked on, now or later: the operation ends with what is done.
      runner.parts.log.error('an operation cannot go on', { operation: job.operation, ...errorFields(error) })
      await scope.transaction((tx) => countOutcomes(tx, job.operation, {}, error.stop))
    }
  })
}

async function nextBatches(runner: BatchRunner, scope: ShopScope, job: ChainJob): Promise<void> {
  if ((await goesTogether(scope, job, runner.worker)) && (await runTogether(runner, scope, job))) return
  for (let turn = 1; turn <= BATCH; turn++) {
    const claim = await claimBatch(scope, job, runner.worker, BATCH)
    if (!claim) return
    // Items that a crash interrupted run in small groups; the next group needs no job of its own.
    const last = !claim.items[0]!.crashed || turn === BATCH
    await workOn(runner, scope, claim, last)
    if (last) return
  }
}

/** Runs `work` once what this process does there already is over, and notes a chain that could not be let go. */
export async function exclusively(runner: BatchRunner, job: ChainJob, work: () => Promise<void>): Promise<void> {
  const key = `${job.operation}:${job.chain}`
  while (runner.active.has(key)) await runner.active.get(key)!.catch(() => {})
  if (runner.signal.aborted) return
  const working = work()
  runner.active.set(key, working)
  try {
    await working
  } catch (error) {
    if (error instanceof LeaseLost) {
      runner.parts.log.info('a chain was taken over or ended', { operation: job.operation, chain: job.chain })
      return
    }
    runner.broken.add(key)
    throw error
  } finally {
    runner.active.delete(key)
    runner.progress.announce(job.shop, job.operation)
  }
}

/** False: what is left are items that go one by one. */
async function runTogether(runner: BatchRunner, scope: ShopScope, job: ChainJob): Promise<boolean> {
  const held = await scope.transaction((tx) => holdChain(tx, job, runner.worker))
  if (!held) return true
  let worked = true
  await watched(runner, held.operation, async (signal) => {
    const read = await writeContext(runner.parts, scope, held.operation, signal)
    const steps = resolveSteps(runner.parts, scope, held.operation.workflow)
    try {
      worked = await (held.operation.asks ? workAsking : workTogether)(runner.parts, scope, held, steps, read)
    } catch (error) {
      if (error instanceof LeaseLost || isDatabaseAway(error)) throw error
      // Nothing was written, and the chain is free again. Where it was not put down something in the batch is at fault: marked
      // one by one, that item fails alone.
      if (!signal.aborted) {
        runner.parts.log.error('a batch could not be written whole', {
          operation: job.operation,
          ...errorFields(error),
        })
        await markChain(scope, job)
      }
      await scope.transaction((tx) => handOn(tx, held))
    }
  })
  return worked
}

/** Runs `work` with a signal that aborts when the worker stops or the operation is put down. */
export async function watched(
  runner: BatchRunner,
  operation: OperationRow,
  work: (signal: AbortSignal) => Promise<void>,
) {
  const watch = runner.control.watch(operation.id)
  try {
    await work(AbortSignal.any([runner.signal, watch.signal]))
  } finally {
    watch.release()
  }
}

function workOn(runner: BatchRunner, scope: ShopScope, claim: Claim, last: boolean): Promise<void> {
  const { parts } = runner
  const stop = new AbortController()
  return watched(runner, claim.operation, async (putDown) => {
    const signal = AbortSignal.any([putDown, stop.signal])
    const options = { limits: parts.limits, secrets: parts.secrets, log: parts.log }
    let left = claim.items.length
    try {
      const ending = inNameOrder(endingsOf(runner, scope, claim, signal), claim.items)
      for await (const group of grouped(ending, COMMIT_GROUP, COMMIT_MS)) {
        left -= group.length
        await commit(scope, claim, group, { ...options, last: last && left === 0 })
        runner.progress.announce(scope.shop, claim.operation.id)
      }
    } catch (error) {
      stop.abort(error)
      throw error
    }
  })
}

/** How the items end, as they do. */
async function* endingsOf(
  { parts }: BatchRunner,
  scope: ShopScope,
  claim: Claim,
  signal: AbortSignal,
): AsyncGenerator<EndedItem> {
  const { operation } = claim
  openEntries(claim.items, { shop: scope.shop, secrets: parts.secrets })
  const write = await writeContext(parts, scope, operation, signal)
  const steps = resolveSteps(parts, scope, operation.workflow)
  const { ended, open } = prepare(operation, parts.plugins, claim.items, claim.inUse)
  yield* ended
  if (open.length === 0) return
  if (operation.status === 'previewing') return yield* await planned(steps, open, write, parts, signal)
  const kept = await keptPromises(steps, open, write, parts, signal)
  yield* kept.ended
  const onStaged = (item: WorkItem, bytes: StagedBlob) =>
    bytes.size_bytes < REMEMBER_BYTES ? Promise.resolve() : remember(scope, claim, item, bytes)
  const context = { read: write, write, log: parts.log, onStaged, now: () => performance.now() }
  yield* runSteps(steps, kept.open, context)
}

/** A plan that is put down leaves its items as they were. */
async function planned(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  read: ReadContext,
  { log }: EngineParts,
  signal: AbortSignal,
): Promise<EndedItem[]> {
  try {
    return await planBatch(steps, items, { read, log })
  } catch (error) {
    if (!signal.aborted) throw error
    return items.map((item) => ({ item, ending: { status: 'returned' } }))
  }
}

/**
 * Where steps touch bytes, what a preview promised is held against a plan made anew, before anything is done. (Where they only
 * plan, the changes themselves are.)
 */
async function keptPromises(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  read: ReadContext,
  parts: EngineParts,
  signal: AbortSignal,
): Promise<{ ended: EndedItem[]; open: WorkItem[] }> {
  const promised = items.filter(({ plan, record }) => plan !== null && record !== null)
  if (promised.length === 0) return { ended: [], open: [...items] }
  const copies = new Map<WorkItem, WorkItem>(
    promised.map((item) => [
      { ...item, draft: structuredClone(item.draft), warnings: [], candidates: [], created: [] },
      item,
    ]),
  )
  const again = await planned(steps, [...copies.keys()], read, parts, signal)
  const ended: EndedItem[] = []
  const broken = new Set<WorkItem>()
  for (const { item: copy, ending } of again) {
    const item = copies.get(copy)!
    const same =
      ending.status === 'done' && keepsPromise(item.plan!, ledgerOf({ record: item.record!, draft: draftOf(copy) }))
    // From here on its bytes decide, and those no preview has.
    item.plan = null
    if (same) continue
    broken.add(item)
    const drift: Ending = { status: 'skipped', reason: CHANGED_SINCE_PREVIEW }
    ended.push({ item, ending: ending.status === 'done' ? drift : ending })
  }
  return { ended, open: items.filter((item) => !broken.has(item)) }
}

async function remember(scope: ShopScope, claim: Claim, item: WorkItem, bytes: StagedBlob): Promise<void> {
  await scope.query(
    `update items set staged = :bytes, step = :step
     where shop_id = :shop and operation_id = :operation and position = :position and lease = :lease
       and status = 'running'`,
    {
      operation: claim.operation.id,
      position: item.position,
      lease: claim.lease,
      step: item.step,
      bytes: JSON.stringify(bytes),
    },
  )
}
