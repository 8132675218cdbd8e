// API keys: what the API answers with, and the calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForAll } from './client.ts'
import { refused, SLOW_MS } from './queries.ts'
import { type Schemas } from './types.ts'

export type ApiKey = Schemas['ApiKey']

/** The form's choices are plain strings. */
export type NewApiKey = Omit<Schemas['ApiKeyRequest'], 'scopes'> & { scopes: string[] }

const KEY = ['api-keys']

export const useApiKeys = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callForAll<ApiKey>('/api/api-keys', signal),
    refetchInterval: ({ state }) => (refused(state.error) ? false : SLOW_MS),
  })

/** The answer has the key itself, this once. */
export function useCreateApiKey() {
  const client = useQueryClient()
  return useMutation<ApiKey & { key: string }, Error, NewApiKey>({
    mutationFn: (body) => call('/api/api-keys', { method: 'POST', body }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  })
}

export function useRevokeApiKey() {
  const client = useQueryClient()
  return useMutation<void, Error, string>({
    mutationFn: (id) => call(`/api/api-keys/${id}`, { method: 'DELETE' }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}
