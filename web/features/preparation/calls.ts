// Lists of licence keys and the keys that buyers have: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { CALM_MS, SLOW_MS } from '../../shell/client/polling.ts'
import { useRead, useReadAll } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type LicenceList = Schemas['LicenceList']
export type LicenceListRequest = Schemas['LicenceListRequest']
export type LicenceListChange = Schemas['LicenceListChange']
export type AddedKeys = Schemas['LicenceKeysAdded']
export type LicenceKey = Schemas['LicenceKey']
export type KeyAction = 'revoke' | 'restore' | 'rotate' | 'reset'

const KEYS = [['licence-lists']]

export const useLicenceLists = () => useReadAll('GET /api/licence-lists', { poll: SLOW_MS })

/** Reads a list of licence keys; null reads none. */
export const useLicenceList = (id: string | null) =>
  useRead('GET /api/licence-lists/{id}', { path: { id }, poll: CALM_MS })

export const useLicenceKeys = (id: string, query: Query) =>
  useRead('GET /api/licence-lists/{id}/keys', { path: { id }, query, keep: true, poll: CALM_MS })

export const useCreateLicenceList = () =>
  useChangeOf(KEYS, (body: LicenceListRequest) => call('POST /api/licence-lists', { body }))

export const useChangeLicenceList = (id: string, known: KnownTag) =>
  useChangeOf(KEYS, (body: LicenceListChange) =>
    edit('PATCH /api/licence-lists/{id}', { path: { id }, body }, known),
  )

/** `keys`: a text or CSV file with one key per line. */
export const useAddLicenceKeys = () =>
  useChangeOf(KEYS, ({ id, keys }: { id: string; keys: Blob }) =>
    call('POST /api/licence-lists/{id}/keys', {
      path: { id },
      file: { bytes: keys, type: 'text/csv' },
    }),
  )

export const useDeleteLicenceList = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/licence-lists/{id}', { path: { id } }))

/** The deliveries show the keys too. */
export const useKeyAction = (id: string) =>
  useChangeOf([...KEYS, ['deliveries']], (action: KeyAction) =>
    call(`POST /api/licence-keys/{id}/${action}`, { path: { id } }),
  )
