import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { insertManyFiles } from '../../../test/factories.ts'
import { toPublicId } from '../../core/ids.ts'
import { firstOf } from '../../core/lazy.ts'

let app: TestApp
let file: { id: string; filename: string }
let hook: string
let path: string
beforeAll(async () => {
  app = await openTestApp()
  const { shop, parts, scope } = app.engine
  await insertManyFiles(parts.database.pool, { shop, count: 20 })
  file = firstOf(
    await scope.query<typeof file>('select id, filename from files where shop_id = :shop limit 1'),
  )
  const { body } = await app.owner.call('POST', '/api/workflows', {
    name: 'Called',
    kind: 'bulk',
    steps: [{ plugin: 'tag-files', options: { mode: 'add', tags: ['called'] } }],
    when: [{ kind: 'hook' }],
  })
  hook = body.when[0].id
})
afterAll(() => app.close())
beforeEach(async () => {
  path = await newPath()
  await app.engine.parts.database.pool.query('delete from rate_limits')
  await app.owner.scope.from('trigger_events').delete()
})

async function newPath(): Promise<string> {
  const { body } = await app.owner.call('POST', `/api/triggers/${hook}/address`)
  return new URL(body.address).pathname
}
async function post(body: unknown, to = path) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(app.url + to, { method: 'POST', body: text })
  // Tests look into it as they like.
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: answer.status, body: (await answer.json()) as any }
}
const noted = () =>
  app.owner.scope.query<{ files: string[] }>(
    'select files from trigger_events where shop_id = :shop order by id',
  )

test('files are named by id, by name and by a condition', async () => {
  expect(await post({ files: [toPublicId('file', file.id), file.filename] })).toEqual({
    status: 202,
    body: { files: 1 },
  })
  expect((await post({ which: { tags: ['tenth'] } })).body).toEqual({ files: 2 })
  expect((await noted()).map(({ files }) => files.length)).toEqual([1, 2])
})

soakTest(
  'a SKU in any spelling names the files of its variant and of the whole product',
  async () => {
    const { scope } = app.owner
    await scope.query(
      `insert into variants (shop_id, id, product_id, position, title, sku, sku_key)
     values (:shop, 'v1', 'p1', 1, 'One', 'A-17', 'a-17'), (:shop, 'v2', 'p1', 2, 'Two', 'B-2', 'b-2')`,
    )
    await scope.query(
      `insert into mappings (shop_id, file_id, product_id, variant_id, product_title, method, score, reason)
     select :shop, id, 'p1', (array['', 'v1', 'v2'])[n], 'Product', 'manual', 1, 'By hand'
     from (select id, row_number() over (order by id) as n from files
       where shop_id = :shop and deleted_at is null) f
     where n <= 3`,
    )
    expect((await post({ skus: ['A-17'] })).body).toEqual({ files: 2 })
    expect((await post({ skus: [' Ａ‐17', 'b-2', 'B-2'] })).body).toEqual({ files: 3 })
    // A file has its own name: a SKU that reads like it does not stand for it.
    const { status, body } = await post({ files: ['A-17'], skus: ['A-17'] })
    expect([status, body.error]).toMatchObject([
      422,
      { code: 'validation_failed', details: [{ param: 'files[0]', code: 'not_found' }] },
    ])
  },
)

test('the same key is taken once', async () => {
  for (const key of ['a', 'a', 'b']) await post({ files: [file.filename], key })
  expect(await noted()).toHaveLength(2)
})

test('what the shop does not have is named, and nothing is taken', async () => {
  const foreign = toPublicId('file', crypto.randomUUID())
  const { status, body } = await post({ files: [file.filename, foreign], skus: ['none'] })
  expect(status).toBe(422)
  expect(body.error).toMatchObject({
    type: 'invalid_request',
    code: 'validation_failed',
    status,
    request_id: expect.stringMatching(/^req_/),
  })
  expect(body.error.details.map(({ param }: { param: string }) => param)).toEqual([
    'files[1]',
    'skus[0]',
  ])
  expect((await post({})).status).toBe(422)
  expect((await post('{')).status).toBe(400)
  expect(await noted()).toEqual([])
})

test('a new address replaces the earlier one', async () => {
  const earlier = path
  path = await newPath()
  expect((await post({ files: [file.filename] }, earlier)).status).toBe(404)
  expect((await post({ files: [file.filename] })).status).toBe(202)
  const stranger = await app.stranger('hook-stranger.myshopify.com')
  expect((await stranger.call('POST', `/api/triggers/${hook}/address`)).status).toBe(404)
})

test('a request has at most 1 MB, and there are 60 a minute', async () => {
  expect((await post({ files: ['x'.repeat(1024 * 1024)] })).status).toBe(413)
  for (let n = 0; n < 59; n++) await post({ files: [file.filename], key: 'same' })
  expect((await post({ files: [file.filename] })).status).toBe(429)
})
