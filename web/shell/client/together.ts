// Several queries that a page needs, as one.

/** What shows whether something is loaded, and loads it again. */
export interface LoadedQuery {
  error: Error | null
  data: unknown
  isFetching: boolean
  refetch: () => Promise<unknown>
}

/** `loaded`: all have data. The error is that of a query without data. */
export const together = (queries: readonly LoadedQuery[]) => ({
  loaded: queries.every(({ data }) => data !== undefined),
  data: undefined,
  error: queries.find(({ data, error }) => data === undefined && error)?.error ?? null,
  isFetching: queries.some(({ isFetching }) => isFetching),
  refetch: () => Promise.all(queries.filter(({ error }) => error).map((query) => query.refetch())),
})
