// The buttons for actions on an operation, and the questions that they ask first.
import type { PageChannel } from '../../shell/feature.ts'
import { type Operation, type OperationAction } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { isPreview } from './operation-status.ts'
import { cannotUndoText, waitingCount } from './labels.ts'

interface ActionWord {
  text: string
  /** The confirmation that is asked before, if one is necessary. */
  question?: { title: string; text: string[]; button: string; destructive?: boolean }
}

/** The button for an action on the operation. */
export function actionWord(
  action: OperationAction,
  operation: Operation,
  channels: readonly PageChannel[],
): ActionWord {
  if (action === 'cancel') return isPreview(operation) ? DISCARD : cancelWord(operation)
  if (action === 'undo') return undoWord(operation, channels)
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
  // An operation without failed items may have stopped at a step on all of them.
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

function undoWord(operation: Operation, channels: readonly PageChannel[]): ActionWord {
  const { done, kind, cannot_undo, channel } = operation
  const undoNote = channels.find(({ id }) => id === channel)?.undoNote
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
  if (undoNote !== undefined) text.push(undoNote)
  return {
    text: t('Undo'),
    question: {
      title: t('Undo this operation?'),
      text,
      button: t('Undo for {done, plural, one {# file} other {# files}}', { done }),
    },
  }
}
