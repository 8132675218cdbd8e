// API keys: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useReadAll } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type ApiKey = Schemas['ApiKey']

export type Scope = Schemas['ApiKeyRequest']['scopes'][number]

const KEYS = [['api-keys']]

export const useApiKeys = () => useReadAll('GET /api/api-keys', { poll: SLOW_MS })

/** Creates a key. The key itself is only in this answer. */
export const useCreateApiKey = () =>
  useChangeOf(KEYS, (body: Schemas['ApiKeyRequest']) => call('POST /api/api-keys', { body }))

export const useRevokeApiKey = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/api-keys/{id}', { path: { id } }))
