// Texts about cloud connections and their syncs.
import { type Connection, type PreviewReason, type Sync } from './calls.ts'
import { t } from '../../shell/messages/t.ts'
import { OPERATION_STATUSES, statusWord, type StatusWord } from '../operations/operation-status.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'

type ConnectionStatus = Pick<Connection, 'state' | 'progress' | 'last_sync'>

export function connectionState({ state, progress, last_sync }: ConnectionStatus): StatusWord {
  if (progress !== null)
    return progress.phase === 'listing'
      ? { text: t('Listing'), tone: 'info', progress: 'partiallyComplete' }
      : { text: t('Syncing'), tone: 'info', progress: 'partiallyComplete' }
  if (state === 'unauthorized')
    return last_sync === null
      ? { text: t('Not authorized yet'), tone: 'attention', progress: 'incomplete' }
      : { text: t('Access ended'), tone: 'critical', progress: undefined }
  if (state === 'failing') return { text: t('Failing'), tone: 'critical', progress: undefined }
  if (last_sync?.status === 'previewed')
    return { text: t('Waits for you'), tone: 'attention', progress: undefined }
  return { text: t('Ready'), tone: 'success', progress: 'complete' }
}

/**
 * The status of a sync. A sync that could not list the provider has no operation with a status, and
 * an older one's operation may have been deleted.
 */
export function syncWord(sync: Pick<Sync, 'status' | 'discarded' | 'error'>): StatusWord {
  const { status, discarded, error } = sync
  if (error) return OPERATION_STATUSES.failed
  return status === null
    ? { text: t('Done'), tone: undefined, progress: undefined }
    : statusWord({ status, discarded })
}

type Counts = Pick<
  Sync,
  | 'status'
  | 'done'
  | 'added'
  | 'changed'
  | 'renamed'
  | 'removed'
  | 'uploaded'
  | 'conflicts'
  | 'failed'
>

const COUNTS: readonly (readonly [
  Exclude<keyof Counts, 'status' | 'done'>,
  (count: number) => string,
])[] = [
  ['added', (count) => t('{count, number} new', { count })],
  ['changed', (count) => t('{count, number} changed', { count })],
  ['renamed', (count) => t('{count, number} renamed', { count })],
  ['removed', (count) => t('{count, number} removed', { count })],
  ['uploaded', (count) => t('{count, number} sent to the provider', { count })],
  [
    'conflicts',
    (count) =>
      t(
        '{count, plural, one {# conflict, kept as two files} other {# conflicts, kept as two files each}}',
        {
          count,
        },
      ),
  ],
  ['failed', (count) => t('{count, number} failed', { count })],
]

/**
 * `3 new, 1 changed`, or that nothing differs. A cancelled sync or a discarded preview has carried
 * out less than it found.
 */
export function countsText(sync: Counts): string {
  if (sync.status === 'cancelled')
    return t(
      '{done, plural, =0 {Nothing was changed} one {# file was done before} other {# files were done before}}',
      { done: sync.done },
    )
  const texts = COUNTS.filter(([key]) => sync[key] > 0).map(([key, text]) => text(sync[key]))
  return texts.length === 0 ? t('Nothing new') : texts.join(', ')
}

/** `120 files, 118 MB` */
export const holdsText = ({ files, bytes }: Pick<Connection, 'files' | 'bytes'>): string =>
  t('{files, plural, =0 {No files yet} one {# file, {size}} other {# files, {size}}}', {
    files,
    size: sizeText(bytes),
  })

export const rejectedText = (count: number): string =>
  t('{count, plural, one {# file cannot be imported} other {# files cannot be imported}}', {
    count,
  })

export const nextSyncText = ({
  next_sync_at,
  frequency_hours,
  state,
}: Pick<Connection, 'next_sync_at' | 'frequency_hours' | 'state'>): string =>
  state === 'unauthorized'
    ? t('When it is authorized')
    : frequency_hours === null
      ? t('By hand')
      : next_sync_at === null
        ? t('Not planned')
        : momentText(next_sync_at)

const REASONS: Record<PreviewReason, string> = {
  requested: t('This is the preview that you asked for. Nothing was changed yet.'),
  first_sync: t(
    'The first sync would replace or delete files that are here. Check it, then confirm.',
  ),
  deletions: t(
    'The sync would remove more than 20 % of the files, or more than 100. Make sure that the folder at the provider was not emptied or renamed, then confirm.',
  ),
  changed: t(
    'The folder has changed since the preview that you confirmed, and the sync would now delete or replace other files. Check it again, then confirm.',
  ),
  uploads: t('The first two-way sync would send files to the provider. Check it, then confirm.'),
}

/** Why a sync waits for confirmation. */
export const previewReasonText = (reason: PreviewReason | null): string =>
  REASONS[reason ?? 'requested']

export const FREQUENCIES: readonly { value: string; label: string }[] = [
  { value: '1', label: t('Every hour') },
  { value: '6', label: t('Every 6 hours') },
  { value: '12', label: t('Every 12 hours') },
  { value: '24', label: t('Every day') },
  { value: '', label: t('By hand') },
]
