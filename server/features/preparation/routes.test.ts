import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type Answer, type TestApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

const make = async (name: string) =>
  (await app.owner.call('POST', '/api/licence-lists', { name })).body.id as string
const send = async (id: string, text: string | Uint8Array, type = 'text/csv') => {
  const response = await fetch(`${app.url}/api/licence-lists/${id}/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.owner.key}`, 'content-type': type },
    body: text,
  })
  const body = (await response.json()) as Answer['body']
  return { status: response.status, body }
}

test('keys are read from a text or CSV file, each once in the shop', async () => {
  const [first, second] = [await make('Editor'), await make('Viewer')]
  const csv = '\ufefflicence key,note\r\nAAA-1,x\r\n"BBB,2",y\r\n\r\n  CCC-3  \nAAA-1\n'
  expect(await send(first, csv)).toMatchObject({
    status: 200,
    body: { name: 'Editor', added: 3, duplicates: 0, left: 3, given: 0 },
  })
  expect((await send(first, csv)).body).toMatchObject({ added: 0, duplicates: 3, left: 3 })
  expect((await send(second, 'CCC-3\nDDD-4', 'text/plain')).body).toMatchObject({
    added: 1,
    duplicates: 1,
    left: 1,
  })
  const list = await app.owner.call('GET', '/api/licence-lists')
  expect(list.body.data).toMatchObject([
    { id: first, left: 3 },
    { id: second, left: 1 },
  ])
  expect(JSON.stringify(list.body)).not.toContain('AAA')
})

test('invalid keys are named by line, and none is added', async () => {
  const id = await make('Refused')
  const refused = await send(id, `GOOD-1\n${'x'.repeat(501)}\nbad\u0007key\n`)
  expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } })
  expect(refused.body.error.details).toMatchObject([
    { index: 1, message: 'A key has at most 500 characters' },
    { index: 2 },
  ])
  expect((await send(id, '\n\n')).body.error.message).toContain('The file contains no keys')
  expect((await send(id, Buffer.alloc(21 * 1024 * 1024, 'a\n'))).status).toBe(413)
  expect((await send(id, 'x'.repeat(9000))).status).toBe(422)
  expect((await app.owner.call('GET', `/api/licence-lists/${id}`)).body).toMatchObject({ left: 0 })
})

test('a name is unique, and free again when its list is deleted', async () => {
  const id = await make('Taken')
  const again = await app.owner.call('POST', '/api/licence-lists', { name: 'TAKEN' })
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  expect((await app.owner.call('DELETE', `/api/licence-lists/${id}`)).status).toBe(204)
  for (const method of ['GET', 'DELETE'])
    expect((await app.owner.call(method, `/api/licence-lists/${id}`)).status).toBe(404)
  expect((await send(id, 'KEY')).status).toBe(404)
  expect((await app.owner.call('POST', '/api/licence-lists', { name: 'Taken' })).status).toBe(201)
})

test('a list that generates its keys has a pattern that nobody can guess', async () => {
  const post = (generate: object, more = {}) =>
    app.owner.call('POST', '/api/licence-lists', { name: 'Made', generate, ...more })
  for (const [generate, param, message] of [
    [{ pattern: 'XXXXX-XXXXX' }, 'generate.pattern', 'have 49 random bits, and 50 are needed'],
    [{ pattern: '' }, 'generate.pattern', 'Enter a pattern'],
    [{ pattern: `${'X'.repeat(20)}é` }, 'generate.pattern', 'letters and digits of ASCII'],
    [{ pattern: 'X'.repeat(20), prefix: 'A B' }, 'generate.prefix', 'letters and digits'],
  ] as const) {
    const { status, body } = await post(generate)
    expect([status, body.error.details[0].param]).toEqual([422, param])
    expect(body.error.details.map((one: { message: string }) => one.message).join()).toContain(
      message,
    )
  }
  expect((await post({ pattern: 'X'.repeat(20) }, { activation_limit: 0 })).status).toBe(422)
  const made = await post({ pattern: 'XXXX-XXXX-XXXX' }, { expiry_days: 30 })
  const path = `/api/licence-lists/${made.body.id as string}`
  expect(made).toMatchObject({
    status: 201,
    body: {
      generate: { pattern: 'XXXX-XXXX-XXXX', prefix: '', checksum: false },
      left: null,
      given: 0,
      expiry_days: 30,
      activation_limit: null,
      revoke_on_refund: false,
    },
  })
  expect((await send(made.body.id as string, 'K-1')).status).toBe(409)
  const terms = { expiry_days: null, activation_limit: 2, revoke_on_refund: true, name: 'New name' }
  const changed = await app.owner.call('PATCH', path, terms)
  expect(changed.body).toMatchObject({ ...terms, generate: { pattern: 'XXXX-XXXX-XXXX' } })
  const generate = { pattern: 'AAAA-9999-XXXXXXXX', prefix: 'P-', checksum: true }
  expect((await app.owner.call('PATCH', path, { generate })).body).toMatchObject({
    ...terms,
    generate,
  })
  const own = `/api/licence-lists/${await make('Own keys')}`
  expect((await app.owner.call('PATCH', own, { generate })).status).toBe(409)
  expect((await app.owner.call('PATCH', own, { name: 'NEW NAME' })).status).toBe(409)
  expect((await app.owner.call('PATCH', own, { activation_limit: 1 })).body).toMatchObject({
    name: 'Own keys',
    left: 0,
    generate: null,
    activation_limit: 1,
  })
})
