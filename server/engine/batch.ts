// One job of a chain: claim a batch, run it through the steps, commit what ends in groups, hand the chain on.
import type { ItemPlugin, StagedBlob } from '../../plugins/contract.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { claimBatch, type Claim } from './claim.ts'
import { commit, LeaseLost } from './commit.ts'
import { resolveSteps, writeContext } from './context.ts'
import { grouped } from './grouped.ts'
import type { Progress } from './progress.ts'
import type { ChainJob } from './queue.ts'
import { runSteps } from './steps.ts'
import type { EngineParts, WorkItem } from './types.ts'

export const BATCH = 100
const COMMIT_GROUP = 50
const COMMIT_MS = 200
// Below this, fetching again after a crash is cheaper than remembering every item's bytes.
const REMEMBER_BYTES = 4 * 1024 ** 2

export interface BatchRunner {
  parts: EngineParts
  worker: string
  progress: Progress
  /** `operation:chain` of what this process works on. */
  active: Set<string>
  /** And of what it gave up without letting it go: the next heartbeat does. */
  broken: Set<string>
  signal: AbortSignal
}

export function runChain(runner: BatchRunner, job: ChainJob): Promise<void> {
  return exclusively(runner, job, async () => {
    const scope = forShop(runner.parts.database, job.shop)
    for (let turn = 1; turn <= BATCH; turn++) {
      const claim = await claimBatch(scope, job, runner.worker, BATCH)
      if (!claim) return
      // Items that a crash interrupted run alone, but their next one need not wait for a job of its own.
      const last = !claim.items[0]!.crashed || turn === BATCH
      await workOn(runner, scope, claim, last)
      if (last) return
    }
  })
}

/** Runs `work` unless this process is at it already, and notes a chain that could not be let go. */
export async function exclusively(runner: BatchRunner, job: ChainJob, work: () => Promise<void>): Promise<void> {
  const key = `${job.operation}:${job.chain}`
  if (runner.active.has(key) || runner.signal.aborted) return
  runner.active.add(key)
  try {
    await work()
  } catch (error) {
    if (error instanceof LeaseLost) {
      runner.parts.log.warn('a chain was taken over by another worker', { operation: job.operation, chain: job.chain })
      return
    }
    runner.broken.add(key)
    throw error
  } finally {
    runner.active.delete(key)
    runner.progress.announce(job.shop, job.operation)
  }
}

async function workOn(runner: BatchRunner, scope: ShopScope, claim: Claim, last: boolean): Promise<void> {
  const { parts } = runner
  const stop = new AbortController()
  const signal = AbortSignal.any([runner.signal, stop.signal])
  const write = await writeContext(parts, scope, claim.operation, signal)
  const steps = resolveSteps<ItemPlugin>(parts.plugins, claim.operation.workflow, 'items')
  const onStaged = (item: WorkItem, bytes: StagedBlob) =>
    bytes.size_bytes < REMEMBER_BYTES ? Promise.resolve() : remember(scope, claim, item, bytes)
  const context = { read: write, write, log: parts.log, onStaged, now: () => performance.now() }
  const options = { limits: parts.limits, log: parts.log }
  let left = claim.items.length
  try {
    for await (const group of grouped(runSteps(steps, claim.items, context), COMMIT_GROUP, COMMIT_MS)) {
      left -= group.length
      await commit(scope, claim, group, { ...options, last: last && left === 0 })
      runner.progress.announce(scope.shop, claim.operation.id)
    }
  } catch (error) {
    stop.abort(error)
    throw error
  }
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
