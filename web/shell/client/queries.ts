// The pages' queries and their polling intervals: all data that changes on the server is polled,
// faster while something runs. A hidden page polls nothing, because React Query stops its intervals
// there.
import {
  keepPreviousData,
  MutationCache,
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
  type Activity,
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

/** Polling intervals: while work runs, while work may start, and for data that rarely changes. */
export const LIVE_MS = 1000
export const CALM_MS = 5000
export const SLOW_MS = 15_000
/** While nothing runs: for the page's frame and the list of files. */
const IDLE_ACTIVITY_MS = 20_000
const IDLE_FILES_MS = 60_000

const ACTIVITY = ['activity']

export const createQueryClient = (): QueryClient => {
  const client: QueryClient = new QueryClient({
    // Every change may have changed the counts or started an operation.
    mutationCache: new MutationCache({
      onSettled: () => void client.invalidateQueries({ queryKey: ACTIVITY }),
    }),
    defaultOptions: {
      queries: {
        // The page itself reports that the server cannot be reached: the browser's own state may be
        // wrong.
        networkMode: 'always',
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.passing,
        retryDelay: (failures) => 400 * 2 ** failures,
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

/** The same request would be refused again. */
export const isRefusal = (error: Error | null) => error instanceof ApiError && !error.passing

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
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : live ? CALM_MS / 2 : IDLE_FILES_MS,
  })

/** What deleting these files would affect. null: none are selected yet. */
export const useFilesImpact = (select: Selection | null) =>
  useQuery({
    queryKey: ['files', 'impact', select],
    queryFn: ({ signal }) =>
      call<FilesImpact>('/api/files/impact', { method: 'POST', body: { select }, signal }),
    enabled: select !== null,
    placeholderData: keepPreviousData,
  })

const fileQuery = (id: string) =>
  queryOptions({
    queryKey: ['file', id],
    queryFn: ({ signal }) => call<FileDetail>(`/api/files/${id}`, { signal }),
  })

export const useFile = (id: string) => useQuery(fileQuery(id))

/** The file's bytes, for its thumbnail. */
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
    queryFn: ({ signal }) =>
      call<{ data: TagCount[] }>('/api/tags', { query: { limit: 100 }, signal }),
    staleTime: SLOW_MS,
  })

/** Creates links; the file's page then shows them. */
export function useCreateLink(fileId: string) {
  const client = useQueryClient()
  return useMutation<Page<DownloadLink>, Error, Omit<NewLink, 'file_ids'>>({
    mutationFn: (link) =>
      call('/api/links', { method: 'POST', body: { file_ids: [fileId], ...link } }),
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

/** What is new on the server: the only query that an open page polls while nothing runs. */
export const useActivity = (): Activity =>
  useQuery({
    queryKey: ACTIVITY,
    queryFn: ({ signal }) => call<Activity>('/api/activity', { signal }),
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data?.running ? CALM_MS : IDLE_ACTIVITY_MS,
  }).data ?? NOTHING_NEW

/** Assumed until the first answer. */
export const NOTHING_NEW: Activity = {
  unread: 0,
  reviews: 0,
  running: false,
  latest_operation: null,
}

export function useReadNotices() {
  const client = useQueryClient()
  return useMutation<{ unread: number }, Error, { ids: string[] } | { all: true }>({
    mutationFn: (which) => call('/api/notices/read', { method: 'POST', body: which }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['notices'] }),
  })
}
