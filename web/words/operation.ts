// How an operation reads: its name, its state in the specification's words, and what is left to do about it.
import { type ItemStatus, type Operation, type OperationStatus } from '../client/types.ts'
import { countText, numberText } from './size.ts'

type Tone = 'info' | 'success' | 'warning' | 'critical' | 'attention' | undefined
type Progress = 'incomplete' | 'partiallyComplete' | 'complete' | undefined

export interface StatusWord {
  text: string
  tone: Tone
  progress: Progress
}

export const OPERATION_STATUSES: Record<OperationStatus, StatusWord> = {
  previewing: { text: 'Previewing', tone: 'info', progress: 'partiallyComplete' },
  previewed: { text: 'Preview ready', tone: 'attention', progress: undefined },
  queued: { text: 'Queued', tone: undefined, progress: 'incomplete' },
  running: { text: 'In progress', tone: 'info', progress: 'partiallyComplete' },
  paused: { text: 'Paused', tone: 'attention', progress: 'partiallyComplete' },
  success: { text: 'Success', tone: 'success', progress: 'complete' },
  partial: { text: 'Partial', tone: 'warning', progress: 'partiallyComplete' },
  failed: { text: 'Failed', tone: 'critical', progress: undefined },
  cancelled: { text: 'Cancelled', tone: undefined, progress: undefined },
  undone: { text: 'Undone', tone: undefined, progress: undefined },
}

export const ITEM_STATUSES: Record<ItemStatus, StatusWord> = {
  pending: { text: 'Waiting', tone: undefined, progress: 'incomplete' },
  running: { text: 'In progress', tone: 'info', progress: 'partiallyComplete' },
  done: { text: 'Done', tone: 'success', progress: 'complete' },
  failed: { text: 'Failed', tone: 'critical', progress: undefined },
  skipped: { text: 'Skipped', tone: undefined, progress: undefined },
  cancelled: { text: 'Cancelled', tone: undefined, progress: undefined },
}

const CHANNELS: Record<string, string> = {
  api: 'API import',
  csv: 'CSV import',
  upload: 'Upload',
  drop: 'FTP import',
  cloud: 'Cloud sync',
  schedule: 'Scheduled import',
}

/** An import by its channel, anything else by its action: `API import`, `Delete files`. */
export function operationTitle({ kind, channel, action }: Pick<Operation, 'kind' | 'channel' | 'action'>): string {
  if (kind === 'import') return CHANNELS[channel] ?? 'Import'
  const words = action.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? 'Operation' : words[0]!.toUpperCase() + words.slice(1)
}

/** Items that have ended, in whatever way. */
export const endedCount = (operation: Operation): number =>
  operation.done + operation.failed + operation.skipped + operation.cancelled

export const waitingCount = (operation: Operation): number => Math.max(0, operation.total - endedCount(operation))

/** What came of it, in a sentence, and what can be done. Null where the counts say enough. */
export function outcomeText(operation: Operation): { title: string; advice: string } | null {
  const { failed, done, total, kind } = operation
  const verb = kind === 'import' ? 'imported' : 'finished'
  if (operation.status === 'partial')
    return {
      title: `${numberText(failed)} of ${countText(total, 'file', 'files')} failed`,
      advice:
        kind === 'import'
          ? `The other ${countText(done, 'file is', 'files are')} imported and can be used. Each failed file below says why; correct it and import just those files again.`
          : `The other ${countText(done, 'file is', 'files are')} done. Each failed file below says why.`,
    }
  if (operation.status === 'failed')
    return {
      title: done === 0 ? `No file was ${verb}` : `Only ${countText(done, 'file was', 'files were')} ${verb}`,
      advice: 'The files below say why. Nothing that failed has left anything behind.',
    }
  return null
}
