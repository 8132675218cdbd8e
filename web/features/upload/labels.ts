// Texts about uploads.
import { type StatusWord } from '../operations/operation-status.ts'
import type { Schemas } from '../../shell/client/types.ts'
import { andText } from '../../shell/labels/list.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'

export type UploadStatus =
  | 'awaited'
  | 'queued'
  | 'uploading'
  | 'paused'
  | 'verifying'
  | 'complete'
  | 'failed'

export const UPLOAD_STATUSES: Record<UploadStatus, StatusWord> = {
  awaited: { text: t('Choose again'), tone: 'warning', progress: undefined },
  queued: { text: t('Queued'), tone: undefined, progress: 'incomplete' },
  uploading: { text: t('Uploading'), tone: 'info', progress: 'partiallyComplete' },
  paused: { text: t('Paused'), tone: 'attention', progress: 'partiallyComplete' },
  verifying: { text: t('Verifying'), tone: 'info', progress: 'complete' },
  complete: { text: t('Complete'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
}

export type Conflict = Required<Schemas['UploadPieceRequest']>['on_conflict']

export const CONFLICTS: Record<Exclude<Conflict, 'error' | 'skip'>, string> = {
  rename: t('Rename the new file'),
  overwrite: t('Overwrite the existing file'),
  new_version: t('Add as a new version'),
}

export const MAX_BYTES = 5 * 1024 ** 3
const ADVISED_FILES = 100
const ADVISED_BYTES = 10 * 1024 ** 3

/** `12 MB of 40 MB` during the transfer. */
export const sentText = (sent: number, size: number): string =>
  sent > 0 && sent < size
    ? t('{sent} of {size}', { sent: sizeText(sent), size: sizeText(size) })
    : sizeText(size)

export const speedText = (bytesASecond: number): string =>
  t('{size}/s', { size: sizeText(Math.round(bytesASecond)) })

/** Advice against a very large batch, in a sentence; null: none. */
export function batchAdvice(files: number, bytes: number): string | null {
  const over = [
    files > ADVISED_FILES && t('{files, plural, one {# file} other {# files}}', { files }),
    bytes > ADVISED_BYTES && sizeText(bytes),
  ].filter((part) => part !== false)
  if (over.length === 0) return null
  return t(
    '{amount} are chosen. At most {files, number} files and {size} at a time are recommended, because larger batches take a long time. For more files use a CSV import, FTP or a cloud connection.',
    { amount: andText(over), files: ADVISED_FILES, size: sizeText(ADVISED_BYTES) },
  )
}
