// How an operation reads: its name, its state in the specification's words, and what is left to do
// about it.
import { type Plugin } from '../client/plugins.ts'
import {
  type Item,
  type ItemStatus,
  type Operation,
  type OperationAction,
  type OperationStatus,
} from '../client/types.ts'
import { filterTexts } from './filter.ts'
import { countText, numberText, sentence } from './size.ts'

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

/**
 * An operation's state; a preview that was given up is more than cancelled: it has changed nothing.
 */
export const statusWord = ({
  status,
  discarded,
}: Pick<Operation, 'status' | 'discarded'>): StatusWord =>
  discarded
    ? { ...OPERATION_STATUSES.cancelled, text: 'Preview discarded' }
    : OPERATION_STATUSES[status]

export const ITEM_STATUSES: Record<ItemStatus, StatusWord> = {
  pending: { text: 'Waiting', tone: undefined, progress: 'incomplete' },
  running: { text: 'In progress', tone: 'info', progress: 'partiallyComplete' },
  done: { text: 'Done', tone: 'success', progress: 'complete' },
  failed: { text: 'Failed', tone: 'critical', progress: undefined },
  skipped: { text: 'Skipped', tone: undefined, progress: undefined },
  cancelled: { text: 'Cancelled', tone: undefined, progress: undefined },
}

/** Of a preview: nothing has been done. */
const PREVIEW_STATUSES: Record<ItemStatus, StatusWord> = {
  ...ITEM_STATUSES,
  done: { text: 'Would change', tone: 'info', progress: undefined },
  failed: { text: 'Would fail', tone: 'critical', progress: undefined },
  skipped: { text: 'Would be skipped', tone: undefined, progress: undefined },
}

/**
 * An item's result in a word. One that a preview or a run found nothing to change in is done too.
 */
export function itemWord(
  { status, after }: Pick<Item, 'status' | 'after'>,
  previewed: boolean,
): StatusWord {
  const word = (previewed ? PREVIEW_STATUSES : ITEM_STATUSES)[status]
  return previewed && status === 'done' && !after
    ? { ...word, text: 'No change', tone: undefined }
    : word
}

/** Does it only show what would be done? */
export const isPreview = ({ status }: Pick<Operation, 'status'>): boolean =>
  status === 'previewing' || status === 'previewed'

/** How an operation came about, by its name in the API. */
export const CHANNELS: Record<string, string> = {
  admin: 'Admin page',
  api: 'API',
  csv: 'CSV',
  upload: 'Upload',
  drop: 'FTP',
  cloud: 'Cloud sync',
  schedule: 'Scheduled task',
}

const IMPORTS: Record<string, string> = {
  api: 'API import',
  csv: 'CSV import',
  upload: 'Upload',
  drop: 'FTP import',
  cloud: 'Cloud sync',
}

/**
 * The actions that the history can be narrowed to: those of this installation, undos, imports and
 * own workflows.
 */
export function actionChoices(
  workflows: readonly { id: string; name: string; kind: string; built_in: boolean }[],
  channelActions: readonly { id: string; title: string }[] = [],
) {
  const actions = workflows.filter(({ kind, built_in }) => built_in && kind === 'bulk')
  return Object.fromEntries([
    ...actions.map(({ id, name }) => [id, name] as const),
    ...channelActions.map(({ id, title }) => [id, title] as const),
    ['undo', 'Undo'] as const,
    ['import', 'Import'] as const,
    ['workflow', 'Workflow of your own'] as const,
  ])
}

type Named = Pick<Operation, 'kind' | 'channel' | 'action'> &
  Partial<Pick<Operation, 'workflow_title'>>

/**
 * An import by its channel, anything else by its workflow or action: `API import`, `Delete files`.
 */
export function operationTitle({ kind, channel, action, workflow_title: title }: Named): string {
  if (kind === 'import') return IMPORTS[channel] ?? 'Import'
  if (title) return title
  const words = action.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? 'Operation' : sentence(words)
}

/**
 * Which files it is about; null where that goes without saying: an import’s own, or those that it
 * undoes.
 */
export function sourceText({ source, total }: Pick<Operation, 'source' | 'total'>): string | null {
  if (source.type === 'files' || source.type === 'rows')
    return countText(source.count, 'selected file', 'selected files')
  if (source.type === 'operation' || source.type === 'entries') return null
  const conditions = filterTexts(source.filter)
  if (source.filter.deleted) conditions.unshift('in the trash')
  const which = conditions.length === 0 ? 'All files' : `Files with: ${conditions.join('; ')}`
  return `${which} (${countText(total, 'file', 'files')} when it started)`
}

export interface ActionWord {
  text: string
  /** What to ask before it is done, where that is called for. */
  question?: { title: string; text: string[]; button: string; destructive?: boolean }
}

