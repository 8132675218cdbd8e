import { afterAll, beforeAll, expect, test } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { openTestApp, type TestApp } from '../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

async function send(type: string, body: Buffer<ArrayBuffer>) {
  const headers = { authorization: `Bearer ${app.owner.key}`, 'content-type': type }
  const answer = await fetch(`${app.url}/api/packs`, { method: 'POST', headers, body })
  const { name, error } = (await answer.json()) as {
    name?: string
    error?: { code: string; message: string }
  }
  return [answer.status, name ?? error?.code, ...(error ? [error.message] : [])]
}

const JSON_TYPE = 'application/json'
const packOf = (name: string) => JSON.stringify({ name })

test.each(
  someOf(
    [
      ['UTF-8', JSON_TYPE, Buffer.from(packOf('Größe 1')), 'Größe 1'],
      ['a byte-order mark', JSON_TYPE, Buffer.from(`\uFEFF${packOf('Größe 2')}`), 'Größe 2'],
      [
        'a declared charset',
        `${JSON_TYPE}; charset=ISO-8859-1`,
        Buffer.from(packOf('Größe 3'), 'latin1'),
        'Größe 3',
      ],
      [
        'UTF-16',
        `${JSON_TYPE}; charset="utf-16"`,
        Buffer.from(`\uFEFF${packOf('Größe 4')}`, 'utf16le'),
        'Größe 4',
      ],
    ] as const,
    (_, at) => at % 4 === 0,
  ),
)('a body in %s is decoded', async (_, type, body, name) => {
  expect(await send(type, body)).toEqual([201, name])
})

test.each(
  someOf(
    [
      [
        JSON_TYPE,
        ['malformed_request', 'The body is not valid UTF-8: encode its text as UTF-8'],
        400,
      ],
      [
        `${JSON_TYPE}; charset=utf-8`,
        ['malformed_request', 'The body is not valid utf-8, which its Content-Type declares'],
        400,
      ],
      [
        `${JSON_TYPE}; charset=klingon`,
        ['unsupported_media_type', 'Send the body in UTF-8: the charset klingon is unknown'],
        415,
      ],
    ] as const,
    (_, at) => at % 5 === 0,
  ),
)('bytes that are no text in %s are refused, not replaced', async (type, answer, status) => {
  const body = Buffer.from(packOf('Größe'), 'latin1')
  expect(await send(type, body)).toEqual([status, ...answer])
})

test.each([
  ['{"tags":\n ["a",]}', 'line 2 column 7'],
  ['{"name": truth}', 'line 1 column 13'],
  ['{"name": "a"} {}', 'line 1 column 15'],
  ['{"name": "a",}', 'line 1 column 14'],
])('%j is no JSON, and the answer says where', async (text, place) => {
  const [status, code, message] = await send(JSON_TYPE, Buffer.from(text))
  expect([status, code]).toEqual([400, 'malformed_request'])
  expect(message).toBe(`The body is not valid JSON: ${place}`)
})
