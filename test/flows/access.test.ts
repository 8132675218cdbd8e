// Requests without access are refused: bad keys, missing scopes, ids of other shops, each next to
// an equal request that succeeds. tenants.test.ts covers every route with an id for other shops.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../server/core/db/database.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createApiKey } from '../../server/http/auth.ts'
import { SCOPES, type Scope } from '../../server/http/endpoint.ts'
import { createTestShop, silent } from '../database.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { sized } from '../scale.ts'
import { importUntilEnd, listAll } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

interface Owner {
  key: string
  shop: number
  ids: Record<string, string>
}
interface ApiDocument {
  paths: Record<string, Record<string, object>>
}

let server: RunningServer
let origin: Origin
let database: Database
let a: Owner
let b: Owner
let document: ApiDocument

const as = (key: string | null, method: string, route: string, body?: unknown, headers = {}) =>
  server.call(method, route, body, {
    authorization: key === null ? '' : `Bearer ${key}`,
    ...headers,
  })

let addresses = 0
/** Wrong keys are limited by address, so each such request has its own. */
const elsewhere = () => ({
  'x-forwarded-for': `198.51.${100 + Math.floor(addresses / 250)}.${addresses++ % 250}`,
})

const keyFor = async (shop: number, scopes: readonly Scope[], expiresAt?: Date) =>
  (
    await createApiKey(forShop(database, shop), {
      name: 'test',
      scopes,
      demo: true,
      ...(expiresAt ? { expiresAt } : {}),
    })
  ).key

async function makeOwner(domain: string): Promise<Owner> {
  const shop = await createTestShop(database, domain)
  const key = await keyFor(shop, SCOPES)
  const caller = {
    ...server,
    call: (method: string, route: string, body?: unknown) => as(key, method, route, body),
  }
  const files = [{ filename: `${domain}.bin`, url: `${origin.url}/bytes/100/${domain}` }]
  const reply = await importUntilEnd(caller, { files })
  const file = reply.files[0]!.file_id!
  const links = (await (await as(key, 'POST', '/api/links', { file_ids: [file] })).json()) as {
    data: { id: string }[]
  }
  const notices = await listAll(caller, '/api/notices')
  const ids = { file, link: links.data[0]!.id, notice: notices[0]!.id! }
  return { key, shop, ids }
}

beforeAll(async () => {
  ;[server, origin] = await Promise.all([startLocalServer({ TRUST_PROXY: '1' }), startOrigin()])
  database = openDatabase(server.databaseUrl, 2, silent)
  ;[a, b] = await Promise.all([
    makeOwner('shop-a.myshopify.com'),
    makeOwner('shop-b.myshopify.com'),
  ])
  document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as ApiDocument
})
afterAll(async () => {
  await database.close()
  await server.stop()
  await origin.close()
  await removeDataDir(server.dataDir)
})

/** The document says that the endpoint needs no key. */
const isPublic = ({ security }: { security?: readonly unknown[] }) => security?.length === 0

describe('keys', () => {
  /** Each endpoint gets one of them; in soak, each. */
  const WRONG = [
    ['no key', null],
    ['a key that never was', `sdk_test_${'x'.repeat(43)}`],
    ['something else', 'hello'],
    ['another header’s words', 'Bearer'],
  ] as const
  test.each(WRONG.map(([what, key], at) => [what, key, at] as const))(
    '%s is 401 on every endpoint, with the API’s error format',
    async (_what, key, at) => {
      const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, operation]) =>
          isPublic(operation) ? [] : [[method, path] as const],
        ),
      )
      for (const [method, path] of endpoints.filter((_, n) =>
        sized(n % WRONG.length === at, true),
      )) {
        const response = await as(
          key,
          method.toUpperCase(),
          path.replace('{id}', a.ids.file!),
          ['get', 'head'].includes(method) ? undefined : {},
          elsewhere(),
        )
        expect([path, response.status]).toEqual([path, 401])
        if (method !== 'head')
          expect(await response.json()).toMatchObject({
            error: { code: 'unauthenticated', status: 401 },
          })
      }
    },
  )

  test('are needed by all endpoints but the options of uploads and those for programs of buyers', () => {
    const open = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        isPublic(operation) ? [`${method} ${path}`] : [],
      ),
    )
    expect(open).toEqual([
      'options /api/uploads',
      'post /api/licences/verify',
      'post /licences/verify',
      'post /api/licences/activate',
      'post /licences/activate',
      'post /api/licences/deactivate',
      'post /licences/deactivate',
    ])
  })

  test('a revoked key and an expired one are 401; a valid key is accepted', async () => {
    const [revoked, expired, good] = await Promise.all([
      keyFor(a.shop, ['files:read']),
      keyFor(a.shop, ['files:read'], new Date(Date.now() - 1000)),
      keyFor(a.shop, ['files:read'], new Date(Date.now() + 3_600_000)),
    ])
    expect((await as(revoked, 'GET', '/api/files')).status).toBe(200)
    await database
      .knex('api_keys')
      .where({ hint: revoked.slice(0, 16) })
      .update({ revoked_at: new Date() })
    expect((await as(revoked, 'GET', '/api/files')).status).toBe(401)
    expect((await as(expired, 'GET', '/api/files')).status).toBe(401)
    expect((await as(good, 'GET', '/api/files')).status).toBe(200)
  })

  test('a missing scope is 403 and named; a key with the scope is accepted', async () => {
    const [reader, writer] = await Promise.all([
      keyFor(a.shop, ['operations:read']),
      keyFor(a.shop, ['files:read']),
    ])
    const refused = await as(reader, 'GET', `/api/files/${a.ids.file}`)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'missing_scope',
        message: 'Permission denied',
        details: [{ message: expect.stringContaining('files:read') }],
      },
    })
    expect((await as(writer, 'GET', `/api/files/${a.ids.file}`)).status).toBe(200)
    expect((await as(writer, 'POST', '/api/files/import', { files: [] })).status).toBe(403)
  })

  test('a link’s address is only shown with links:write', async () => {
    const reader = await keyFor(a.shop, ['files:read'])
    const urls = async (key: string) =>
      (
        (await (await as(key, 'GET', '/api/links')).json()) as { data: { url: string | null }[] }
      ).data.map(({ url }) => url)
    expect(await urls(reader)).toEqual([null])
    expect(await urls(a.key)).toEqual([expect.stringContaining('/download?key=')])
  })
})

