// What the engine's parts share: an operation's row and an item at work.
import type {
  AnyText,
  Entry,
  RowChange,
  FileFacts,
  KnownVersion,
  Plugin,
  StagedBlob,
  Step,
  Workflow,
  Outcome,
  UnpackedFile,
  Question,
  Wait,
} from '../../plugins/contract/index.ts'
import type { StoredDetail, StoredMessage } from '../core/texts.ts'
import type { Artifact } from '../files/artifacts.ts'
import type { Ledger } from '../files/change-ledger.ts'
import type { Draft, FileRecord } from '../files/drafts.ts'
import type { FileFilter } from '../files/filter.ts'

export const OPERATION_STATUSES = [
  'previewing',
  'previewed',
  'queued',
  'running',
  'paused',
  'success',
  'partial',
  'failed',
  'cancelled',
  'undone',
] as const

export type OperationStatus = (typeof OPERATION_STATUSES)[number]
/** SQL on operations: the files that an import created or gave new bytes. */
export const IMPORTED_FILES = 'done - present - unchanged'

export const ITEM_STATUSES = [
  'pending',
  'running',
  'done',
  'failed',
  'skipped',
  'cancelled',
] as const

export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** How an item ended at one step. `kept`: the step failed, and the file continues unchanged. */
export const STEP_RESULTS = ['changed', 'unchanged', 'kept', 'skipped', 'failed'] as const
export type StepResult = (typeof STEP_RESULTS)[number]
/** How many files ended so at one step. */
export type StepCounts = Record<StepResult, number>

/** Final statuses: nothing more happens without a request. */
export const ENDED: readonly OperationStatus[] = [
  'success',
  'partial',
  'failed',
  'cancelled',
  'undone',
]

export interface OperationRequest {
  auto_map?: boolean
  /** No product gets the imported files, by a rule either. */
  private?: boolean
  notify?: boolean
  /** The cloud sync that started it, a bare UUID. */
  sync?: string
  /**
   * Where the operation's end is posted. In the row it has no query, which is sealed in
   * `callback_sealed`.
   */
  callback_url?: string
  callback_sealed?: string
}

/** What started an operation beside a request and a scheduled task. */
export interface OperationCause {
  kind: 'event' | 'hook' | 'imports' | 'if_not'
  /** The name of the event. */
  event?: string
  /** The source of imports that its workflow is for. */
  source?: string
  /** The name that the source had. */
  name?: string
  /** The last operation that raised the event, a bare UUID. Absent: none did. */
  operation?: string
  /** How many events it took. */
  count?: number
}

/** An operation that led to another one. */
export interface LeadingOperation {
  id: string
  kind: 'import' | 'bulk'
  title: string
  cause: OperationCause | null
  schedule_id: string | null
  requested_by: string
}

/** The operation's selection, as its row keeps it. */
export type SourceRecord =
  /**
   * Entries of an import. `labelled`: the operation's label names all of it; otherwise it is the
   * first entry's name.
   */
  | { type: 'entries'; labelled?: boolean }
  | { type: 'files'; count: number }
  | { type: 'rows'; count: number }
  | { type: 'filter'; filter: FileFilter }
  /** The items of another operation, which this one undoes. A bare UUID. */
  | { type: 'operation'; id: string }

/** What a preview found. Files that it skipped or that would fail are counted separately. */
export interface PreviewCounts {
  changed: number
  unchanged: number
  /**
   * Files for which a person must choose a product, including those that would be skipped
   * otherwise.
   */
  candidates: number
}

/** Why the whole operation ended: one item's failure, or its channel's. */
export interface Stop extends StoredMessage {
  step: string
  code: string
}

/**
 * A warning about an operation as a whole: from the final step with the index `step`; absent: from
 * its channel.
 */
export type OperationWarning = StoredWarning & { step?: number }

export interface StoredWarning extends StoredMessage {
  code: string
}

/** A step as an operation keeps it: with the shop's settings, and with secret options sealed. */
export type StoredStep = Step & {
  /** The options before the shop's settings were applied, without secret ones. Absent: the same. */
  given?: Record<string, unknown>
}

