// How the upload of a file reads.
import { type StatusWord } from './operation.ts'
import { countText, sizeText } from './size.ts'

export type UploadStatus =
  'awaited' | 'queued' | 'uploading' | 'paused' | 'verifying' | 'complete' | 'failed'

export const UPLOAD_STATUSES: Record<UploadStatus, StatusWord> = {
  awaited: { text: 'Choose it again', tone: 'warning', progress: undefined },
  queued: { text: 'Queued', tone: undefined, progress: 'incomplete' },
  uploading: { text: 'Uploading', tone: 'info', progress: 'partiallyComplete' },
  paused: { text: 'Paused', tone: 'attention', progress: 'partiallyComplete' },
  verifying: { text: 'Verifying', tone: 'info', progress: 'complete' },
  complete: { text: 'Complete', tone: 'success', progress: 'complete' },
  failed: { text: 'Failed', tone: 'critical', progress: undefined },
}

export type Conflict = 'error' | 'rename' | 'overwrite' | 'new_version'

export const CONFLICTS: Record<Exclude<Conflict, 'error'>, string> = {
  rename: 'Rename the new file',
  overwrite: 'Overwrite the file there is',
  new_version: 'Add as a new version',
}

export const MOST_BYTES = 5 * 1024 ** 3
export const ADVISED_FILES = 100
export const ADVISED_BYTES = 10 * 1024 ** 3

/** `12 MB of 40 MB` while it moves. */
export const sentText = (sent: number, size: number): string =>
  sent > 0 && sent < size ? `${sizeText(sent)} of ${sizeText(size)}` : sizeText(size)

export const speedText = (bytesASecond: number): string => `${sizeText(Math.round(bytesASecond))}/s`

/** What is advised against, in a sentence; null where there is nothing. */
export function batchAdvice(files: number, bytes: number): string | null {
  const over = [
    files > ADVISED_FILES && countText(files, 'file', 'files'),
    bytes > ADVISED_BYTES && sizeText(bytes),
  ].filter((part) => part !== false)
  if (over.length === 0) return null
  return `This is ${over.join(' and ')}. Up to ${ADVISED_FILES} files and ${sizeText(ADVISED_BYTES)} at a time are recommended: larger batches take long, and a CSV import, FTP or cloud storage suits them better.`
}
