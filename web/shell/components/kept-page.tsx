// The page of an uploaded table that is kept for a day: loading, its problem, or that it has expired.
import { type UseQueryResult } from '@tanstack/react-query'
import { type ReactNode } from 'react'
import { isMissing } from '../client/error.ts'
import { BlockStack } from '../ui/index.ts'
import { LoadProblem } from './load-problem.tsx'
import { type MissingPageProps } from './missing-page.tsx'
import { Page } from './page.tsx'
import { UnloadedPage } from './unloaded-page.tsx'

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
  if (data === undefined || isMissing(error))
    return (
      <UnloadedPage
        query={query}
        title={title}
        back={back}
        what={what}
        problem={problem}
        missing={expired}
      />
    )
  return (
    <Page title={title} backAction={back}>
      <BlockStack gap="400">
        <LoadProblem query={query} what={problem} />
        {children(data)}
      </BlockStack>
    </Page>
  )
}
