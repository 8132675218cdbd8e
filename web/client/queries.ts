// What the pages read and how often it is read again: all that moves by itself is polled, faster while something runs.
import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { call, callForBytes, type Query } from './client.ts'
import { ApiError } from './error.ts'
import {
  type DownloadLink,
  type FileDetail,
  type FileList,
  type FilesImpact,
  type NewLink,
  type NoticeList,
  type Page,
  type Selection,
  type Session,
  type TagCount,
} from './types.ts'

/** How often what moves by itself is read again: while it runs, while it might, and what seldom changes. */
export const LIVE_MS = 1000
export const CALM_MS = 5000
export const SLOW_MS = 15_000

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The page says when the server can't be reached, whatever the browser believes of its own network.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always' },
    },
  })

/** There is no sense in asking again by itself. */
export const refused = (error: Error | null) => error instanceof ApiError && !error.passing

export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => call<Session>('/api/session', { signal }),
    staleTime: Infinity,
  })

export const useFiles = (query: Query, live: boolean, enabled = true) =>
  useQuery({
    enabled,
    queryKey: ['files', query],
    queryFn: ({ signal }) => call<FileList>('/api/files', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (refused(state.error) ? false : live ? CALM_MS / 2 : SLOW_MS),
  })

/** What taking these files away would touch. null: nothing is meant yet. */
export const useFilesImpact = (select: Selection | null) =>
  useQuery({
    queryKey: ['files', 'impact', select],
    queryFn: ({ signal }) => call<FilesImpact>('/api/files/impact', { method: 'POST', body: { select }, signal }),
    enabled: select !== null,
    placeholderData: keepPreviousData,
  })

const fileQuery = (id: string) =>
  queryOptions({ queryKey: ['file', id], queryFn: ({ signal }) => call<FileDetail>(`/api/files/${id}`, { signal }) })

export const useFile = (id: string) => useQuery(fileQuery(id))

/** The file's bytes, for a small picture of it. */
export const useFileBytes = (id: string, version: number, enabled: boolean) =>
  useQuery({
    queryKey: ['bytes', id, version],
    queryFn: ({ signal }) => callForBytes(`/api/files/${id}/content`, signal),
    enabled,
    staleTime: Infinity,
  })

export const useTags = () =>
  useQuery({
    queryKey: ['tags'],
    queryFn: ({ signal }) => call<{ data: TagCount[] }>('/api/tags', { query: { limit: 100 }, signal }),
    staleTime: SLOW_MS,
  })

/** Makes links; the file's page then shows them. */
export function useCreateLink(fileId: string) {
  const client = useQueryClient()
  return useMutation<Page<DownloadLink>, Error, Omit<NewLink, 'file_ids'>>({
    mutationFn: (link) => call('/api/links', { method: 'POST', body: { file_ids: [fileId], ...link } }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['links'] }),
        client.invalidateQueries({ queryKey: ['file', fileId] }),
      ])
    },
  })
}

export const useNotices = () =>
  useInfiniteQuery({
    queryKey: ['notices', 'list'],
    queryFn: ({ pageParam, signal }) =>
      call<NoticeList>('/api/notices', { query: { limit: 25, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: SLOW_MS,
  })

/** How many notices wait to be read. */
export function useUnread(): number {
  const { data } = useQuery({
    queryKey: ['notices', 'unread'],
    queryFn: ({ signal }) => call<NoticeList>('/api/notices', { query: { limit: 1 }, signal }),
    refetchInterval: CALM_MS,
  })
  return data?.unread ?? 0
}

export function useReadNotices() {
  const client = useQueryClient()
  return useMutation<{ unread: number }, Error, { ids: string[] } | { all: true }>({
    mutationFn: (which) => call('/api/notices/read', { method: 'POST', body: which }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['notices'] }),
  })
}
