// Who started an operation, from the name in its record.
import { t } from '../messages/t.ts'

const STAFF = /^user \S+$/
const TASK = /^schedule (.+)$/s
const CATALOG = 'catalog refresh'

/**
 * `me`: the signed-in user as records name them; undefined while it is unknown. An API key is
 * shown by its name.
 */
export function requesterText(requestedBy: string, me: string | undefined): string {
  if (STAFF.test(requestedBy)) return staffText(requestedBy, me)
  const [, task] = TASK.exec(requestedBy) ?? []
  if (task !== undefined) return t('Scheduled task: {task}', { task })
  return requestedBy === CATALOG ? t('Catalog update') : requestedBy
}

function staffText(requestedBy: string, me: string | undefined): string {
  if (me === undefined) return ''
  return requestedBy === me ? t('You') : t('Another staff member')
}
