// Drop folders: how to connect, the accounts, the files in the folders, the last connections.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForAll } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { CALM_MS, LIVE_MS, isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type Operation, type Page, type Schemas } from '../../shell/client/types.ts'

export type Drop = Schemas['Drop']
/** How dropped files are imported; all of it can be changed. */
export type DropSettings = Required<Schemas['DropSettingsChange']>
export type DropAccount = Schemas['DropAccount']
export type DropFile = Schemas['DropFile']
export type DropConnection = Schemas['DropConnection']
type NewDropAccount = Schemas['DropAccountRequest']
export type DropAccountChange = Schemas['DropAccountChange']

/** The only answers that contain the password. */
export type DropAccountWithPassword = DropAccount & { password: string | null }

const DROP = ['drop']
const ACCOUNTS = ['drop', 'accounts']

export const useDrop = () =>
  useQuery({
    queryKey: [...DROP, 'settings'],
    queryFn: ({ signal }) => call<Drop>('/api/drop', { signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

export function useChangeDrop(known: KnownTag) {
  const client = useQueryClient()
  return useMutation<Drop, Error, Partial<DropSettings>>({
    mutationFn: (change) => edit('/api/drop', 'PATCH', change, known),
    onSuccess: (drop) => client.setQueryData([...DROP, 'settings'], drop),
  })
}

export const useDropAccounts = () =>
  useQuery({
    queryKey: ACCOUNTS,
    queryFn: ({ signal }) => callForAll<DropAccount>('/api/drop/accounts', signal),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

const useAccountChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([ACCOUNTS], send)

export const useCreateDropAccount = () =>
  useAccountChange<NewDropAccount, DropAccountWithPassword>((body) =>
    call('/api/drop/accounts', { method: 'POST', body }),
  )

export const useDropAccount = (id: string | null) =>
  useQuery({
    queryKey: [...ACCOUNTS, id],
    queryFn: ({ signal }) => call<DropAccount>(`/api/drop/accounts/${id}`, { signal }),
    enabled: id !== null,
  })

export const useChangeDropAccount = (known: KnownTag = { current: undefined }) =>
  useAccountChange<{ id: string; change: DropAccountChange }, DropAccount>(({ id, change }) =>
    edit(`/api/drop/accounts/${id}`, 'PATCH', change, known),
  )

export const useNewDropPassword = () =>
  useAccountChange<string, DropAccountWithPassword>((id) =>
    call(`/api/drop/accounts/${id}/password`, { method: 'POST' }),
  )

export const useDeleteDropAccount = () =>
  useAccountChange<string, void>((id) => call(`/api/drop/accounts/${id}`, { method: 'DELETE' }))

const SHOWN_FILES = 50
const FILES = [...DROP, 'files']

/** Which files are listed: those that are not imported yet, or those that imports have moved. */
export type DropFolder = '' | 'processed' | 'failed'

/** Read page by page, in the order of paths. */
export const useDropFiles = (state: DropFolder) =>
  useInfiniteQuery({
    queryKey: [...FILES, state],
    queryFn: ({ pageParam, signal }) =>
      call<Page<DropFile>>('/api/drop/files', {
        query: { state, limit: SHOWN_FILES, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: (query) => (isRefusal(query.state.error) ? false : CALM_MS),
  })

/** The running transfers, with their speeds. */
export const useTransfers = () =>
  useQuery({
    queryKey: [...DROP, 'transfers'],
    queryFn: ({ signal }) =>
      call<Page<DropFile>>('/api/drop/files', {
        query: { state: 'writing', limit: SHOWN_FILES },
        signal,
      }),
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data?.data.length ? LIVE_MS : CALM_MS,
  })

export const useDropConnections = () =>
  useQuery({
    queryKey: [...DROP, 'connections'],
    queryFn: ({ signal }) => call<Page<DropConnection>>('/api/drop/connections', { signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

const useFileChange = <Output>(send: (id: string) => Promise<Output>) => useChangeOf([DROP], send)

/**
 * Moves a failed file back to the folder where it was dropped, so that the next import takes it
 * again.
 */
export const useRetryDropFile = () =>
  useFileChange<DropFile>((id) => call(`/api/drop/files/${id}/retry`, { method: 'POST' }))

export const useDeleteDropFile = () =>
  useFileChange<void>((id) => call(`/api/drop/files/${id}`, { method: 'DELETE' }))

/** Imports the waiting files, or only previews the import. Returns the operation. */
export const useImportDropped = () =>
  useChangeOf<{ dry_run: boolean }, Operation>([DROP, ['operations']], (body) =>
    call('/api/drop/import', { method: 'POST', body }),
  )
