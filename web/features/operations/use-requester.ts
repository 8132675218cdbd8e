// Who started an operation, as the signed-in merchant reads it.
import { useSession } from '../../shell/client/queries.ts'
import { requesterText } from './requester.ts'

export function useRequester(): (requestedBy: string) => string {
  const me = useSession().data?.user
  return (requestedBy) => requesterText(requestedBy, me)
}
