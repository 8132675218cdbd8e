// A trial of a workflow on a few files: its steps run or plan, one after another, and nothing is
// changed or sent. Steps that only make new bytes run with a scratch store, which is removed when the
// trial ends.
import {
  say,
  type AnyText,
  type ItemPlugin,
  type Outcome,
  type PortId,
  type StagedBlob,
  type Text,
  type Workflow,
  type WriteContext,
} from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { errorFields } from '../core/log.ts'
import { present, zip } from '../core/lazy.ts'
import type { BlobStore } from '../core/store/store.ts'
import { textOfMessage } from '../core/texts.ts'
import { changeFiles } from '../files/changes.ts'
import {
  effectsOf,
  type EffectName,
  type ItemEnding,
  type ResolvedStep,
  type WorkItem,
} from './types.ts'
import type { EngineParts } from './parts.ts'
import { filePlaceOf } from './steps.ts'
import { resolveSteps, writeContext } from './context.ts'
import { MAX_TRIES } from './failure.ts'
import {
  advance,
  applicable,
  crashOf,
  endingAt,
  itemDraft,
  loadedRecord,
  loadRecords,
  obstacleOf,
  openItems,
  pairOutcomes,
  problemOf,
  refusalOf,
  viewOfItem,
  type ConditionReader,
} from './item-work.ts'
import type { WriteResult } from './outcomes.ts'
import { freshItem } from './work-item.ts'
import { previewEffects, resultOfChange } from './write-results.ts'

/** What a step did, or would do, with a file. */
export interface TriedStep {
  /** The id of the step. */
  step: string
  /**
   * `other_files`: its condition excludes the file. `not_tried`: it needs something that a trial
   * does not have. `kept`: it failed, and the file continues unchanged.
   */
  result: 'done' | 'unchanged' | 'other_files' | 'not_tried' | 'kept' | 'skipped' | 'failed'
  /** Why; null: nothing to add. */
  message: AnyText | null
}

export interface TriedFile {
  /** The bare UUID of the file. */
  id: string
  filename: string
  steps: TriedStep[]
  /** Why the file would stay as it is; null: nothing prevents the changes. */
  problem: AnyText | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  warnings: WorkItem['warnings']
  /** The new bytes, if they are a small picture. */
  picture: { content_type: string; bytes: Buffer } | null
}

/** Ports that change nothing outside the trial's folder. */
const HARMLESS: ReadonlySet<PortId> = new Set(['bytes', 'sandbox', 'catalog', 'packs', 'actions'])
/** Larger files are not worked on in a trial. */
const MAX_BYTES = 50 * 1024 ** 2
const MAX_MS = 60_000
const MAX_PICTURE_BYTES = 256 * 1024
const PICTURES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/avif',
])

export interface TrialRequest {
  workflow: Workflow
  /** Bare UUIDs. */
  files: readonly string[]
  signal: AbortSignal
}

/**
 * Tries the item steps of a workflow on these files.
 * @throws `BrokenStep` if a step cannot run here, and the signal's reason
 */
export const tryWorkflow = (
  parts: EngineParts,
  scope: ShopScope,
  request: TrialRequest,
): Promise<TriedFile[]> =>
  parts.withScratch(async (scratch) => {
    const { workflow, files, signal } = request
    // A failure is final, as after the last attempt.
    const items = files.map((file_id, position) => ({
      ...freshItem({ position, file_id }),
      attempt: MAX_TRIES,
    }))
    await loadRecords(scope, items)
    const trial: Trial = {
      parts,
      late: AbortSignal.timeout(MAX_MS),
      steps: new Map(items.map((item) => [item, []])),
      endings: new Map(),
      asked: [],
    }
    const place = filePlaceOf(workflow, parts.plugins)
    for (const item of items) {
      const obstacle = obstacleOf(item, place)
      if (obstacle) trial.endings.set(item, obstacle)
    }
    const given = { ...parts, ports: (one: ShopScope) => parts.ports(one, scratch) }
    const both = AbortSignal.any([signal, trial.late])
    const context = await writeContext(given, scope, { request: {} }, both)
    for (const step of resolveSteps(parts, scope, workflow)) {
      await tryStep(trial, step, items, context)
      signal.throwIfAborted()
    }
    const results = await resultsOf(trial, scope, items)
    return Promise.all(items.map((item) => triedFile(trial, scope, scratch, item, results)))
  })

