// What the HTTP API answers with, in its own field names. Times are ISO 8601, sizes bytes.

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

export interface Session {
  shop: { domain: string; name: string; demo: boolean }
  user: string
}

export interface Activity {
  /** Notices. */
  unread: number
  /** Open ones. */
  reviews: number
  /** Is an operation running? */
  running: boolean
  /** The newest one's id. */
  latest_operation: string | null
}

export interface Mapping {
  product_id: string
  product_title: string
  variant_id: string | null
  sku: string | null
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack'
  /** 0 to 1. */
  score: number
  reason: string
  created_at: string
}

export interface File {
  id: string
  filename: string
  size_bytes: number
  content_type: string
  /** YYYY-MM-DD */
  upload_date: string
  created_at: string
  updated_at: string
  products: string[]
  mappings: Mapping[]
  tags: string[]
  downloads: number
  /** null: never */
  expiry_days: number | null
  /** null: unlimited */
  download_limit: number | null
  visibility: 'public' | 'private'
  cdn: boolean
  download_notification: boolean
  download_tracking: boolean
  allowed_referrers: string[]
  version: number
  pack: { id: string; name: string } | null
  /** Of a public file: where anybody gets it. */
  public_url: string | null
  deleted_at: string | null
  /** Why it cannot be downloaded. */
  problem: { code: string; message: string } | null
}

/** The settings of a file that a merchant can change. */
export type FileSettings = Pick<
  File,
  | 'expiry_days'
  | 'download_limit'
  | 'visibility'
  | 'cdn'
  | 'download_notification'
  | 'download_tracking'
  | 'allowed_referrers'
>

/** Which files are meant; every condition given must hold. The query parameters of the list of files. */
export interface FileFilter {
  search?: string
  type?: string[]
  tags?: string[]
  mapped?: boolean
  /** Bytes. */
  larger_than?: number
  smaller_than?: number
  /** A day, YYYY-MM-DD, or a moment. */
  uploaded_before?: string
  uploaded_after?: string
  not_downloaded_for_days?: number
  older_than_days?: number
  /** A pack's id. */
  pack?: string
  /** The files in the trash instead of those that are not. */
  deleted?: boolean
}

export type Selection = { file_ids: readonly string[] } | { filter: FileFilter }

export interface FileDetail extends File {
  links_active: number
}

/** What taking files away would touch, as it stands now. */
export interface FilesImpact {
  files: number
  /** Of these, mapped to a product. */
  mapped: number
  /** That they are mapped to, each once. */
  products: number
  /** Links to them that work. */
  live_links: number
}

export interface FileList extends Page<File> {
  /** How many match, on all pages together. */
  total: number
}

export interface TagCount {
  tag: string
  files: number
}

export type LinkStatus = 'active' | 'expired' | 'exhausted' | 'revoked' | 'withdrawn'

export interface DownloadLink {
  id: string
  /** Of a link to one file. */
  file_id: string | null
  /** Of a link to a whole pack. */
  pack_id: string | null
  /** The file's name, or the pack's. */
  filename: string
  /** null where the caller may not use it. */
  url: string | null
  email: string | null
  expires_at: string | null
  download_limit: number | null
  downloads: number
  status: LinkStatus
  created_at: string
}

export interface NewLink {
  file_ids: string[]
  expiry_days: number | null
  download_limit: number | null
  email?: string
}

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

export type OperationKind = 'import' | 'bulk'

export interface Warning {
  code: string
  message: string
}

export type OperationAction = 'pause' | 'resume' | 'cancel' | 'retry' | 'undo' | 'confirm'

export type OperationSource =
  | { type: 'entries' }
  | { type: 'files'; count: number }
  | { type: 'rows'; count: number }
  | { type: 'filter'; filter: FileFilter }
  | { type: 'operation'; id: string }

export interface OperationStep {
  id: string
  plugin: string
  title: string
  summary: string
}

