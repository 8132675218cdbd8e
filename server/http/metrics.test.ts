import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { silent } from '../../test/database.ts'
import { insertManyFiles } from '../../test/factories.ts'
import { DEFAULT_LIMITS } from '../core/configuration/limits.ts'
import { createFailureLimiter } from './auth.ts'
import { errorResponses } from './errors.ts'
import { createMetrics } from './metrics.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  await insertManyFiles(app.engine.parts.database.pool, {
    shop: app.engine.shop,
    count: 3,
    prefix: 'secret-plan',
  })
})
afterAll(() => app.close())

it('reports requests by route, downloads, the process and the work, without names', async () => {
  const { body: list } = await app.owner.call('GET', '/api/files')
  await app.owner.call('GET', `/api/files/${list.data[0].id}`)
  await app.owner.call('GET', '/api/nonsense')
  await fetch(`${app.url}/download?key=${'A'.repeat(43)}`)
  await app.owner.call('POST', '/api/operations', {
    action: 'delete-files',
    select: { filter: { search: 'secret' } },
  })
  const response = await fetch(`${app.url}/metrics`)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const lines = (await response.text()).split('\n')
  for (const line of [
    'stevedore_http_requests_total{route="/api/files/:id",method="GET",status="200"} 1',
    'stevedore_http_requests_total{route="/api",method="GET",status="404"} 1',
    'stevedore_http_requests_total{route="/download",method="GET",status="404"} 1',
    'stevedore_http_request_seconds_count{route="/api/files"} 1',
    'stevedore_downloads_total 0',
    'stevedore_operations{status="queued"} 1',
    'stevedore_items{status="queued"} 3',
    'stevedore_jobs{state="waiting"} 1',
  ])
    expect(lines).toContain(line)
  expect(lines.find((line) => line.startsWith('process_resident_memory_bytes '))).toMatch(
    / \d{7,}$/,
  )
  for (const line of lines)
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+-]+|)$/)
  expect(lines.join('\n')).not.toContain('secret')
})

const noGauges = () => () => Promise.resolve()
it.each([
  ['a token and none sent', 'a token of sixteen', true, undefined, 401],
  ['another token', 'a token of sixteen', true, 'Bearer another', 401],
  ['the token', 'a-token-of-sixteen', false, 'Bearer a-token-of-sixteen', 200],
  ['no token, on an address of the world', null, false, undefined, 404],
])('with %s', async (_what, token, open, authorization, status) => {
  const { database } = app.engine.parts
  const failures = createFailureLimiter({ database, limits: DEFAULT_LIMITS, trustProxy: false })
  const metrics = createMetrics({ gauges: noGauges, failures, token, open, downloads: () => 7 })
  const koa = new Koa()
    .use(errorResponses(silent))
    .use((ctx, next) => metrics.middleware(ctx, next))
  const server = createServer((request, response) => void koa.callback()(request, response)).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: authorization ? { authorization } : {},
  })
  expect([
    response.status,
    (await response.text()).includes('stevedore_downloads_total 7'),
  ]).toEqual([status, status === 200])
  await new Promise((resolve) => server.close(resolve))
})

it('durations are counted into every bucket that is wide enough', async () => {
  const { database } = app.engine.parts
  const failures = createFailureLimiter({ database, limits: DEFAULT_LIMITS, trustProxy: false })
  const metrics = createMetrics({
    gauges: noGauges,
    failures,
    token: null,
    open: true,
    downloads: () => 0,
  })
  for (const seconds of [0.125, 0.5, 2, 75]) metrics.answered('a "b"', 'GET', 200, seconds)
  const koa = new Koa().use((ctx, next) => metrics.middleware(ctx, next))
  const server = createServer((request, response) => void koa.callback()(request, response)).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await new Promise((resolve) => server.close(resolve))
  const lines = text.split('\n').filter((line) => line.includes('stevedore_http_request_seconds'))
  expect(lines).toEqual([
    expect.stringMatching(/^# HELP stevedore_http_request_seconds \w/),
    '# TYPE stevedore_http_request_seconds histogram',
    ...[
      ['0.005', 0],
      ['0.02', 0],
      ['0.1', 0],
      ['0.5', 2],
      ['2.5', 3],
      ['10', 3],
      ['60', 3],
      ['+Inf', 4],
    ].map(
      ([le, count]) =>
        `stevedore_http_request_seconds_bucket{le="${le}",route="a \\"b\\""} ${count}`,
    ),
    'stevedore_http_request_seconds_sum{route="a \\"b\\""} 77.625',
    'stevedore_http_request_seconds_count{route="a \\"b\\""} 4',
  ])
})
