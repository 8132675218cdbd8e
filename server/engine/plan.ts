// Plans a batch: each step sees all items that can still succeed, in their order, and nothing is
// touched. This is all of a preview, and of an operation whose steps only plan.
import { isDeepStrictEqual } from 'node:util'
import type {
  ItemPlugin,
  Outcome,
  ReadContext,
  FileChange,
  Item,
} from '../../plugins/contract/index.ts'
import { errorFields, type Logger } from '../core/log.ts'
import { present } from '../core/lazy.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import type { UniformUpdate } from '../files/uniform-update.ts'
import type { ItemEnding, EndedItem, ResolvedStep, WorkItem } from './types.ts'
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
import { DROP_LEASED, type PlannedBatch } from './item-batches.ts'
import { freshItem } from './work-item.ts'

export interface PlanContext {
  read: ReadContext & ConditionReader
  log: Logger
  /** Where the time of each step is added, in ms. */
  times: number[]
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
    const chosen = await applicable(step, open, context.read)
    if (chosen.length === 0) continue
    const stopped = await timed(context.times, index, () => planStep(step, index, chosen, context))
    if (stopped.size === 0) continue
    for (const [item, ending] of stopped) ended.push({ item, ending })
    open = open.filter((item) => !stopped.has(item))
  }
  for (const item of open) ended.push({ item, ending: { status: 'done' } })
  return ended
}

