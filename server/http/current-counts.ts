// Links and files show download counts that delivery may not have written yet: endpoints that show
// or compare them write the pending counts first. A change to links and files must apply to the next
// download: endpoints that change them drop the shop's cached links.
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

export interface DownloadCounts {
  /** Resolves when all pending counts are written. */
  flush(): Promise<void>
  /** Forgets what is cached of the shop's links. */
  invalidate(shop: number): void
}

/** The fields of answers that downloads, views and openings of links change. */
const COUNTED = new Set([
  'downloads',
  'downloaded',
  'download_list',
  'last_download_at',
  'first_used_at',
  'used_up',
  'views',
  'views_used_up',
  'openings',
  'opened_at',
])
/** The condition of filters that compares them. */
const COMPARED = 'not_downloaded_for_days'

/** Decided once for each endpoint, by its schemas: requests to the others call nothing. */
export function withCurrentCounts(counts: DownloadCounts, endpoint: Endpoint): Endpoint {
  const shows = Object.values(endpoint.replies).some(
    ({ schema }) => schema !== null && hasField(schema, COUNTED),
  )
  const { readsCounts, body, query } = endpoint
  const compares = [body, query].some((schema) => schema && hasField(schema, new Set([COMPARED])))
  if (!shows && !compares && !readsCounts) return endpoint
  return {
    ...endpoint,
    handler: async (request) => {
      const reads =
        shows ||
        readsCounts?.(request.body) === true ||
        (compares && (mentions(request.body, COMPARED) || mentions(request.query, COMPARED)))
      if (reads) await counts.flush()
      return endpoint.handler(request)
    },
  }
}

/** For endpoints that change links, or files that links deliver. */
export const withInvalidation = (
  counts: Pick<DownloadCounts, 'invalidate'>,
  endpoint: Endpoint,
): Endpoint =>
  endpoint.method === 'get'
    ? endpoint
    : {
        ...endpoint,
        handler: async (request) => {
          try {
            return await endpoint.handler(request)
          } finally {
            counts.invalidate(request.caller.scope.shop)
          }
        },
      }

/** Whether a record that the schema describes may have one of the fields, at any depth. */
function hasField(schema: z.ZodType, names: ReadonlySet<string>): boolean {
  const seen = new Set<unknown>()
  const search = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false
    seen.add(value)
    if (value instanceof z.ZodObject) {
      const { shape } = value as z.ZodObject
      return Object.entries(shape).some(([name, field]) => names.has(name) || search(field))
    }
    if (value instanceof z.ZodLazy) return search(value.unwrap())
    if (value instanceof z.ZodType) return search((value as z.ZodType).def)
    return Object.values(value).some(search)
  }
  return search(schema)
}

/** Whether a parsed request has the field, at any depth. */
function mentions(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((one) => mentions(one, name))
  return Object.entries(value).some(([key, field]) =>
    key === name ? field !== undefined : mentions(field, name),
  )
}
