// Packs: types and calls. A pack's files are read like any other list of files.
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, type Query } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { findByWidget, pluginsQuery } from '../../shell/client/plugins.ts'
import { CALM_MS, isRefusal, SLOW_MS } from '../../shell/client/queries.ts'
import { type FileList, type Operation, type Page, type Schemas } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'

export type Pack = Schemas['Pack']
export type PackProduct = Pack['products'][number]

export type ProductChoice = Pick<PackProduct, 'product_id' | 'variant_id'>

const KEY = ['packs']

export const usePacks = (query: Query) =>
  useQuery({
    queryKey: [...KEY, 'list', query],
    queryFn: ({ signal }) => call<Page<Pack>>('/api/packs', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : SLOW_MS),
  })

export const usePack = (id: string | null) =>
  useQuery({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => call<Pack>(`/api/packs/${id}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

const FILES_PAGE = 100

/** In the pack's order, page by page. */
export const usePackFiles = (id: string) =>
  useInfiniteQuery({
    queryKey: [...KEY, 'files', id],
    queryFn: ({ pageParam, signal }) =>
      call<FileList>('/api/files', {
        query: { pack: id, sort: 'pack_position', limit: FILES_PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

const useChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([KEY, ['files']], send)

export const useCreatePack = () =>
  useChange<{ name: string; products: ProductChoice[] }, Pack>((body) =>
    call('/api/packs', { method: 'POST', body }),
  )

/** `job_id`: the operation that updates its files' products. */
export const useChangePack = (id: string, known: KnownTag) =>
  useChange<{ name?: string; products?: ProductChoice[] }, Pack & { job_id: string | null }>(
    (body) => edit(`/api/packs/${id}`, 'PATCH', body, known),
  )

export const useDeletePack = () =>
  useChange<string, void>((id) => call(`/api/packs/${id}`, { method: 'DELETE' }))

/** Files that are not listed stay after these. */
export const useOrderPack = (id: string) =>
  useChange<readonly string[], Pack>((file_ids) =>
    call(`/api/packs/${id}/order`, { method: 'PUT', body: { file_ids } }),
  )

/** Removes the file from its pack; it stays among the shop's files. */
export function useTakeOut() {
  const client = useQueryClient()
  return useChange<readonly string[], Operation>(async (file_ids) => {
    const { data } = await client.fetchQuery(pluginsQuery)
    const found = findByWidget(data, 'pack')
    if (!found) throw new Error(t('This installation has no plugin that moves files between packs'))
    const body = { action: found.plugin.id, select: { file_ids }, options: { out: true } }
    return call('/api/operations', { method: 'POST', body })
  })
}
