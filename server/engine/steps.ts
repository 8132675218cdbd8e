// A batch's way through its steps: each step's outcomes flow on to the next as they come, in groups, so that one slow
// item holds up nobody else.
import type { Item, ItemPlugin, Outcome, ReadContext, StagedBlob, WriteContext } from '../../plugins/contract.ts'
import { isErrorCode } from '../errors.ts'
import { viewOfDraft } from '../files/drafts.ts'
import { errorFields, type Logger } from '../log.ts'
import { applyToDraft } from './apply.ts'
import { createChannel, type Channel } from './channel.ts'
import { retryDelay } from './failure.ts'
import { grouped } from './grouped.ts'
import type { EndedItem, ItemError, ResolvedStep, WorkItem } from './types.ts'

const GROUP = 50
const GROUP_MS = 200

export interface BatchContext {
  read: ReadContext
  write: WriteContext
  log: Logger
  /** Called when an item's bytes are safely stored, so that they need not be fetched again after a crash. */
  onStaged(item: WorkItem, bytes: StagedBlob): Promise<void>
  now(): number
}

interface Run {
  context: BatchContext
  /** An item that goes no further. */
  end(ended: EndedItem): void
  /** Since the batch began. */
  seconds(): number
}

/** Runs `items` through the item steps and gives each as it ends: done, failed, skipped, or back to wait. */
export function runSteps(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: BatchContext,
): AsyncIterable<EndedItem> {
  const ended = createChannel<EndedItem>()
  const startedAt = context.now()
  const run: Run = { context, end: ended.push, seconds: () => (context.now() - startedAt) / 1000 }
  let flow: AsyncIterable<WorkItem[]> = once(items)
  for (const [index, step] of steps.entries()) flow = grouped(runStep(step, index, flow, run), GROUP, GROUP_MS)
  const drain = async () => {
    for await (const group of flow) for (const item of group) ended.push({ item, ending: { status: 'done' } })
  }
  drain().then(
    () => ended.end(),
    (error: unknown) => ended.end(error),
  )
  return ended
}

async function* once<T>(value: readonly T[]): AsyncGenerator<T[]> {
  yield await Promise.resolve([...value])
}

/** What a step gives on, from all groups as they come: a group that is slow in here holds up no other. */
function runStep(
  step: ResolvedStep<ItemPlugin>,
  index: number,
  groups: AsyncIterable<WorkItem[]>,
  run: Run,
): AsyncIterable<WorkItem> {
  const passed = createChannel<WorkItem>()
  const work = async () => {
    const running: Promise<void>[] = []
    for await (const group of groups) running.push(runGroup(step, index, group, run, passed))
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
  passed: Channel<WorkItem>,
): Promise<void> {
  const { context, end } = run
  const open = new Map<string, WorkItem>()
  for (const item of group) {
    // Begun earlier and interrupted: what is behind it stays behind it.
    if (item.step > index) passed.push(item)
    else open.set(String(item.position), item)
  }
  if (open.size === 0) return
  const fail = (item: WorkItem, error: ItemError) => end({ item, ending: failure(item, error, run.seconds()) })
  try {
    for await (const outcome of outcomesOf(step, [...open.values()], context)) {
      const item = open.get(outcome.item)
      if (!item) {
        context.log.error('a plugin gave an outcome for an item that is not open', { plugin: step.plugin })
        continue
      }
      open.delete(outcome.item)
      if (outcome.status === 'failed') fail(item, errorOf(outcome))
      else if (outcome.status === 'skipped') end({ item, ending: outcome })
      else passed.push(await advance(item, outcome, index, context))
    }
    if (open.size > 0) throw new Error(`${step.plugin} gave no outcome for ${open.size} items`)
  } catch (error) {
    if (context.read.signal.aborted) {
      for (const item of open.values()) end({ item, ending: { status: 'returned' } })
      return
    }
    context.log.error('a plugin failed', { plugin: step.plugin, ...errorFields(error) })
    const crash = { code: 'plugin_failed', message: `The step ${step.id} failed on this file`, retryable: true }
    for (const item of open.values()) fail(item, crash)
  }
}

function outcomesOf(step: ResolvedStep<ItemPlugin>, items: readonly WorkItem[], context: BatchContext) {
  const { pluginImpl: plugin, parsedOptions: options } = step
  const views = items.map(viewOfItem)
  return plugin.run ? plugin.run(views, options, context.write) : plugin.plan(views, options, context.read)
}

const viewOfItem = (item: WorkItem): Item => ({
  id: String(item.position),
  position: item.position,
  file: viewOfDraft(item.draft, item.staged?.size_bytes ?? null),
  entry: item.entry,
  staged: item.staged,
})

async function advance(
  item: WorkItem,
  outcome: Extract<Outcome, { status: 'ok' }>,
  index: number,
  context: BatchContext,
) {
  item.step = index + 1
  if (outcome.change) applyToDraft(item.draft, outcome.change)
  if (outcome.warnings) item.warnings.push(...outcome.warnings)
  if (outcome.candidates) item.candidates.push(...outcome.candidates)
  if (outcome.bytes) {
    item.staged = outcome.bytes
    await context.onStaged(item, outcome.bytes)
  }
  return item
}

function errorOf(failed: Extract<Outcome, { status: 'failed' }>): ItemError {
  const { code, message, retryable, detail } = failed
  return { code: isErrorCode(code) ? code : 'plugin_failed', message, retryable, ...(detail ? { detail } : {}) }
}

function failure(item: WorkItem, error: ItemError, seconds: number): EndedItem['ending'] {
  const delayMs = error.retryable ? retryDelay(item.attempt, seconds) : null
  return delayMs === null ? { status: 'failed', error } : { status: 'again', error, delayMs }
}
