// What programs of buyers send: verification and activations of licence keys.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sized, soakTest } from '../../../test/scale.ts'
import { openTestApp, type Answer, type Client, type TestApp } from '../../../test/app.ts'
import { addFile } from '../../../test/deliveries.ts'
import { silent } from '../../../test/database.ts'
import { openDatabase } from '../../core/db/database.ts'
import { toPublicId } from '../../core/ids.ts'
import { activateKey, findAssignedKey } from './activations.ts'
import { supplyKeys } from './key-supply.ts'
import { readLicenceKey } from './key-records.ts'
import { createKeyHash, readLicenceList, type LicenceTerms } from './licence-lists.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp({ trustProxy: true })))
afterAll(() => app.close())

const GENERATE = { pattern: 'XXXX-XXXX-XXXX', prefix: 'T-', checksum: true }
let lists = 0
/** A new list with one key of a buyer. */
async function give(terms: Partial<LicenceTerms> = {}, client: Client = app.owner, own = '') {
  const body = { name: `List ${(lists += 1)}`, ...terms, ...(own ? {} : { generate: GENERATE }) }
  const made = await client.call('POST', '/api/licence-lists', body)
  expect(made.status).toBe(201)
  const id = made.body.id as string
  if (own)
    await fetch(`${app.url}/api/licence-lists/${id}/keys`, {
      method: 'POST',
      body: own,
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'text/plain' },
    })
  const file = await addFile(app.engine, `app-${lists}.zip`, Buffer.from('app'))
  const { secrets } = app.engine.parts
  const key = await client.scope.transaction(async (tx) => {
    const list = await readLicenceList(tx, uuidOf(id))
    const owner = { delivery: randomUUID(), file, line: null, last: 0 }
    const [key] = await supplyKeys(tx, secrets, list!, owner, 1)
    await tx.query('update licence_keys set shown_at = now() where shop_id = :shop and id = :key', {
      key,
    })
    return (await readLicenceKey(tx, secrets, key!))!
  })
  return { list: id, id: toPublicId('licence', key.id), key: key.key!, file: key.filename }
}
const uuidOf = (id: string) =>
  id.split('_')[1]!.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

