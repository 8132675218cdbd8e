// The rows of the queue: Uppy's record of each file, and totals of all rows.
import type { UppyFile } from '@uppy/core'
import type { TusBody } from '@uppy/tus'
import { errorFrom } from '../../shell/client/error.ts'
import { t } from '../../shell/messages/t.ts'
import type { Conflict, UploadStatus } from './labels.ts'

/** The metadata of each file; all values are text, as tus requires. */
export interface UploadMeta {
  [name: string]: unknown
  name: string
  filename: string
  on_conflict: Conflict
  batch: string
}

/** Uppy's record of a file. */
type QueuedFile = UppyFile<UploadMeta, TusBody>

export interface UploadRow {
  id: string
  filename: string
  /** The folder that it came from; empty if there was none. */
  folder: string
  size: number
  sent: number
  status: UploadStatus
  /** Why it failed. */
  error: string | null
  /** All bytes have arrived: later errors are the import's. */
  arrived: boolean
  /** The file was not imported because its name is taken: a retry would fail again. */
  taken: boolean
  /** The id of the imported file; null: it is not imported. */
  file: string | null
  /** The titles of its products. */
  products: readonly string[]
}

/** The result of a file after its upload, from its operation. */
export interface Outcome {
  status: 'done' | 'failed'
  error: string | null
  /** The API's error code. */
  code: string | null
  /** The imported file, and the titles of its products. */
  file: string | null
  products: readonly string[]
}

export interface UploadTotals {
  total: number
  completed: number
  failed: number
  remaining: number
  bytes: number
  sent: number
}

type FileState = Pick<
  QueuedFile,
  'id' | 'name' | 'size' | 'isPaused' | 'progress' | 'error' | 'meta'
> & {
  tus?: { uploadUrl?: string | null }
}

/** `outcome`: of a file that its operation has processed. */
export function rowOf(
  file: FileState,
  outcome: Outcome | undefined,
  refusal?: UploadRefusal,
): UploadRow {
  const { progress } = file
  const sent = Number(progress.bytesUploaded || 0)
  const size = file.size ?? 0
  const path = typeof file.meta.relativePath === 'string' ? file.meta.relativePath : ''
  return {
    id: file.id,
    filename: file.meta.filename ?? file.name ?? '',
    folder: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '',
    size,
    sent: progress.uploadComplete ? size : sent,
    status: statusOf(file, sent, outcome),
    arrived: Boolean(progress.uploadComplete),
    taken: outcome ? outcome.code === 'duplicate_filename' : Boolean(file.error && refusal?.taken),
    file: outcome?.file ?? null,
    products: outcome?.products ?? [],
    error: outcome?.error ?? (file.error ? (refusal?.text ?? file.error) : null),
  }
}

function statusOf(file: FileState, sent: number, outcome: Outcome | undefined): UploadStatus {
  if (outcome) return outcome.status === 'done' ? 'complete' : 'failed'
  if (file.error) return 'failed'
  if (file.progress.uploadComplete) return 'verifying'
  if (file.isPaused) return 'paused'
  return sent > 0 || file.tus?.uploadUrl ? 'uploading' : 'queued'
}

export function totalsOf(rows: readonly UploadRow[]): UploadTotals {
  const counted = (status: UploadStatus) => rows.filter((row) => row.status === status).length
  const completed = counted('complete')
  const failed = counted('failed')
  return {
    total: rows.length,
    completed,
    failed,
    remaining: rows.length - completed - failed,
    bytes: rows.reduce((sum, { size }) => sum + size, 0),
    sent: rows.reduce((sum, { sent }) => sum + sent, 0),
  }
}

/**
 * Bytes that are still sent automatically: not those of files that failed or wait for a decision.
 */
export const bytesToSend = (rows: readonly UploadRow[]): number =>
  rows.reduce(
    (sum, { status, size, sent }) =>
      sum + (status === 'queued' || status === 'uploading' ? size - sent : 0),
    0,
  )

const MOVING: readonly UploadStatus[] = ['queued', 'uploading']
export const isMoving = ({ status }: UploadRow) => MOVING.includes(status)
export const isOnItsWay = (row: UploadRow) => isMoving(row) || row.status === 'paused'
/** A row whose outcome is not known yet. */
export const isUnderWay = (row: UploadRow) => isOnItsWay(row) || row.status === 'verifying'
export const hasEnded = (row: UploadRow) => !isUnderWay(row)
/** A file that is imported and mapped to no product. */
export const needsProduct = ({ file, products }: UploadRow) =>
  file !== null && products.length === 0

// The server's reason for refusing a file, from the uploader's error.

/** Why a file was refused. */
export interface UploadRefusal {
  text: string
  /** The name of the file is taken. */
  taken: boolean
}

/** The refusal with the server's message if there is one; null if the server did not answer. */
export function refusalOf(
  answer: { status: number; body?: Partial<TusBody> } | undefined,
): UploadRefusal | null {
  const status = answer?.status ?? 0
  if (status === 0) return null
  try {
    const { message, details } = errorFrom(
      status,
      JSON.parse(answer?.body?.xhr?.responseText ?? ''),
    )
    return { text: message, taken: details.some(({ code }) => code === 'duplicate_filename') }
  } catch {
    return { text: t('The server refused the upload (status {status})', { status }), taken: false }
  }
}
