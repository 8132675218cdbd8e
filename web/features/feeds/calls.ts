// Feeds: tables at addresses that are imported again and again, their runs and what those found.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { CALM_MS, LIVE_MS } from '../../shell/client/polling.ts'
import { useRead, useReadAll, useReadPages } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'

export type Feed = Schemas['Feed']
export type FeedRun = Schemas['FeedRun']
export type FeedTable = Schemas['FeedTable']
export type FeedRowChange = Schemas['FeedRowChange']
export type FeedRequest = Schemas['FeedRequest']
export type FeedChange = Schemas['FeedChange']

export const isMoving = ({ last_run }: Feed): boolean =>
  last_run?.status === 'reading' || last_run?.status === 'running'

export const useFeeds = () =>
  useReadAll('GET /api/feeds', {
    poll: (feeds) => (feeds?.data.some(isMoving) ? LIVE_MS : CALM_MS),
  })

export const useFeed = (id: string) =>
  useRead('GET /api/feeds/{id}', {
    path: { id },
    poll: (feed) => (feed && isMoving(feed) ? LIVE_MS : CALM_MS),
  })

export const useFeedRuns = (id: string) =>
  useRead('GET /api/feeds/{id}/runs', { path: { id }, query: { limit: 20 }, poll: CALM_MS })

/** What a run found, row by row, page by page. */
export const useFeedChanges = (id: string, run: string) =>
  useReadPages('GET /api/feeds/{id}/runs/{run}/changes', {
    path: { id, run },
    query: { limit: 20 },
  })

const KEYS = [['feeds'], ['operations']]

export const useReadTable = () =>
  useChangeOf([], (body: Schemas['FeedTableRequest']) => call('POST /api/feeds/table', { body }))

export const useCreateFeed = () =>
  useChangeOf(KEYS, (body: FeedRequest) => call('POST /api/feeds', { body }))

export const useChangeFeed = (id: string, known: KnownTag) =>
  useChangeOf(KEYS, (body: FeedChange) =>
    edit('PATCH /api/feeds/{id}', { path: { id }, body }, known),
  )

export const useDeleteFeed = () =>
  useChangeOf(KEYS, (id: string) => call('DELETE /api/feeds/{id}', { path: { id } }))

export const useRunFeed = () =>
  useChangeOf(KEYS, ({ id, dry_run }: { id: string; dry_run: boolean }) =>
    call('POST /api/feeds/{id}/run', { path: { id }, body: { dry_run } }),
  )
