// The page of an uploaded table that is kept for a day: loading, its problem, or that it has expired.
import { type UseQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { isMissing } from '../client/error.ts'
import { BlockStack, Card } from '../ui/index.ts'
import { LoadingRows } from './lists.tsx'
import { LoadProblem } from './load-problem.tsx'
import { MissingPage, type MissingPageProps } from './missing-page.tsx'
import { Page } from './page.tsx'

interface Props<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'isFetching'>
  title: string
  back: { content: string; url: string }
  /** Shown if the table is no longer kept; the action leads to `back`. */
  expired: Pick<MissingPageProps, 'title' | 'heading' | 'action' | 'hint'>
  /** `the CSV file` */
  what: string
  /** `The CSV file could not be loaded` */
  problem: string
  children: (data: Data) => ReactNode
}

export function KeptPage<Data>(props: Props<Data>) {
  const { query, title, back, expired, what, problem, children } = props
  const { data, error } = query
  if (isMissing(error)) return <MissingPage {...expired} back={back} />
  return (
    <Page title={title} backAction={back}>
      <BlockStack gap="400">
        <LoadProblem query={query} what={problem} />
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