interface Trial {
  parts: EngineParts
  /** Aborts when the trial takes too long. */
  late: AbortSignal
  steps: ReadonlyMap<WorkItem, TriedStep[]>
  /** How items ended before the last step. */
  endings: Map<WorkItem, ItemEnding>
  /**
   * Steps that do nothing with an item unless one of the effects that they asked for does. Steps that ask
   * for the same effect on an item are judged together.
   */
  asked: AskedStep[]
}

interface AskedStep {
  item: WorkItem
  tried: TriedStep
  effects: readonly EffectName[]
  unchanged: AnyText
}

/** Whether the step's work can be done in a trial; otherwise it is planned. */
const isHarmless = ({ run, needs = [] }: ItemPlugin): boolean =>
  run !== undefined && needs.every((port) => HARMLESS.has(port))

async function tryStep(
  trial: Trial,
  step: ResolvedStep<ItemPlugin>,
  items: readonly WorkItem[],
  context: WriteContext & ConditionReader,
): Promise<void> {
  const { pluginImpl: plugin } = step
  const runs = isHarmless(plugin)
  const note = (item: WorkItem, result: TriedStep['result'], message: AnyText | null = null) =>
    trial.steps.get(item)?.push({ step: step.id, result, message })
  const open: WorkItem[] = []
  const left = items.filter((item) => !trial.endings.has(item))
  const chosen = new Set(await applicable(step, left, context))
  for (const item of left) {
    const reason = reasonAgainst(trial, plugin, item, runs)
    if (!chosen.has(item)) note(item, 'other_files')
    else if (reason !== null) note(item, 'not_tried', reason)
    else open.push(item)
  }
  if (open.length === 0) return
  const refuse = (item: WorkItem, refusal: Parameters<typeof endingAt>[3]) => {
    const message = refusal.status === 'skipped' ? refusal.reason : textOfMessage(refusal.error)
    const ending = endingAt(step, indexOf(trial, item), item, refusal, 0)
    note(item, ending === null ? 'kept' : refusal.status, message)
    if (ending) trial.endings.set(item, ending)
  }
  const waiting = openItems(open)
  const { log } = trial.parts
  try {
    const outcomes = outcomesOf(step, open, context, runs)
    for await (const { item, outcome } of pairOutcomes(step, waiting, outcomes, log)) {
      if (outcome.status === 'ok') {
        advance(item, outcome, step, indexOf(trial, item))
        noteDone(trial, step, item, outcome)
      } else refuse(item, refusalOf(outcome))
    }
  } catch (error) {
    if (!trial.late.aborted) {
      context.signal.throwIfAborted()
      log.error('a plugin failed in a trial', { plugin: step.plugin, ...errorFields(error) })
    }
  }
  for (const item of waiting.values())
    if (trial.late.aborted) note(item, 'not_tried', TOO_SLOW)
    else refuse(item, { status: 'failed', error: crashOf(step) })
}

/** Whether a step did something is known from its outcome, or from the effects that it asked for. */
function noteDone(
  trial: Trial,
  { id: step }: ResolvedStep<ItemPlugin>,
  item: WorkItem,
  outcome: Extract<Outcome, { status: 'ok' }>,
): void {
  const { unchanged = null } = outcome
  const effects = effectsOf(outcome)
  const tried: TriedStep =
    unchanged === null || effects.length > 0
      ? { step, result: 'done', message: null }
      : { step, result: 'unchanged', message: unchanged }
  trial.steps.get(item)?.push(tried)
  if (unchanged !== null && effects.length > 0)
    trial.asked.push({ item, tried, effects, unchanged })
}

const TOO_SLOW = say('The trial took too long: try it on fewer or smaller files')

/** The number of steps that the item has reached. */
const indexOf = ({ steps }: Trial, item: WorkItem): number => steps.get(item)?.length ?? 0

