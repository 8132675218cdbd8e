// Cloud connections: the providers of this installation, the connections, their folders and syncs.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callForAll } from './client.ts'
import { LIVE_MS, refused, SLOW_MS, CALM_MS } from './queries.ts'
import { type Operation, type OperationStatus, type Page } from './types.ts'

export interface ProviderField {
  name: string
  title: string
  help: string
  required: boolean
  /** Never given back; left out of a change it stays as it is. */
  secret: boolean
  multiline: boolean
}

export interface Provider {
  id: string
  title: string
  sign_in: 'keys' | 'oauth' | 'none'
  available: boolean
  /** The settings of the installation that it lacks. */
  missing: string[]
  message: string | null
  presets: { id: string; title: string; endpoint: string | null }[]
  two_way: boolean
  fields: ProviderField[]
}

export interface Cloud {
  rclone: { available: boolean; version: string | null; message: string | null }
  providers: Provider[]
}

export interface SyncOptions {
  direction: 'from_provider' | 'two_way'
  /** What happens here to files that vanish at the provider. */
  deletions: 'keep' | 'trash' | 'unmap'
  include: string[]
  exclude: string[]
  max_bytes: number
  /** null: by hand. */
  frequency_hours: number | null
  packs_from_subfolders: boolean
  auto_map: boolean
  names: 'filename' | 'path'
  notify: boolean
  /** null: unlimited. */
  bytes_per_second: number | null
}

export type PreviewReason = 'requested' | 'first_sync' | 'deletions' | 'uploads'

export interface Sync {
  operation_id: string
  status: OperationStatus
  started_at: string
  finished_at: string | null
  preview_reason: PreviewReason | null
  listed: number
  added: number
  changed: number
  renamed: number
  removed: number
  uploaded: number
  conflicts: number
  /** Left out by patterns or size. */
  ignored: number
  failed: number
  bytes: number
  error: { code: string; message: string } | null
}

export interface Connection extends SyncOptions {
  id: string
  name: string
  provider: string
  provider_title: string
  state: 'unauthorized' | 'ready' | 'failing'
  error: { code: string; message: string } | null
  settings: Record<string, string | null>
  files: number
  bytes: number
  next_sync_at: string | null
  created_at: string
  progress: { phase: 'listing' | 'syncing'; listed: number; operation_id: string } | null
  last_sync: Sync | null
}

/** The provider's fields are at the top level, beside the options. */
export type ConnectionInput = Partial<SyncOptions> & {
  name?: string
} & Record<string, unknown>

const KEY = ['connections']

export const useCloud = () =>
  useQuery({
    queryKey: ['cloud'],
    queryFn: ({ signal }) => call<Cloud>('/api/cloud', { signal }),
    staleTime: SLOW_MS,
  })

const isMoving = ({ progress }: Connection): boolean => progress !== null

export const useConnections = () =>
  useQuery({
    queryKey: [...KEY, 'list'],
    queryFn: ({ signal }) => callForAll<Connection>('/api/connections', signal),
    refetchInterval: ({ state }) =>
      refused(state.error) ? false : state.data?.data.some(isMoving) ? LIVE_MS : CALM_MS,
  })

export const useConnection = (id: string) =>
  useQuery({
    queryKey: [...KEY, id],
    queryFn: ({ signal }) => call<Connection>(`/api/connections/${id}`, { signal }),
    refetchInterval: ({ state }) =>
      refused(state.error) ? false : state.data && isMoving(state.data) ? LIVE_MS : CALM_MS,
  })

export const useSyncs = (id: string) =>
  useQuery({
    queryKey: [...KEY, id, 'syncs'],
    queryFn: ({ signal }) =>
      call<Page<Sync>>(`/api/connections/${id}/syncs`, { query: { limit: 20 }, signal }),
    refetchInterval: ({ state }) => (refused(state.error) ? false : CALM_MS),
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

function useConnectionChange<Input, Output>(send: (input: Input) => Promise<Output>) {
  const client = useQueryClient()
  return useMutation<Output, Error, Input>({
    mutationFn: send,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: KEY }),
        client.invalidateQueries({ queryKey: ['operations'] }),
      ]),
  })
}

export const useCreateConnection = () =>
  useConnectionChange<ConnectionInput & { provider: string }, Connection>((body) =>
    call('/api/connections', { method: 'POST', body }),
  )

export const useChangeConnection = (id: string) =>
  useConnectionChange<ConnectionInput, Connection>((body) =>
    call(`/api/connections/${id}`, { method: 'PATCH', body }),
  )

export const useDeleteConnection = () =>
  useConnectionChange<string, void>((id) => call(`/api/connections/${id}`, { method: 'DELETE' }))

export const useSync = () =>
  useConnectionChange<{ id: string; dry_run: boolean }, Operation>(({ id, dry_run }) =>
    call(`/api/connections/${id}/sync`, { method: 'POST', body: { dry_run } }),
  )

/** Gives the address of the provider's own sign-in page. */
export const useAuthorizeUrl = (id: string) =>
  useConnectionChange<void, { url: string }>(() =>
    call(`/api/connections/${id}/authorize`, { method: 'POST' }),
  )

export const useAuthorized = (id: string) =>
  useConnectionChange<{ code: string; state: string }, Connection>((body) =>
    call(`/api/connections/${id}/authorized`, { method: 'POST', body }),
  )
