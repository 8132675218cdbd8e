// The key of an agency: it acts in shops that granted it access, with the scopes of each, and nowhere else.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type Answer, type Client, type TestApp } from '../../../../test/app.ts'

let app: TestApp
let agency: { key: string; agency_code: string; id: string }
let granted: Client
let other: Client
let grantId: string
const DOMAIN = 'granted.myshopify.com'

beforeAll(async () => {
  app = await openTestApp()
  ;[granted, other] = await Promise.all([app.stranger(DOMAIN), app.stranger('other.myshopify.com')])
  const body = { name: 'Harbour Agency', scopes: ['files:read', 'settings:write'], agency: true }
  agency = (await app.owner.call('POST', '/api/api-keys', body)).body
})
afterAll(() => app.close())

/** As the agency, in a shop; undefined: in none. */
async function as(
  shop: string | undefined,
  method: string,
  route: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(app.url + route, {
    method,
    headers: {
      authorization: `Bearer ${agency.key}`,
      ...(shop === undefined ? {} : { 'stevedore-shop': shop }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })
const grant = (client: Client, scopes: string[], code = agency.agency_code) =>
  client.call('POST', '/api/api-keys/grants', { code, scopes })
const ownDomain = async () => (await app.owner.call('GET', '/api/session')).body.shop.domain

test('it names a shop in every request, and has no access without a grant', async () => {
  expect(agency.agency_code).toMatch(/^agency_[\w-]{22}$/)
  expect(await as(undefined, 'GET', '/api/files')).toMatchObject(refused(400, 'shop_required'))
  expect((await as(await ownDomain(), 'GET', '/api/files')).status).toBe(200)
  for (const shop of [DOMAIN, 'nowhere.myshopify.com', '', "x' or 1=1", 'constructor'])
    expect(await as(shop, 'GET', '/api/files')).toMatchObject(refused(403, 'shop_not_granted'))
})

test('the owner of a shop sees whose key it is, and grants it scopes of that shop', async () => {
  const read = (client: Client, code: string) =>
    client.call('GET', `/api/agency-key?code=${encodeURIComponent(code)}`)
  expect((await read(granted, agency.agency_code)).body).toEqual({
    name: 'Harbour Agency',
    shop: { domain: await ownDomain(), name: expect.any(String) },
  })
  for (const [client, code] of [
    [app.owner, agency.agency_code],
    [granted, 'agency_0000000000000000000000'],
  ] as const) {
    expect(await read(client, code)).toMatchObject(refused(404, 'not_found'))
    expect(await grant(client, ['files:read'], code)).toMatchObject({
      status: 422,
      body: { error: { details: [{ param: 'code' }] } },
    })
  }
  const made = await grant(granted, ['files:read', 'operations:read', 'settings:write'])
  expect(made).toMatchObject({
    status: 201,
    body: { name: 'Harbour Agency', granted_shop: await ownDomain(), agency_code: null },
  })
  expect(JSON.stringify(made.body)).not.toContain(agency.key)
  grantId = made.body.id
  expect(await grant(granted, ['files:read'])).toMatchObject(refused(409, 'conflict'))
  // Its own scopes do not apply there: those of the grant do.
  expect((await as(DOMAIN, 'GET', '/api/operations')).status).toBe(200)
  expect(await as(await ownDomain(), 'GET', '/api/operations')).toMatchObject(
    refused(403, 'missing_scope'),
  )
  expect(await as(DOMAIN.toUpperCase(), 'GET', '/api/session')).toMatchObject({
    body: { shop: { domain: DOMAIN }, user: 'Harbour Agency' },
  })
  expect(await as('other.myshopify.com', 'GET', '/api/files')).toMatchObject(
    refused(403, 'shop_not_granted'),
  )
})

test('it reads the shops that it can act in; each shop sees its last use and logs its grant', async () => {
  const shops = async (shop: string) =>
    (await as(shop, 'GET', '/api/shops')).body.data.map(({ domain }: { domain: string }) => domain)
  expect(await shops(await ownDomain())).toEqual([await ownDomain(), DOMAIN])
  expect(await shops(DOMAIN)).toEqual([DOMAIN])
  expect((await granted.call('GET', '/api/shops')).body.data).toHaveLength(1)
  const { data } = (await granted.call('GET', '/api/api-keys')).body
  expect(data).toContainEqual(
    expect.objectContaining({ id: grantId, last_used_at: expect.any(String) }),
  )
  expect((await granted.call('GET', '/api/change-log')).body.data[0]).toMatchObject({
    kind: 'api_key',
    verb: 'created',
    subject_id: grantId,
    name: 'Harbour Agency',
  })
  await as(DOMAIN, 'PATCH', '/api/settings', { mail_delay_minutes: 7 })
  expect((await granted.call('GET', '/api/change-log')).body.data[0]).toMatchObject({
    by: { name: 'Harbour Agency', api_key_id: grantId },
  })
})

test('it manages no keys of a shop that granted it access', async () => {
  const keys = app.endpoints.filter(({ tag }) => tag === 'API keys')
  expect(keys.length).toBeGreaterThan(4)
  for (const { method, path } of keys.filter((one) => one.path !== '/api/shops')) {
    const route = path.replace(/\{\w+\}/, grantId)
    const body = method === 'post' ? {} : undefined
    expect([path, await as(DOMAIN, method.toUpperCase(), route, body)]).toMatchObject([
      path,
      refused(403, 'agency_refused'),
    ])
  }
})

test('a key of one shop cannot name another one, and no grant works without the key of the agency', async () => {
  const asked = { 'stevedore-shop': DOMAIN }
  expect(await other.call('GET', '/api/files', undefined, asked)).toMatchObject(
    refused(403, 'shop_not_granted'),
  )
  expect((await granted.call('GET', '/api/files', undefined, asked)).status).toBe(200)
  const reader = await app.clientWith(['settings:write'])
  const elsewhere = await other.call('POST', '/api/api-keys', {
    name: 'x',
    scopes: ['files:read'],
    agency: true,
  })
  expect(await grant(reader, ['files:read'], elsewhere.body.agency_code)).toMatchObject(
    refused(403, 'missing_scope'),
  )
})

test('revoked by the shop it is refused there at once; revoked by the agency, everywhere', async () => {
  await grant(other, ['files:read'])
  const reach = (shop: string) => as(shop, 'GET', '/api/files')
  expect((await reach('other.myshopify.com')).status).toBe(200)
  await granted.call('DELETE', `/api/api-keys/${grantId}`)
  expect(await reach(DOMAIN)).toMatchObject(refused(403, 'shop_not_granted'))
  expect((await reach('other.myshopify.com')).status).toBe(200)
  expect((await grant(granted, ['files:read'])).status).toBe(201)
  expect((await reach(DOMAIN)).status).toBe(200)
  await app.engine.parts.database.pool.query(
    `update shops set uninstalled_at = now() where domain = $1`,
    [DOMAIN],
  )
  expect(await reach(DOMAIN)).toMatchObject(refused(403, 'shop_not_granted'))
  await app.owner.call('DELETE', `/api/api-keys/${agency.id}`)
  expect(await reach('other.myshopify.com')).toMatchObject(refused(401, 'unauthenticated'))
})
