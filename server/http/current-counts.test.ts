import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { withCurrentCounts, withInvalidation } from './current-counts.ts'
import type { Endpoint } from './endpoint.ts'

const filter = z.strictObject({ not_downloaded_for_days: z.int().optional() })
const record = z.strictObject({ id: z.string(), downloads: z.int() })
const endpointOf = (schema: z.ZodType | null, more: Partial<Endpoint> = {}): Endpoint => ({
  method: 'post',
  path: '/api/things',
  summary: '',
  tag: 'Files',
  scope: null,
  replies: { 200: { description: '', schema } },
  handler: () => Promise.resolve(null),
  ...more,
})
const flushesOf = async (endpoint: Endpoint, body: unknown = {}): Promise<number> => {
  const flush = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const wrapped = withCurrentCounts({ flush, invalidate: () => {} }, endpoint)
  await wrapped.handler({ body, query: {} } as Parameters<Endpoint['handler']>[0])
  return flush.mock.calls.length
}

it.each<[schema: z.ZodType, flushes: number]>([
  [record, 1],
  [z.strictObject({ data: z.array(record.nullable()) }), 1],
  [z.union([z.string(), z.strictObject({ of: z.record(z.string(), record.optional()) })]), 1],
  [z.discriminatedUnion('k', [z.strictObject({ k: z.literal(1), of: z.lazy(() => record) })]), 1],
  [z.strictObject({ of: record.transform(({ id }) => id) }), 1],
  [z.strictObject({ download_limit: z.int() }), 0],
  [z.array(z.string()), 0],
])('an answer with counts is read after they are written (%#)', async (schema, flushes) => {
  expect(await flushesOf(endpointOf(schema))).toBe(flushes)
})

it('a filter by downloads is compared with current counts, another one is not', async () => {
  const body = z.strictObject({ select: z.strictObject({ filter: z.array(filter) }) })
  const endpoint = endpointOf(null, { body })
  expect(await flushesOf(endpoint, { select: { filter: [{ not_downloaded_for_days: 3 }] } })).toBe(
    1,
  )
  expect(await flushesOf(endpoint, { select: { filter: [{}] } })).toBe(0)
  expect(await flushesOf(endpoint, { select: { filter: ['not_downloaded_for_days'] } })).toBe(0)
})

it('an endpoint may say which of its requests read counts', async () => {
  const endpoint = endpointOf(null, { readsCounts: (body) => body === 'export' })
  expect(await flushesOf(endpoint, 'export')).toBe(1)
  expect(await flushesOf(endpoint, 'tag')).toBe(0)
})

it('a change drops the cached links of the shop, also if it fails; a read does not', async () => {
  const invalidate = vi.fn<(shop: number) => void>()
  const failing = () => Promise.reject(new Error('failed'))
  const request = { caller: { scope: { shop: 3 } } } as Parameters<Endpoint['handler']>[0]
  const change = withInvalidation({ invalidate }, endpointOf(null, { handler: failing }))
  await expect(change.handler(request)).rejects.toThrow('failed')
  await withInvalidation({ invalidate }, endpointOf(null, { method: 'get' })).handler(request)
  expect(invalidate.mock.calls).toEqual([[3]])
})
