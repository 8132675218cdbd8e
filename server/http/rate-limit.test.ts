import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { SCOPES } from './endpoint.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({
    limits: {
      reads_per_minute: 4,
      shop_reads_per_minute: 6,
      writes_per_minute: 1,
      shop_writes_per_minute: 100,
    },
  })
})
afterAll(() => app.close())

test('keys share their shop’s limit in addition to their own; another shop has its own', async () => {
  const [first, second] = await Promise.all([app.clientWith(SCOPES), app.clientWith(SCOPES)])
  const read = async (client: typeof first) => (await client.call('GET', '/api/tags')).status
  const many = async (client: typeof first, times: number) => {
    const statuses: number[] = []
    for (let n = 0; n < times; n += 1) statuses.push(await read(client))
    return statuses
  }
  // Requests that a key's own limit refuses do not count for the shop.
  expect(await many(first, 6)).toEqual([200, 200, 200, 200, 429, 429])
  expect(await many(second, 3)).toEqual([200, 200, 429])
  const refused = await second.call('GET', '/api/tags')
  expect(refused.body.error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('together'),
  })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit-policy')).toBe('"shop-reads";q=6;w=60')
  const stranger = await app.stranger('another.myshopify.com')
  expect(await read(stranger)).toBe(200)
})
