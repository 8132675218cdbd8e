// One import of past orders runs at a time, for any number of concurrent requests.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const start = (body: object, headers: Record<string, string> = {}) =>
  app.owner.call('POST', '/api/orders/import', body, headers)
const statusOf = async (id: string) =>
  (await app.owner.call('GET', `/api/operations/${id}`)).body.status

test('a request that is repeated because its answer was lost keeps its own preview', async () => {
  const attempt = () => start({ dry_run: true }, { 'idempotency-key': 'preview-1' })
  const first = await attempt()
  await app.owner.scope.query(
    `update idempotency_keys set reply = null, holder_beat_at = now() - interval '1 minute'
     where shop_id = :shop`,
  )
  const again = await attempt()
  expect([again.status, again.body.id]).toEqual([202, first.body.id])
  expect(again.body.status).not.toBe('cancelled')
})

test('of many requests exactly one starts an import, which replaces previews', async () => {
  const previews = await Promise.all([start({ dry_run: true }), start({ dry_run: true })])
  expect(previews.map(({ status }) => status)).toEqual([202, 202])
  const begun = await Promise.all(Array.from({ length: 8 }, () => start({})))
  expect(begun.map(({ status }) => status).toSorted()).toEqual([202, ...Array(7).fill(409)])
  // Two previews could both be confirmed.
  expect(await Promise.all(previews.map(({ body }) => statusOf(body.id)))).toEqual([
    'cancelled',
    'cancelled',
  ])
})