export interface Operation {
  id: string
  kind: OperationKind
  action: string
  channel: string
  /** The first file of an import and how many more, or the CSV file. */
  label: string | null
  workflow: string
  workflow_title: string
  steps: OperationStep[]
  source: OperationSource
  status: OperationStatus
  /** It only shows what it would do, until it is confirmed. */
  preview: boolean
  /** The preview was given up: nothing has been changed. */
  discarded: boolean
  /** Of a preview. `candidates`: done or skipped files for which a person is to choose a product. */
  foreseen: { changed: number; unchanged: number; candidates: number } | null
  /** What its last steps would do, a sentence each; from a preview. */
  intentions: string[]
  total: number
  done: number
  failed: number
  skipped: number
  cancelled: number
  errors: number
  bytes: number
  /** How many bytes fewer its files have by now; below zero where they have more. */
  bytes_saved: number
  percentage: number
  /** Without the time that it was paused. */
  elapsed_seconds: number
  remaining_seconds: number | null
  requested_by: string
  created_at: string
  started_at: string | null
  finished_at: string | null
  paused_at: string | null
  undo_until: string | null
  artifact: Artifact | null
  /** Titles of the steps whose effect no undo takes back. */
  cannot_undo: string[]
  undoes: string | null
  undone_by: string | null
  schedule_id: string | null
  stopped: { step: string; code: string; message: string } | null
  /** What can be done with it now. */
  actions: OperationAction[]
  warnings: Warning[]
}

/** A document that an operation has produced; `url` answers to those who are signed in. */
export interface Artifact {
  filename: string
  content_type: string
  size_bytes: number
  url: string
}

/** What to start: an action with its options, or a workflow, on a selection of files. */
export type NewOperation = ({ action: string } | { workflow: string }) & {
  select: Selection
  options?: Record<string, unknown>
  dry_run?: boolean
}

export type ItemStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled'

/** A file's fields before, or after; those alone that an operation changed or would change. */
export interface ItemState extends Partial<FileSettings> {
  filename?: string
  deleted?: boolean
  version?: number
  /** Of the current version. */
  size_bytes?: number
  /** Its name; null: in none. */
  pack?: string | null
  /** Only of what comes after. */
  tags?: { added: string[]; removed: string[] }
  mappings?: { added: ItemMapping[]; removed: ItemMapping[] }
  created?: boolean
  replaced?: boolean
  purged?: boolean
  /** Names of the files that were made of it. */
  created_files?: string[]
  /** A buyer's link was made, or would be. */
  link?: unknown
}

export interface ItemMapping {
  product_id: string
  product_title: string
  variant_id: string | null
}

export interface Item {
  position: number
  status: ItemStatus
  filename: string
  file_id: string | null
  /** Where an import fetched it from, without its query. */
  url: string | null
  product_mapped: boolean
  attempt: number
  error: { code: string; message: string; retryable: boolean; detail?: string } | null
  warnings: Warning[]
  /** Products of which a person is to choose one. */
  candidates: (ItemMapping & { score: number; reason: string })[]
  before: ItemState | null
  after: ItemState | null
  finished_at: string | null
}

export interface Notice {
  id: string
  level: 'info' | 'success' | 'warning' | 'critical'
  title: string
  body: string
  operation_id: string | null
  created_at: string
  read_at: string | null
}

export interface NoticeList extends Page<Notice> {
  unread: number
}

/** How a file's product is found. */
export type MatchMethod = 'sku' | 'filename' | 'title' | 'tags'

/** The shop's settings: what imports begin with, and who is told. */
export interface ShopSettings {
  expiry_days: number | null
  download_limit: number | null
  visibility: File['visibility']
  cdn: boolean
  /** Where the bytes of new files go. */
  storage_location: 'primary' | 'backup'
  auto_map: boolean
  /** Empty: by hand alone. */
  match_by: MatchMethod[]
  /** 0 to 1. */
  match_threshold: number
  notify_unmapped: boolean
  email_on_complete: boolean
  email_on_errors: boolean
  recipients: string[]
  time_zone: string
}

export interface Message {
  id: string
  to: string[]
  subject: string
  text: string
  status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** Why it could not be sent. */
  error: string | null
  /** No mail server is set up: it can be read here, and did not leave. */
  kept: boolean
  created_at: string
  sent_at: string | null
  operation_id: string | null
}

export interface ErrorDetail {
  index?: number
  param: string
  code: string
  message: string
}
