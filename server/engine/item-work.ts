// Items at work: how plugins see an item, the files of a batch, and the results of a plugin's
// outcomes.
import {
  asksForFacts,
  english,
  matchesCondition,
  type Condition,
  type Item,
  type Outcome,
  type StagedBlob,
  type FileFacts,
  type FileView,
  type ItemPlugin,
  type ReadContext,
  say,
  type AnyText,
  sayPlain,
} from '../../plugins/contract/index.ts'
import { storedDetail, storedMessage, storedWarning, textOfMessage } from '../core/texts.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { AppError, isErrorCode } from '../core/errors.ts'
import type { Logger } from '../core/log.ts'
import { present, zip } from '../core/lazy.ts'
import { applyToDraft } from '../files/draft-changes.ts'
import type { FactSubject } from '../files/facts.ts'
import {
  draftOfRecord,
  viewOfDraft,
  type Draft,
  readRecords,
  type FileRecord,
} from '../files/drafts.ts'
import {
  collectEffects,
  effectsOf,
  type ItemEnding,
  type ItemError,
  type ResolvedStep,
  type WorkItem,
} from './types.ts'
import { mark } from './trail.ts'
import { keepAsItWas, policyOf, retryDelay } from './failure.ts'
import type { FilePlace } from './steps.ts'

/** An item as plugins see it. The objects are no copies, so plugins must not write to them. */
export const viewOfItem = (item: WorkItem): Item => ({
  id: String(item.position),
  position: item.position,
  file: fileOf(item),
  entry: item.entry,
  staged: item.staged,
  ...(item.known ? { known: item.known } : {}),
  wanted: item.wanted,
})

function fileOf(item: WorkItem): FileView {
  const { draft, record, staged, facts } = item
  if (draft === null && staged === null)
    return facts === null ? loadedRecord(item) : { ...loadedRecord(item), facts }
  const view = viewOfDraft(
    draft ?? draftOfRecord(loadedRecord(item)),
    staged?.size_bytes ?? null,
    record,
  )
  return facts === null ? view : { ...view, facts }
}

/** The record of an existing file. Throws if the item has none. */
export const loadedRecord = ({ record }: WorkItem): FileRecord =>
  present(record, 'the record of a file')

/** The item's draft, which is created on first use. */
export const itemDraft = (item: WorkItem): Draft =>
  (item.draft ??= draftOfRecord(loadedRecord(item)))

/** What the engine reads for conditions, in addition to what plugins get. */
export interface ConditionReader {
  /** Reads the facts of these subjects, in their order. */
  facts: (subjects: readonly FactSubject[]) => Promise<FileFacts[]>
}

type StepContext = Pick<ReadContext, 'shop'> & ConditionReader

/**
 * The items that the step applies to. Reads the facts that its conditions ask for: drafts change
 * between steps, so each step reads them.
 */
export async function applicable(
  step: ResolvedStep<ItemPlugin>,
  items: readonly WorkItem[],
  { shop, facts }: StepContext,
): Promise<WorkItem[]> {
  const { when, branch, pluginImpl, parsedOptions } = step
  const conditions = [
    ...(branch ? [branch.when] : []),
    ...(when ? [when] : []),
    ...(pluginImpl.conditions?.(parsedOptions) ?? []),
  ]
  // What the item's file has already was made by the same steps.
  const isDone = ({ staged }: WorkItem) => pluginImpl.bytes === true && staged?.present === true
  const open = items.filter((item) => !item.last && !isDone(item))
  if (conditions.some(asksForFacts))
    for (const [item, read] of zip(open, await facts(open.map(factSubject)))) item.facts = read
  if (!when && !branch) return open
  const timeZone = shop.settings.time_zone
  const meets = (item: WorkItem, condition: Condition) =>
    matchesCondition(fileOf(item), condition, { timeZone })
  return open.filter((item) => takesBranch(step, item, meets) && (!when || meets(item, when)))
}

/** Judges an item before the first step of a branch, once: its steps change the file. */
function takesBranch(
  { branch, turns }: ResolvedStep<ItemPlugin>,
  item: WorkItem,
  meets: (item: WorkItem, condition: Condition) => boolean,
): boolean {
  if (!branch || !turns) return true
  let is = item.branches.get(branch.id)
  if (is === undefined) {
    // An interrupted attempt ended behind a step of the part that the item takes.
    is = item.step > turns.first ? item.step <= turns.otherwise : meets(item, branch.when)
    item.branches = new Map(item.branches).set(branch.id, is)
  }
  return is !== (branch.else === true)
}

function factSubject(item: WorkItem): FactSubject {
  const { mappings, new_packs = [] } = fileOf(item)
  return {
    file: item.record?.id ?? null,
    source: item.entry?.source ?? null,
    mappings,
    new_packs,
  }
}

