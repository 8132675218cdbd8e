// One import of past orders runs at a time, for any number of concurrent requests.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { parsePublicId } from '../../core/ids.ts'

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

test('no earlier import is retried, and no preview confirmed, beside one that runs', async () => {
  const { scope } = app.owner
  const move = async (id: string, to: string) => {
    const answer = await app.owner.call('POST', `/api/operations/${id}/${to}`)
    return [answer.status, answer.body.error?.code]
  }
  const change = (id: string, columns: string) =>
    scope.query(`update operations set ${columns} where shop_id = :shop and id = :id`, {
      id: parsePublicId('op', id),
    })
  const { body } = await app.owner.call('GET', '/api/orders/import')
  const earlier: string = body.operation_id
  await change(earlier, `status = 'cancelled', finished_at = now(), total = 5, cancelled = 5`)
  const { body: preview } = await start({ dry_run: true })
  await change(preview.id, `status = 'previewed'`)
  expect(await move(earlier, 'retry')).toEqual([200, undefined])
  expect(await move(preview.id, 'confirm')).toEqual([409, 'conflict'])
  await change(earlier, `status = 'cancelled', finished_at = now(), cancelled = 5`)
  expect(await move(preview.id, 'confirm')).toEqual([200, undefined])
  expect(await move(earlier, 'retry')).toEqual([409, 'conflict'])
})
