// The executed strategy: steps use bytes or external systems, so items are marked as running, pass
// through the steps as a stream, and are committed in groups as they end.
import type { ItemPlugin, StagedBlob } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { firstOf, present } from '../core/lazy.ts'
import { matchesPreview, ledgerOf } from '../files/change-ledger.ts'
import type { FileRecord } from '../files/drafts.ts'
import type { ChainJob } from '../core/queue/queue.ts'
import { inNameOrder } from './freeze.ts'
import { openEntries } from './sealed.ts'
import { BATCH, strategyOf } from './steps.ts'
import type { EndedItem, ItemEnding, OperationRow, ResolvedStep, WorkItem } from './types.ts'
import { withCancellation, type EngineRunner } from './runner.ts'
import { batchStream, runSteps } from './run-steps.ts'
import { claimBatch, type Claim } from './claim.ts'
import { commit } from './commit.ts'
import { resolveSteps, writeContext } from './context.ts'
import { itemDraft } from './item-work.ts'
import { loadKnown } from './write-files.ts'
import { planBatch, type PlanContext } from './plan.ts'
import { prepare } from './undo.ts'
import { beginUnpacked } from './unpacked.ts'
import { CHANGED_SINCE_PREVIEW } from './write-results.ts'

const COMMIT_GROUP = 50
const COMMIT_MS = 500
/** Below this size, a crash fetches the bytes again instead of recording them for every item. */
const REMEMBER_BYTES = 4 * 1024 ** 2

/**
 * Works on the chain's next items.
 * @returns true, because every item can be executed
 */
export async function workExecuted(
  runner: EngineRunner,
  scope: ShopScope,
  job: ChainJob,
): Promise<true> {
  const batchOf = (operation: OperationRow) => strategyOf(operation, runner.parts.plugins).batch
  let more = true
  for (let turn = 1; more && turn <= BATCH; turn++)
    more = await withCancellation(runner, job.operation, async (interrupted) => {
      const claim = await claimBatch(scope, job, runner.worker, batchOf)
      if (!claim) return false
      // Items that a crash interrupted run in small groups. The next group needs no new job:
      // it follows in this one.
      const last = !firstOf(claim.items).crashed || turn === BATCH
      await workOn(runner, scope, claim, { last, interrupted })
      return !last
    })
  return true
}

async function workOn(
  runner: EngineRunner,
  scope: ShopScope,
  claim: Claim,
  { last, interrupted }: { last: boolean; interrupted: AbortSignal },
): Promise<void> {
  const { parts } = runner
  const stop = new AbortController()
  const signal = AbortSignal.any([interrupted, stop.signal])
  const { limits, effects, log } = parts
  const times: number[] = []
  const options = { limits, effects, log, times }
  let left = claim.items.length
  try {
    const ended = endingsOf(runner, scope, claim, { signal, times })
    const ending = inNameOrder(ended, claim.items)
    for await (const group of batchStream(ending, COMMIT_GROUP, COMMIT_MS)) {
      left -= group.length
      await commit(scope, claim, group, { ...options, last: last && left === 0 })
      times.fill(0)
      runner.progress.announce(scope.shop, claim.operation.id)
    }
  } catch (error) {
    stop.abort(error)
    throw error
  }
}

/** Runs the claimed items through the steps. Yields each one as it ends. */
async function* endingsOf(
  { parts }: EngineRunner,
  scope: ShopScope,
  claim: Claim,
  { signal, times }: { signal: AbortSignal; times: number[] },
): AsyncGenerator<EndedItem> {
  const { operation } = claim
  openEntries(claim.items, { shop: scope.shop, secrets: parts.secrets })
  const write = await writeContext(parts, scope, operation, signal)
  const steps = resolveSteps(parts, scope, operation.workflow)
  const { ended, open } = prepare(operation, parts.plugins, claim.items, claim.inUse)
  yield* ended
  if (open.length === 0) return
  await loadKnown(scope, steps, open)
  if (operation.status === 'previewing')
    return yield* await planned(steps, open, { read: write, log: parts.log, times }, signal)
  const gone = await beginUnpacked(scope, open)
  yield* gone
  const lost = new Set(gone.map(({ item }) => item))
  const left = lost.size === 0 ? open : open.filter((item) => !lost.has(item))
  const kept = await checkPreviewed(steps, left, { read: write, log: parts.log, times }, signal)
  yield* kept.ended
  const onStaged = (item: WorkItem, bytes: StagedBlob) =>
    bytes.size_bytes < REMEMBER_BYTES ? Promise.resolve() : recordStaged(scope, claim, item, bytes)
  yield* runSteps(steps, kept.open, { write, log: parts.log, times, onStaged })
}

/** Plans the items of a preview. If it is interrupted, they stay as they were. */
async function planned(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: PlanContext,
  signal: AbortSignal,
): Promise<EndedItem[]> {
  try {
    return await planBatch(steps, items, context)
  } catch (error) {
    if (!signal.aborted) throw error
    return items.map((item) => ({ item, ending: { status: 'returned' } }))
  }
}

/** An item of an existing file with what its preview promised. */
interface PreviewedItem {
  item: WorkItem
  plan: NonNullable<WorkItem['plan']>
  record: FileRecord
}

/**
 * Compares what a preview promised with a new plan, before a step uses bytes. (Where steps only
 * plan, the changes themselves are compared when they are written.)
 */
async function checkPreviewed(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: PlanContext,
  signal: AbortSignal,
): Promise<{ ended: EndedItem[]; open: WorkItem[] }> {
  const copies = new Map<WorkItem, PreviewedItem>()
  for (const item of items) {
    const { plan, record } = item
    if (plan === null || record === null) continue
    const copy = {
      ...item,
      draft: structuredClone(item.draft),
      warnings: [],
      effects: {},
      trail: [],
    }
    copies.set(copy, { item, plan, record })
  }
  if (copies.size === 0) return { ended: [], open: [...items] }
  const again = await planned(steps, [...copies.keys()], context, signal)
  const ended: EndedItem[] = []
  const broken = new Set<WorkItem>()
  const makesBytes = steps.some(({ pluginImpl }) => pluginImpl.bytes)
  for (const { item: copy, ending } of again) {
    const { item, plan, record } = present(copies.get(copy), 'the original of a copied item')
    const same =
      ending.status === 'done' && matchesPreview(plan, ledgerOf({ record, draft: itemDraft(copy) }))
    // From here on the result depends on its bytes, which no preview has. Without bytes, the change
    // that is written is compared too: a program may answer differently once it really works.
    if (makesBytes) item.plan = null
    if (same) continue
    broken.add(item)
    const drift: ItemEnding = { status: 'skipped', reason: CHANGED_SINCE_PREVIEW }
    ended.push({ item, ending: ending.status === 'done' ? drift : ending })
  }
  return { ended, open: items.filter((item) => !broken.has(item)) }
}

/** Records the bytes that an item's steps have made, so that a crash does not make them again. */
async function recordStaged(
  scope: ShopScope,
  claim: Claim,
  item: WorkItem,
  bytes: StagedBlob,
): Promise<void> {
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
