// Operations: read, followed live, started, and moved (pause, cancel, undo and so on).
import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useChangeOf } from '../../shell/client/change.ts'
import { call, callForBytes } from '../../shell/client/client.ts'
import type { Query } from '../../shell/client/endpoints.ts'
import { CALM_MS, LIVE_MS, SLOW_MS } from '../../shell/client/polling.ts'
import { useRead } from '../../shell/client/reads.ts'
import { saveBytes } from '../../shell/client/save.ts'
import type {
  Artifact,
  Item,
  ItemStatus,
  NewOperation,
  Operation,
  OperationAction,
  OperationStatus,
  Schemas,
} from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'
import { followEvents } from '../../shell/client/events.ts'
import { hasEnded, isMoving, useOperations } from './running-calls.ts'

export { hasEnded, isMoving, useOperations }

export type Mails = Schemas['OperationMails']
type RetryChoice = Schemas['RetryRequest']

/** How many of its emails were sent. */
export const useOperationMails = (id: string) =>
  useRead('GET /api/operations/{id}/mails', {
    path: { id },
    poll: (mails) =>
      mails !== undefined && mails.waiting > 0 && mails.ends_at === null ? LIVE_MS : CALM_MS,
  })

const keyOfOne = (id: string | null) => ['operation', id]

/**
 * One operation, updated by server-sent events, and polled while no events arrive. null: none yet.
 */
export function useOperation(id: string | null) {
  const live = useLive(id)
  return useRead('GET /api/operations/{id}', {
    path: { id },
    key: keyOfOne(id),
    poll: (operation) => (live ? SLOW_MS : operation && isMoving(operation) ? LIVE_MS : CALM_MS),
  })
}

/**
 * Writes the operation's events into the query cache; returns whether events arrive. An operation
 * that has ended has none.
 */
