// Quotas of a shop for work in progress: uploads with their announced bytes, and unfinished
// operations.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { beginUpload, create, tus } from '../../../test/uploads.ts'

let app: TestApp
beforeAll(async () => {
  const limits = { shop_open_uploads: 3, shop_upload_bytes: 1000, shop_waiting_operations: 3 }
  app = await openTestApp({ limits })
})
afterAll(() => app.close())

const OPERATION = {
  action: 'tag-files',
  options: { mode: 'add', tags: ['a'] },
  select: { filter: {} },
}
const count = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length

it('refuses uploads beyond their number and bytes, until others have ended', async () => {
  const sender = { url: app.url, key: app.owner.key }
  const begun = await beginUpload(sender, 600, { filename: 'large.pdf' })
  const refused = await create(sender, 401, { filename: 'more.pdf' })
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({
    error: { code: 'upload_quota', type: 'rate_limit' },
  })
  expect((await tus(sender, 'DELETE', begun)).status).toBe(204)
  const many = Array.from({ length: 8 }, (_, n) => create(sender, 10, { filename: `${n}.pdf` }))
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect([count(statuses, 201), count(statuses, 429)]).toEqual([3, 5])
  const { key } = await app.stranger('uploads.myshopify.com')
  expect((await create({ url: app.url, key }, 10, { filename: 'a.pdf' })).status).toBe(201)
})

it('refuses operations beyond the quota, until some have ended; a repeated request gets its first response', async () => {
  const start = (key: string) =>
    app.owner.call('POST', '/api/operations', OPERATION, { 'idempotency-key': key })
  const keys = Array.from({ length: 8 }, (_, n) => `start-${n}`)
  const answers = await Promise.all(keys.map(start))
  const statuses = answers.map(({ status }) => status)
  expect([count(statuses, 202), count(statuses, 429)]).toEqual([3, 5])
  const at = statuses.indexOf(202)
  expect((await start(keys[at]!)).body.id).toBe(answers[at]!.body.id)
  const refused = await start('one-more')
  expect(refused.body.error).toMatchObject({ code: 'operation_quota', type: 'rate_limit' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const worker = await app.engine.startWorker()
  try {
    const again = () => app.owner.call('POST', '/api/operations', OPERATION)
    while ((await again()).status === 429) await new Promise(setImmediate)
  } finally {
    await worker.stop()
  }
  const stranger = await app.stranger('operations.myshopify.com')
  expect((await stranger.call('POST', '/api/operations', OPERATION)).status).toBe(202)
})
