// The toast about an operation that was just started, and its progress: `Deleting 12 files`, then
// `12 files moved to the trash`.
import { type Channel } from '../imports/channel-calls.ts'
import { type Plugin } from '../../shell/client/plugins.ts'
import { type Operation } from '../../shell/client/types.ts'
import { operationTitle } from './labels.ts'
import { formatMessage } from '../../shell/messages/format.ts'
import { t } from '../../shell/messages/t.ts'

/** `plugins`: those of this installation; undefined while they load. */
export function toastText(
  operation: Operation,
  plugins: readonly Plugin[] = [],
  channels: readonly Channel[] = [],
): string {
  const { status, total, done, failed, skipped, unchanged } = operation
  if (status === 'undone' || status === 'cancelled' || status === 'paused')
    return operationTitle(operation, channels)
  const texts = textsOf(operation, plugins, channels)
  if (status === 'queued' || status === 'running') return texts.running(total)
  const changedNothing = unchanged > 0 && unchanged === done
  const rest = [
    unchanged > 0 && !changedNothing && t('{unchanged, number} unchanged', { unchanged }),
    failed > 0 && t('{failed, number} failed', { failed }),
    skipped > 0 && t('{skipped, number} skipped', { skipped }),
  ]
  const first = changedNothing
    ? t('{count, plural, one {# file} other {# files}} done, no file was changed', { count: done })
    : texts.done(done - unchanged)
  return [first, ...rest.filter((part) => part !== false)].join(', ')
}

interface Texts {
  running: (count: number) => string
  done: (count: number) => string
}

function textsOf(
  operation: Operation,
  plugins: readonly Plugin[],
  channels: readonly Channel[],
): Texts {
  if (operation.undoes)
    return {
      running: (count) => t('Undoing for {count, plural, one {# file} other {# files}}', { count }),
      // An undo restores files, and moves those to the trash that were made.
      done: (count) => t('Undone for {count, plural, one {# file} other {# files}}', { count }),
    }
  const labels = plugins.find(({ id }) => id === operation.action)?.actions[0]?.labels
  if (labels)
    return {
      running: (count) => formatMessage(labels.running, { count }),
      done: (count) => formatMessage(labels.done, { count }),
    }
  const title = operationTitle(operation, channels)
  return {
    running: (count) =>
      t('{title}: {count, plural, one {# file} other {# files}}', { title, count }),
    done: (count) =>
      t('{title}: {count, plural, one {# file} other {# files}} done', { title, count }),
  }
}