function useLive(id: string | null): boolean {
  const client = useQueryClient()
  const [live, setLive] = useState(false)
  const { data: going = false } = useRead('GET /api/operations/{id}', {
    path: { id },
    key: keyOfOne(id),
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
  showAnswer(client, keyOfOne(operation.id), operation)
}

/** The filter for waiting items includes items that are being processed. */
const withRunning = (query: Query): Query =>
  query.status === 'pending' ? { ...query, status: 'pending,running' } : query

/**
 * `state`: the operation's state; the items are read again when it changes, the last time at its
 * end.
 */
export const useItems = (id: string, query: Query, state: OperationStatus, live: boolean) =>
  useRead('GET /api/operations/{id}/items', {
    path: { id },
    query: withRunning(query),
    key: ['items', id, query, state],
    keep: true,
    poll: live && LIVE_MS,
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
    queryFn: operation ? ({ signal }) => readPreview(operation, signal) : skipToken,
    staleTime: Infinity,
  })

async function readPreview({ id, total }: Operation, signal: AbortSignal) {
  const read = (query: { status?: ItemStatus; cursor?: string | null }) =>
    call('GET /api/operations/{id}/items', {
      path: { id },
      query: { ...query, limit: PREVIEW_PAGE },
      signal,
    })
  if (total > MAX_PREVIEWED) {
    const pages = await Promise.all(PARTS.map((status) => read({ status })))
    return { whole: false, items: pages.flatMap(({ data }) => data) }
  }
  const items: Item[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await read({ cursor })
    items.push(...page.data)
    cursor = page.next_cursor
  }
  return { whole: true, items }
}

/**
 * Pauses, resumes, cancels, retries, undoes or confirms. Returns the operation's record; for an
 * undo, the new operation's.
 */
export const useAct = () =>
  useChangeOf(
    ({ id }, operation) => [
      // The answer is shown already, unless the move was no longer possible.
      ...(operation?.id === id ? [] : [keyOfOne(id)]),
      ['operations'],
      // A connection shows the state of its sync.
      ['connections'],
    ],
    ({ id, action, retry = {} }: { id: string; action: OperationAction; retry?: RetryChoice }) =>
      action === 'retry'
        ? call('POST /api/operations/{id}/retry', { path: { id }, body: retry })
        : call(`POST /api/operations/{id}/${action}`, { path: { id } }),
    { show: remember },
  )

/** Starts the next part of its workflow before the wait is over. */
export const useContinue = () =>
  useChangeOf(
    ({ id }) => [keyOfOne(id), ['operations'], ['workflows']],
    ({ id }: { id: string }) => call('POST /api/operations/{id}/continue', { path: { id } }),
    { show: remember },
  )

/** Approves or rejects what a run asks. */
export const useAnswer = () =>
  useChangeOf(
    [['operations'], ['workflows'], ['home']],
    ({ id, answer }: { id: string; answer: 'approve' | 'reject' }) =>
      call('POST /api/operations/{id}/answer', { path: { id }, body: { answer } }),
    { show: remember },
  )

/** Ends the wait: the next part does not start. */
export const useEndWait = () =>
  useChangeOf(
    ({ id }) => [keyOfOne(id), ['operations'], ['workflows']],
    ({ id }: { id: string }) => call('DELETE /api/operations/{id}/wait', { path: { id } }),
  )

/** Cancels the later tries of an operation's failed files. */
export const useCancelAgain = () =>
  useChangeOf(
    ({ id }) => [keyOfOne(id), ['operations'], ['workflows']],
    ({ id }: { id: string }) => call('DELETE /api/operations/{id}/again', { path: { id } }),
  )

/** What a retry of the operation could run; nothing is read while it cannot be retried. */
export const useRetryPlan = ({ id, actions }: Operation) =>
  useRead('GET /api/operations/{id}/retry', {
    path: { id },
    enabled: actions.includes('retry'),
    // It is mended on another page, or in another tab.
    staleTime: 0,
  })

export const useStartOperation = () =>
  useChangeOf([['operations']], (body: NewOperation) => call('POST /api/operations', { body }), {
    show: remember,
  })

/** Saves an operation's document on the merchant's computer. Throws `ApiError`. */
export async function saveArtifact({ url, filename }: Artifact): Promise<void> {
  saveBytes(await callForBytes(url), filename)
}

/** Saves the log of every file's result on the merchant's computer. Throws `ApiError`. */
export async function saveLog(id: string, format: 'csv' | 'json'): Promise<void> {
  saveBytes(await callForBytes(`/api/operations/${id}/log.${format}`), `${id}.${format}`)
}

// The events of operations: one stream for each operation, for all places that show it. A browser
// opens six connections to a server without HTTP/2. Streams stay open, so a page that opened one
// for each of many operations could send no other request. Further operations are polled.

export interface Follower {
  /** Whether events arrive. */
  onLive(live: boolean): void
  onChange(operation: Operation): void
}

interface Stream {
  followers: Set<Follower>
  live: boolean
  end(): void
}

const MAX_STREAMS = 3
const streams = new Map<string, Stream>()

/** Calls the follower until the returned function is called; never, if it must be polled. */
function followOperation(id: string, follower: Follower): () => void {
  const stream = streams.get(id) ?? open(id)
  if (!stream) return () => {}
  stream.followers.add(follower)
  if (stream.live) follower.onLive(true)
  return () => {
    stream.followers.delete(follower)
    if (stream.followers.size === 0) stream.end()
  }
}

function open(id: string): Stream | null {
  if (streams.size >= MAX_STREAMS) return null
  const leaving = new AbortController()
  const stream: Stream = {
    followers: new Set(),
    live: false,
    end: () => {
      leaving.abort()
      streams.delete(id)
    },
  }
  streams.set(id, stream)
  const each = (call: (follower: Follower) => void) => {
    if (!leaving.signal.aborted) stream.followers.forEach(call)
  }
  void followEvents(`/api/operations/${id}/events`, {
    last: 'end',
    signal: leaving.signal,
    onLive: (live) => {
      stream.live = live
      each((follower) => follower.onLive(live))
    },
    onEvent: ({ data }) => {
      const operation = JSON.parse(data) as Operation
      each((follower) => follower.onChange(operation))
    },
  })
  return stream
}
