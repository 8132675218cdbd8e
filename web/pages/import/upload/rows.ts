// What the queue shows: Uppy's own record of each file as a row, and all rows in figures.
import { type UppyFile } from '@uppy/core'
import { type TusBody } from '@uppy/tus'
import { type Conflict, type UploadStatus } from '../../../labels/upload.ts'
import { type UploadRefusal } from './refusal.ts'

/** What each file carries with it; all values are text, as tus has them. */
export interface UploadMeta {
  [name: string]: unknown
  name: string
  filename: string
  on_conflict: Conflict
  batch: string
}

/** Uppy's record of a file. */
export type QueuedFile = UppyFile<UploadMeta, TusBody>

export interface UploadRow {
  id: string
  filename: string
  /** The folder it came from; empty where there was none. */
  folder: string
  size: number
  sent: number
  status: UploadStatus
  /** Why it failed. */
  error: string | null
  /** All of it has come: what goes wrong from now on is the import's. */
  arrived: boolean
  /** It was not imported since its name is taken: trying it again would not help. */
  taken: boolean
}

/** What became of a file after its bytes had arrived, as the operation tells. */
export interface Outcome {
  status: 'done' | 'failed'
  error: string | null
  /** The error's, as the API has it. */
  code: string | null
}

export interface UploadTotals {
  total: number
  completed: number
  failed: number
  remaining: number
  bytes: number
  sent: number
}

type Told = Pick<
  QueuedFile,
  'id' | 'name' | 'size' | 'isPaused' | 'progress' | 'error' | 'meta'
> & {
  tus?: { uploadUrl?: string | null }
}

/** `outcome`: of a file whose operation has come to it. */
export function rowOf(
  file: Told,
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
    error: outcome?.error ?? (file.error ? (refusal?.text ?? file.error) : null),
  }
}

function statusOf(file: Told, sent: number, outcome: Outcome | undefined): UploadStatus {
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
