// Lists of licence keys: types and calls.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { SLOW_MS } from '../../shell/client/queries.ts'
import { useRead, useReadAll } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type LicenceList = Schemas['LicenceList']
export type AddedKeys = Schemas['LicenceKeysAdded']

const KEYS = [['licence-lists']]

export const useLicenceLists = () => useReadAll('GET /api/licence-lists', { poll: SLOW_MS })

export const useLicenceList = (id: string | null) =>
  useRead('GET /api/licence-lists/{id}', { path: { id } })

export const useCreateLicenceList = () =>
  useChangeOf(KEYS, (name: string) => call('POST /api/licence-lists', { body: { name } }))

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
