import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { dataOf, openClient, stevedore, StevedoreError } from './client.ts'

interface Seen {
  method: string
  url: string
  key: string | undefined
  authorization: string | undefined
  body: string
}

interface Reply {
  status: number
  json?: unknown
  headers?: Record<string, string>
}

const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

/** A server that gives these answers, in their order; `drop` closes the connection. */
async function serving(...replies: (Reply | 'drop')[]) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { method = '', url = '', headers } = request
      const key = headers['idempotency-key'] as string | undefined
      seen.push({ method, url, key, authorization: headers.authorization, body })
      const reply = replies.shift()
      if (reply === 'drop' || reply === undefined) return void request.socket.destroy()
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      response.end(reply.json === undefined ? '' : JSON.stringify(reply.json))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closings.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const retries: number[] = []
  const waits: number[] = []
  const stop = new AbortController()
  const { client: shop } = openClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: 'sdk_test_key',
    onRetry: ({ waitMs }) => retries.push(waitMs),
    signal: stop.signal,
    sleep: (ms) => Promise.resolve(void waits.push(ms)),
  })
  return { shop, seen, retries, waits, stop }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const page = (names: string[], next_cursor: string | null): Reply => ({
  status: 200,
  json: { data: names.map((filename) => ({ filename })), next_cursor },
})

test('all pages of a list are read, with its query and the key', async () => {
  const { shop, seen } = await serving(page(['a', 'b'], 'next one'), page(['c'], null))
  const names: string[] = []
  for await (const { filename } of shop.all('/api/files', { tags: ['x', 'y'] }))
    names.push(filename)
  expect(names).toEqual(['a', 'b', 'c'])
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/files?limit=250&tags=x%2Cy',
    '/api/files?limit=250&tags=x%2Cy&cursor=next+one',
  ])
  expect(seen[0]?.authorization).toBe('Bearer sdk_test_key')
})

test('a list with names in its path is read with their values', async () => {
  const { shop, seen } = await serving(page(['a'], null), page(['b'], null))
  const names: string[] = []
  for (const id of ['op_1', 'op/2'])
    for await (const { filename } of shop.all('/api/operations/{id}/items', {}, { id }))
      names.push(filename)
  expect(names).toEqual(['a', 'b'])
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/operations/op_1/items?limit=250',
    '/api/operations/op%2F2/items?limit=250',
  ])
})

test('a change is repeated with the same key and body until it is answered', async () => {
  const running = { status: 409, json: refusal('idempotency_in_progress') }
  const made = { status: 201, json: { data: [], next_cursor: null } }
  const { shop, seen, retries, waits } = await serving('drop', running, made)
  const body = { file_ids: ['file_1'] }
  expect(dataOf(await shop.POST('/api/links', { body }))).toMatchObject({ data: [] })
  expect(seen).toHaveLength(3)
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
  expect(seen.map((one) => JSON.parse(one.body) as unknown)).toEqual([body, body, body])
  expect(retries).toEqual([500, 1000])
  expect(waits).toEqual(retries)
})

const refusal = (code: string) => ({
  error: {
    code,
    message: 'Not possible',
    details: [{ param: 'tags', code: 'too_many', message: 'At most 50 tags' }],
    request_id: 'req_1',
  },
})

test('a key of the caller is kept, and a refusal is an error and not repeated', async () => {
  const { shop, seen } = await serving({ status: 422, json: refusal('validation_failed') })
  const call = shop.once('spring-1', (params) =>
    shop.POST('/api/links', { params, body: { file_ids: [] } }),
  )
  const error = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StevedoreError)
  expect(error).toMatchObject({
    code: 'validation_failed',
    status: 422,
    requestId: 'req_1',
    details: [{ param: 'tags' }],
  })
  expect(seen).toMatchObject([{ key: 'spring-1' }])
})

test('an answer that is none of the API, and no answer, are errors too', async () => {
  const { shop } = await serving({ status: 403, json: 'Forbidden by a proxy' })
  await expect(shop.wait('op_1')).rejects.toMatchObject({ code: 'unexpected', status: 403 })
  const gone = stevedore({ url: 'http://127.0.0.1:2', key: 'x', patience: 0 })
  await expect(gone.GET('/api/session')).rejects.toMatchObject({ code: 'not_reached', status: 0 })
})

test('waiting ends with the operation, or with its preview', async () => {
  const at = (status: string): Reply => ({ status: 200, json: { id: 'op_1', status } })
  const { shop, seen, waits } = await serving(
    at('queued'),
    at('running'),
    at('partial'),
    at('previewed'),
  )
  const states: string[] = []
  const ended = await shop.wait('op_1', { onChange: ({ status }) => states.push(status) })
  expect(ended.status).toBe('partial')
  expect(states).toEqual(['queued', 'running', 'partial'])
  expect(waits).toEqual([250, 375])
  expect((await shop.wait('op_2')).status).toBe('previewed')
  expect(seen.at(-1)?.url).toBe('/api/operations/op_2')
})

test('the signal of a run ends its requests, those with types too', async () => {
  const { shop, seen, stop } = await serving(page(['a'], 'next'), page(['b'], null))
  const names: string[] = []
  const listing = async () => {
    for await (const { filename } of shop.all('/api/files')) {
      names.push(filename)
      stop.abort()
    }
  }
  await expect(listing()).rejects.toMatchObject({ name: 'AbortError' })
  expect(names).toEqual(['a'])
  await expect(shop.GET('/api/session')).rejects.toMatchObject({ name: 'AbortError' })
  expect(seen).toHaveLength(1)
})

test.each([
  '//other.example.com/',
  '/\\other.example.com/',
  '/\t/other.example.com/',
  'http://127.0.0.1:1/',
])('no other host is sent the key: %j', async (at) => {
  const { shop, seen } = await serving(page([], null))
  await expect(shop.fetch(at)).rejects.toThrow('is no path of')
  expect(seen).toEqual([])
})

test('an import is sent as JSON, and as lines if it has more than 1,000 entries', async () => {
  const accepted: Reply = { status: 202, json: { job_id: 'import_1' } }
  const { shop, seen } = await serving(accepted, accepted, accepted)
  const entries = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      filename: `${n}.pdf`,
      url: `https://example.com/${n}`,
    }))
  const about = { on_conflict: 'skip', notify: false } as const
  await shop.importFiles(entries(2), { ...about, key: 'spring' })
  await shop.importFiles(entries(1))
  const { job_id } = await shop.importFiles(entries(1001), about)
  expect(job_id).toBe('import_1')
  const [short, bare, long] = seen
  expect([short!.key, JSON.parse(short!.body)]).toEqual(['spring', { files: entries(2), ...about }])
  expect(JSON.parse(bare!.body)).toEqual({ files: entries(1) })
  expect(long!.body.split('\n').map((line): unknown => JSON.parse(line))).toEqual([
    { import: about },
    ...entries(1001),
  ])
})
