// What was just started, in one line that moves with it: `Deleting 12 files`, then `12 files moved to the trash`.
import { type Operation } from '../client/types.ts'
import { OPERATION_STATUSES, operationTitle } from './operation.ts'
import { countText, numberText } from './size.ts'

/** While it runs, and when it is done. */
const VERBS: Record<string, [doing: string, done: string]> = {
  'delete-files': ['Deleting', 'moved to the trash'],
  'restore-files': ['Restoring', 'restored'],
  'purge-files': ['Deleting permanently', 'deleted permanently'],
  'tag-files': ['Changing the tags of', 'with changed tags'],
  'update-settings': ['Updating the settings of', 'with updated settings'],
}

export function launchedText(operation: Operation): string {
  const { status, action, total, done, failed, skipped, undoes } = operation
  const files = (count: number) => countText(count, 'file', 'files')
  const title = operationTitle(operation)
  const [doing, past] = undoes ? ['Undoing it for', 'set back'] : (VERBS[action] ?? [`${title}:`, 'done'])
  if (status === 'undone' || status === 'cancelled' || status === 'paused')
    return `${title}: ${OPERATION_STATUSES[status].text.toLowerCase()}`
  if (status === 'queued' || status === 'running') return `${doing} ${files(total)}`
  const rest = [failed > 0 && `${numberText(failed)} failed`, skipped > 0 && `${numberText(skipped)} skipped`].filter(
    (part) => part !== false,
  )
  return [`${VERBS[action] || undoes ? '' : `${title}: `}${files(done)} ${past}`, ...rest].join(', ')
}
