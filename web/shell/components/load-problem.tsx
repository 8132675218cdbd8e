// The error of a query, with a button to retry it; nothing if it has none.
import { type LoadedQuery } from '../client/together.ts'
import { Problem } from './problem.tsx'

interface Props {
  query: LoadedQuery
  /** What failed: "The files could not be loaded". */
  what: string
}

export function LoadProblem({ query: { error, data, isFetching, refetch }, what }: Props) {
  if (!error) return null
  return (
    <Problem
      stale={data !== undefined}
      error={error}
      what={what}
      onRetry={() => void refetch()}
      retrying={isFetching}
    />
  )
}