describe('ids of another shop', () => {
  test('select nothing in lists and change nothing', async () => {
    expect((await as(b.key, 'GET', `/api/links?file_id=${a.ids.file}`)).status).toBe(404)
    expect((await as(a.key, 'GET', `/api/links?file_id=${a.ids.file}`)).status).toBe(200)
    const made = await as(b.key, 'POST', '/api/links', { file_ids: [a.ids.file] })
    expect(made.status).toBe(422)
    expect(await made.json()).toMatchObject({
      error: { details: [{ index: 0, param: 'file_ids', code: 'not_found' }] },
    })
    await as(b.key, 'POST', '/api/notices/read', { ids: [a.ids.notice] })
    expect((await (await as(a.key, 'GET', '/api/notices')).json()) as object).toMatchObject({
      unread: 1,
    })
    const names = (
      (await (await as(b.key, 'GET', '/api/files')).json()) as { data: { filename: string }[] }
    ).data
    expect(names.map(({ filename }) => filename)).toEqual(['shop-b.myshopify.com.bin'])
  })

  test('the same Idempotency-Key in two shops is two keys', async () => {
    const body = { files: [{ filename: 'same.bin', url: `${origin.url}/bytes/9/same` }] }
    const send = (key: string) =>
      server.call('POST', '/api/files/import', body, {
        authorization: `Bearer ${key}`,
        'idempotency-key': 'same',
      })
    const [one, two] = await Promise.all([send(a.key), send(b.key)])
    const jobs = await Promise.all(
      [one, two].map(async (response) => ((await response.json()) as { job_id: string }).job_id),
    )
    expect(jobs[0]).not.toBe(jobs[1])
  })
})

describe('unreadable requests', () => {
  const send = (body: string | undefined, headers: Record<string, string>) =>
    fetch(`${server.url}/api/files/import`, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      headers: { authorization: `Bearer ${a.key}`, ...headers },
    })

  test.each([
    [
      'broken JSON',
      '{"files": [',
      { 'content-type': 'application/json' },
      400,
      'malformed_request',
    ],
    [
      'a form',
      'files=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    [
      '6 MB',
      JSON.stringify({ files: 'x'.repeat(6 * 1024 ** 2) }),
      { 'content-type': 'application/json' },
      413,
      'payload_too_large',
    ],
    ['nothing', '{}', { 'content-type': 'application/json' }, 422, 'validation_failed'],
    ['no body and no type', undefined, {}, 422, 'validation_failed'],
  ])('%s', async (_what, body, headers, status, code) => {
    const response = await send(body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code, status } })
  })

  test.each([
    ['{"files": [', 'The body is not valid JSON: it ends too early'],
    ['{"files":\n  {secret: 1}}', 'The body is not valid JSON: line 2 column 4'],
    ['"files"', 'The body must be a JSON object'],
  ])('%s: the answer says what is wrong, without the body', async (body, message) => {
    const response = await send(body, { 'content-type': 'application/json' })
    expect(await response.json()).toMatchObject({ error: { code: 'malformed_request', message } })
  })

  test('an unknown path is 404, another method 405, both with a request id', async () => {
    expect((await as(a.key, 'GET', '//api/files')).status).toBe(404)
    const unknown = await as(a.key, 'GET', '/api/nothing')
    expect([unknown.status, (await unknown.json()) as object]).toMatchObject([
      404,
      { error: { request_id: unknown.headers.get('x-request-id') } },
    ])
    expect((await as(a.key, 'DELETE', '/api/files/import')).status).toBe(405)
    expect((await as(a.key, 'GET', '/api/files?colour=red')).status).toBe(422)
    expect((await as(a.key, 'GET', '/api/files?cursor=nonsense')).status).toBe(422)
  })

  test('too many requests are 429 with Retry-After, per key', async () => {
    const busy = await keyFor(a.shop, ['files:read', 'links:write'])
    const answers = await Promise.all(
      Array.from({ length: 125 }, () => as(busy, 'POST', '/api/links', {})),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBe(5)
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]!.headers.get('ratelimit')).toMatch(/^"writes";r=0;t=\d+$/)
    expect((await as(busy, 'GET', '/api/files')).status).toBe(200)
    expect((await as(a.key, 'POST', '/api/links', {})).status).toBe(422)
  })
})
