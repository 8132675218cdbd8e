// Groups of reviews, and the shop's rules about names, over the API.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  openTestApp,
  untilEnded,
  untilOperation,
  type Client,
  type TestApp,
} from '../../../../test/app.ts'
import { startOrigin, type Origin } from '../../../../test/fakes/origin.ts'
import { makeFiles } from '../../../../test/files.ts'
import { fillMirror, productId } from '../../../../test/mirror.ts'
import type { EngineWorker } from '../../../engine/worker.ts'
import { countOpen } from '../model/reviews.ts'
import { toPublicId } from '../../../core/ids.ts'

let app: TestApp
let origin: Origin
let worker: EngineWorker
let owner: Client
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
  worker = await app.engine.startWorker()
  owner = app.owner
  await fillMirror(owner.scope, [
    { title: 'Slow Bread', skus: ['BREAD'] },
    { title: 'Twin Ropes', skus: ['TWIN'] },
    { title: 'Twin Knots', skus: ['twin'] },
    { title: 'Workshop', skus: ['W1', 'W2'] },
  ])
})
afterAll(async () => {
  await worker.stop()
  await Promise.all([app.close(), origin.close()])
})

const ok = async (method: string, route: string, body?: unknown) => {
  const answer = await owner.call(method, route, body)
  expect([answer.status < 300, answer.body.error]).toEqual([true, undefined])
  return answer.body
}
const groups = async () => (await ok('GET', '/api/reviews/groups')).data
const mappingsOf = async (file: string) =>
  (await ok('GET', `/api/files/${file}`)).mappings.map(
    ({ product_id, method, reason }: Record<string, unknown>) => [product_id, method, reason],
  )
async function review(names: readonly string[]): Promise<string[]> {
  const made = await makeFiles(
    owner.scope,
    names.map((filename) => ({ filename })),
  )
  const ids = made.map((id) => toPublicId('file', id))
  const select = { file_ids: ids }
  const options = { match_by: ['filename', 'title'], threshold: 0.99 }
  const { id } = await ok('POST', '/api/operations', { action: 'map-products', select, options })
  await untilEnded(owner, id)
  return ids
}

test('reviews with the same candidate by the same rule are accepted and undone together', async () => {
  const twins = await review(['TWIN_1.pdf', 'TWIN_2.pdf', 'TWIN_3.pdf'])
  await review(['slow bred.pdf', 'slow-breed.pdf'])
  const [first, second] = await groups()
  expect(first).toMatchObject({
    count: 3,
    rule: 'The filename begins with the SKU TWIN',
    others: ['TWIN_2.pdf', 'TWIN_1.pdf'],
    review: { file: { filename: 'TWIN_3.pdf' } },
  })
  expect(second).toMatchObject({ count: 2, rule: 'Their names are like the title' })
  const paged = await ok('GET', '/api/reviews/groups?limit=1')
  const next = await ok('GET', `/api/reviews/groups?limit=1&cursor=${paged.next_cursor}`)
  expect([...paged.data, ...next.data]).toEqual([first, second])
  expect(next).toMatchObject({ next_cursor: null, open: 5 })
  expect(await ok('GET', '/api/activity')).toMatchObject({ reviews: 5 })
  expect(await countOpen(owner.scope, 2)).toBe(2)
  const { data: alike } = await ok('GET', `/api/reviews?like=${first.review.id}&limit=2`)
  expect(alike.map((one: { file: { filename: string } }) => one.file.filename)).toEqual([
    'TWIN_3.pdf',
    'TWIN_2.pdf',
  ])

  const other = first.review.candidates[1]
  const choice = { product_id: other.product_id, variant_id: other.variant_id }
  const accept = `/api/reviews/${first.review.id}/accept-alike`
  const accepted = await ok('POST', accept, choice)
  expect(accepted).toMatchObject({ accepted: 3, open: 2 })
  await untilEnded(owner, accepted.job_id)
  for (const file of twins)
    expect(await mappingsOf(file)).toMatchObject([[other.product_id, 'manual', expect.anything()]])
  expect((await owner.call('POST', accept, choice)).status).toBe(409)
  const undo = await ok('POST', `/api/operations/${accepted.job_id}/undo`)
  await untilEnded(owner, undo.id)
  expect(await groups()).toMatchObject([{ count: 3 }, { count: 2 }])

  const stray = { product_id: productId(1) }
  expect((await owner.call('POST', accept, stray)).status).toBe(422)
  const rejected = await ok('POST', `/api/reviews/${first.review.id}/reject-alike`)
  expect(rejected).toMatchObject({ open: 2, ids: { length: 3 } })
  expect(await groups()).toMatchObject([{ count: 2 }])
  expect(await ok('POST', '/api/reviews/reopen', { ids: rejected.ids })).toEqual({
    reopened: 3,
    open: 5,
  })
  expect(await ok('POST', '/api/reviews/reopen', { ids: rejected.ids })).toMatchObject({
    reopened: 0,
  })
})

