// Plans a batch: each step sees all items that can still succeed, in their order, and nothing is
// touched. This is all of a preview, and of an operation whose steps only plan.
import type { ItemPlugin, Outcome, ReadContext } from '../../plugins/contract.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { present } from '../core/present.ts'
import type { ItemEnding, EndedItem, ResolvedStep, WorkItem } from './types.ts'
import {
  advance,
  crashOf,
  endingAt,
  applies,
  openItems,
  pairOutcomes,
  refusalOf,
  viewOfItem,
  type StepRefusal,
} from './item-work.ts'
import type { RecordedStep } from './plan-unread.ts'

export interface PlanContext {
  read: ReadContext
  log: Logger
  /** Outcomes of the first steps that are already known, for all items. */
  recorded?: readonly RecordedStep[]
}

/**
 * Plans the steps for these items, and applies the outcomes to their drafts.
 * @returns how each item would end, in no order
 * @throws the signal's reason when it aborts
 */
export async function planBatch(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: PlanContext,
): Promise<EndedItem[]> {
  const ended: EndedItem[] = []
  let open = [...items]
  for (const [index, step] of steps.entries()) {
    const applicable = open.filter((item) => applies(step, item))
    if (applicable.length === 0) continue
    const stopped = await planStep(step, index, applicable, context)
    if (stopped.size === 0) continue
    for (const [item, ending] of stopped) ended.push({ item, ending })
    open = open.filter((item) => !stopped.has(item))
  }
  for (const item of open) ended.push({ item, ending: { status: 'done' } })
  return ended
}

/** Plans one step. Returns the items that end here, with the reason. */
async function planStep(
  step: ResolvedStep<ItemPlugin>,
  index: number,
  items: readonly WorkItem[],
  { read, log, recorded }: PlanContext,
): Promise<Map<WorkItem, ItemEnding>> {
  const stopped = new Map<WorkItem, ItemEnding>()
  const open = openItems(items)
  const refuse = (item: WorkItem, refusal: StepRefusal) => {
    const ending = endingAt(step, index, item, refusal, 0)
    if (ending) stopped.set(item, ending)
  }
  try {
    const outcomes = outcomesOf(step, items, { read, recorded: recorded?.[index] })
    for await (const { item, outcome } of pairOutcomes(step, open, outcomes, log))
      if (outcome.status === 'ok') advance(item, outcome, step, index)
      else refuse(item, refusalOf(outcome))
  } catch (error) {
    read.signal.throwIfAborted()
    log.error('a plugin failed', { plugin: step.plugin, ...errorFields(error) })
    const crash = crashOf(step)
    for (const item of open.values()) refuse(item, { status: 'failed', error: crash })
  }
  return stopped
}

function outcomesOf(
  { pluginImpl, parsedOptions }: ResolvedStep<ItemPlugin>,
  items: readonly WorkItem[],
  { read, recorded }: { read: ReadContext; recorded: RecordedStep | undefined },
): AsyncIterable<Outcome> | Iterable<Outcome> {
  return recorded
    ? items.map(({ position }) => present(recorded.get(String(position)), 'a recorded outcome'))
    : pluginImpl.plan(items.map(viewOfItem), parsedOptions, read)
}