let addresses = 0
const nextAddress = () => `198.51.100.${(addresses += 1)}`
/** Each request has a separate address, unless one is given. */
async function send(path: string, body: unknown, address = nextAddress()): Promise<Answer> {
  const response = await fetch(`${app.url}/licences/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Answer['body']
  return { status: response.status, headers: response.headers, body: answer }
}
const stateOf = async (path: string, body: object) => {
  const answer = await send(path, body)
  expect(answer.status).toBe(200)
  return answer.body as object
}
const act = (id: string, action: string) =>
  app.owner.call('POST', `/api/licence-keys/${id}/${action}`)

const UNKNOWN = {
  valid: false,
  status: 'unknown',
  activations: 0,
  activation_limit: null,
  expires_at: null,
  file: null,
  order: null,
}

test('an unknown key is answered like a malformed one, and like one that no buyer has', async () => {
  const { list } = await give({}, app.owner, 'GIVEN-1\nFREE-1')
  expect((await app.owner.call('GET', `/api/licence-lists/${list}`)).body.left).toBe(1)
  for (const key of ['T-7KQ2-M7XW-4TRCF', 'FREE-1', '', 'a\u0000\ud800', 'x'.repeat(3000)])
    for (const path of ['verify', 'activate', 'deactivate'])
      expect(await stateOf(path, { key, instance: 'here' })).toEqual(UNKNOWN)
  expect(await stateOf('verify', { key: ' GIVEN-1\n' })).toMatchObject({ valid: true })
})

test('activations count by instance, up to the limit', async () => {
  const { key, id, file } = await give({ activation_limit: 2, expiry_days: 30 })
  expect(await stateOf('verify', { key })).toEqual({
    valid: true,
    status: 'active',
    activations: 0,
    activation_limit: 2,
    file,
    order: null,
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  })
  const at = (instance: string) => ({ key, instance })
  expect(await stateOf('verify', at('desk'))).toMatchObject({
    valid: false,
    status: 'not_activated',
    activations: 0,
  })
  for (let n = 0; n < 2; n += 1)
    expect(await stateOf('activate', at('desk'))).toMatchObject({ valid: true, activations: 1 })
  expect(await stateOf('activate', at(' laptop '))).toMatchObject({ activations: 2 })
  expect(await stateOf('verify', at('laptop'))).toMatchObject({ valid: true, status: 'active' })
  expect(await stateOf('activate', at('third'))).toMatchObject({
    valid: false,
    status: 'limit_reached',
    activations: 2,
  })
  for (let n = 0; n < 2; n += 1)
    expect(await stateOf('deactivate', at('desk'))).toMatchObject({ valid: true, activations: 1 })
  expect(await stateOf('activate', at('third'))).toMatchObject({ valid: true, activations: 2 })

  const found = await app.owner.call('GET', `/api/licence-lists/${(await ofKey(id)).list_id}/keys`)
  expect(found.body.data).toMatchObject([
    { id, key, activations: 2, activation_limit: 2, status: 'active', filename: file },
  ])
  const instances = found.body.data[0].instances as { instance: string; address: string }[]
  expect(instances.map(({ instance }) => instance).toSorted()).toEqual(['laptop', 'third'])
  const fields = ['activated_at', 'address', 'instance', 'seen_at']
  expect(Object.keys(instances[0]!).toSorted()).toEqual(fields)
  expect(instances[0]!.address).toMatch(/^198\.51\.100\./)
  expect((await act(id, 'reset')).body).toMatchObject({ activations: 0, instances: [] })
  expect(await stateOf('verify', at('third'))).toMatchObject({ status: 'not_activated' })
})
test('a program that names no instance has one, named default', async () => {
  const { key } = await give({ activation_limit: 1 })
  for (let n = 0; n < 2; n += 1)
    expect(await stateOf('activate', { key })).toMatchObject({ valid: true, activations: 1 })
  expect(await stateOf('activate', { key, instance: 'desk' })).toMatchObject({
    valid: false,
    status: 'limit_reached',
    activations: 1,
  })
  expect(await stateOf('verify', { key, instance: 'default' })).toMatchObject({ valid: true })
  expect(await stateOf('deactivate', { key })).toMatchObject({ valid: true, activations: 0 })
})
const ofKey = async (id: string) => (await act(id, 'restore')).body

test('a key that is expired or revoked is not valid, and not activated', async () => {
  const { key, id } = await give()
  await stateOf('activate', { key, instance: 'before' })
  for (let n = 0; n < 2; n += 1)
    expect((await act(id, 'revoke')).body).toMatchObject({
      status: 'revoked',
      revoked_by: 'merchant',
    })
  const refused = { valid: false, status: 'revoked', activations: 1 }
  for (const [path, instance] of [
    ['verify', 'before'],
    ['activate', 'after'],
    ['activate', 'before'],
  ] as const)
    expect(await stateOf(path, { key, instance })).toMatchObject(refused)
  expect(await stateOf('deactivate', { key, instance: 'before' })).toMatchObject({ activations: 0 })
  expect((await act(id, 'restore')).body).toMatchObject({ status: 'active', revoked_at: null })
  expect(await stateOf('verify', { key })).toMatchObject({ valid: true })
  await app.owner.scope.query(
    `update licence_keys set expires_at = now() where shop_id = :shop and id = :id`,
    { id: uuidOf(id) },
  )
  for (const path of ['verify', 'activate'])
    expect(await stateOf(path, { key, instance: 'late' })).toMatchObject({
      valid: false,
      status: 'expired',
      activations: 0,
    })
})

test('a replaced key is revoked, and the other one of its list expires when it did', async () => {
  const { key, id, list } = await give({ expiry_days: 10, activation_limit: 1 })
  const before = (await ofKey(id)) as { expires_at: string }
  const rotated = await act(id, 'rotate')
  expect(rotated).toMatchObject({ status: 200, body: { status: 'active', ...expiryOf(before) } })
  expect(rotated.body.key).toMatch(/^T-/)
  expect(rotated.body.key).not.toBe(key)
  expect(await stateOf('verify', { key })).toMatchObject({ valid: false, status: 'revoked' })
  expect(await stateOf('verify', { key: rotated.body.key as string })).toMatchObject({
    valid: true,
  })
  for (const action of ['rotate', 'revoke', 'restore', 'reset'])
    expect((await act(id, action)).status).toBe(409)
  const listed = async (query: string) =>
    ((await app.owner.call('GET', `/api/licence-lists/${list}/keys${query}`)).body.data as object[])
      .length
  expect(await listed('')).toBe(2)
  expect(await listed(`?search=${key}`)).toBe(1)
  expect(await listed(`?search=${key.slice(1)}`)).toBe(0)
  expect([await listed('?status=replaced'), await listed('?status=active')]).toEqual([1, 1])
  const first = await app.owner.call('GET', `/api/licence-lists/${list}/keys?limit=1`)
  const next = `?limit=1&cursor=${first.body.next_cursor}`
  const second = await app.owner.call('GET', `/api/licence-lists/${list}/keys${next}`)
  expect([first, second].map(({ body }) => body.data[0].id as string)).toEqual([
    rotated.body.id as string,
    id,
  ])
  expect(second.body.next_cursor).toBeNull()

  const own = await give({}, app.owner, 'ONLY-ONE')
  expect(await act(own.id, 'rotate')).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('no keys left') } },
  })
  expect(await stateOf('verify', { key: 'ONLY-ONE' })).toMatchObject({ valid: true })
})
const expiryOf = ({ expires_at }: { expires_at: string }) => ({ expires_at })

soakTest('a key that several shops have needs the domain of one of them', async () => {
  const other = await app.stranger('second.myshopify.com')
  await give({ activation_limit: 1 }, app.owner, 'SHARED-1')
  const mine = { key: 'SHARED-1', shop: await domainOf(app.owner) }
  expect(await stateOf('verify', { key: 'SHARED-1' })).toMatchObject({ activation_limit: 1 })
  await give({ activation_limit: 7 }, other, 'SHARED-1')
  expect(await send('verify', { key: 'SHARED-1' })).toMatchObject({
    status: 422,
    body: {
      error: { param: 'shop', details: [{ message: expect.stringContaining('Several shops') }] },
    },
  })
  expect(await stateOf('verify', mine)).toMatchObject({ activation_limit: 1 })
  const theirs = { key: 'SHARED-1', shop: 'Second.MyShopify.com' }
  expect(await stateOf('activate', { ...theirs, instance: 'a' })).toMatchObject({ activations: 1 })
  expect(await stateOf('verify', mine)).toMatchObject({ activations: 0 })
  expect(await stateOf('verify', { ...mine, shop: 'none.example.com' })).toEqual(UNKNOWN)
})
const domainOf = async ({ scope }: Client) =>
  (await scope.one<{ domain: string }>('select domain from shops where id = :shop')).domain

test('parallel activations never exceed the limit, also over two processes', async () => {
  const { key } = await give({ activation_limit: 10 })
  const { database, secrets } = app.engine.parts
  const second = openDatabase(String(database.pool.options.connectionString), 5, silent)
  try {
    const found = (await findAssignedKey(second, createKeyHash(secrets)(key), null))!
    // Each instance is activated twice in each process.
    const devices = sized(12, 24)
    const instances = Array.from({ length: 2 * devices }, (_, n) => `device ${n % devices}`)
    await Promise.all(
      instances.flatMap((instance) => [
        activateKey(found, { instance, address: '' }),
        stateOf('activate', { key, instance }),
      ]),
    )
    expect(await stateOf('verify', { key })).toMatchObject({ activations: 10 })
    const valid = await Promise.all(
      Array.from({ length: devices }, (_, n) =>
        stateOf('verify', { key, instance: `device ${n}` }),
      ),
    )
    expect(valid.filter((state) => (state as { valid: boolean }).valid).length).toBe(10)
  } finally {
    await second.close()
  }
})

soakTest('pages of any origin may send requests, and bad ones are refused', async () => {
  const url = `${app.url}/licences/verify`
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'https://editor.example.com', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type')
  expect((await fetch(url)).status).toBe(405)
  const refused = [
    await send('verify', {}),
    await send('verify', { key: 7 }),
    await send('activate', { key: 'A', instance: 'x'.repeat(256) }),
    await send('verify', { key: 'A', extra: true }),
    await send('verify', { key: 'A'.repeat(9000) }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 413])
  for (const { headers } of refused) expect(headers.get('access-control-allow-origin')).toBe('*')
})

soakTest('the short addresses are the same, with the same limits', async () => {
  const { key } = await give()
  const body = { key, instance: 'studio' }
  expect(await stateOf('../api/licences/activate', body)).toMatchObject({ valid: true })
  expect(await stateOf('verify', body)).toEqual(await stateOf('../api/licences/verify', body))
  expect(await stateOf('../api/licences/deactivate', body)).toMatchObject({ activations: 0 })
  expect((await send('../api/licences/revoke', body)).status).toBe(404)
  const preflight = await fetch(`${app.url}/api/licences/verify`, { method: 'OPTIONS' })
  expect(preflight.status).toBe(204)
  const address = nextAddress()
  const wrong = Array.from({ length: 30 }, (_, at) =>
    send(at % 2 ? 'verify' : '../api/licences/verify', { key: `WRONG-${at}` }, address),
  )
  await Promise.all(wrong)
  expect((await send('verify', body, address)).status).toBe(429)
  expect((await send('../api/licences/verify', body, address)).status).toBe(429)
})

soakTest(
  'parallel guesses get no more than one after another, and right keys are not held up',
  async () => {
    const guessing = nextAddress()
    const guesses = await Promise.all(
      Array.from({ length: 230 }, (_, n) => send('verify', { key: `PARALLEL-${n}` }, guessing)),
    )
    const compared = guesses.filter(({ status }) => status === 200)
    expect(compared.length).toBe(30)
    expect(guesses.filter(({ status }) => status === 429).length).toBe(200)
    const office = nextAddress()
    const { key } = await give()
    const right = await Promise.all(
      Array.from({ length: 100 }, () => send('verify', { key }, office)),
    )
    expect(right.filter(({ status }) => status !== 200)).toEqual([])
  },
)

test('requests are limited by address and by key, and wrong keys more', async () => {
  const { key } = await give()
  const many = (length: number, body: object, address?: string) =>
    Promise.all(Array.from({ length }, () => send('verify', body, address)))
  const statuses = (answers: readonly Answer[]) =>
    Object.fromEntries(
      [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [
        status,
        all.length,
      ]),
    ) as Record<string, number>
  expect(statuses(await many(125, { key }))).toEqual({ 200: 120, 429: 5 })
  const [bad] = await many(1, { key })
  expect(Number(bad!.headers.get('retry-after'))).toBeGreaterThan(0)
  const guessing = nextAddress()
  for (let n = 0; n < 30; n += 1) await send('verify', { key: `WRONG-${n}` }, guessing)
  // Also the right key: otherwise the answers would tell which guess was right.
  const right = await give()
  expect((await send('verify', { key: right.key }, guessing)).status).toBe(429)
  expect((await send('verify', { key: right.key })).status).toBe(200)
  const busy = nextAddress()
  expect(statuses(await many(245, {}, busy))).toEqual({ 422: 240, 429: 5 })
})
