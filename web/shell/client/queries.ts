// The queries that pages of several features use: all data that changes on the server is polled,
// faster while something runs.
import { MutationCache, QueryClient, useQuery } from '@tanstack/react-query'
import { useChangeOf } from './change.ts'
import { call, callForBytes } from './client.ts'
import { pathOf, type Query } from './endpoints.ts'
import { ApiError, isAdminSilent, waitOf } from './error.ts'
import { BUSY_MS, SLOW_MS } from './polling.ts'
import { useRead, useReadPages } from './reads.ts'
import { type Activity, type DownloadLink, type Schemas, type Selection } from './types.ts'

/** How often running operations are looked up while nothing runs, for the frame and the list of files. */
const IDLE_ACTIVITY_MS = 20_000
const IDLE_FILES_MS = 60_000

/** A person waits so long for a page that the server asks to request later; after that, it is said. */
const SHORT_WAIT_MS = 5000

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
        retry: (failures, error) =>
          failures < 2 &&
          error instanceof ApiError &&
          error.passing &&
          !isAdminSilent(error) &&
          waitOf(error) <= SHORT_WAIT_MS,
        retryDelay: (failures, error) => Math.max(400 * 2 ** failures, waitOf(error)),
      },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}

export const useSession = () => useRead('GET /api/session', { staleTime: Infinity })

export const useFiles = (query: Query, live: boolean, enabled = true) =>
  useRead('GET /api/files', {
    query,
    enabled,
    keep: true,
    poll: live ? BUSY_MS : IDLE_FILES_MS,
  })

/** What deleting these files would affect. null: none are selected yet. */
export const useFilesImpact = (select: Selection | null) =>
  useRead('POST /api/files/impact', {
    body: select && { select },
    key: ['files', 'impact', select],
    keep: true,
  })

const fileKey = (id: string) => ['file', id]

/** Packs as a list shows them, page by page. */
export const usePacks = (query: Query) =>
  useRead('GET /api/packs', { query, keep: true, poll: SLOW_MS })

export const useFile = (id: string) =>
  useRead('GET /api/files/{id}', { path: { id }, key: fileKey(id) })

/** The file's bytes, for its thumbnail. */
export const useFileBytes = (id: string, version: number, enabled: boolean) =>
  useQuery({
    queryKey: ['bytes', id, version],
    queryFn: ({ signal }) =>
      callForBytes(pathOf('GET /api/files/{id}/content', { path: { id } }), signal),
    enabled,
    staleTime: Infinity,
  })

/**
 * A small picture of a file. It fails if there is none, then an icon is shown; while it is being
 * made, it is asked for again.
 */
export const useFilePreview = (id: string, version: number, enabled: boolean) =>
  useQuery({
    queryKey: ['preview', id, version],
    queryFn: ({ signal }) =>
      callForBytes(pathOf('GET /api/files/{id}/preview', { path: { id } }), signal),
    enabled,
    retry: (failures, error) =>
      failures < 6 && error instanceof ApiError && (error.passing || error.code === 'being_made'),
    retryDelay: (failures) => 1500 * 1.6 ** failures,
    staleTime: Infinity,
  })

export const useTags = () => useRead('GET /api/tags', { query: { limit: 100 }, staleTime: SLOW_MS })

export type NewLink = Pick<
  Schemas['LinksRequest'],
  'expiry_days' | 'download_limit' | 'view_limit' | 'view_days' | 'email' | 'ask_for' | 'password'
>

/** The link to one file or pack. Only links of many files are created by an operation. */
export async function createLink(
  body: NewLink & ({ file_ids: [string] } | { pack_id: string }),
): Promise<DownloadLink | undefined> {
  const answer = await call('POST /api/links', { body })
  return 'data' in answer ? answer.data[0] : undefined
}

/** Creates links; the file's page then shows them. */
export const useCreateLink = (fileId: string) =>
  useChangeOf([['links'], fileKey(fileId)], (link: NewLink) =>
    createLink({ file_ids: [fileId], ...link }),
  )

export const useNotices = () =>
  useReadPages('GET /api/notices', { query: { limit: 25 }, poll: SLOW_MS })

/** What is new on the server: the only query that an open page polls while nothing runs. */
export const useActivity = (): Activity =>
  useRead('GET /api/activity', {
    poll: (activity) => (activity?.running ? BUSY_MS : IDLE_ACTIVITY_MS),
  }).data ?? NOTHING_NEW

/** Assumed until the first answer. */
export const NOTHING_NEW: Activity = {
  unread: 0,
  reviews: 0,
  running: false,
  latest_operation: null,
}

export const useReadNotices = () =>
  useChangeOf([['notices']], (body: { ids: string[] } | { all: true }) =>
    call('POST /api/notices/read', { body }),
  )
