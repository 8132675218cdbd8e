// The page of an uploaded table that is kept for a day: loading, its problem, or that it has expired.
import { type UseQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { ApiError } from '../client/error.ts'
import { BlockStack, Card } from '../ui/index.ts'
import { LoadingRows, Nothing } from './lists.tsx'
import { Page } from './page.tsx'
import { Problem } from './problem.tsx'

interface Props<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'isFetching'>
  title: string
  back: { content: string; url: string }
  /** Shown if the table is no longer kept; the action leads to `back`. */
  expired: { title: string; heading: string; action: string; text: string }
  /** `the CSV file` */
  what: string
  /** `The CSV file could not be loaded` */
  problem: string
  children: (data: Data) => ReactNode
}

export function KeptPage<Data>(props: Props<Data>) {
  const { query, title, back, expired, what, problem, children } = props
  const { data, error, refetch, isFetching } = query
  if (error instanceof ApiError && error.status === 404)
    return (
      <Page title={expired.title} backAction={back}>
        <Card>
          <Nothing
            why="unmatched"
            heading={expired.heading}
            action={{ content: expired.action, url: back.url }}
          >
            {expired.text}
          </Nothing>
        </Card>
      </Page>
    )
  return (
    <Page title={title} backAction={back}>
      <BlockStack gap="400">
        {error && (
          <Problem
            error={error}
            stale={data !== undefined}
            what={problem}
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        )}
        {data !== undefined
          ? children(data)
          : !error && (
              <Card padding="0">
                <LoadingRows rows={5} what={what} />
              </Card>
            )}
      </BlockStack>
    </Page>
  )
}
