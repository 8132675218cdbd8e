// Lists of licence keys: types and calls.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForAll } from '../../shell/client/client.ts'
import { isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type LicenceList = Schemas['LicenceList']
export type AddedKeys = Schemas['LicenceKeysAdded']

const KEY = ['licence-lists']

export const useLicenceLists = () =>
  useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callForAll<LicenceList>('/api/licence-lists', signal),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

function useChange<Result, Variables>(run: (variables: Variables) => Promise<Result>) {
  const client = useQueryClient()
  return useMutation<Result, Error, Variables>({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
}

export const useCreateLicenceList = () =>
  useChange((name: string) =>
    call<LicenceList>('/api/licence-lists', { method: 'POST', body: { name } }),
  )

/** `keys`: a text or CSV file with one key per line. */
export const useAddLicenceKeys = () =>
  useChange(({ id, keys }: { id: string; keys: Blob }) =>
    call<AddedKeys>(`/api/licence-lists/${id}/keys`, {
      ...{ method: 'POST', body: keys, type: 'text/csv' },
    }),
  )

export const useDeleteLicenceList = () =>
  useChange((id: string) => call<void>(`/api/licence-lists/${id}`, { method: 'DELETE' }))
