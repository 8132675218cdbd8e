// Who started an operation, as the signed-in merchant reads it.
import { useCallback } from 'react'
import { useSession } from '../../shell/client/queries.ts'
import { requesterText } from './requester.ts'

export function useRequester(): (requestedBy: string) => string {
  const me = useSession().data?.user
  return useCallback((requestedBy) => requesterText(requestedBy, me), [me])
}
