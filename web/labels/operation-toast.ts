// What was just started, in one line that changes with it: `Deleting 12 files`, then `12 files
// moved to the trash`.
import { type Plugin } from '../client/plugins.ts'
import { type Operation } from '../client/types.ts'
import { formatMessage } from './message-format.ts'
import { operationTitle } from './operation.ts'
import { countText, numberText } from './size.ts'

/** `plugins`: those of this installation; undefined while they load. */
export function toastText(operation: Operation, plugins: readonly Plugin[] = []): string {
  const { status, total, done, failed, skipped } = operation
  if (status === 'undone' || status === 'cancelled' || status === 'paused')
    return operationTitle(operation)
  const texts = textsOf(operation, plugins)
  if (status === 'queued' || status === 'running') return texts.running(total)
  const rest = [
    failed > 0 && `${numberText(failed)} failed`,
    skipped > 0 && `${numberText(skipped)} skipped`,
  ]
  return [texts.done(done), ...rest.filter((part) => part !== false)].join(', ')
}

interface Texts {
  running: (count: number) => string
  done: (count: number) => string
}

function textsOf(operation: Operation, plugins: readonly Plugin[]): Texts {
  const files = (count: number) => countText(count, 'file', 'files')
  if (operation.undoes)
    return {
      running: (count) => `Undoing it for ${files(count)}`,
      done: (count) => `${files(count)} set back`,
    }
  const labels = plugins.find(({ id }) => id === operation.action)?.actions[0]?.labels
  if (labels)
    return {
      running: (count) => formatMessage(labels.running, { count }),
      done: (count) => formatMessage(labels.done, { count }),
    }
  const title = operationTitle(operation)
  return {
    running: (count) => `${title}: ${files(count)}`,
    done: (count) => `${title}: ${files(count)} done`,
  }
}
