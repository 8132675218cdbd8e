// Who started an operation, as the signed-in merchant reads it.
import { useCallback } from 'react'
import { useSession } from '../../shell/client/queries.ts'
import { connectionName } from '../../shell/messages/connection-name.ts'
import { t } from '../../shell/messages/t.ts'

export function useRequester(): (requestedBy: string) => string {
  const me = useSession().data?.user
  return useCallback((requestedBy) => requesterText(requestedBy, me), [me])
}

// Who started an operation, from the name in its record.

const STAFF = /^user \S+$/
const TASK = /^schedule (.+)$/s
const CONNECTION = /^connection (.+)$/s
const FIXED: ReadonlyMap<string, string> = new Map([
  ['catalog refresh', t('Catalog update')],
  ['Drop folder', t('Drop folder')],
])

/**
 * `me`: the signed-in user as records name them; undefined while it is unknown. An API key is
 * shown by its name.
 */
export function requesterText(requestedBy: string, me: string | undefined): string {
  if (STAFF.test(requestedBy)) return staffText(requestedBy, me)
  const [, task] = TASK.exec(requestedBy) ?? []
  if (task !== undefined) return t('Scheduled task: {task}', { task })
  const [, connection] = CONNECTION.exec(requestedBy) ?? []
  if (connection !== undefined)
    return t('Cloud connection: {connection}', { connection: connectionName(connection) })
  return FIXED.get(requestedBy) ?? requestedBy
}

function staffText(requestedBy: string, me: string | undefined): string {
  if (me === undefined) return ''
  return requestedBy === me ? t('You') : t('Another staff member')
}
