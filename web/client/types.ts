// What the HTTP API answers with, in its own field names. Times are ISO 8601, sizes bytes.

export interface Page<T> {
  data: T[]
  next_cursor: string | null
}

export interface Session {
  shop: { domain: string; name: string; demo: boolean }
  user: string
}

export interface Mapping {
  product_id: string
  product_title: string
  variant_id: string | null
  sku: string | null
  method: 'sku' | 'filename' | 'title' | 'tags' | 'manual'
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
}

export interface FileDetail extends File {
  links_active: number
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
  file_id: string
  /** null where the caller may not use it. */
  url: string | null
  email: string | null
  expires_at: string | null
  download_limit: number | null
  downloads: number
  status: LinkStatus
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

export interface Operation {
  id: string
  kind: OperationKind
  action: string
  channel: string
  workflow: string
  status: OperationStatus
  total: number
  done: number
  failed: number
  skipped: number
  cancelled: number
  bytes: number
  percentage: number
  elapsed_seconds: number
  remaining_seconds: number | null
  requested_by: string
  created_at: string
  started_at: string | null
  finished_at: string | null
  warnings: Warning[]
}

export type ItemStatus = 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled'

export interface Item {
  position: number
  status: ItemStatus
  filename: string
  file_id: string | null
  product_mapped: boolean
  attempt: number
  error: { code: string; message: string; retryable: boolean; detail?: string } | null
  warnings: Warning[]
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

export interface ErrorDetail {
  index?: number
  param: string
  code: string
  message: string
}
