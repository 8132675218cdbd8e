// Feeds: what a run takes from a table, what it leaves, and what happens to rows that vanish.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openTestApp,
  untilEnded,
  untilOperation,
  type Client,
  type TestApp,
} from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { WAIT_MS } from '../../../test/wait.ts'
import { createSandboxes } from '../../ports/sandbox.ts'
import { createGuardedClient } from '../../ports/guarded-fetch.ts'
import { createSecrets } from '../../core/secrets.ts'
import { feedTasks, startDueFeeds, type FeedTaskParts } from './run.ts'

let app: TestApp
let origin: Origin
let parts: FeedTaskParts
let stop: () => Promise<void>
let now = new Date()
let shops = 0

const asked: IncomingMessage[] = []
let table: Server
let url: string
let answer: { status?: number; type?: string; etag?: string; body: string; location?: string }

beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
  table = createServer((request, response) => {
    asked.push(request)
    const { status = 200, type = 'text/csv', etag, body, location } = answer
    if (etag !== undefined && request.headers['if-none-match'] === etag)
      return void response.writeHead(304).end()
    response.writeHead(status, {
      'content-type': type,
      ...(etag === undefined ? {} : { etag }),
      ...(location === undefined ? {} : { location }),
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => table.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(table.address() as AddressInfo).port}/feed?token=hidden`
  const { database } = app.engine.parts
  const client = createGuardedClient({ allowLoopback: true, fileBytes: 5 * 1024 ** 3 })
  const sandboxes = createSandboxes(silent)
  parts = {
    database,
    client,
    engine: app.engine.engine,
    sandboxOf: (shop) => sandboxes.of(shop),
    secrets: createSecrets('the secret of the tests, long enough'),
    clock: () => now,
    log: silent,
  }
  const running = await app.engine.startWorker({}, feedTasks(parts).slice(0, 1))
  stop = async () => {
    await running.stop()
    sandboxes.close()
    await client.close()
  }
})
afterAll(async () => {
  await stop()
  table.close()
  await app.close()
  await origin.close()
})

const MAPPING = { filename: 'name', file_url: 'link', tags: 'tags' }
const row = (name: string, seed = name, tags = '') =>
  `${name},${origin.url}/bytes/100/${seed},${tags}`
const csv = (...rows: string[]) => ['name,link,tags', ...rows].join('\n')

let owner: Client
beforeEach(async () => {
  owner = await app.stranger(`feeds-${shops++}.myshopify.com`)
  asked.length = 0
})

const create = async (more: object = {}): Promise<string> => {
  const made = await owner.call('POST', '/api/feeds', {
    name: 'Supplier',
    url,
    mapping: MAPPING,
    headers: { Authorization: 'Bearer secret-4f3a' },
    ...more,
  })
  expect(made).toMatchObject({ status: 201 })
  return made.body.id
}

/** Runs the feed until its operations have ended. */
async function run(id: string, body: object = {}) {
  const started = await owner.call('POST', `/api/feeds/${id}/run`, body)
  expect(started).toMatchObject({ status: 202 })
  const newest = async () => (await owner.call('GET', `/api/feeds/${id}/runs?limit=1`)).body.data[0]
  await untilRead()
  for (const { id: operation } of (await newest()).operations)
    await untilOperation(owner, operation, `finished_at is not null or status = 'previewed'`)
  await owner.call('GET', `/api/feeds/${id}`)
  return newest()
}

const untilRead = () =>
  expect
    .poll(
      () => owner.scope.has(`select from feed_runs where shop_id = :shop and phase = 'reading'`),
      { timeout: WAIT_MS },
    )
    .toBe(false)

const names = async (query = '') =>
  (await owner.call('GET', `/api/files?sort=filename${query}`)).body.data.map(
    ({ filename }: { filename: string }) => filename,
  )

test('a second run of the same table asks only whether it has changed, and does nothing', async () => {
  answer = { body: csv(row('a.pdf'), row('b.pdf')), etag: '"1"' }
  const id = await create()
  expect(await run(id)).toMatchObject({ status: 'done', rows: 2, new: 2, changed: 0 })
  const before = origin.total
  expect(await run(id)).toMatchObject({ status: 'unchanged', operations: [], rows: 0 })
  expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"'])
  expect(asked.every(({ headers }) => headers.authorization === 'Bearer secret-4f3a')).toBe(true)
  // A server without ETag sends the table, which has nothing new.
  answer = { body: answer.body }
  expect(await run(id)).toMatchObject({ status: 'unchanged', operations: [], unchanged: 2 })
  expect(origin.total).toBe(before)
  const jobs = await owner.call('GET', '/api/operations')
  expect(jobs.body.data).toHaveLength(1)
})

test('only rows that differ are carried out, and names given here stay', async () => {
  answer = { body: csv(row('a.pdf'), row('b.pdf', 'b', 'old'), row('c.pdf')) }
  const id = await create()
  await run(id)
  const [first] = (await owner.call('GET', '/api/files?search=a.pdf')).body.data
  await owner.call('PATCH', `/api/files/${first.id}`, { filename: 'renamed.pdf' })
  answer = { body: csv(row('a.pdf', 'a-2'), row('b.pdf', 'b', 'new'), row('c.pdf'), row('d.pdf')) }
  expect(await run(id, { dry_run: true })).toMatchObject({ status: 'listed', new: 1, changed: 2 })
  const [listed] = (await owner.call('GET', `/api/feeds/${id}/runs?limit=1`)).body.data
  const changes = await owner.call('GET', `/api/feeds/${id}/runs/${listed.id}/changes`)
  expect(changes.body.data).toMatchObject([
    { row: 2, kind: 'version', filename: 'renamed.pdf', fields: ['file_url'], file_id: first.id },
    { row: 3, kind: 'change', filename: 'b.pdf', fields: ['tags'] },
    { row: 5, kind: 'new', filename: 'd.pdf' },
  ])
  expect(await names()).toEqual(['b.pdf', 'c.pdf', 'renamed.pdf'])
  expect(await run(id)).toMatchObject({ status: 'done', new: 1, changed: 2, unchanged: 1 })
  expect(await names()).toEqual(['b.pdf', 'c.pdf', 'd.pdf', 'renamed.pdf'])
  expect((await owner.call('GET', `/api/files/${first.id}`)).body).toMatchObject({ version: 2 })
  expect(await names('&tags=new')).toEqual(['b.pdf'])
  expect(await run(id)).toMatchObject({ status: 'unchanged', unchanged: 4 })
})

test('with a key of their own, rows rename their files', async () => {
  const named = (name: string) => `name,link,no\n${name},${origin.url}/bytes/100/a,17`
  answer = { body: named('a.pdf') }
  const id = await create({ mapping: { filename: 'name', file_url: 'link' }, key_column: 'no' })
  await run(id)
  answer = { body: named('b.pdf') }
  const before = origin.total
  expect(await run(id)).toMatchObject({ status: 'done', new: 0, changed: 1, vanished: 0 })
  expect(await names()).toEqual(['b.pdf'])
  expect(origin.total).toBe(before)
})

describe('rows that vanish', () => {
  test('are left alone, unless the feed says something else', async () => {
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    const id = await create()
    await run(id)
    answer = { body: csv(row('a.pdf')) }
    expect(await run(id)).toMatchObject({ status: 'unchanged', vanished: 0 })
    expect(await names()).toEqual(['a.pdf', 'b.pdf'])
  })

  test('get a tag, and lose it when they return', async () => {
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    const id = await create({ vanished: 'tag', vanished_tag: 'gone' })
    await run(id)
    answer = { body: csv(row('a.pdf')) }
    expect(await run(id)).toMatchObject({ status: 'done', vanished: 1 })
    expect(await names('&tags=gone')).toEqual(['b.pdf'])
    expect(await run(id)).toMatchObject({ status: 'unchanged', vanished: 0 })
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    await run(id)
    expect(await names('&tags=gone')).toEqual([])
  })

  test('many wait for a person, once, and are restored when they return', async () => {
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    const id = await create({ vanished: 'trash' })
    await run(id)
    answer = { body: csv(row('a.pdf')) }
    const waiting = await run(id)
    expect(waiting).toMatchObject({ status: 'waiting', vanished: 1 })
    expect(await names()).toEqual(['a.pdf', 'b.pdf'])
    // The same rows are still missing: the preview stays.
    expect(await run(id)).toMatchObject({ status: 'unchanged', operations: [] })
    const [{ id: operation }] = waiting.operations
    expect((await owner.call('POST', `/api/operations/${operation}/confirm`)).status).toBe(200)
    await untilEnded(owner, operation)
    expect(await names()).toEqual(['a.pdf'])
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    expect(await run(id)).toMatchObject({ status: 'done', changed: 1, new: 0 })
    expect(await names()).toEqual(['a.pdf', 'b.pdf'])
  })
})

describe('a table that cannot be used carries nothing out, and no row counts as vanished', () => {
  test.each([
    ['url_not_accessible', { status: 404, body: 'gone' }],
    ['web_page', { type: 'text/html', body: '<!doctype html><title>Sign in</title>' }],
    ['columns_changed', { body: `name,address\n1,2` }],
    ['empty_table', { body: 'name,link,tags\n' }],
    ['empty_table', { body: '' }],
    ['empty_table', { body: '[]', type: 'application/json' }],
    ['invalid_csv', { body: 'name,link,tags\n"a.pdf,http://example.com/a,' }],
    ['invalid_json', { body: '[{"name":"a.pdf","link":"http', type: 'application/json' }],
  ])('%s: %j', async (code, broken) => {
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    const id = await create({ vanished: 'trash' })
    await run(id)
    answer = broken
    expect(await run(id)).toMatchObject({ status: 'failed', error: { code }, operations: [] })
    expect(await names()).toEqual(['a.pdf', 'b.pdf'])
    const feed = (await owner.call('GET', `/api/feeds/${id}`)).body
    expect(feed).toMatchObject({ error: { code } })
    const notices = (await owner.call('GET', '/api/notices')).body.data
    expect(notices).toContainEqual(
      expect.objectContaining({ title: '“Supplier” could not be imported' }),
    )
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    expect(await run(id)).toMatchObject({ status: 'unchanged' })
    expect((await owner.call('GET', `/api/feeds/${id}`)).body.error).toBeNull()
  })

  test('a row that cannot be read may be any of them', async () => {
    answer = { body: csv(row('a.pdf'), row('b.pdf')) }
    const id = await create({ vanished: 'tag', vanished_tag: 'gone' })
    await run(id)
    answer = { body: csv(row('a.pdf'), 'b.pdf,x,y,one cell too many') }
    expect(await run(id)).toMatchObject({ incomplete: true, vanished: 0, problems: 1 })
    expect(await names('&tags=gone')).toEqual([])
  })
})

test('JSON, JSON Lines and a list within an object are tables too', async () => {
  const link = (name: string) => `${origin.url}/bytes/100/${name}`
  const rows = ['a.pdf', 'b.pdf'].map((name) => ({ name, link: link(name), tags: ['x', 'y'] }))
  for (const body of [
    JSON.stringify(rows),
    rows.map((one) => JSON.stringify(one)).join('\n'),
    JSON.stringify({ data: { items: rows }, next: null }),
  ]) {
    answer = { body, type: 'application/json' }
    const read = await owner.call('POST', '/api/feeds/table', { url })
    expect(read.body).toMatchObject({ rows: 2, headers: ['name', 'link', 'tags'] })
  }
  const id = await create()
  expect(await run(id)).toMatchObject({ status: 'done', new: 2 })
  expect(await names('&tags=y')).toEqual(['a.pdf', 'b.pdf'])
})

test('a table that cannot be fetched is a problem of its address', async () => {
  answer = { status: 401, body: 'Who are you?' }
  const read = await owner.call('POST', '/api/feeds/table', { url })
  expect(read).toMatchObject({
    status: 422,
    body: { error: { details: [{ param: 'url', code: 'url_not_accessible' }] } },
  })
  expect(await owner.call('POST', '/api/feeds/table', {})).toMatchObject({ status: 422 })
})

test('headers go to no other host, and no answer or row shows them', async () => {
  const other: (string | undefined)[] = []
  const elsewhere = createServer((request, response) => {
    other.push(request.headers.authorization)
    response.end(csv(row('a.pdf')))
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
  answer = {
    status: 302,
    body: '',
    location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`,
  }
  const id = await create()
  expect(await run(id)).toMatchObject({ status: 'done' })
  expect(other).toEqual([undefined])
  elsewhere.close()
  const feed = (await owner.call('GET', `/api/feeds/${id}`)).body
  expect(feed).toMatchObject({ headers: ['Authorization'] })
  const rows = await owner.scope.query(
    'select feeds::text as feed, (select jsonb_agg(c) from change_log c where c.shop_id = :shop) from feeds where shop_id = :shop',
  )
  expect(JSON.stringify([feed, rows])).not.toMatch(/secret-4f3a|hidden/)
  // Headers stay with their host.
  const moved = await owner.call('PATCH', `/api/feeds/${id}`, {
    url: 'https://example.com/feed.csv',
  })
  expect(moved.body).toMatchObject({ headers: [] })
})

