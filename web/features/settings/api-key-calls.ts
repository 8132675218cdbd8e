// API keys: types and calls.
import { useQuery } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForAll } from '../../shell/client/client.ts'
import { isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type ApiKey = Schemas['ApiKey']

/** The form's choices are plain strings. */
type NewApiKey = Omit<Schemas['ApiKeyRequest'], 'scopes'> & { scopes: string[] }

const KEY = ['api-keys']

export const useApiKeys = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callForAll<ApiKey>('/api/api-keys', signal),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

/** Only this answer contains the key. */
export const useCreateApiKey = () =>
  useChangeOf<NewApiKey, ApiKey & { key: string }>([KEY], (body) =>
    call('/api/api-keys', { method: 'POST', body }),
  )

export const useRevokeApiKey = () =>
  useChangeOf<string, void>([KEY], (id) => call(`/api/api-keys/${id}`, { method: 'DELETE' }))
