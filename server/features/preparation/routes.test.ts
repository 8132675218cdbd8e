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
    ...{ added: 1, duplicates: 1, left: 1 },
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