/** Loads the records of items that are about existing files. */
export async function loadRecords(tx: ShopScope, items: readonly WorkItem[]): Promise<void> {
  const ids = items.flatMap(({ file_id, entry }) => (entry === null && file_id ? [file_id] : []))
  const records = await readRecords(tx, ids)
  for (const item of items) {
    if (item.entry !== null || item.file_id === null) continue
    item.record = records.get(item.file_id) ?? null
    item.draft = null
    item.branches = new Map()
    item.trail = item.trail.slice(0, item.resume.step)
  }
}

/** Why this file cannot be processed, or null. `place`: where the steps' files may be. */
export function obstacleOf(item: WorkItem, place: FilePlace): ItemEnding | null {
  if (item.entry !== null) return null
  if (item.record === null || item.record.trash_expired) return FILE_NOT_FOUND
  if (place === 'all') return null
  if (item.record.deleted_at !== null) {
    const isRestored = place === 'rows' && item.wanted?.deleted === false
    return place === 'trash' || isRestored ? null : FILE_NOT_FOUND
  }
  return place === 'trash'
    ? { status: 'skipped', reason: sayPlain('It is not in the trash') }
    : null
}

/** How an entry ends with `skip` whose name a file of the shop has. */
export const leftOutFor = (existing: string | null) =>
  ({
    status: 'skipped',
    code: 'duplicate_filename',
    reason: sayPlain('A file of this name is in the shop'),
    ...(existing === null ? {} : { existing }),
  }) as const satisfies ItemEnding

/** The error of an item whose file another operation has claimed. */
export const inUse: ItemError = {
  code: 'file_in_use',
  message: new AppError('file_in_use').message,
  retryable: true,
}

const FILE_NOT_FOUND: ItemEnding = {
  status: 'failed',
  error: {
    code: 'file_not_found',
    message: new AppError('file_not_found').message,
    retryable: false,
  },
}

/** Why the item was not done; null: it was. */
export function problemOf(ending: ItemEnding): AnyText | null {
  if (ending.status === 'skipped') return ending.reason
  const hasFailed = ending.status === 'failed' || ending.status === 'again'
  return hasFailed ? textOfMessage(ending.error) : null
}

/** The items that a step is given, by the ids under which its plugin sees them. */
export const openItems = (items: readonly WorkItem[]): Map<string, WorkItem> =>
  new Map(items.map((item) => [String(item.position), item]))

/**
 * Yields a step's outcomes, each with its item, which is then removed from `open`.
 * @throws an error if the plugin returns no outcome for an item
 */
export async function* pairOutcomes(
  { plugin }: ResolvedStep,
  open: Map<string, WorkItem>,
  outcomes: AsyncIterable<Outcome> | Iterable<Outcome>,
  log: Logger,
): AsyncGenerator<{ item: WorkItem; outcome: Outcome }> {
  for await (const outcome of outcomes) {
    const item = open.get(outcome.item)
    if (item) {
      open.delete(outcome.item)
      if (outcome.status === 'failed' && !isErrorCode(outcome.code))
        log.error('a plugin failed an item with an unknown code', {
          plugin,
          code: outcome.code,
          error: english(outcome.message),
        })
      yield { item, outcome }
    } else log.error('a plugin returned an outcome for an item that is not open', { plugin })
  }
  if (open.size > 0) throw new Error(`${plugin} returned no outcome for ${open.size} items`)
}

/**
 * Applies a step's outcome to an item, so that the next step continues from it. Returns the bytes
 * worth recording, because only they would be lost in a crash.
 */
export function advance(
  item: WorkItem,
  outcome: Extract<Outcome, { status: 'ok' }>,
  { pluginImpl: { kind, undo } }: ResolvedStep,
  index: number,
): StagedBlob | null {
  item.step = index + 1
  const found = outcome.change ? valuesOf(item, outcome) : null
  if (outcome.change) applyToDraft(itemDraft(item), outcome.change)
  const isSame = found !== null && found === valuesOf(item, outcome)
  mark(item.trail, index, outcome.unchanged || isSame ? 'unchanged' : 'changed')
  if (outcome.warnings) item.warnings.push(...outcome.warnings.map(storedWarning))
  collectEffects(item.effects, outcome)
  if (outcome.last || outcome.unpacked) item.last = true
  if (outcome.unpacked) item.unpacked = outcome.unpacked
  if (outcome.unchanged) item.unchanged ??= outcome.unchanged
  else if (kind === 'act' && undo === 'none') item.acted = true
  if (outcome.bytes) item.staged = stagedBy(kind, item, outcome.bytes)
  const final = item.resume.final || Object.keys(outcome).some((name) => !KEPT.has(name))
  item.resume = final ? { ...item.resume, final } : { step: item.step, staged: item.staged, final }
  return final || !outcome.bytes ? null : item.staged
}