/** The workflow that an operation runs, which later changes of the shop's workflow leave alone. */
export type StoredWorkflow = Omit<Workflow, 'steps'> & {
  steps: readonly StoredStep[]
  /**
   * Steps that ran before a retry replaced them: the undo reverses their effects too. Absent: none.
   */
  earlier?: readonly StoredStep[]
  /**
   * What another operation does with the files that are done, after the wait that is its first
   * step. Absent: nothing.
   */
  after?: { wait: Wait; steps: readonly Step[] }
}

/** What its workflow does about its failed files. */
export interface AgainState {
  /** When a round first ended with failed files: the times of the tries count from then on. */
  since: string
  /** The times of all its tries. */
  later: readonly string[]
  /** Whether no try is left, and another workflow works on the failed files. */
  run: boolean
}

/** The question that a preview is, and its answer. */
export interface OperationQuestion extends Question {
  /** Absent: its preview is not ready. */
  asked_at?: string
  /** How often those who may answer were reminded. */
  reminders?: number
  /** Absent: it is not answered. */
  answer?: QuestionAnswer
  /** Who answered: a name or an address; null: nobody did in time. */
  by?: string | null
  answered_at?: string
}

export type QuestionAnswer = 'approved' | 'rejected'

export interface OperationRow {
  id: string
  /** The name of an import's first file, or of the CSV file. Null: it has neither. */
  label: string | null
  kind: 'import' | 'bulk'
  action: string
  channel: string
  workflow: StoredWorkflow
  request: OperationRequest
  status: OperationStatus
  requested_by: string
  total: number
  done: number
  failed: number
  skipped: number
  /** Done items whose files were as wanted already, or had an import's bytes; of previews 0. */
  unchanged: number
  /**
   * Done items of an import that made no file: those whose files existed before (a sync changes,
   * trashes or sends them), and unpacked archives.
   */
  present: number
  cancelled: number
  bytes: number
  bytes_saved: number
  warnings: OperationWarning[]
  finished_steps: number
  source: SourceRecord
  ledger: boolean
  /** Whether more entries may come: it does not end before its channel closes it. */
  open: boolean
  preview: boolean
  round: number
  /** What its last steps would do, in a preview. */
  intentions: AnyText[]
  stopped: Stop | null
  undoes: string | null
  /**
   * The kind of the operation that it undoes. Absent: not read. Null: that operation was deleted.
   */
  undoes_kind?: 'import' | 'bulk' | null
  undone_by: string | null
  undo_until: Date | null
  schedule_id: string | null
  /** The triggers that led to it, first to last: bare UUIDs. */
  path: string[]
  cause: OperationCause | null
  /** The part of its workflow before it: a bare UUID. */
  continues: string | null
  continues_kind?: 'import' | 'bulk' | null
  /** The parts that continue it: bare UUIDs, of bulk operations. Absent: not read. */
  continued_by?: string[]
  continue_at: Date | null
  continue_since: Date | null
  /** When its failed files are tried again, or the workflow on them starts; null: never. */
  again_at: Date | null
  again: AgainState | null
  /** Null: it is no part of a workflow that asks first. */
  question: OperationQuestion | null
  /** How long each step on files worked, in ms: numbers as text. Absent: not read. */
  step_ms?: string[]
  /** How long its results took to write, in ms. */
  write_ms?: number
  /** The operations whose events led to it, first to last. Absent: not read. Null: none. */
  led_by?: LeadingOperation[] | null
  /** The document that it produced; absent: not read. */
  artifact?: Artifact | null
  /** What its preview found; null: no preview, or not ready. */
  preview_counts: PreviewCounts | null
  /** When its preview was ready; null after its confirmation. */
  previewed_at: Date | null
  paused_at: Date | null
  paused_ms: number
  /** The number of items that had ended when the current round began. */
  ended_before: number
  /** How much of the operation is still kept (`retention.ts`). */
  detail: 'kept' | 'results' | 'record'
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

export interface ItemError extends StoredDetail {
  code: string
  retryable: boolean
  /** The bare UUID of the file for which an entry was left out. */
  existing?: string
}

/** An item that a worker is processing. */
/** What the operation that is undone did to a file, and when. */
export interface Undone extends Ledger {
  at: string
  /** The products that packs give which the file does not leave: as `productsOfPacks` has them. */
  given?: ReadonlySet<string>
}

export interface WorkItem {
  position: number
  /** The file's bare UUID, if the file exists already. */
  file_id: string | null
  attempt: number
  crashed: boolean
  /** The index of the next step. */
  step: number
  entry: Entry | null
  /** The record of its file; null while an import creates the file. */
  record: FileRecord | null
  /**
   * The draft of its file. For an existing file it is created with the first change: until then the
   * record has all fields.
   */
  draft: Draft | null
  staged: StagedBlob | null
  /** What its preview promised. Null: it was not previewed. */
  plan: [before: unknown, after: unknown] | null
  wanted: RowChange | null
  /** The earlier entry that asks for the same name, or null. */
  waits_for: number | null
  /** The version that its bytes are compared with; null: there is none. */
  known: KnownVersion | null
  /** The hash of the steps that work on its bytes; null: it is no entry, or they depend on more. */
  byte_steps: string | null
  /** The file of the shop for whose name its entry is left out; null: it is not. */
  left_out_for: string | null
  /**
   * What the operation that is undone did to the file, and when. Null: this is no undo, or nothing
   * is recorded.
   */
  undo: Undone | null
  /** Read for a step whose conditions ask for them; null: not read. */
  facts: FileFacts | null
  /** By the ids of branches: whether it meets the condition, as it was judged. */
  branches: ReadonlyMap<string, boolean>
  /** What the steps did with it. */
  trail: string[]
  warnings: StoredWarning[]
  /** What its steps asked for in addition to the change of its file; written with its outcome. */
  effects: EffectValues
  /** Why its steps had nothing to do: the first reason. */
  unchanged: AnyText | null
  /** What a step found in the bytes of its entry, which then makes no file; null: it does. */
  unpacked: readonly UnpackedFile[] | null
  /** Whether a step has requested that later steps skip it. */
  last: boolean
  /** Whether a step had an effect that no outcome contains, such as a copy elsewhere. */
  acted: boolean
  /**
   * Where it resumes after an interruption, and with which bytes: after the steps that only made
   * bytes. Other results of steps are not stored, so those steps run again.
   */
  resume: { step: number; staged: StagedBlob | null; final: boolean }
}

/** How the processing of an item ended. `again`: it waits for another attempt. */
export type ItemEnding =
  | { status: 'done' }
  /** `code`: what the outcome's code is; absent: `skipped`. `existing`: the file for which it is. */
  | { status: 'skipped'; reason: AnyText; code?: string; existing?: string }
  /** It failed for good. `stops`: the step with which the whole operation ends. */
  | { status: 'failed'; error: ItemError; stops?: string }
  /** `uncounted`: the attempt does not count. */
  | { status: 'again'; error: ItemError; delayMs: number; uncounted?: true }
  /** It was interrupted: it becomes pending again, and the attempt does not count. */
  | { status: 'returned' }

export interface EndedItem {
  item: WorkItem
  ending: ItemEnding
}

export type ResolvedStep<P extends Plugin = Plugin> = Step & {
  pluginImpl: P
  parsedOptions: unknown
  /** Of a branch: the index of its first step, and that after its last step without `else`. */
  turns?: { first: number; otherwise: number }
}

// What the steps of an item asked for, by effect.

type DoneOutcome = Extract<Outcome, { status: 'ok' }>

/** Fields of an outcome that the engine itself applies to the item. Every other one is an effect. */
const OWN_FIELDS = [
  'item',
  'status',
  'change',
  'bytes',
  'warnings',
  'unchanged',
  'last',
  'unpacked',
] as const satisfies readonly (keyof DoneOutcome)[]
const isOwn: ReadonlySet<string> = new Set(OWN_FIELDS)

export type EffectName = Exclude<keyof DoneOutcome, (typeof OWN_FIELDS)[number]>

/** The values that an item's steps gave for each effect, in the order of the steps. */
type EffectValues = { [Name in EffectName]?: NonNullable<DoneOutcome[Name]>[] }

export type EffectValue<Name extends EffectName> = NonNullable<DoneOutcome[Name]>

/** The effects that an outcome asks for. */
export const effectsOf = (outcome: DoneOutcome): EffectName[] =>
  Object.entries(outcome).flatMap(([name, value]) =>
    isOwn.has(name) || value === undefined ? [] : (name as EffectName),
  )

/** Adds an outcome's effects to those of its item. */
export function collectEffects(effects: EffectValues, outcome: DoneOutcome): void {
  for (const name of effectsOf(outcome))
    ((effects as Record<string, unknown[]>)[name] ??= []).push(outcome[name])
}
