// Runs a batch through its steps. Each step's outcomes pass to the next step immediately, in
// groups, so that one slow item delays no others.
import type { ItemPlugin, StagedBlob, WriteContext } from '../../plugins/contract/index.ts'
import { createAsyncQueue, type AsyncQueue } from '../core/body-budget.ts'
import { errorFields, type Logger } from '../core/log.ts'
import type { EndedItem, ResolvedStep, WorkItem } from './types.ts'
import { timed } from './plan.ts'
import {
  advance,
  crashOf,
  endingAt,
  applicable,
  openItems,
  pairOutcomes,
  refusalOf,
  viewOfItem,
  type ConditionReader,
  type StepRefusal,
} from './item-work.ts'

const GROUP = 50
const GROUP_MS = 200

export interface BatchContext {
  write: WriteContext & ConditionReader
  log: Logger
  /** Where the time of each step is added, in ms: the sum of its groups, which work concurrently. */
  times: number[]
  /** Called when an item's bytes are stored, so that a crash does not fetch them again. */
  onStaged?(item: WorkItem, bytes: StagedBlob): Promise<void>
}

interface Run {
  context: BatchContext
  /** Called with an item that ends here. */
  end(ended: EndedItem): void
  /** Seconds since the batch began. */
  seconds(): number
}

/**
 * Runs items through the item steps.
 * @returns each item as it ends: done, failed, skipped, or waiting again
 * @throws no error of a plugin: it fails the plugin's items
 */
export function runSteps(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: BatchContext,
): AsyncIterable<EndedItem> {
  const ended = createAsyncQueue<EndedItem>()
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const run: Run = { context, end: ended.push, seconds }
  let flow: AsyncIterable<WorkItem[]> = once(items)
  for (const [index, step] of steps.entries())
    flow = batchStream(runStep(step, index, flow, run), GROUP, GROUP_MS)
  const drain = async () => {
    for await (const group of flow)
      for (const item of group) ended.push({ item, ending: { status: 'done' } })
  }
  drain().then(
    () => ended.end(),
    (error: unknown) => ended.end(error),
  )
  return ended
}

async function* once<T>(value: readonly T[]): AsyncGenerator<T[]> {
  yield [...value]
}

/** Runs one step on all groups. Yields their items as they come: a slow group delays no other. */
function runStep(
  step: ResolvedStep<ItemPlugin>,
  index: number,
  groups: AsyncIterable<WorkItem[]>,
  run: Run,
): AsyncIterable<WorkItem> {
  const passed = createAsyncQueue<WorkItem>()
  const work = async () => {
    const running: Promise<void>[] = []
    const { times } = run.context
    for await (const group of groups)
      running.push(timed(times, index, () => runGroup(step, index, group, run, passed)))
    await Promise.all(running)
  }
  work().then(
    () => passed.end(),
    (error: unknown) => passed.end(error),
  )
  return passed
}

async function runGroup(
  step: ResolvedStep<ItemPlugin>,
  index: number,
  group: readonly WorkItem[],
  run: Run,
  passed: AsyncQueue<WorkItem>,
): Promise<void> {
  const { end, context } = run
  const { write, log } = context
  // An interrupted earlier attempt ran these steps: they are not run again.
  const waiting = group.filter((item) => item.step <= index)
  const items = await applicable(step, waiting, write)
  const chosen = new Set(items)
  for (const item of group) if (!chosen.has(item)) passed.push(item)
  if (items.length === 0) return
  const open = openItems(items)
  const refuse = (item: WorkItem, refusal: StepRefusal) => {
    const ending = endingAt(step, index, item, refusal, run.seconds())
    if (ending) end({ item, ending })
    else passed.push(item)
  }
  try {
    const outcomes = outcomesOf(step, items, write)
    for await (const { item, outcome } of pairOutcomes(step, open, outcomes, log)) {
      if (outcome.status !== 'ok') refuse(item, refusalOf(outcome))
      else {
        const bytes = advance(item, outcome, step, index)
        if (bytes) await context.onStaged?.(item, bytes)
        passed.push(item)
      }
    }
  } catch (error) {
    if (write.signal.aborted) {
      for (const item of open.values()) end({ item, ending: { status: 'returned' } })
      return
    }
    log.error('a plugin failed', { plugin: step.plugin, ...errorFields(error) })
    const crash = crashOf(step)
    for (const item of open.values()) refuse(item, { status: 'failed', error: crash })
  }
}

function outcomesOf(
  { pluginImpl: plugin, parsedOptions: options }: ResolvedStep<ItemPlugin>,
  items: readonly WorkItem[],
  write: WriteContext,
) {
  const views = items.map(viewOfItem)
  return plugin.run ? plugin.run(views, options, write) : plugin.plan(views, options, write)
}

// Gathers a stream into groups of at most `size`. No element waits longer than `ms` for others.

/**
 * Groups the elements of a source. Reads ahead of the consumer, so that a slow consumer does not
 * stop a source that works in parallel.
 * @throws the error of the source, after the groups before it
 */
export async function* batchStream<T>(
  source: AsyncIterable<T>,
  size: number,
  ms: number,
): AsyncGenerator<T[]> {
  const waiting: T[] = []
  let finished = false
  let failure: { error: unknown } | null = null
  let wake = () => {}
  let oldest = 0
  const pump = (async () => {
    try {
      for await (const value of source) {
        if (waiting.length === 0) oldest = performance.now()
        waiting.push(value)
        if (waiting.length === 1 || waiting.length >= size) wake()
      }
    } catch (error) {
      failure = { error }
    } finally {
      finished = true
      wake()
    }
  })()
  while (true) {
    if (waiting.length === 0 && finished) break
    const left = waiting.length === 0 ? Infinity : oldest + ms - performance.now()
    if (!finished && waiting.length < size && left > 0) {
      await new Promise<void>((resolve) => {
        const timer = left === Infinity ? undefined : setTimeout(resolve, left)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      continue
    }
    yield waiting.splice(0, size)
    oldest = performance.now()
  }
  await pump
  if (failure) throw (failure as { error: unknown }).error
}
