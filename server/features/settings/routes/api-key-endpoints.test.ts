import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../../test/app.ts'
import { forShop } from '../../../core/db/for-shop.ts'
import { parsePublicId } from '../../../core/ids.ts'

let app: TestApp
let owner: Client
beforeAll(async () => {
  app = await openTestApp()
  owner = app.owner
})
afterAll(() => app.close())

const create = (body: object, client = owner, headers = {}) =>
  client.call('POST', '/api/api-keys', body, headers)
const list = async () =>
  (await owner.call('GET', '/api/api-keys')).body.data as Record<string, unknown>[]
const listed = async (id: string) => (await list()).find((key) => key.id === id)
const get = async (key: string, route = '/api/files') =>
  (await fetch(app.url + route, { headers: { authorization: `Bearer ${key}` } })).status
const used = async (id: string) => (await listed(id))!.last_used_at

it('a key is shown once, works with its scopes, and is nowhere in the database', async () => {
  const made = await create({
    name: ' Storefront sync ',
    scopes: ['files:read', 'links:write', 'files:read'],
  })
  const { key, ...shown } = made.body
  expect([made.status, shown]).toEqual([
    201,
    {
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: 'Storefront sync',
      hint: key.slice(0, 16),
      scopes: ['files:read', 'links:write'],
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      agency_code: null,
      granted_shop: null,
    },
  ])
  expect(key).toMatch(/^sdk_test_[A-Za-z0-9_-]{43}$/)
  expect(await listed(shown.id)).toEqual(shown)
  expect(JSON.stringify(await list())).not.toContain(key)
  expect(await get(key)).toBe(200)
  expect(await get(key, '/api/operations')).toBe(403)
  const rows = await owner.scope.query(
    'select api_keys::text as row from api_keys where shop_id = :shop',
  )
  expect(JSON.stringify(rows)).not.toContain(key.slice(17))
})
it('keys outside the demo shop begin with another prefix', async () => {
  const { pool } = app.engine.parts.database
  const shop = await app.stranger('real.myshopify.com')
  await pool.query('update shops set demo = false where id = $1', [shop.scope.shop])
  expect((await create({ name: 'a', scopes: ['files:read'] }, shop)).body.key).toMatch(/^sdk_live_/)
})
it('a key cannot be created with scopes that its creator lacks', async () => {
  const settings = await app.clientWith(['settings:write', 'files:read'])
  expect((await create({ name: 'a', scopes: ['files:read'] }, settings)).status).toBe(201)
  expect(
    await create({ name: 'a', scopes: ['files:read', 'files:purge'] }, settings),
  ).toMatchObject({
    status: 403,
    body: {
      error: {
        code: 'missing_scope',
        details: [{ message: expect.stringContaining('files:purge') }],
      },
    },
  })
  const reader = await app.clientWith(['files:read'])
  for (const [method, route] of [
    ['GET', '/api/api-keys'],
    ['POST', '/api/api-keys'],
    ['DELETE', '/api/api-keys/key_0199999900007000800000000000000a'],
  ] as const)
    expect((await reader.call(method, route, method === 'POST' ? {} : undefined)).status).toBe(403)
})
it('a revoked key is refused immediately, and stays in the list', async () => {
  const { id, key } = (await create({ name: 'leaked', scopes: ['files:read'] })).body
  expect(await get(key)).toBe(200)
  expect((await owner.call('DELETE', `/api/api-keys/${id}`)).status).toBe(204)
  expect(await get(key)).toBe(401)
  const revoked = await listed(id)
  expect(revoked).toMatchObject({ name: 'leaked', revoked_at: expect.any(String) })
  expect((await owner.call('DELETE', `/api/api-keys/${id}`)).status).toBe(204)
  expect(await listed(id)).toEqual(revoked)
  const stranger = await app.stranger('stranger.myshopify.com')
  const other = (await create({ name: 'mine', scopes: ['files:read'] })).body
  expect((await stranger.call('DELETE', `/api/api-keys/${other.id}`)).status).toBe(404)
  expect(await get(other.key)).toBe(200)
})
it('a key expires', async () => {
  const { id, key, expires_at } = (
    await create({ name: 'soon', scopes: ['files:read'], expires_in_days: 30 })
  ).body
  expect((Date.parse(expires_at) - Date.now()) / 86_400_000).toBeCloseTo(30, 1)
  expect(await get(key)).toBe(200)
  await owner.scope.query(
    `update api_keys set expires_at = now() where shop_id = :shop and id = :id`,
    {
      id: parsePublicId('key', id)!,
    },
  )
  expect(await get(key)).toBe(401)
})
it('its last use is recorded to the minute, and written once for many concurrent requests', async () => {
  const { id, key } = (await create({ name: 'busy', scopes: ['files:read'] })).body
  const uuid = parsePublicId('key', id)!
  const version = async () =>
    (
      await owner.scope.query<{ xmin: string }>(
        'select xmin::text from api_keys where shop_id = :shop and id = :uuid',
        {
          uuid,
        },
      )
    )[0]!.xmin
  const before = await version()
  await Promise.all(Array.from({ length: 10 }, () => get(key)))
  const first = await used(id)
  expect(first).not.toBeNull()
  const after = await version()
  expect(Number(after)).toBeGreaterThan(Number(before))
  await get(key)
  expect([await version(), await used(id)]).toEqual([after, first])
  await forShop(app.engine.parts.database, owner.scope.shop).query(
    `update api_keys set last_used_at = last_used_at - interval '61 seconds' where shop_id = :shop
       and id = :uuid`,
    { uuid },
  )
  await get(key)
  expect(Date.parse(String(await used(id)))).toBeGreaterThanOrEqual(Date.parse(String(first)))
})
it('repeating the request with an Idempotency-Key creates no second key, and does not show the first one again', async () => {
  const headers = { 'idempotency-key': 'once' }
  const body = { name: 'idempotent', scopes: ['files:read'] }
  const [first, second] = [await create(body, owner, headers), await create(body, owner, headers)]
  expect(second).toMatchObject({ status: 201, body: { ...first.body, key: null } })
  expect((await list()).filter(({ name }) => name === 'idempotent')).toHaveLength(1)
  const rows = await owner.scope.query(
    `select encode(reply, 'escape') as reply from idempotency_keys where shop_id = :shop`,
  )
  expect(JSON.stringify(rows)).not.toContain(first.body.key)
})
it.each([
  ['nothing', {}, ['name', 'scopes']],
  ['no name, no scope', { name: ' ', scopes: [] }, ['name', 'scopes']],
  ['a scope that is none', { name: 'a', scopes: ['files:read', 'everything'] }, ['scopes']],
  [
    'days that are none',
    { name: 'a', scopes: ['files:read'], expires_in_days: 0 },
    ['expires_in_days'],
  ],
])('refuses %s', async (_what, body, params) => {
  const { status, body: reply } = await create(body)
  expect(status).toBe(422)
  expect(reply.error.details.map(({ param }: { param: string }) => param)).toEqual(params)
})
