// Texts about operations: names, statuses in the specification's words, and possible actions.
import { type Channel } from '../client/channels.ts'
import { type Plugin } from '../client/plugins.ts'
import {
  type Item,
  type ItemStatus,
  type Operation,
  type OperationAction,
  type OperationStatus,
} from '../client/types.ts'
import { importText } from './channel.ts'
import { filterTexts } from './filter.ts'
import { capitalized } from './size.ts'
import { t, translated } from '../messages/t.ts'

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

/** An operation's status. A discarded preview is more than cancelled: it has changed nothing. */
export const statusWord = ({
  status,
  discarded,
}: Pick<Operation, 'status' | 'discarded'>): StatusWord =>
  discarded
    ? { ...OPERATION_STATUSES.cancelled, text: t('Preview discarded') }
    : OPERATION_STATUSES[status]

export const ITEM_STATUSES: Record<ItemStatus, StatusWord> = {
  pending: { text: t('Waiting'), tone: undefined, progress: 'incomplete' },
  running: { text: t('In progress'), tone: 'info', progress: 'partiallyComplete' },
  done: { text: t('Done'), tone: 'success', progress: 'complete' },
  failed: { text: t('Failed'), tone: 'critical', progress: undefined },
  skipped: { text: t('Skipped'), tone: undefined, progress: undefined },
  cancelled: { text: t('Cancelled'), tone: undefined, progress: undefined },
}

/** In a preview nothing was done. */
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

/**
 * The actions by which the history can be filtered: those of this installation, undos, imports and
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
    ['undo', t('Undo')] as const,
    ['import', t('Import')] as const,
    ['workflow', t('Custom workflow')] as const,
  ])
}

type Named = Pick<Operation, 'kind' | 'channel' | 'action'> &
  Partial<Pick<Operation, 'workflow_title'>>

/**
 * An import by its channel, other operations by their workflow or action: `API import`, `Delete
 * files`.
 */
export function operationTitle(
  { kind, channel, action, workflow_title: title }: Named,
  channels: readonly Channel[],
): string {
  if (kind === 'import') return importText(channels, channel) ?? t('Import')
  if (title) return workflowTitle(title)
  const words = action.replaceAll(/[-_]+/g, ' ').trim()
  return words === '' ? t('Operation') : capitalized(words)
}

/** An undo is named after the operation that it undoes. */
function workflowTitle(title: string): string {
  const [, undone] = /^Undo: (.+)$/.exec(title) ?? []
  return undone === undefined
    ? translated(title)
    : t('Undo: {title}', { title: translated(undone) })
}

/** The operation's files; null if they are obvious: an import’s own, or those that it undoes. */
export function sourceText({ source, total }: Pick<Operation, 'source' | 'total'>): string | null {
  if (source.type === 'files' || source.type === 'rows')
    return t('{count, plural, one {# selected file} other {# selected files}}', {
      count: source.count,
    })
  if (source.type === 'operation' || source.type === 'entries') return null
  const conditions = filterTexts(source.filter)
  if (source.filter.deleted) conditions.unshift(t('in the trash'))
  return conditions.length === 0
    ? t('All files ({total, plural, one {# file} other {# files}} at the start)', { total })
    : t('Files with: {conditions} ({total, plural, one {# file} other {# files}} at the start)', {
        conditions: conditions.join('; '),
        total,
      })
}

export interface ActionWord {
  text: string
  /** The confirmation that is asked before, if one is necessary. */
  question?: { title: string; text: string[]; button: string; destructive?: boolean }
}

/** The button for an action on the operation. */
export function actionWord(action: OperationAction, operation: Operation): ActionWord {
  if (action === 'cancel') return isPreview(operation) ? DISCARD : cancelWord(operation)
  if (action === 'undo') return undoWord(operation)
  if (action === 'retry') return { text: retryText(operation) }
  return { text: { pause: t('Pause'), resume: t('Resume'), confirm: t('Confirm and run') }[action] }
}

function retryText({ failed, cancelled }: Operation): string {
  if (failed > 0 && cancelled > 0)
    return t(
      'Retry {failed, plural, one {# failed file} other {# failed files}} and resume the {cancelled, number} not started',
      { failed, cancelled },
    )
  if (cancelled > 0)
    return t('Resume {cancelled, plural, one {# file} other {# files}} not started', { cancelled })
  // It may have stopped at a step on the whole operation.
  return failed > 0
    ? t('Retry {failed, plural, one {# failed file} other {# failed files}}', { failed })
    : t('Try again')
}

const DISCARD: ActionWord = { text: t('Discard preview') }

function cancelWord(operation: Operation): ActionWord {
  return {
    text: t('Cancel operation'),
    question: {
      title: t('Cancel this operation?'),
      text: [...doneBeforeCancel(operation), waitingAfterCancel(waitingCount(operation))],
      button: t('Cancel operation'),
      destructive: true,
    },
  }
}

