// An operation's and an item's status in the specification's words, with the badge's tone.
import {
  type Item,
  type ItemStatus,
  type Operation,
  type OperationStatus,
} from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

type Tone = 'info' | 'success' | 'warning' | 'critical' | 'attention' | undefined

type Progress = 'incomplete' | 'partiallyComplete' | 'complete' | undefined

export interface StatusWord {
  text: string
  tone: Tone
  progress: Progress
}

export const OPERATION_STATUSES: Record<OperationStatus, StatusWord> = {
  previewing: { text: t('Previewing'), tone: 'info', progress: 'partiallyComplete' },
  previewed: { text: t('Preview ready'), tone: 'attention', progress: undefined },
  queued: { text: t('Queued'), tone: undefined, progress: 'incomplete' },
  running: { text: t('In progress'), tone: 'info', progress: 'partiallyComplete' },
  paused: { text: t('Paused'), tone: 'attention', progress: 'partiallyComplete' },
  success: { text: t('Success'), tone: 'success', progress: 'complete' },
  partial: { text: t('Partial'), tone: 'warning', progress: 'partiallyComplete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
  cancelled: { text: t('Cancelled'), tone: undefined, progress: undefined },
  undone: { text: t('Undone'), tone: undefined, progress: undefined },
}

/** An operation's status. A discarded preview is more than cancelled: it has changed nothing. A preview may ask. */
export const statusWord = ({
  status,
  discarded,
  asks,
}: Pick<Operation, 'status' | 'discarded'> & Partial<Pick<Operation, 'asks'>>): StatusWord => {
  if (discarded)
    return {
      ...OPERATION_STATUSES.cancelled,
      text: asks?.answer ? t('Rejected') : t('Preview discarded'),
    }
  const word = OPERATION_STATUSES[status]
  return asks?.until ? { ...word, text: t('Waits for an answer') } : word
}

export const ITEM_STATUSES: Record<ItemStatus, StatusWord> = {
  pending: { text: t('Waiting'), tone: undefined, progress: 'incomplete' },
  running: { text: t('In progress'), tone: 'info', progress: 'partiallyComplete' },
  done: { text: t('Done'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
  skipped: { text: t('Skipped'), tone: undefined, progress: undefined },
  cancelled: { text: t('Cancelled'), tone: undefined, progress: undefined },
}

/** The statuses of items of a preview, which changed nothing. */
const PREVIEW_STATUSES: Record<ItemStatus, StatusWord> = {
  ...ITEM_STATUSES,
  done: { text: t('Would change'), tone: 'info', progress: undefined },
  failed: { text: t('Would fail'), tone: 'critical', progress: undefined },
  skipped: { text: t('Would be skipped'), tone: undefined, progress: undefined },
}

/** An item's result. An item that needed no change is done too. */
export function itemWord(
  { status, after, file_id }: Pick<Item, 'status' | 'after' | 'file_id'>,
  previewed: boolean,
): StatusWord {
  const word = (previewed ? PREVIEW_STATUSES : ITEM_STATUSES)[status]
  if (!previewed || status !== 'done' || after) return word
  // An entry of an import has no file yet.
  return file_id === null
    ? { ...word, text: t('Would be imported') }
    : { ...word, text: t('No change'), tone: undefined }
}

/** Is it only a preview? */
export const isPreview = ({ status }: Pick<Operation, 'status'>): boolean =>
  status === 'previewing' || status === 'previewed'