/** Why the step cannot be tried on the item; null: it can. */
function reasonAgainst(
  { late }: Trial,
  { kind }: ItemPlugin,
  item: WorkItem,
  runs: boolean,
): Text | null {
  if (kind === 'fetch') return say('The files are here already')
  if (late.aborted) return TOO_SLOW
  const size = item.staged?.size_bytes ?? loadedRecord(item).size_bytes
  return runs && size !== null && size > MAX_BYTES
    ? say('Files over 50 MB are not worked on in a trial')
    : null
}

function outcomesOf(
  { pluginImpl: plugin, parsedOptions }: ResolvedStep<ItemPlugin>,
  items: readonly WorkItem[],
  context: WriteContext,
  runs: boolean,
): AsyncIterable<Outcome> {
  const views = items.map(viewOfItem)
  return runs && plugin.run
    ? plugin.run(views, parsedOptions, context)
    : plugin.plan(views, parsedOptions, context)
}

/** What would be written for the items that reached the end. Writes nothing. */
async function resultsOf(
  { parts, endings, asked }: Trial,
  scope: ShopScope,
  items: readonly WorkItem[],
): Promise<Map<WorkItem, WriteResult>> {
  const ended = items.filter((item) => !endings.has(item))
  const changes = ended.map((item) => ({ record: loadedRecord(item), draft: itemDraft(item) }))
  const changed = await changeFiles(scope, changes, { write: false })
  const results = new Map(zip(ended, changed).map(([item, one]) => [item, resultOfChange(one)]))
  const previewed = await previewEffects(scope, { effects: parts.effects, results })
  for (const { item, tried, effects, unchanged } of asked) {
    const isDone = results.get(item)?.status === 'done'
    if (isDone && effects.every((name) => previewed.get(name)?.has(item) === false))
      Object.assign(tried, { result: 'unchanged', message: unchanged } satisfies Partial<TriedStep>)
  }
  return results
}

async function triedFile(
  { steps, endings }: Trial,
  scope: ShopScope,
  scratch: BlobStore,
  item: WorkItem,
  results: ReadonlyMap<WorkItem, WriteResult>,
): Promise<TriedFile> {
  const { record, staged, warnings } = item
  const result = results.get(item)
  const ending = endings.get(item)
  const problem = ending ? problemOf(ending) : result?.error ? textOfMessage(result.error) : null
  const shown = problem === null && result ? result : { before: null, after: null }
  return {
    id: present(item.file_id, 'the file of an item'),
    filename: record?.filename ?? '',
    steps: steps.get(item) ?? [],
    problem,
    ...(problem === null ? withBytes(shown, item) : { before: null, after: null }),
    warnings,
    picture: problem === null ? await pictureOf(scope, scratch, staged) : null,
  }
}

type FileValues = Pick<TriedFile, 'before' | 'after'>

/** Adds the size of new bytes, and the new files that are made from this one. */
function withBytes(
  { before, after }: { before?: unknown; after?: unknown },
  { staged, record, effects }: WorkItem,
): FileValues {
  const created = (effects.created ?? []).flat().map(({ filename }) => filename)
  const fields = {
    before: { ...(before as FileValues['before']) },
    after: { ...(after as FileValues['after']) },
  }
  if (staged && record && staged.size_bytes !== record.size_bytes) {
    fields.before.size_bytes = record.size_bytes
    fields.after.size_bytes = staged.size_bytes
  }
  if (created.length > 0) fields.after.created_files = created
  return Object.keys(fields.after).length === 0 ? { before: null, after: null } : fields
}

async function pictureOf(
  { shop }: ShopScope,
  scratch: BlobStore,
  staged: StagedBlob | null,
): Promise<TriedFile['picture']> {
  if (!staged || staged.size_bytes > MAX_PICTURE_BYTES) return null
  const content_type = staged.found_type ?? staged.content_type ?? ''
  if (!PICTURES.has(content_type)) return null
  return { content_type, bytes: await scratch.readWhole(shop, staged.hash) }
}