test('rules map imports and existing files by name, the first one first', async () => {
  const workshop = { product_id: productId(4) }
  const old = await makeFiles(owner.scope, [{ filename: 'WS-old.pdf' }, { filename: 'WS-2.pdf' }])
  expect(await ok('GET', '/api/mapping-rules/count?pattern=ws-*')).toEqual({
    files: 2,
    unmapped: 2,
    examples: ['WS-2.pdf', 'WS-old.pdf'],
  })
  const all = await ok('POST', '/api/mapping-rules', { pattern: ' WS-* ', ...workshop })
  expect(all).toMatchObject({ pattern: 'WS-*', product_title: 'Workshop', missing: false })
  const exact = { pattern: 'ws-2', product_id: productId(1) }
  const first = await ok('POST', '/api/mapping-rules', { ...exact, position: 1 })
  const order = async () =>
    (await ok('GET', '/api/mapping-rules')).data.map((one: { id: string }) => one.id)
  expect(await order()).toEqual([first.id, all.id])

  for (const [body, status] of [
    [{ pattern: 'ws-**', ...workshop }, 409],
    [{ pattern: 'other', product_id: productId(99) }, 422],
    [{ pattern: '  ', ...workshop }, 422],
    [{ pattern: '**', ...workshop }, 422],
    [{ pattern: 'other' }, 422],
    [{ pattern: 'other', sku_template: 'A', ...workshop }, 422],
    [{ pattern: 'other', sku_template: 'A', variant_id: 'x' }, 422],
    [{ pattern: 'other*', sku_template: 'A{2}' }, 422],
    [{ pattern: 'other*', sku_template: 'A{0}' }, 422],
    [{ pattern: 'other*', sku_template: 'A{10}' }, 422],
  ] as const)
    expect([body, (await owner.call('POST', '/api/mapping-rules', body)).status]).toEqual([
      body,
      status,
    ])

  const entries = [
    { filename: 'ws-new.pdf', url: `${origin.url}/bytes/100/new` },
    { filename: 'Bread-ws-.pdf', url: `${origin.url}/bytes/101/bread` },
  ]
  const reason = 'The shop’s rule: names that start with WS-'
  const select = { file_ids: old.map((id) => toPublicId('file', id)) }
  const action = { action: 'map-products', select, options: {}, dry_run: true }
  const preview = await ok('POST', '/api/operations', action)
  await untilOperation(owner, preview.id, `status = 'previewed'`)
  const { data: planned } = await ok('GET', `/api/operations/${preview.id}/items`)
  expect(planned[0].after.mappings.added).toMatchObject([{ method: 'rule', reason }])
  const done = await ok('POST', '/api/files/import', { files: entries, auto_map: false })
  await untilEnded(owner, done.job_id)
  const [created, plain] = done.files.map(({ file_id }: { file_id: string }) => file_id)
  expect(await mappingsOf(created)).toEqual([[productId(4), 'rule', reason]])
  expect(await mappingsOf(plain)).toEqual([])

  const applied = await ok('POST', `/api/mapping-rules/${all.id}/apply`)
  expect(applied).toMatchObject({ files: 2 })
  await untilEnded(owner, applied.job_id)
  const byName = old.map((id) => mappingsOf(toPublicId('file', id)))
  expect(await Promise.all(byName)).toEqual([
    [[productId(4), 'rule', reason]],
    [[productId(1), 'rule', 'The shop’s rule: the name ws-2']],
  ])
  expect(await ok('POST', `/api/mapping-rules/${all.id}/apply`)).toEqual({ files: 0, job_id: null })

  expect(await ok('PATCH', `/api/mapping-rules/${first.id}`, { position: 2 })).toMatchObject({
    pattern: 'ws-2',
  })
  expect(await order()).toEqual([all.id, first.id])
  const taken = { pattern: 'WS-*' }
  expect((await owner.call('PATCH', `/api/mapping-rules/${first.id}`, taken)).status).toBe(409)
  const other = await ok('PATCH', `/api/mapping-rules/${first.id}`, {
    pattern: '*-ws-*',
    sku_template: '{2}',
  })
  expect(other).toMatchObject({ sku_template: '{2}', product_id: null, missing: false })
  expect(
    (await owner.call('PATCH', `/api/mapping-rules/${first.id}`, { pattern: 'x' })).status,
  ).toBe(422)
  const address = `/api/mapping-rules/${first.id}`
  expect(await ok('GET', address)).toEqual(other)
  expect(await ok('GET', '/api/mapping-rules/count?pattern=*-ws-*')).toMatchObject({ files: 1 })
  expect(await ok('PATCH', address, workshop)).toMatchObject({ ...workshop, sku_template: null })
  expect((await owner.call('DELETE', `/api/mapping-rules/${first.id}`)).status).toBe(204)
  expect(await order()).toEqual([all.id])
  expect((await owner.call('DELETE', `/api/mapping-rules/${first.id}`)).status).toBe(404)
})
