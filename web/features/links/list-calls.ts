// Existing download links: list them page by page, revoke, extend, reset their counts.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes, type Query, toQuery } from '../../shell/client/client.ts'
import { CALM_MS, isRefusal } from '../../shell/client/queries.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { type DownloadLink, type Page } from '../../shell/client/types.ts'

/** Links of one file, or of one pack. */
export type LinksOf = { file_id: string } | { pack_id: string }

/** A page of the shop's links. */
export const useLinkPage = (query: Query) =>
  useQuery({
    queryKey: ['links', 'page', query],
    queryFn: ({ signal }) => call<Page<DownloadLink>>('/api/links', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : CALM_MS),
  })

export const useLinksOf = (of: LinksOf) =>
  useInfiniteQuery({
    queryKey: ['links', of],
    queryFn: ({ pageParam, signal }) =>
      call<Page<DownloadLink>>('/api/links', {
        query: { ...of, limit: 25, cursor: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })

const useLinkChange = <Input, Output>(send: (input: Input) => Promise<Output>) =>
  useChangeOf([['links'], ['file']], send)

export const useRevokeLinks = () =>
  useLinkChange<readonly string[], { revoked: number }>((link_ids) =>
    call('/api/links/revoke', { method: 'POST', body: { link_ids } }),
  )

/** From now on; null: it never expires. */
export const useExtendLink = () =>
  useLinkChange<{ id: string; expiry_days: number | null }, DownloadLink>(({ id, expiry_days }) =>
    call(`/api/links/${id}/extend`, { method: 'POST', body: { expiry_days } }),
  )

/** Sets its number of downloads to 0. */
export const useResetLink = () =>
  useLinkChange<string, DownloadLink>((id) => call(`/api/links/${id}/reset`, { method: 'POST' }))

export const useCreatePackLink = () =>
  useLinkChange<
    { pack_id: string; expiry_days: number | null; download_limit: number | null; email?: string },
    Page<DownloadLink>
  >((body) => call('/api/links', { method: 'POST', body }))

/** Saves the links that the query selects as CSV. Throws `ApiError`. */
export async function saveLinks(query: Query): Promise<void> {
  saveBytes(await callForBytes(`/api/links/export.csv${toQuery(query)}`), 'download-links.csv')
}
