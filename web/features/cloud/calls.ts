// Cloud connections: the providers of this installation, the connections, their folders and syncs.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { connectionName } from '../../shell/messages/connection-name.ts'
import { mapTexts } from '../../shell/messages/map-texts.ts'
import { translated } from '../../shell/messages/t.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForAll } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { LIVE_MS, isRefusal, SLOW_MS, CALM_MS } from '../../shell/client/queries.ts'
import { type Operation, type Page, type Schemas } from '../../shell/client/types.ts'

export type Cloud = Schemas['CloudOffer']
export type Provider = Cloud['providers'][number]
export type ProviderField = Provider['fields'][number]

export type Connection = Schemas['Connection']
export type SyncOptions = Pick<
  Connection,
  | 'direction'
  | 'deletions'
  | 'include'
  | 'exclude'
  | 'max_bytes'
  | 'frequency_hours'
  | 'packs_from_subfolders'
  | 'auto_map'
  | 'names'
  | 'notify'
  | 'bytes_per_second'
>

export type Sync = Schemas['Sync']
export type Rejection = Schemas['CloudRejection']
export type PreviewReason = NonNullable<Sync['preview_reason']>

/** The fields of the provider come from a form that the server describes. */
export type ConnectionInput = Partial<SyncOptions> & {
  name?: string
} & Record<string, unknown>

const KEY = ['connections']

export const useCloud = () =>
  useQuery({
    queryKey: ['cloud'],
    queryFn: async ({ signal }) => {
      const cloud = await call<Cloud>('/api/cloud', { signal })
      return { ...cloud, providers: mapTexts(cloud.providers, translated) }
    },
    staleTime: SLOW_MS,
  })

const inLanguage = (connection: Connection): Connection => ({
  ...connection,
  name: connectionName(connection.name),
  provider_title: translated(connection.provider_title),
})

const isMoving = ({ progress }: Connection): boolean => progress !== null

export const useConnections = () =>
  useQuery({
    queryKey: [...KEY, 'list'],
    queryFn: ({ signal }) => callForAll<Connection>('/api/connections', signal),
    select: (page) => ({ ...page, data: page.data.map(inLanguage) }),
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data?.data.some(isMoving) ? LIVE_MS : CALM_MS,
  })

export const useConnection = (id: string) =>
  useQuery({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => call<Connection>(`/api/connections/${id}`, { signal }),
    select: inLanguage,
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data && isMoving(state.data) ? LIVE_MS : CALM_MS,
  })

export const useSyncs = (id: string) =>
  useQuery({
    queryKey: [...KEY, id, 'syncs'],
    queryFn: ({ signal }) =>
      call<Page<Sync>>(`/api/connections/${id}/syncs`, { query: { limit: 20 }, signal }),
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

/** The files at the provider that cannot be imported, page by page. */
export const useRejections = (id: string) =>
  useInfiniteQuery({
    queryKey: [...KEY, id, 'rejections'],
    queryFn: ({ pageParam, signal }) =>
      call<Page<Rejection>>(`/api/connections/${id}/rejections`, {
        query: { limit: 20, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: (query) => (isRefusal(query.state.error) ? false : CALM_MS),
  })

export interface Folder {
  name: string
  path: string
}

/** The folders directly in `path`, read from the provider. */
export const useFolders = (id: string, path: string) =>
  useQuery({
    queryKey: [...KEY, id, 'folders', path],
    queryFn: ({ signal }) =>
      call<{ data: Folder[]; path: string }>(`/api/connections/${id}/folders`, {
        query: { path },
        signal,
      }),
    staleTime: SLOW_MS,
    retry: false,
  })

const useConnectionChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([KEY, ['operations']], send)

export const useCreateConnection = () =>
  useConnectionChange<ConnectionInput & { provider: string }, Connection>((body) =>
    call('/api/connections', { method: 'POST', body }),
  )

export const useChangeConnection = (id: string, known: KnownTag) =>
  useConnectionChange<ConnectionInput, Connection>((body) =>
    edit(`/api/connections/${id}`, 'PATCH', body, known),
  )

export const useDeleteConnection = () =>
  useConnectionChange<string, void>((id) => call(`/api/connections/${id}`, { method: 'DELETE' }))

export const useSync = () =>
  useConnectionChange<{ id: string; dry_run: boolean; retry_rejected?: boolean }, Operation>(
    ({ id, ...body }) => call(`/api/connections/${id}/sync`, { method: 'POST', body }),
  )

/** Returns the address of the provider's own sign-in page. */
export const useAuthorizeUrl = (id: string) =>
  useConnectionChange<void, { url: string }>(() =>
    call(`/api/connections/${id}/authorize`, { method: 'POST' }),
  )

export const useAuthorized = (id: string) =>
  useConnectionChange<{ code: string; state: string }, Connection>((body) =>
    call(`/api/connections/${id}/authorized`, { method: 'POST', body }),
  )
