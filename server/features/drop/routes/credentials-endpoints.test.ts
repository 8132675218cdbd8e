import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

test('the credentials of the drop folder are read and generated in one record', async () => {
  const none = await app.owner.call('GET', '/api/drop-account')
  expect([none.status, none.body.error.code]).toEqual([404, 'not_found'])
  const made = await app.owner.call('POST', '/api/drop-account')
  const drop = (await app.owner.call('GET', '/api/drop')).body
  const { host, ftp_port, sftp_port, path } = drop
  expect([made.status, made.body]).toMatchObject([
    201,
    { host, ftp_port, sftp_port, path, allowed_addresses: [], enabled: true },
  ])
  const { password, ...record } = made.body
  expect(password).toMatch(/^[\w-]{20,}$/)
  const read = await app.owner.call('GET', '/api/drop-account')
  expect([read.status, read.body]).toEqual([200, record])
  // It is an account as any other.
  const { data } = (await app.owner.call('GET', '/api/drop/accounts')).body
  expect(data.map(({ id }: { id: string }) => id)).toEqual([record.id])
  const limited = await app.owner.call('POST', '/api/drop-account', {
    name: 'Warehouse',
    allowed_addresses: ['203.0.113.0/24'],
  })
  expect(limited.body).toMatchObject({ name: 'Warehouse', allowed_addresses: ['203.0.113.0/24'] })
  const other = `/api/drop-account?account=${limited.body.id}`
  expect((await app.owner.call('GET', other)).body).toMatchObject({ name: 'Warehouse', path })
  const stranger = await app.stranger('stranger.myshopify.com')
  for (const route of ['/api/drop-account', other])
    expect((await stranger.call('GET', route)).status).toBe(404)
})

test('an entry with several public keys is refused', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHn9GY+cKRNLYgTPKVOIU0iiWZzGOW6hmEnNRlkS/8bM'
  const send = (text: string) =>
    app.owner.call('POST', '/api/drop/accounts', {
      name: 'Several',
      public_keys: [{ name: 'laptop', key: text }],
    })
  const refused = await send(`${key} one\n${key.replace('Hn9', 'Hn8')} two\n`)
  expect(refused.status).toBe(422)
  expect(refused.body.error.details).toMatchObject([{ message: 'Send one key in each entry' }])
  expect((await send(`${key} one\n${key} again\n`)).status).toBe(201)
})