test('a row that fails is tried again, three times', async () => {
  answer = { body: csv(row('a.pdf'), `b.pdf,${origin.url}/missing/b,`), etag: '"1"' }
  const id = await create()
  expect(await run(id)).toMatchObject({ status: 'partial', new: 2 })
  expect((await owner.call('GET', `/api/feeds/${id}`)).body).toMatchObject({ files: 1, failing: 1 })
  expect(await run(id)).toMatchObject({ new: 1, unchanged: 1 })
  expect(await run(id)).toMatchObject({ new: 1, unchanged: 1 })
  expect(await run(id)).toMatchObject({ status: 'unchanged' })
  answer = { body: csv(row('a.pdf'), row('b.pdf')) }
  expect(await run(id)).toMatchObject({ status: 'done', new: 1 })
})

test('it runs at its times, once, and not while it is paused', async () => {
  now = new Date(Date.now() + 60_000)
  answer = { body: csv(row('a.pdf')) }
  const id = await create({ cron: '0 2 * * *' })
  const next = async () => (await owner.call('GET', `/api/feeds/${id}`)).body.next_run_at
  const first = await next()
  expect(await startDueFeeds(parts)).toBe(0)
  now = new Date(first)
  expect([await startDueFeeds(parts), await startDueFeeds(parts)]).toEqual([1, 0])
  expect((await next()) > first).toBe(true)
  expect(await owner.call('POST', `/api/feeds/${id}/run`, {})).toMatchObject({ status: 409 })
  await untilRead()
  await owner.call('PATCH', `/api/feeds/${id}`, { enabled: false })
  expect(await next()).toBeNull()
})

test('a workflow can be attached to the imports of one feed', async () => {
  answer = { body: csv(row('a.pdf')) }
  const id = await create()
  const made = await owner.call('POST', '/api/workflows', {
    name: 'From the supplier',
    kind: 'import',
    when: [{ kind: 'imports', from: { feed: id } }],
    steps: [
      { plugin: 'fetch-url' },
      { plugin: 'validate-file' },
      { plugin: 'tag-files', options: { mode: 'add', tags: ['supplier'] } },
    ],
  })
  expect(made).toMatchObject({ status: 201 })
  const { operations } = await run(id)
  expect(await names('&tags=supplier')).toEqual(['a.pdf'])
  const operation = await owner.call('GET', `/api/operations/${operations[0].id}`)
  expect(operation.body).toMatchObject({ channel: 'feed', label: 'Supplier' })
})