function doneBeforeCancel({ done, kind, undoes, cannot_undo }: Operation): string[] {
  if (done === 0)
    return [
      kind === 'import' ? t('No file has been imported yet.') : t('No file has been changed yet.'),
    ]
  const kept =
    kind === 'import'
      ? t(
          '{done, plural, one {# file has been imported and stays} other {# files have been imported and stay}}.',
          { done },
        )
      : t(
          '{done, plural, one {# file has been changed and stays changed} other {# files have been changed and stay changed}}.',
          { done },
        )
  if (undoes) return [kept]
  return [
    kept,
    cannot_undo.length > 0 ? cannotUndoText(cannot_undo) : t('You can undo that later.'),
  ]
}

const waitingAfterCancel = (waiting: number): string =>
  t(
    '{waiting, plural, one {# waiting file is not changed. You can resume it later.} other {# waiting files are not changed. You can resume them later.}}',
    { waiting },
  )

function undoWord(operation: Operation): ActionWord {
  const { done, kind, cannot_undo } = operation
  const text = [
    kind === 'import'
      ? t(
          '{done, plural, one {# imported file moves} other {# imported files move}} to the trash, with the links.',
          { done },
        )
      : t(
          '{done, plural, one {# file is} other {# files are}} restored to the state before this operation.',
          { done },
        ),
    t('Files that have been changed since then are skipped; the result lists them.'),
  ]
  if (cannot_undo.length > 0) text.push(cannotUndoText(cannot_undo))
  return {
    text: t('Undo'),
    question: {
      title: t('Undo this operation?'),
      text,
      button: t('Undo for {done, plural, one {# file} other {# files}}', { done }),
    },
  }
}

/** `These steps can’t be undone: Send email, Purge.` */
export const cannotUndoText = (titles: readonly string[]): string =>
  t('{count, plural, one {This step} other {These steps}} can’t be undone: {titles}.', {
    count: titles.length,
    titles: titles.map((title) => translated(title)).join(', '),
  })

/** The number of processed files, without those that were cancelled before their turn. */
export const workedCount = ({ done, failed, skipped }: Operation): number => done + failed + skipped

export const waitingCount = (operation: Operation): number =>
  Math.max(0, operation.total - workedCount(operation) - operation.cancelled)

/** Has it ended with at least one file done, so that it can be undone? */
export const hasEndedWell = ({
  finished_at,
  done,
}: Pick<Operation, 'finished_at' | 'done'>): boolean => finished_at !== null && done > 0

/** Does it create new files? */
export const makesFiles = (
  { steps, undoes }: Pick<Operation, 'steps' | 'undoes'>,
  plugins: readonly Pick<Plugin, 'id' | 'makes_files'>[],
): boolean =>
  undoes === null &&
  plugins.some(({ id, makes_files }) => makes_files && steps.some(({ plugin }) => plugin === id))

interface OutcomeText {
  title: string
  advice: string
}

/** The result in a sentence, and what to do next. Null if the counts say enough. */
export function outcomeText(operation: Operation): OutcomeText | null {
  if (operation.discarded)
    return {
      title: t('Preview discarded, 0 files changed'),
      advice: t('Start the operation again to see a new preview.'),
    }
  if (operation.status === 'partial') return partialText(operation)
  if (operation.status === 'cancelled') return cancelledText(operation)
  if (operation.status === 'failed') return failedText(operation)
  return null
}

const canRetry = ({ actions }: Operation): boolean => actions.includes('retry')

function partialText(operation: Operation): OutcomeText {
  const { failed, done, total, kind } = operation
  const others =
    kind === 'import'
      ? t(
          '{done, plural, one {The other file is imported and can be used} other {The other # files are imported and can be used}}.',
          { done },
        )
      : t('{done, plural, one {The other file is done} other {The other # files are done}}.', {
          done,
        })
  const why = canRetry(operation)
    ? t('See below why each file failed, correct the cause, then retry the failed files only.')
    : t('See below why each file failed.')
  return {
    title: t('{failed, number} of {total, plural, one {# file} other {# files}} failed', {
      failed,
      total,
    }),
    advice: `${others} ${why}`,
  }
}

function cancelledText(operation: Operation): OutcomeText {
  const { done, total, kind, cancelled } = operation
  const values = { done, total }
  return {
    title:
      kind === 'import'
        ? t(
            '{done, number} of {total, plural, one {# file was} other {# files were}} imported',
            values,
          )
        : t(
            '{done, number} of {total, plural, one {# file was} other {# files were}} finished',
            values,
          ),
    advice: canRetry(operation)
      ? t(
          '{cancelled, plural, one {# file was} other {# files were}} not started. Resume to process the rest. Finished files keep their changes.',
          { cancelled },
        )
      : t(
          '{cancelled, plural, one {# file was} other {# files were}} not started. Finished files keep their changes.',
          { cancelled },
        ),
  }
}

function failedText(operation: Operation): OutcomeText {
  const { done, kind } = operation
  const title =
    kind === 'import'
      ? t(
          '{done, plural, =0 {No file was} one {Only # file was} other {Only # files were}} imported',
          { done },
        )
      : t(
          '{done, plural, =0 {No file was} one {Only # file was} other {Only # files were}} finished',
          { done },
        )
  return {
    title,
    advice: canRetry(operation)
      ? t('See below why. Failed files are unchanged, and you can retry them.')
      : t('See below why. Failed files are unchanged.'),
  }
}
