// API keys: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { SLOW_MS } from '../../shell/client/polling.ts'
import { useRead, useReadAll } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type ApiKey = Schemas['ApiKey']

export type Scope = Schemas['ApiKeyRequest']['scopes'][number]

const KEYS = [['api-keys']]

export const useApiKeys = () => useReadAll('GET /api/api-keys', { poll: SLOW_MS })

/** Creates a key. The key itself is only in this answer. */
export const useCreateApiKey = () =>
  useChangeOf(KEYS, (body: Schemas['ApiKeyRequest']) => call('POST /api/api-keys', { body }))

/** Whose key a code names; a text that is no code is not asked for. */
export const useAgencyKey = (code: string) =>
  useRead('GET /api/agency-key', {
    query: { code },
    enabled: /^agency_[\w-]{22}$/.test(code),
  })

export const useGrantAccess = () =>
  useChangeOf(KEYS, (body: Schemas['KeyGrantRequest']) =>
    call('POST /api/api-keys/grants', { body }),
  )

export const useRevokeApiKey = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/api-keys/{id}', { path: { id } }))
