// Operations: read, followed live, started, and moved (pause, cancel, undo and so on).
import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call, callForBytes, type Query } from '../../shell/client/client.ts'
import { followOperation } from './operation-events.ts'
import {
  CALM_MS,
  LIVE_MS,
  NOTHING_NEW,
  isRefusal,
  SLOW_MS,
  useActivity,
} from '../../shell/client/queries.ts'
import { saveBytes } from '../../shell/client/save.ts'
import {
  type Artifact,
  type Item,
  type ItemStatus,
  type NewOperation,
  type Operation,
  type OperationAction,
  type OperationStatus,
  type Page,
} from '../../shell/client/types.ts'

const MOVING: readonly OperationStatus[] = ['previewing', 'queued', 'running']
const ENDED: readonly OperationStatus[] = ['success', 'partial', 'failed', 'cancelled', 'undone']

export const isMoving = (operation: Pick<Operation, 'status'>): boolean =>
  MOVING.includes(operation.status)
export const hasEnded = (operation: Pick<Operation, 'status'>): boolean =>
  ENDED.includes(operation.status)

export const useOperations = (query: Query, enabled = true) =>
  useQuery({
    enabled,
    queryKey: ['operations', query],
    queryFn: ({ signal }) => call<Page<Operation>>('/api/operations', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      isRefusal(state.error) ? false : state.data?.data.some(isMoving) ? LIVE_MS : CALM_MS,
  })

const SHOWN_RUNNING = 3

/**
 * The first running operations, polled only while there are some. When one begins or all have
 * ended, the lists of files are read again.
 */
export function useRunning(): Operation[] {
  const client = useQueryClient()
  const activity = useActivity()
  const { running, latest_operation } = activity
  const operations = useOperations({ status: 'running', limit: SHOWN_RUNNING }, running)
  const state = activity === NOTHING_NEW ? null : `${running} ${latest_operation}`
  const seen = useRef(state)
  useEffect(() => {
    if (seen.current !== null && seen.current !== state)
      void client.invalidateQueries({ queryKey: ['files'] })
    seen.current = state
  }, [client, state])
  return running ? (operations.data?.data ?? []) : []
}

/**
 * One operation, updated by server-sent events, and polled while no events arrive. null: none yet.
 */
export function useOperation(id: string | null) {
  const live = useLive(id)
  return useQuery({
    queryKey: ['operation', id],
    queryFn: ({ signal }) => call<Operation>(`/api/operations/${id}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state }) =>
      isRefusal(state.error)
        ? false
        : live
          ? SLOW_MS
          : state.data && isMoving(state.data)
            ? LIVE_MS
            : CALM_MS,
  })
}

/**
 * Writes the operation's events into the query cache; returns whether events arrive. An operation
 * that has ended has none.
 */
function useLive(id: string | null): boolean {
  const client = useQueryClient()
  const [live, setLive] = useState(false)
  const { data: going = false } = useQuery({
    queryKey: ['operation', id],
    queryFn: ({ signal }) => call<Operation>(`/api/operations/${id}`, { signal }),
    enabled: id !== null,
    select: (operation) => !hasEnded(operation),
  })
  useEffect(() => {
    if (!going || id === null) return
    const leave = followOperation(id, {
      onLive: setLive,
      onChange: (operation) => remember(client, operation),
    })
    return () => {
      leave()
      setLive(false)
    }
  }, [client, going, id])
  return live
}

/** An older answer must not overwrite a newer event. */
function remember(client: QueryClient, operation: Operation): void {
  void client.cancelQueries({ queryKey: ['operation', operation.id] })
  client.setQueryData(['operation', operation.id], operation)
}

interface ItemList extends Page<Item> {
  /** Items with a warning, regardless of the query; null while the operation runs. */
  warned: number | null
}

/** The filter for waiting items includes items that are being processed. */
const withRunning = (query: Query): Query =>
  query.status === 'pending' ? { ...query, status: 'pending,running' } : query

/**
 * `state`: the operation's state; the items are read again when it changes, the last time at its
 * end.
 */
export const useItems = (id: string, query: Query, state: OperationStatus, live: boolean) =>
  useQuery({
    queryKey: ['items', id, query, state],
    queryFn: ({ signal }) =>
      call<ItemList>(`/api/operations/${id}/items`, { query: withRunning(query), signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: own }) => (isRefusal(own.error) || !live ? false : LIVE_MS),
  })

const PREVIEW_PAGE = 250
const MAX_PREVIEWED = 1000
const PARTS: readonly ItemStatus[] = ['done', 'failed', 'skipped']

/**
 * What a preview found: all its items, or (`whole` false) the first items of each result if there
 * are very many.
 */
export const usePreviewItems = (operation: Operation | null) =>
  useQuery({
    queryKey: ['preview-items', operation?.id],
    queryFn: async ({ signal }) => {
      const { id, total } = operation!
      const read = (query: Query) =>
        call<Page<Item>>(`/api/operations/${id}/items`, { query, signal })
      if (total > MAX_PREVIEWED) {
        const pages = await Promise.all(
          PARTS.map((status) => read({ status, limit: PREVIEW_PAGE })),
        )
        return { whole: false, items: pages.flatMap(({ data }) => data) }
      }
      const items: Item[] = []
      let cursor: string | null = null
      do {
        const page: Page<Item> = await read({ limit: PREVIEW_PAGE, cursor })
        items.push(...page.data)
        cursor = page.next_cursor
      } while (cursor !== null)
      return { whole: true, items }
    },
    enabled: operation !== null,
    staleTime: Infinity,
  })

/**
 * Pauses, resumes, cancels, retries, undoes or confirms. Returns the operation's record; for an
 * undo, the new operation's.
 */
export function useAct() {
  const client = useQueryClient()
  return useMutation<Operation, Error, { id: string; action: OperationAction }>({
    mutationFn: ({ id, action }) => call(`/api/operations/${id}/${action}`, { method: 'POST' }),
    onSuccess: async (operation, { id }) => {
      remember(client, operation)
      await Promise.all([
        ...(operation.id === id ? [] : [client.invalidateQueries({ queryKey: ['operation', id] })]),
        client.invalidateQueries({ queryKey: ['operations'] }),
        // A connection shows the state of its sync.
        client.invalidateQueries({ queryKey: ['connections'] }),
      ])
    },
    // The move was no longer possible: read again what is possible now.
    onError: (_error, { id }) => client.invalidateQueries({ queryKey: ['operation', id] }),
  })
}

export function useStartOperation() {
  const client = useQueryClient()
  return useMutation<Operation, Error, NewOperation>({
    mutationFn: (work) => call<Operation>('/api/operations', { method: 'POST', body: work }),
    onSuccess: async (operation) => {
      remember(client, operation)
      await client.invalidateQueries({ queryKey: ['operations'] })
    },
  })
}

/** Saves an operation's document on the merchant's computer. Throws `ApiError`. */
export async function saveArtifact({ url, filename }: Artifact): Promise<void> {
  saveBytes(await callForBytes(url), filename)
}

/** Saves the log of every file's result on the merchant's computer. Throws `ApiError`. */
export async function saveLog(id: string, format: 'csv' | 'json'): Promise<void> {
  saveBytes(await callForBytes(`/api/operations/${id}/log.${format}`), `${id}.${format}`)
}
