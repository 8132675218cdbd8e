// What the engine's parts share: an operation's row, an item at work, and what the engine is given
// to work with.
import type {
  BaseContext,
  Candidate,
  Entry,
  FileChange,
  LinkWanted,
  Listings,
  Plugin,
  StagedBlob,
  StagedFile,
  Step,
  Warning,
  Workflow,
  WritePorts,
} from '../../plugins/contract.ts'
import type { Limits } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Artifact } from '../files/artifacts.ts'
import type { Ledger } from '../files/changes.ts'
import type { Draft } from '../files/drafts.ts'
import type { FileFilter } from '../files/filter.ts'
import type { FileRecord } from '../files/records.ts'
import type { Logger } from '../log.ts'
import type { Secrets } from '../secrets.ts'

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
export const ITEM_STATUSES = [
  'pending',
  'running',
  'done',
  'failed',
  'skipped',
  'cancelled',
] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** Statuses from which nothing more will happen by itself. */
export const ENDED: readonly OperationStatus[] = [
  'success',
  'partial',
  'failed',
  'cancelled',
  'undone',
]

export interface OperationRequest {
  auto_map?: boolean
  notify?: boolean
  /**
   * Where the operation's end is posted. In the row: without its query, which is sealed beside it.
   */
  callback_url?: string
  callback_sealed?: string
}

/** What an operation's items are, as its row keeps it. */
export type SourceRecord =
  | { type: 'entries' }
  | { type: 'files'; count: number }
  | { type: 'rows'; count: number }
  | { type: 'filter'; filter: FileFilter }
  /** The items of another operation, which this one undoes. A bare UUID. */
  | { type: 'operation'; id: string }

/**
 * What a preview found about its files; those that it left out or that would fail are counted
 * apart.
 */
export interface ForeseenCounts {
  changed: number
  unchanged: number
  /** Of which a person is to choose a product; those that are skipped otherwise included. */
  candidates: number
}

export interface OperationRow {
  id: string
  /** The first file of an import, or the name of the CSV file; null: neither. */
  label: string | null
  kind: 'import' | 'bulk'
  action: string
  channel: string
  workflow: Workflow
  request: OperationRequest
  status: OperationStatus
  requested_by: string
  total: number
  done: number
  failed: number
  skipped: number
  cancelled: number
  bytes: number
  bytes_saved: number
  warnings: Warning[]
  finished_steps: number
  source: SourceRecord
  ledger: boolean
  /** More entries may come: it does not end before its channel closes it. */
  open: boolean
  preview: boolean
  round: number
  intentions: string[]
  stopped: { step: string; code: string; message: string } | null
  undoes: string | null
  /**
   * What kind of operation that is; absent where it was not read for people, null once it is gone.
   */
  undoes_kind?: 'import' | 'bulk' | null
  undone_by: string | null
  undo_until: Date | null
  schedule_id: string | null
  /** What it produced; absent where it was not read for people. */
  artifact?: Artifact | null
  /** What its preview found; null: it had none, or is still looking. */
  foreseen: ForeseenCounts | null
  /** When its preview was ready; null from its confirmation on. */
  previewed_at: Date | null
  paused_at: Date | null
  paused_ms: number
  /** Items that had ended when the present round began. */
  ended_before: number
  /** How much of it is kept still. */
  detail: 'kept' | 'results' | 'record'
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
}

export interface ItemError {
  code: string
  message: string
  detail?: string
  retryable: boolean
}

/** An item in a worker's hands. */
export interface WorkItem {
  position: number
  /** The file's bare UUID, where there is one yet. */
  file_id: string | null
  attempt: number
  crashed: boolean
  /** Index of the step that comes next. */
  step: number
  entry: Entry | null
  /** The file that it is about, as it stands; null while an import makes it. */
  record: FileRecord | null
  /**
   * Of a file that exists only once something about it is to change: until then the record says it
   * all.
   */
  draft: Draft | null
  staged: StagedBlob | null
  /** What its preview promised. */
  plan: [before: unknown, after: unknown] | null
  wanted: FileChange | null
  /** The entry before it that asks for the same name; null: none does. */
  waits_for: number | null
  /** Where this operation undoes another one: what that did to the file, and when. */
  undo: (Ledger & { at: string }) | null
  candidates: Candidate[]
  warnings: Warning[]
  /** New files that come with its outcome. */
  created: StagedFile[]
  /** A buyer's link that comes with its outcome. */
  link: LinkWanted | null
  /** Its past buyers are told, with its outcome. */
  tells: boolean
  /** Why its steps found nothing to do; the first one's word. */
  unchanged: string | null
  /** A step did to it what no outcome tells of, as a copy elsewhere. */
  acted: boolean
  /**
   * Where it goes on after an interruption, and with which bytes: behind the steps that made
   * nothing but bytes of it. Whatever else steps found out is not kept, so those run again.
   */
  resume: { step: number; staged: StagedBlob | null; final: boolean }
  /**
   * The version that its new bytes replace is kept for as long as that can be undone, and no
   * longer.
   */
  drop_previous: boolean
}

/** How an item's turn ended. `again`: it goes back to wait for another attempt. */
export type Ending =
  | { status: 'done' }
  | { status: 'skipped'; reason: string }
  /** `stops`: the whole operation ends with it. */
  | { status: 'failed'; error: ItemError; stops?: string }
  | { status: 'again'; error: ItemError; delayMs: number }
  /** Stopped through no fault of its own: it waits where it was, and the attempt does not count. */
  | { status: 'returned' }

export interface EndedItem {
  item: WorkItem
  ending: Ending
}

/** What plugins may touch, bound to one shop. The actions are the engine's own. */
export type Ports = Omit<WritePorts, 'actions'> & Pick<BaseContext, 'shop'>

export interface EngineParts {
  database: Database
  listener: Listener
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  limits: Limits
  ports(scope: ShopScope): Promise<Ports>
  /**
   * Documents of one operation, by its bare UUID. `seen`: how many of its files have been looked at
   * so far, and how many are in.
   */
  listings(
    scope: ShopScope,
    operation: string,
    seen: (files: number, written: number) => void,
  ): Listings
  /** Links are made in the transaction that writes an outcome, and their keys are derived. */
  secrets: Secrets
  log: Logger
}

export type ResolvedStep<P extends Plugin = Plugin> = Step & {
  pluginImpl: P
  parsedOptions: unknown
}