/** A button for one thing that can be done with the operation. */
export function actionWord(action: OperationAction, operation: Operation): ActionWord {
  if (action === 'cancel') return isPreview(operation) ? DISCARD : cancelWord(operation)
  if (action === 'undo') return undoWord(operation)
  if (action === 'retry') return { text: retryText(operation) }
  return { text: { pause: 'Pause', resume: 'Resume', confirm: 'Confirm and run' }[action] }
}

function retryText({ failed, cancelled }: Operation): string {
  const retry = `Retry ${countText(failed, 'failed file', 'failed files')}`
  const resume = `esume the ${numberText(cancelled)} that ${cancelled === 1 ? 'was' : 'were'} not started`
  if (cancelled > 0) return failed > 0 ? `${retry} and r${resume}` : `R${resume}`
  // It may have stopped at a step that is about no file.
  return failed > 0 ? retry : 'Try again'
}

const DISCARD: ActionWord = { text: 'Discard preview' }

function cancelWord(operation: Operation): ActionWord {
  const { done, kind, undoes, cannot_undo } = operation
  const back = undoes
    ? ''
    : cannot_undo.length > 0
      ? ` ${cannotUndoText(cannot_undo)}`
      : ' You can undo that afterwards.'
  const kept = kind === 'import' ? 'imported' : 'changed'
  return {
    text: 'Cancel operation',
    question: {
      title: 'Cancel this operation?',
      text: [
        done === 0
          ? `No file has been ${kept} yet.`
          : `${countText(done, 'file has', 'files have')} been ${kept} and ${done === 1 ? 'stays' : 'stay'} so.${back}`,
        `${countText(waitingCount(operation), 'file that waits is', 'files that wait are')} left alone. You can resume ${waitingCount(operation) === 1 ? 'it' : 'them'} later.`,
      ],
      button: 'Cancel operation',
      destructive: true,
    },
  }
}

function undoWord(operation: Operation): ActionWord {
  const files = countText(operation.done, 'file', 'files')
  const text = [
    operation.kind === 'import'
      ? `${files} that it imported will be moved to the trash, with their links.`
      : `${files} will be set back to how they were before this operation.`,
    'What somebody changed since then is left alone, and the result says which files that were.',
  ]
  if (operation.cannot_undo.length > 0) text.push(cannotUndoText(operation.cannot_undo))
  return {
    text: 'Undo',
    question: { title: 'Undo this operation?', text, button: `Undo for ${files}` },
  }
}

/** `What these steps did can’t be undone: Send email, Purge.` */
export const cannotUndoText = (titles: readonly string[]): string =>
  `No undo takes back what ${titles.length === 1 ? 'this step does' : 'these steps do'}: ${titles.join(', ')}.`

/** Files that were worked on: not those that were cancelled before their turn. */
export const workedCount = ({ done, failed, skipped }: Operation): number => done + failed + skipped

export const waitingCount = (operation: Operation): number =>
  Math.max(0, operation.total - workedCount(operation) - operation.cancelled)

/** Has it ended with something done, so that there is something to undo? */
export const hasEndedWell = ({
  finished_at,
  done,
}: Pick<Operation, 'finished_at' | 'done'>): boolean => finished_at !== null && done > 0

/** Does it leave new files beside those that it works on? */
export const makesFiles = (
  { steps, undoes }: Pick<Operation, 'steps' | 'undoes'>,
  plugins: readonly Pick<Plugin, 'id' | 'makes_files'>[],
): boolean =>
  undoes === null &&
  plugins.some(({ id, makes_files }) => makes_files && steps.some(({ plugin }) => plugin === id))

/** What came of it, in a sentence, and what can be done. Null where the counts say enough. */
export function outcomeText(operation: Operation): { title: string; advice: string } | null {
  const { failed, done, total, kind } = operation
  const retry = operation.actions.includes('retry')
  const verb = kind === 'import' ? 'imported' : 'finished'
  if (operation.discarded)
    return {
      title: 'Preview discarded, 0 files changed',
      advice: 'It only looked at what would happen. Start it again to see a new preview.',
    }
  if (operation.status === 'partial') {
    const others = `The other ${done === 1 ? 'file is' : `${countText(done, 'file', 'files')} are`} ${
      kind === 'import' ? 'imported and can be used' : 'done'
    }.`
    return {
      title: `${numberText(failed)} of ${countText(total, 'file', 'files')} failed`,
      advice: `${others} Each failed file below says why${retry ? '; put it right and retry just those' : ''}.`,
    }
  }
  if (operation.status === 'cancelled')
    return {
      title: `${numberText(done)} of ${countText(total, 'file was', 'files were')} ${verb}`,
      advice: `It was cancelled before ${countText(operation.cancelled, 'file was', 'files were')} started${
        retry ? ': resume to work on the rest' : ''
      }. What was ${verb} stays so.`,
    }
  if (operation.status === 'failed')
    return {
      title:
        done === 0
          ? `No file was ${verb}`
          : `Only ${countText(done, 'file was', 'files were')} ${verb}`,
      advice: `The files below say why. Nothing that failed has left anything behind${retry ? ', and it can be tried again' : ''}.`,
    }
  return null
}
