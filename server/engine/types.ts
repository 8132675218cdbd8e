// What the engine's parts share: an operation's row, an item at work, and what the engine is given to work with.
import type {
  Candidate,
  Catalog,
  Entry,
  Plugin,
  RemoteFetcher,
  ShopSettings,
  Stage,
  StagedBlob,
  Step,
  Warning,
  Workflow,
} from '../../plugins/contract.ts'
import type { Limits } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Listener } from '../db/listener.ts'
import type { ShopScope } from '../db/for-shop.ts'
import type { Draft } from '../files/drafts.ts'
import type { Logger } from '../log.ts'

export type OperationStatus =
  | 'previewing'
  | 'previewed'
  | 'queued'
  | 'running'
  | 'paused'
  | 'success'
  | 'partial'
  | 'failed'
  | 'cancelled'
  | 'undone'
export type ItemStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled'

/** Statuses from which nothing more will happen by itself. */
export const ENDED: readonly OperationStatus[] = ['success', 'partial', 'failed', 'cancelled', 'undone']

export interface OperationRequest {
  auto_map?: boolean
  notify?: boolean
  /** Where the operation's end is posted. */
  callback_url?: string
}

export interface OperationRow {
  id: string
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
  warnings: Warning[]
  finished_steps: number
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
  attempt: number
  crashed: boolean
  /** Index of the step that comes next. */
  step: number
  entry: Entry | null
  draft: Draft
  staged: StagedBlob | null
  candidates: Candidate[]
  warnings: Warning[]
}

/** How an item's turn ended. `again`: it goes back to wait for another attempt. */
export type Ending =
  | { status: 'done' }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; error: ItemError }
  | { status: 'again'; error: ItemError; delayMs: number }
  /** Stopped through no fault of its own: it waits where it was, and the attempt does not count. */
  | { status: 'returned' }

export interface EndedItem {
  item: WorkItem
  ending: Ending
}

/** What plugins may touch, bound to one shop. */
export interface Ports {
  shop: { name: string; domain: string; settings: ShopSettings }
  catalog: Catalog
  remote: RemoteFetcher
  stage: Stage
}

export interface EngineParts {
  database: Database
  listener: Listener
  plugins: readonly Plugin[]
  workflows: readonly Workflow[]
  limits: Limits
  ports(scope: ShopScope): Promise<Ports>
  log: Logger
}

export type ResolvedStep<P extends Plugin = Plugin> = Step & { pluginImpl: P; parsedOptions: unknown }
