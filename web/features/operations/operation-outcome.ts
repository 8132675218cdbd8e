// How an operation ended, in a sentence, and what to do next.
import { type Operation } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

interface OutcomeText {
  title: string
  advice: string
}

/** The result in a sentence, and what to do next. Null if the counts say enough. */
export function outcomeText(operation: Operation): OutcomeText | null {
  if (operation.discarded)
    return {
      title: t('Preview discarded: nothing was changed'),
      advice: t('Start the operation again to see a new preview.'),
    }
  if (operation.status === 'partial') return partialText(operation)
  if (operation.status === 'cancelled') return cancelledText(operation)
  if (operation.status === 'failed') return failedText(operation)
  return null
}

/** A sync also changes, trashes and sends files, which it does not import. */
const onlyImports = ({ kind, present, unchanged }: Operation): boolean =>
  kind === 'import' && present === 0 && unchanged === 0

const canRetry = ({ actions }: Operation): boolean => actions.includes('retry')

function partialText(operation: Operation): OutcomeText {
  const { failed, total } = operation
  const why = canRetry(operation)
    ? t('See below why each file failed, correct the cause, then retry the failed files only.')
    : t('See below why each file failed.')
  return {
    title: t('{failed, number} of {total, plural, one {# file} other {# files}} failed', {
      failed,
      total,
    }),
    advice: `${doneText(operation)} ${why}`,
  }
}

/** What became of the files that did not fail; some of them may be skipped. */
function doneText(operation: Operation): string {
  const { failed, done, total } = operation
  const isRest = done + failed === total
  if (onlyImports(operation))
    return isRest
      ? t(
          '{done, plural, one {The other file is imported and can be used} other {The other # files are imported and can be used}}.',
          { done },
        )
      : t(
          '{done, plural, one {# file is imported and can be used} other {# files are imported and can be used}}.',
          { done },
        )
  return isRest
    ? t('{done, plural, one {The other file is done} other {The other # files are done}}.', {
        done,
      })
    : t('{done, plural, one {# file is done} other {# files are done}}.', { done })
}

function cancelledText(operation: Operation): OutcomeText {
  const { done, total, cancelled } = operation
  const values = { done, total }
  return {
    title: onlyImports(operation)
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
  const { done } = operation
  const title = onlyImports(operation)
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
