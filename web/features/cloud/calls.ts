// Cloud connections: the providers of this installation, the connections, their folders and syncs.
import { connectionName } from '../../shell/messages/connection-name.ts'
import { mapTexts } from '../../shell/messages/map-texts.ts'
import { translated } from '../../shell/messages/t.ts'
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { LIVE_MS, SLOW_MS, CALM_MS } from '../../shell/client/polling.ts'
import { useRead, useReadAll, useReadPages } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

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
export type PreviewReason = NonNullable<Sync['preview_reason']>

/** The fields of the provider come from a form that the server describes. */
export type ConnectionInput = Partial<SyncOptions> & { name?: string } & Record<string, unknown>

const cloudInLanguage = (cloud: Cloud): Cloud => ({
  ...cloud,
  providers: mapTexts(cloud.providers, translated),
})

export const useCloud = () =>
  useRead('GET /api/cloud', { select: cloudInLanguage, staleTime: SLOW_MS })

const inLanguage = (connection: Connection): Connection => ({
  ...connection,
  name: connectionName(connection.name),
  provider_title: translated(connection.provider_title),
})

const listInLanguage = <List extends { data: Connection[] }>(list: List): List => ({
  ...list,
  data: list.data.map(inLanguage),
})

const isMoving = ({ progress }: Connection): boolean => progress !== null

export const useConnections = () =>
  useReadAll('GET /api/connections', {
    select: listInLanguage,
    poll: (connections) => (connections?.data.some(isMoving) ? LIVE_MS : CALM_MS),
  })

export const useConnection = (id: string | null) =>
  useRead('GET /api/connections/{id}', {
    path: { id },
    select: inLanguage,
    poll: (connection) => (connection && isMoving(connection) ? LIVE_MS : CALM_MS),
  })

export const useSyncs = (id: string) =>
  useRead('GET /api/connections/{id}/syncs', {
    path: { id },
    query: { limit: 20 },
    poll: CALM_MS,
  })

/** The files at the provider that cannot be imported, page by page. */
export const useRejections = (id: string) =>
  useReadPages('GET /api/connections/{id}/rejections', {
    path: { id },
    query: { limit: 20 },
    poll: CALM_MS,
  })

/** The folders directly in `path`, read from the provider. */
export const useFolders = (id: string, path: string) =>
  useRead('GET /api/connections/{id}/folders', {
    path: { id },
    query: { path },
    staleTime: SLOW_MS,
    retry: false,
  })

/** A change of a connection can start an operation. */
const KEYS = [['connections'], ['operations']]

export const useCreateConnection = () =>
  useChangeOf(KEYS, (body: ConnectionInput & { provider: string }) =>
    call('POST /api/connections', { body: body as Schemas['ConnectionRequest'] }),
  )

export const useChangeConnection = (id: string, known: KnownTag) =>
  useChangeOf(KEYS, (body: ConnectionInput) =>
    edit(
      'PATCH /api/connections/{id}',
      { path: { id }, body: body as Schemas['ConnectionChange'] },
      known,
    ),
  )

export const useDeleteConnection = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/connections/{id}', { path: { id } }))

export const useSync = () =>
  useChangeOf(KEYS, ({ id, ...body }: { id: string; dry_run: boolean; retry_rejected?: boolean }) =>
    call('POST /api/connections/{id}/sync', { path: { id }, body }),
  )

/** Returns the address of the provider's own sign-in page. */
export const useAuthorizeUrl = (id: string) =>
  useChangeOf(KEYS, (_: void) => call('POST /api/connections/{id}/authorize', { path: { id } }))

export const useAuthorized = (id: string) =>
  useChangeOf(KEYS, (body: { code: string; state: string }) =>
    call('POST /api/connections/{id}/authorized', { path: { id }, body }),
  )