/** The bytes that a step made, with what they were before steps changed them. */
function stagedBy(kind: ItemPlugin['kind'], item: WorkItem, bytes: StagedBlob): StagedBlob {
  if (bytes.present) return bytes
  if (kind === 'fetch') return fetchedBytes(item, bytes)
  return item.staged?.source ? { ...bytes, source: item.staged.source } : bytes
}

/** The bytes of an entry, or those that the same steps made of the same bytes before. */
export function fetchedBytes(
  { known, byte_steps: steps }: Pick<WorkItem, 'known' | 'byte_steps'>,
  bytes: StagedBlob,
): StagedBlob {
  const { hash, size_bytes } = bytes
  const source = { hash, size_bytes, ...bytes.source, ...(steps === null ? {} : { steps }) }
  // Steps would make the bytes that the file has.
  if (known?.source.hash === hash) return { ...known.bytes, source, present: true }
  return { ...bytes, source }
}

/** What a change of values alone is about, to see whether it changes them. Null: it is about more. */
function valuesOf(item: WorkItem, outcome: Extract<Outcome, { status: 'ok' }>): string | null {
  const { set, tags, deleted, ...others } = outcome.change ?? {}
  const isMore = Object.keys(others).length > 0 || outcome.bytes || effectsOf(outcome).length > 0
  if (isMore) return null
  const draft = itemDraft(item)
  const values = Object.keys(set ?? {}).map((name): unknown => Reflect.get(draft, name))
  return JSON.stringify([values, tags && draft.tags, deleted !== undefined && draft.deleted])
}

/** The fields of an outcome that an item's row keeps between attempts. */
const KEPT: ReadonlySet<string> = new Set(['item', 'status', 'bytes'])

function errorOf(failed: Extract<Outcome, { status: 'failed' }>): ItemError {
  const { code, message, retryable, detail } = failed
  return {
    code: isErrorCode(code) ? code : 'plugin_failed',
    ...storedDetail(message, detail),
    retryable,
  }
}

export const crashOf = (step: ResolvedStep): ItemError => ({
  code: 'plugin_failed',
  ...storedMessage(say('The step {step} failed on this file', { step: step.id })),
  retryable: true,
})

/**
 * What a failure means for the item: another attempt, or its end, or the end of the whole operation
 * if the step says so.
 * @param seconds how long the attempt took
 * @param limit what the external system said about its limits
 */
export function endingOfFailure(
  step: ResolvedStep | null,
  item: WorkItem,
  error: ItemError,
  seconds: number,
  { retryAfter = null, uncounted }: SystemLimit = {},
): ItemEnding {
  const attempt = uncounted ? 1 : item.attempt
  const delayMs = error.retryable
    ? retryDelay(attempt, uncounted ? 0 : seconds, retryAfter, step ?? {})
    : null
  if (delayMs !== null)
    return { status: 'again', error, delayMs, ...(uncounted ? { uncounted } : {}) }
  return { status: 'failed', error, ...(step?.onFailure === 'stop' ? { stops: step.id } : {}) }
}

/**
 * How an item ends that a step refused. Null: the step's policy keeps the file as it was, and the
 * item continues. If a step skips a kept import, the file must not be lost either.
 */
export function endingAt(
  step: ResolvedStep,
  index: number,
  item: WorkItem,
  outcome: StepRefusal,
  seconds: number,
): ItemEnding | null {
  const keeps = policyOf(step, item) === 'keep'
  if (outcome.status === 'skipped') {
    const ends = !keeps || item.entry === null
    mark(item.trail, index, ends ? 'skipped' : 'kept')
    if (ends) return { status: 'skipped', reason: outcome.reason }
    item.step = index + 1
    return null
  }
  const ending = endingOfFailure(step, item, outcome.error, seconds, outcome)
  if (ending.status === 'failed') mark(item.trail, index, keeps ? 'kept' : 'failed')
  if (!keeps || ending.status !== 'failed') return ending
  keepAsItWas(item, step, index, outcome.error)
  return null
}

interface SystemLimit {
  /** Seconds that the external system asked to wait; null: not stated. */
  retryAfter?: number | null
  /** Whether the attempt does not count. */
  uncounted?: true | undefined
}

/** A step's refusal of the item, in the engine's terms. */
export type StepRefusal =
  | ({ status: 'failed'; error: ItemError } & SystemLimit)
  | { status: 'skipped'; reason: AnyText }

export const refusalOf = (outcome: Exclude<Outcome, { status: 'ok' }>): StepRefusal =>
  outcome.status === 'skipped'
    ? outcome
    : {
        status: 'failed',
        error: errorOf(outcome),
        retryAfter: outcome.retry_after ?? null,
        uncounted: outcome.uncounted,
      }
