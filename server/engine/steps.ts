// A batch's way through its steps: each step's outcomes flow on to the next as they come, in groups, so that one slow
// item holds up nobody else.
import type { Item, ItemPlugin, Outcome, ReadContext, StagedBlob, WriteContext } from '../../plugins/contract.ts'
import { isErrorCode } from '../errors.ts'
import { viewOfDraft } from '../files/drafts.ts'
import { errorFields, type Logger } from '../log.ts'
import { applyToDraft } from './apply.ts'
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

/** Runs `items` through the item steps and yields each as it ends: done, failed, skipped, or back to wait. */
export async function* runSteps(
  steps: readonly ResolvedStep<ItemPlugin>[],
  items: readonly WorkItem[],
  context: BatchContext,
): AsyncGenerator<EndedItem> {
  const ended: EndedItem[] = []
  const startedAt = context.now()
  const seconds = () => (context.now() - startedAt) / 1000
  let flow: AsyncIterable<WorkItem[]> = once(items)
  for (const [index, step] of steps.entries()) {
    const entering = flow
    flow = grouped(runStep(step, index, entering, context, ended, seconds), GROUP, GROUP_MS)
  }
  for await (const group of flow) {
    while (ended.length > 0) yield ended.shift()!
    for (const item of group) yield { item, ending: { status: 'done' } }
  }
  while (ended.length > 0) yield ended.shift()!
}

async function* once<T>(value: readonly T[]): AsyncGenerator<T[]> {
  yield [...value]
}

async function* runStep(
  step: ResolvedStep<ItemPlugin>,
  index: number,
  groups: AsyncIterable<WorkItem[]>,
  context: BatchContext,
  ended: EndedItem[],
  seconds: () => number,
): AsyncGenerator<WorkItem> {
  for await (const group of groups) {
    // Begun earlier and interrupted: what is behind it stays behind it.
    yield* group.filter((item) => item.step > index)
    const open = new Map(group.filter((item) => item.step <= index).map((item) => [String(item.position), item]))
    if (open.size === 0) continue
    const fail = (item: WorkItem, error: ItemError) => ended.push({ item, ending: failure(item, error, seconds()) })
    try {
      for await (const outcome of outcomesOf(step, [...open.values()], context)) {
        const item = open.get(outcome.item)
        if (!item) {
          context.log.error('a plugin gave an outcome for an item that is not open', { plugin: step.plugin })
          continue
        }
        open.delete(outcome.item)
        if (outcome.status === 'failed') fail(item, errorOf(outcome))
        else if (outcome.status === 'skipped') ended.push({ item, ending: outcome })
        else yield await advance(item, outcome, index, context)
      }
      if (open.size > 0) throw new Error(`${step.plugin} gave no outcome for ${open.size} items`)
    } catch (error) {
      if (context.read.signal.aborted) {
        for (const item of open.values()) ended.push({ item, ending: { status: 'returned' } })
        continue
      }
      context.log.error('a plugin failed', { plugin: step.plugin, ...errorFields(error) })
      const crash = { code: 'plugin_failed', message: `The step ${step.id} failed on this file`, retryable: true }
      for (const item of open.values()) fail(item, crash)
    }
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
