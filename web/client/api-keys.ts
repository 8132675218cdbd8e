// API keys: what the API answers with, and the calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForAll } from './client.ts'
import { refused, SLOW_MS } from './queries.ts'

export interface ApiKey {
  id: string
  name: string
  /** How the key begins. */
  hint: string
  scopes: string[]
  created_at: string
  /** null: never */
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

export interface NewApiKey {
  name: string
  scopes: string[]
  expires_in_days: number | null
}

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
