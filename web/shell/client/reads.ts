// What the pages read from the API: one hook for every endpoint. Its key follows from the path, so
// that a change of `/api/drop` can read again everything below it.
import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { callAny } from './client.ts'
import { type Answer, type AnyParams, type Endpoint, pathOf, type ReadParams } from './endpoints.ts'
import { intervalOf, type Polling } from './polling.ts'

interface ReadOptions<Read, Data> extends Pick<
  UseQueryOptions<Read, Error, Data>,
  'staleTime' | 'gcTime' | 'select' | 'retry' | 'refetchOnWindowFocus'
> {
  enabled?: boolean
  /** The time between reads, which grows while nothing changes, and after a refusal. */
  poll?: Polling<Read>
  /** Shows the last answer until the next one arrives. */
  keep?: boolean
  /** Values whose change makes the answer another one. */
  dependsOn?: readonly unknown[]
  /** Replaces the key: a change of the list then does not read this again. */
  key?: readonly unknown[]
}

type Options<E extends Endpoint, Data> = ReadParams<E> & ReadOptions<Answer<E>, Data>

/**
 * The key of what an endpoint answers: `['files', 'file_1', 'versions']`. The answer to a POST is
 * about its body: a change of the list at the same path does not read it again.
 */
export const keyOf = (endpoint: Endpoint, params: AnyParams = {}): unknown[] => [
  ...(endpoint.startsWith('POST') ? [endpoint] : pathOf(endpoint, params).split('/').slice(2)),
  ...[params.query, params.body].filter((part) => part !== undefined),
]

/** What the endpoint answers. Nothing is read while a value of the path or the body is null. */
export function useRead<E extends Endpoint, Data = Answer<E>>(
  endpoint: E,
  ...[options]: object extends ReadParams<E> ? [Options<E, Data>?] : [Options<E, Data>]
) {
  const { path, query, body, ...rest }: AnyParams & ReadOptions<Answer<E>, Data> = options ?? {}
  const { poll = false, keep = false, dependsOn = [], key, enabled = true, ...own } = rest
  const params = { path, query, body }
  return useQuery<Answer<E>, Error, Data>({
    ...own,
    queryKey: key ?? [...keyOf(endpoint, params), ...dependsOn],
    queryFn: ({ signal }) =>
      callAny(endpoint, { ...params, signal, reads: true }) as Promise<Answer<E>>,
    enabled: enabled && body !== null && !Object.values(path ?? {}).includes(null),
    placeholderData: keep ? keepPreviousData : undefined,
    refetchInterval: intervalOf(poll),
  })
}

type PagesOptions = { poll?: Polling<unknown> } & Pick<ReadOptions<unknown, unknown>, 'key'>

/** A list, read page by page. */
export function useReadPages<E extends ListEndpoint>(
  endpoint: E,
  params: ReadParams<E> & PagesOptions,
) {
  const { path, query, poll = false, key }: AnyParams & PagesOptions = params
  return useInfiniteQuery({
    queryKey: key ?? [...keyOf(endpoint, { path, query }), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      callAny(endpoint, { path, query: { ...query, cursor: pageParam }, signal }) as Promise<
        Answer<E> & ListOf<RowOf<E>>
      >,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: intervalOf(poll),
  })
}

interface ListOf<Row> {
  data: Row[]
  next_cursor: string | null
}

/** An endpoint that answers a list, a page at a time. */
type ListEndpoint = {
  [E in Endpoint]: Answer<E> extends ListOf<unknown> ? E : never
}[Endpoint]

type RowOf<E extends ListEndpoint> = Answer<E> extends ListOf<infer Row> ? Row : never

interface ReadAllOptions<List, Data> extends Pick<ReadOptions<List, Data>, 'poll' | 'dependsOn'> {
  path?: AnyParams['path']
  select?: (list: List) => Data
}

/** All rows of a short list, read in as many pages as necessary. */
export function useReadAll<E extends ListEndpoint, Data = ListOf<RowOf<E>>>(
  endpoint: E,
  options: ReadAllOptions<ListOf<RowOf<E>>, Data> = {},
) {
  const { path, poll = false, dependsOn = [], select } = options
  return useQuery<ListOf<RowOf<E>>, Error, Data>({
    queryKey: [...keyOf(endpoint, { path }), 'all', ...dependsOn],
    queryFn: async ({ signal }) => {
      const data: RowOf<E>[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = { limit: 250, cursor }
        const page = (await callAny(endpoint, { path, query, signal })) as ListOf<RowOf<E>>
        data.push(...page.data)
        cursor = page.next_cursor
      }
      return { data, next_cursor: null }
    },
    select,
    refetchInterval: intervalOf(poll),
  })
}
