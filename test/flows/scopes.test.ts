// Every endpoint needs one of its scopes: a key with all others is refused, before its request is
// read.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES, scopesOf } from '../../server/http/endpoint.ts'
import { openTestApp, type TestApp } from '../app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

/** Endpoints that any valid key may call, with the reason. */
const OPEN: Readonly<Record<string, string>> = {
  'get /api/shops': 'tells a key where it may act',
  'get /api/session': 'tells the caller who it is and what it may do',
}

test('only listed endpoints need no scope', () => {
  const open = app.endpoints.filter((one) => scopesOf(one).length === 0)
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual(Object.keys(OPEN))
})

test('a key without the scope of an endpoint is refused', async () => {
  const bySet = Map.groupBy(
    app.endpoints.filter((one) => scopesOf(one).length > 0),
    (one) => scopesOf(one).join(),
  )
  const admitted: string[] = []
  let asked = 0
  for (const [needed, endpoints] of bySet) {
    const refused = needed.split(',')
    // Otherwise `settings:write` implies the scopes of channels.
    if (/(?:drop|cloud):/.test(needed)) refused.push('settings:write')
    const client = await app.clientWith(SCOPES.filter((scope) => !refused.includes(scope)))
    for (const { method, path } of endpoints) {
      const route = path.replace(/\{\w+\}/g, 'x')
      const { status, body } = await client.call(method.toUpperCase(), route)
      asked++
      if (status !== 403 || body.error.code !== 'missing_scope')
        admitted.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
    }
  }
  expect(admitted).toEqual([])
  expect(asked).toBe(app.endpoints.length - Object.keys(OPEN).length)
})

test('settings:write reads the channels, and with all that they do changes them', async () => {
  const settings = await app.clientWith(['settings:write'])
  const all = await app.clientWith(
    SCOPES.filter((scope) => !scope.startsWith('drop:') && !scope.startsWith('cloud:')),
  )
  for (const path of ['/api/connections', '/api/drop', '/api/drop/accounts'])
    expect((await settings.call('GET', path)).status).toBe(200)
  const change = { schedule: 'hourly' }
  const refused = await settings.call('PATCH', '/api/drop', change)
  expect([refused.status, refused.body.error.message]).toEqual([403, 'Permission denied'])
  expect(refused.body.error.details).toMatchObject([
    { param: 'scope', code: 'missing_scope', message: 'This key lacks the scope drop:write' },
  ])
  expect((await all.call('PATCH', '/api/drop', change)).status).toBe(200)
})

test('a key that may only read can send what only computes an answer', () => {
  const sent = app.endpoints.filter(
    (one) => one.method !== 'get' && scopesOf(one).some((scope) => scope.endsWith(':read')),
  )
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'post /api/files/rename-preview',
    'post /api/files/impact',
    'post /api/new-files/buyers',
    'post /api/workflows/check',
    'post /api/schedules/check',
    'post /api/schedules/match',
    'post /api/settings/buyer-page/preview',
    'post /api/web-vitals',
    'post /api/settings/mail/texts/preview',
  ])
})
