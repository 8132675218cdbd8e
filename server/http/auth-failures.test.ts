// Guessing keys and tokens is limited by address, without locking out others who share the address.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { AppError } from '../core/errors.ts'
import { createFailureLimiter } from './auth.ts'

const MAX = 5
let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ trustProxy: true, limits: { failed_sign_ins_per_minute: MAX } })
})
afterAll(() => app.close())

let made = 0
const wrongKey = () => `sdk_live_${String(++made).padStart(43, 'x')}`
async function ask(
  address: string,
  key: string,
  path = '/api/packs',
  method = 'GET',
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `192.0.2.99, ${address}` }
  const response = await fetch(app.url + path, { method, headers })
  if (response.status === 429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  return response.status
}
async function fail(address: string): Promise<number[]> {
  const answers: number[] = []
  for (let n = 0; n < MAX + 2; n++) answers.push(await ask(address, wrongKey()))
  return answers
}
const FAILED = [...Array<number>(MAX).fill(401), 429, 429]

test('wrong keys of one address are refused after a few, without a look-up', async () => {
  expect(await fail('198.51.100.1')).toEqual(FAILED)
  const { key } = await app.clientWith(['files:read'])
  expect(await ask('198.51.100.1', key)).toBe(429)
  expect(await ask('198.51.100.2', key)).toBe(200)
})

test('a valid key still works there, and its requests do not count as failures', async () => {
  for (let n = 0; n < MAX * 2; n++) expect(await ask('198.51.100.3', app.owner.key)).toBe(200)
  expect(await fail('198.51.100.3')).toEqual(FAILED)
  expect(await ask('198.51.100.3', app.owner.key)).toBe(200)
})

test('limits uploads and session tokens, and ignores requests without a key', async () => {
  for (let n = 0; n < MAX; n++)
    expect(await ask('198.51.100.4', wrongKey(), '/api/uploads', 'POST')).toBe(401)
  expect(await ask('198.51.100.4', wrongKey(), '/api/uploads', 'POST')).toBe(429)
  for (let n = 0; n < MAX; n++) expect(await ask('198.51.100.5', `a.b.${n}`)).toBe(401)
  expect(await ask('198.51.100.5', 'a.b.c')).toBe(429)
  const none = { headers: { 'x-forwarded-for': '198.51.100.5' } }
  expect((await fetch(`${app.url}/api/packs`, none)).status).toBe(401)
})

test('an IPv6 network counts as one address, and processes share the counts', async () => {
  for (let n = 0; n < MAX; n++) expect(await ask(`2001:db8:1:2:${n}::1`, wrongKey())).toBe(401)
  expect(await ask('2001:db8:1:2:ffff::9', wrongKey())).toBe(429)
  expect(await ask('2001:db8:1:3::1', wrongKey())).toBe(401)
  const limits = { failed_sign_ins_per_minute: MAX } as never
  const { database } = app.engine.parts
  const other = createFailureLimiter({ database, limits, trustProxy: true })
  const request = { headers: { 'x-forwarded-for': '2001:db8:1:2::8' }, socket: {} } as never
  const check = () => Promise.reject(new AppError('unauthenticated'))
  await expect(other.guard(request, check, 'x')).rejects.toMatchObject({ code: 'rate_limited' })
})
