// Each endpoint that is logged is sent with its example in test/flows: see expectLogged.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../test/app.ts'
import { toPublicId } from '../../core/ids.ts'
import { scopesOf } from '../../http/endpoint.ts'
import { sweepChanges } from './routes.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

const changes = async (query = '', client: Client = app.owner) =>
  (await client.call('GET', `/api/change-log${query}`)).body.data
const last = async () => (await changes('?limit=1'))[0]

test('a change names who made it, and each field before and after', async () => {
  const { body } = await app.owner.call('GET', '/api/settings')
  const limit = body.download_limit + 1
  await app.owner.call('PATCH', '/api/settings', { download_limit: limit })
  expect(await last()).toMatchObject({
    by: { name: 'test', api_key_id: expect.stringMatching(/^key_/) },
    kind: 'settings',
    verb: 'changed',
    subject_id: null,
    fields: [{ field: 'download_limit', before: limit - 1, after: limit }],
    secrets: [],
  })
  const count = (await changes()).length
  await app.owner.call('PATCH', '/api/settings', { download_limit: limit })
  expect((await changes()).length).toBe(count)
})

test('a refused change is not logged', async () => {
  const before = await changes()
  const refused = await app.owner.call('PATCH', '/api/settings', { download_limit: -1 })
  expect(refused.status).toBe(422)
  const name = { name: 'Twice', tags: ['a'] }
  expect((await app.owner.call('POST', '/api/tag-templates', name)).status).toBe(201)
  const taken = await app.owner.call('POST', '/api/tag-templates', name)
  expect(taken.status).toBeGreaterThanOrEqual(400)
  const missing = await app.owner.call('DELETE', `/api/tag-templates/template_${'0'.repeat(32)}`)
  expect(missing.status).toBe(404)
  expect((await changes()).length).toBe(before.length + 1)
})

test('what is created and deleted is logged with its name, and no key or password', async () => {
  const key = await app.owner.call('POST', '/api/api-keys', {
    name: 'Shop',
    scopes: ['files:read'],
  })
  expect(await last()).toMatchObject({
    kind: 'api_key',
    verb: 'created',
    subject_id: key.body.id,
    name: 'Shop',
    secrets: [],
  })
  await app.owner.call('DELETE', `/api/api-keys/${key.body.id}`)
  expect(await last()).toMatchObject({
    kind: 'api_key',
    verb: 'deleted',
    subject_id: key.body.id,
    name: 'Shop',
    fields: [{ field: 'revoked_at', before: null }],
  })
  const server = {
    host: 'mail.example.com',
    port: 587,
    security: 'starttls',
    user: 'shop',
    password: 'correct horse',
    from: 'shop@example.com',
  }
  const saved = await app.owner.call('PUT', '/api/settings/mail/server', server)
  expect(saved).toMatchObject({ status: 200 })
  expect((await last()).secrets).toEqual(['password'])
  expect(JSON.stringify(await changes())).not.toContain(key.body.key)
  expect(JSON.stringify(await changes())).not.toContain('correct horse')
})

test('a record beyond the first page of its list is found', async () => {
  await app.owner.scope.query(
    `insert into api_keys (shop_id, name, hint, hash, scopes)
     select :shop, 'Key ' || n, 'sdk_test_', sha256(n::text::bytea), '{files:read}'
     from generate_series(1, 300) as n`,
  )
  const oldest = await app.owner.scope.one<{ id: string }>(
    `select id from api_keys where shop_id = :shop and name like 'Key %' order by id limit 1`,
  )
  await app.owner.call('DELETE', `/api/api-keys/${toPublicId('key', oldest.id)}`)
  expect(await last()).toMatchObject({ verb: 'deleted', name: expect.stringMatching(/^Key /) })
  await app.owner.scope.query(`delete from change_log where shop_id = :shop and name like 'Key %'`)
})

test('a page of the list, filters, and the same as CSV', async () => {
  const all = await changes()
  const first = await app.owner.call('GET', '/api/change-log?limit=2')
  const rest = await changes(`?cursor=${first.body.next_cursor}`)
  expect([...first.body.data, ...rest]).toEqual(all)
  const ofKeys = await changes('?kind=api_key&by=TES')
  expect(ofKeys.map((one: { verb: string }) => one.verb)).toEqual(['deleted', 'created'])
  expect(await changes('?by=nobody')).toEqual([])
  expect(await changes(`?until=${all.at(-1).created_at}`)).toEqual([])
  const csv = await app.owner.call('GET', '/api/change-log/export.csv?kind=settings')
  expect(csv.body.split('\r\n').slice(0, 2)).toEqual([
    'time,by,api_key_id,kind,verb,id,name,field,before,after',
    expect.stringMatching(/,settings,changed,,,download_limit,\d+,\d+$/),
  ])
})

test('another shop sees none of it, and a key without the scope nothing', async () => {
  const stranger = await app.stranger('log.myshopify.com')
  expect(await changes('', stranger)).toEqual([])
  const reader = await app.clientWith(['files:read'])
  expect((await reader.call('GET', '/api/change-log')).status).toBe(403)
})

test('it is kept for 13 months', async () => {
  const scope = app.owner.scope
  const count = (await changes()).length
  await scope.query(
    `update change_log set created_at = now() - interval '13 months 1 day'
     where shop_id = :shop and kind = 'api_key'`,
  )
  expect(await sweepChanges(app.engine.parts.database)).toBe(2)
  expect((await changes()).length).toBe(count - 2)
})

/**
 * They change no configuration: they start, test, read, check or answer something. Those that apply
 * documents change it by other endpoints, which are logged.
 */
const NOT_LOGGED = [
  'delete /api/customer-data/{id}',
  'delete /api/drop/files/{id}',
  'post /api/configuration',
  'post /api/connections/{id}/authorize',
  'post /api/connections/{id}/authorized',
  'post /api/connections/{id}/sync',
  'post /api/drop/files/{id}/retry',
  'post /api/drop/import',
  'post /api/plan',
  'post /api/settings/mail/allow',
  'post /api/settings/mail/domain/check',
  'post /api/settings/mail/server/test',
  'post /api/webhooks/{id}/deliveries/{message}/replay',
  'post /api/webhooks/{id}/test',
  'post /api/workflows/{id}/resume',
  'put /api/new-files/products',
  'put /api/workflows/by-name/{name}',
]

test('every endpoint that changes the configuration is logged', () => {
  const changing = app.endpoints.filter(
    (endpoint) =>
      endpoint.method !== 'get' &&
      !endpoint.logs &&
      scopesOf(endpoint).some((scope) => /^(settings|drop|cloud):write$/.test(scope)),
  )
  expect(changing.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(NOT_LOGGED)
})