/** Adds how long the work of a step takes. */
export async function timed<T>(times: number[], index: number, work: () => Promise<T>): Promise<T> {
  const since = performance.now()
  try {
    return await work()
  } finally {
    times[index] = (times[index] ?? 0) + performance.now() - since
  }
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

// Plans files without reading them. Most plans of settings, tags and deletions never look at a
// file, and reading 100,000 files costs more than changing them. Plugins need not declare this: if
// a plan looks at a file, it is repeated with the files read.

/** A step's outcomes by item id. */
export type RecordedStep = ReadonlyMap<string, Outcome>

export interface UnreadPlan {
  /** The outcomes of the first steps, up to the first one that has to read files. */
  recorded: readonly RecordedStep[]
  /** The one change that all steps together make to every file; null: it depends on the file. */
  change: FileChange | null
}

/**
 * Plans items without their files: items without rows differ only in ids and positions.
 * @throws the signal's reason when it aborts
 */
export async function planUnread(
  steps: readonly ResolvedStep<ItemPlugin>[],
  positions: readonly number[],
  read: ReadContext,
  times: number[] = [],
): Promise<UnreadPlan> {
  const recorded: RecordedStep[] = []
  for (const [index, step] of steps.entries()) {
    const isForAll = step.when === undefined && step.branch === undefined
    const outcomes = isForAll
      ? await timed(times, index, () => outcomesUnread(step, positions, read))
      : null
    if (!outcomes) break
    recorded.push(outcomes)
    // An item that ends here is not planned by the next step; to know that, the next step needs the
    // files.
    if (![...outcomes.values()].every(({ status }) => status === 'ok')) break
  }
  const change = recorded.length === steps.length ? sharedChange(recorded) : null
  return { recorded, change }
}

/**
 * The outcomes of one step. Null: its plan needs the files, or failed, so the caller plans with the
 * files.
 */
async function outcomesUnread(
  { pluginImpl, parsedOptions }: ResolvedStep<ItemPlugin>,
  positions: readonly number[],
  read: ReadContext,
): Promise<RecordedStep | null> {
  let looked = false
  const onLook = () => void (looked = true)
  const views = positions.map((position) => new UnreadItem(position, onLook))
  const outcomes = new Map<string, Outcome>()
  try {
    for await (const outcome of pluginImpl.plan(views, parsedOptions, read)) {
      if (looked) return null
      outcomes.set(outcome.item, outcome)
    }
  } catch {
    read.signal.throwIfAborted()
    return null
  }
  const complete =
    outcomes.size === positions.length &&
    positions.every((position) => outcomes.has(String(position)))
  return !looked && complete ? outcomes : null
}

class UnreadItem implements Item {
  readonly entry = null
  readonly staged = null
  readonly wanted = null
  readonly id: string
  readonly position: number
  readonly #onLook: () => void
  constructor(position: number, onLook: () => void) {
    this.id = String(position)
    this.position = position
    this.#onLook = onLook
  }
  get file(): never {
    this.#onLook()
    throw new Error('The file has not been read')
  }
}

const CHANGE_ALONE: ReadonlySet<string> = new Set(['item', 'status', 'change'])

function sharedChange(recorded: readonly RecordedStep[]): FileChange | null {
  let all: FileChange | null = null
  for (const outcomes of recorded) {
    const change = sharedBy([...outcomes.values()])
    if (change === null) return null
    all = all === null ? change : combineChanges(all, change)
    if (all === null) return null
  }
  return all
}

function sharedBy([first, ...others]: readonly Outcome[]): FileChange | null {
  const change = first && changeOf(first)
  if (!change) return null
  const same = (outcome: Outcome) => {
    const other = changeOf(outcome)
    return other === change || (other !== null && isDeepStrictEqual(other, change))
  }
  return others.every(same) ? change : null
}

/** The outcome's change, if it contains nothing else. */
function changeOf(outcome: Outcome): FileChange | null {
  if (outcome.status !== 'ok') return null
  for (const name in outcome) if (!CHANGE_ALONE.has(name)) return null
  return outcome.change ?? null
}

/** Combines two changes into one; null: the result is not the same for every file. */
export function combineChanges(first: FileChange, then: FileChange): FileChange | null {
  const { set, tags, deleted, ...others } = first
  const { set: thenSet, tags: thenTags, deleted: thenDeleted, ...thenOthers } = then
  if (Object.keys({ ...others, ...thenOthers }).length > 0) return null
  const allTags = tags && thenTags ? combinedTags(tags, thenTags) : (tags ?? thenTags)
  if (allTags === null) return null
  const isDeleted = thenDeleted ?? deleted
  return {
    ...(set || thenSet ? { set: { ...set, ...thenSet } } : {}),
    ...(allTags ? { tags: allTags } : {}),
    ...(isDeleted === undefined ? {} : { deleted: isDeleted }),
  }
}

type TagChange = NonNullable<FileChange['tags']>

function combinedTags(first: TagChange, then: TagChange): TagChange | null {
  if ('replace' in then) return then
  if ('replace' in first) {
    const kept = first.replace.filter((tag) => !then.remove?.includes(tag))
    return { replace: [...kept, ...(then.add ?? [])] }
  }
  const adds = [...(first.add ?? []), ...(then.add ?? [])]
  const removes = [...(first.remove ?? []), ...(then.remove ?? [])]
  if (adds.length > 0 && removes.length > 0) return null
  return adds.length > 0 ? { add: adds } : { remove: removes }
}

// A uniform change: the plans of a batch make the same change to every file, so the database makes
// the change and writes the items in one statement. Files that the statement skips are planned
// individually, with the known outcomes. Measured against reading and planning every file, settings
// take a third of the time and deletions less (docs/decisions/0029-uniform-change-from-plans.md).

/**
 * The batches of one uniform change in a transaction: with two chains, 10,000 files are one
 * transaction for each chain. More would be faster, but a pause waits for the running transaction.
 */
export const UNIFORM_BATCHES = 3

export interface UniformResult {
  /** The number of items that were changed and written. */
  done: number
  /** The items whose files the statement skipped, which have no rows yet. */
  left: WorkItem[]
}

/**
 * Changes the files of all batches under the lease, and inserts the items that are done.
 * @param steps the number of steps that the items completed
 * @returns nothing done and nothing left if no batch is under the lease any more
 */
export async function changeUniformly(
  tx: ShopScope,
  { operation, lease }: PlannedBatch,
  update: UniformUpdate,
  steps: number,
): Promise<UniformResult> {
  const row = await tx.one<{ done: number; left: Pick<WorkItem, 'position' | 'file_id'>[] }>(
    // The planner has no statistics of new rows. It never makes a nested loop of a full join.
    `with taken as (${DROP_LEASED}),
     given as materialized (
       select b.position + n - 1 as position, id from taken b, unnest(b.file_ids) with ordinality
         as t(id, n)),
     changed as (${update.sql}),
     met as materialized (
       select given.position, given.id, changed.id is not null as done, changed.before,
         changed.after
       from given full join changed on changed.id = given.id),
     written as (
       insert into items (shop_id, operation_id, position, file_id, status, attempt, step, before,
         after, finished_at)
       select :shop, :operation, position, id, 'done', 1, :steps, before, after, now() from met
         where done)
     select count(*) filter (where done)::int as done,
       coalesce(json_agg(json_build_object('position', position, 'file_id', id) order by position)
         filter (where not done), '[]') as left
     from met`,
    { ...update.bindings, operation: operation.id, lease, steps },
  )
  return { done: row.done, left: row.left.map(freshItem) }
}
