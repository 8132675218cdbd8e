import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { soakTest } from '../../test/scale.ts'
import { openTestApp, untilEnded, type TestApp } from '../../test/app.ts'
import { startOrigin, type Origin } from '../../test/fakes/origin.ts'
import { createSecrets } from '../core/secrets.ts'
import { sweepOperations } from './retention.ts'
import { keepAddress, wholeAddress, withoutSecrets } from '../core/client-address.ts'

const CANARY = 'canary-d41d8cd98f'

let app: TestApp
let origin: Origin
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
})
afterAll(async () => {
  await Promise.all([app.close(), origin.close()])
})

const pool = () => app.engine.parts.database.pool
/** Everything that the database stores about operations, their items and messages, as text. */
async function kept(): Promise<string> {
  const { rows } = await pool().query<{ text: string }>(
    `select coalesce(string_agg(text, ' '), '') as text
       from (select o::text as text from operations o
       union all select i::text from items i union all select m::text from outbox m) rows`,
  )
  return rows[0]!.text
}

async function started(path: string, more: object = {}): Promise<string> {
  const files = [
    {
      filename: `${path.slice(1).replaceAll('/', '-')}.pdf`,
      url: `${origin.url}${path}?token=${CANARY}#x`,
    },
  ]
  const { body } = await app.owner.call(
    'POST',
    '/api/files/import',
    { files, ...more },
    { prefer: 'respond-async' },
  )
  return body.job_id as string
}

test('an import’s address is sealed until it has ended, and then kept without its query', async () => {
  const id = await started('/bytes/1000/sealed', {
    callback_url: `${origin.url}/bytes/1/called?key=${CANARY}`,
  })
  const before = await kept()
  expect(before).not.toContain(CANARY)
  expect(before).toContain('"sealed"')
  const worker = await app.engine.startWorker()
  try {
    expect(await untilEnded(app.owner, id)).toMatchObject({ status: 'success' })
  } finally {
    await worker.stop()
  }
  // The bytes were requested at the complete address.
  expect(origin.count(`/bytes/1000/sealed?token=${CANARY}`)).toBe(1)
  const { rows } = await pool().query<{ entry: { source: object } }>(
    `select entry from items where entry #>> '{source,url}' like '%/sealed'`,
  )
  expect(rows.map(({ entry }) => entry.source)).toEqual([
    { type: 'url', url: `${origin.url}/bytes/1000/sealed` },
  ])
  expect(await kept()).not.toContain(CANARY)
})

soakTest(
  'a failed file is retried at its complete address, which is deleted after seven days',
  async () => {
    const worker = await app.engine.startWorker()
    const path = `/status/404`
    try {
      const id = await started(path)
      expect(await untilEnded(app.owner, id)).toMatchObject({ status: 'failed' })
      expect((await app.owner.call('POST', `/api/operations/${id}/retry`)).status).toBe(200)
      expect(await untilEnded(app.owner, id)).toMatchObject({ status: 'failed' })
      expect(origin.count(`${path}?token=${CANARY}`)).toBe(2)
    } finally {
      await worker.stop()
    }
    expect(await kept()).toContain('"sealed"')
    // A delivered callback; a waiting one keeps its address.
    await pool().query(`update outbox set status = 'sent'`)
    await sweepOperations(pool(), new Date(Date.now() + 8 * 86_400_000))
    const after = await kept()
    expect(after).toContain(`${origin.url}${path}"`)
    expect(after).not.toContain('"sealed"')
    expect(after).not.toContain(CANARY)
  },
)

test('headers are sealed with the address, sent, and shown nowhere', async () => {
  const got: string[] = []
  const server = createServer(({ headers }, response) => {
    got.push(`${headers.authorization} ${headers['x-key']} ${headers['user-agent']}`)
    response.end('bytes')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`
  const worker = await app.engine.startWorker()
  try {
    const { body } = await app.owner.call('POST', '/api/files/import', {
      headers: { Authorization: `Bearer ${CANARY}`, 'X-Key': 'common' },
      files: [
        { filename: 'with-headers-1.txt', url },
        { filename: 'with-headers-2.txt', url, headers: { 'x-KEY': 'own' } },
      ],
    })
    expect(await untilEnded(app.owner, body.job_id)).toMatchObject({ status: 'success' })
    const items = await app.owner.call('GET', `/api/operations/${body.job_id}/items`)
    const operation = await app.owner.call('GET', `/api/operations/${body.job_id}`)
    expect(JSON.stringify([body, items.body, operation.body])).not.toContain(CANARY)
  } finally {
    await worker.stop()
    server.close()
  }
  expect(got.toSorted().map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    `Bearer ${CANARY} common`,
    `Bearer ${CANARY} own`,
  ])
  expect(await kept()).not.toContain(CANARY)
})

soakTest('waiting items keep headers sealed', async () => {
  const files = [{ filename: 'waiting.pdf', url: `${origin.url}/bytes/10/waiting` }]
  const request = { files, headers: { authorization: `Bearer ${CANARY}` } }
  const asked = { prefer: 'respond-async' }
  expect((await app.owner.call('POST', '/api/files/import', request, asked)).status).toBe(202)
  expect(await kept()).not.toContain(CANARY)
})

test.each([
  ['Host', 'a.example'],
  ['content-length', '1'],
  ['Transfer-Encoding', 'chunked'],
  ['Proxy-Authorization', 'x'],
  ['X-Forwarded-For', '10.0.0.1'],
  ['Range', 'bytes=0-1'],
  ['bad name', 'x'],
  ['x-lines', 'a\r\nHost: b'],
  ['x-letters', 'é'],
])('the header %s: %j is refused, without its value', async (name, value) => {
  const files = [{ filename: 'refused.pdf', url: `${origin.url}/bytes/10/refused` }]
  const { status, body } = await app.owner.call('POST', '/api/files/import', {
    files,
    headers: { [name]: value },
  })
  expect(status).toBe(422)
  expect(body.error.details).toMatchObject([{ param: 'headers', code: 'invalid_header' }])
  expect(JSON.stringify(body)).not.toContain(value === '1' || value === 'x' ? 'never' : value)
})

const ADDRESSES = [
  ['https://files.example/a.pdf', 'https://files.example/a.pdf'],
  ['https://files.example/a.pdf?X-Amz-Signature=1&b=2#page', 'https://files.example/a.pdf'],
  [
    'https://user:secret@files.example:444/@scope/a.pdf#b?c',
    'https://files.example:444/@scope/a.pdf',
  ],
  ['https://a:b@c@files.example', 'https://files.example'],
  ['https://files.example?q=http://a@b/', 'https://files.example'],
] as const
test.each(ADDRESSES)('%s is kept as %s', (url, expected) => {
  expect(withoutSecrets(url)).toBe(expected)
})

test('another shop’s value, and one of another secret, cannot be opened', () => {
  const secrets = createSecrets('a secret of at least thirty-two characters')
  const sealed = keepAddress('https://files.example/a?b', { shop: 1, secrets })
  const others = createSecrets('another secret of at least thirty-two characters')
  expect(wholeAddress(sealed, { shop: 1, secrets })).toBe('https://files.example/a?b')
  expect(wholeAddress(sealed, { shop: 2, secrets })).toBe('https://files.example/a')
  expect(wholeAddress(sealed, { shop: 1, secrets: others })).toBe('https://files.example/a')
})
