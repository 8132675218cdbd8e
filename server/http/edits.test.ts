// Two people edit one record: the second is asked before a change of the first is lost.
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { someOf } from '../../test/scale.ts'
import { openTestApp, type TestApp } from '../../test/app.ts'
import { addFile } from '../../test/deliveries.ts'
import { paidOrder } from '../../test/orders.ts'
import { createSecrets } from '../core/secrets.ts'
import { reconcileOrder } from '../features/orders/reconcile.ts'
import { addMappings } from '../files/mappings.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

type Json = Record<string, unknown>

async function send(method: string, path: string, body?: Json, etag?: string, key = app.owner.key) {
  const response = await fetch(app.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(etag === undefined ? {} : { 'if-match': etag }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const { status, headers } = response
  return { status, etag: headers.get('etag')!, body: (await response.json()) as Json }
}

const tagging = (name: string, tag: string) => ({
  name,
  kind: 'bulk',
  parallel: 1,
  channel: null,
  steps: [{ plugin: 'tag-files', options: { tags: [tag] } }],
})

/** Each record that a form edits: its path, and two changes of it. */
const RECORDS: readonly [string, () => Promise<[path: string, one: Json, two: Json]>][] = [
  [
    'a workflow',
    async () => {
      const { body } = await send('POST', '/api/workflows', tagging('Mine', 'a'))
      return [`/api/workflows/${body.id}`, tagging('Theirs', 'b'), tagging('Ours', 'c')]
    },
  ],
  [
    'a schedule',
    async () => {
      const of = (name: string) => ({ name, cron: '0 3 * * *', action: 'delete-files' })
      const { body } = await send('POST', '/api/schedules', of('Nightly'))
      return [`/api/schedules/${body.id}`, of('Weekly'), of('Monthly')]
    },
  ],
  [
    'a connection',
    async () => {
      const given = { provider: 'demo', folder: '', name: 'Sample' }
      const { body } = await send('POST', '/api/connections', given)
      return [`/api/connections/${body.id}`, { name: 'Theirs' }, { name: 'Ours' }]
    },
  ],
  [
    'the folder of a connection, which is one of its settings',
    async () => {
      for (const name of ['theirs', 'ours'])
        await mkdir(path.join(app.engine.folder, 'demo-cloud', name), { recursive: true })
      const { body } = await send('POST', '/api/connections', { provider: 'demo', name: 'Folder' })
      return [`/api/connections/${body.id}`, { folder: 'theirs' }, { folder: 'ours' }]
    },
  ],
  [
    'a file',
    async () => {
      const id = await addFile(app.engine, 'edited.txt', Buffer.from('edited'))
      const one = { filename: 'theirs.txt' }
      return [`/api/files/file_${id.replaceAll('-', '')}`, one, { filename: 'ours.txt' }]
    },
  ],
  [
    'the pack of a file, whose record names it in another field',
    async () => {
      const id = await addFile(app.engine, 'packed.txt', Buffer.from('packed'))
      const packs = await Promise.all(
        ['One', 'Two'].map((name) => send('POST', '/api/packs', { name })),
      )
      const [one, two] = packs.map(({ body }) => ({ pack_id: body.id }))
      return [`/api/files/file_${id.replaceAll('-', '')}`, one!, two!]
    },
  ],
  [
    'a pack',
    async () => {
      const { body } = await send('POST', '/api/packs', { name: 'Pack' })
      return [`/api/packs/${body.id}`, { name: 'Their pack' }, { name: 'Our pack' }]
    },
  ],
  [
    'the terms of a delivery, which its record has for each file',
    async () => {
      const { scope } = app.engine
      const file = await addFile(app.engine, 'sold.txt', Buffer.from('sold'))
      const mapping = { product_id: 'gid://shopify/Product/1', product_title: 'Sold' }
      const found = { variant_id: null, sku: null, method: 'manual' as const, score: 1, reason: '' }
      await addMappings(scope, [{ fileId: file, mapping: { ...mapping, ...found } }])
      const secrets = createSecrets('the secret of the tests, long enough')
      const order = paidOrder({ products: [mapping.product_id] })
      await reconcileOrder(scope, order, { secrets, now: new Date() })
      const { body } = await send('GET', '/api/deliveries')
      const [{ id }] = body.data as [{ id: string }]
      return [`/api/deliveries/${id}`, { download_limit: 7 }, { view_limit: 8 }]
    },
  ],
  [
    'a webhook',
    async () => {
      const given = { url: 'https://hooks.example.com/a', events: [] }
      const { body } = await send('POST', '/api/webhooks', given)
      const one = { url: 'https://hooks.example.com/b' }
      return [`/api/webhooks/${body.id}`, one, { url: 'https://hooks.example.com/c' }]
    },
  ],
  [
    'a drop account',
    async () => {
      const { body } = await send('POST', '/api/drop/accounts', { name: 'Studio' })
      return [`/api/drop/accounts/${body.id}`, { name: 'Their studio' }, { name: 'Our studio' }]
    },
  ],
  [
    'a saved view',
    async () => {
      const { body } = await send('POST', '/api/views', { name: 'View' })
      return [`/api/views/${body.id}`, { name: 'Their view' }, { name: 'Our view' }]
    },
  ],
  [
    'a mapping rule',
    async () => {
      const given = { pattern: 'WS-*', sku_template: 'WS' }
      const { body } = await send('POST', '/api/mapping-rules', given)
      return [`/api/mapping-rules/${body.id}`, { pattern: 'WT-*' }, { pattern: 'WU-*' }]
    },
  ],
  [
    'a tag template',
    async () => {
      const { body } = await send('POST', '/api/tag-templates', { name: 'Tags', tags: ['a'] })
      return [`/api/tag-templates/${body.id}`, { tags: ['theirs'] }, { tags: ['ours'] }]
    },
  ],
  [
    'the buyer’s page',
    () => Promise.resolve(['/api/settings/buyer-page', { language: 'de' }, { language: 'fr' }]),
  ],
  [
    'the settings',
    () => Promise.resolve(['/api/settings', { expiry_days: 7 }, { expiry_days: 8 }]),
  ],
  [
    'the drop folder',
    () => Promise.resolve(['/api/drop', { schedule: 'realtime' }, { schedule: 'manual' }]),
  ],
]

describe.each(someOf(RECORDS, (_, at) => at % 5 === 0))('%s', (_, prepare) => {
  test('is not overwritten by an earlier reader, who gets the current one', async () => {
    const [path, theirs, ours] = await prepare()
    const read = await send('GET', path)
    expect(read.status).toBe(200)
    const method = /workflows|schedules/.test(path) ? 'PUT' : 'PATCH'
    const first = await send(method, path, theirs, read.etag)
    expect(first.status).toBe(200)
    const second = await send(method, path, ours, read.etag)
    expect(second).toMatchObject({
      status: 412,
      body: {
        error: {
          code: 'changed_meanwhile',
          details: expect.arrayContaining([
            { param: Object.keys(ours)[0], code: 'changed_meanwhile', message: expect.any(String) },
          ]),
          current: (await send('GET', path)).body,
        },
      },
    })
    expect((await send(method, path, ours, first.etag)).status).toBe(200)
    expect((await send(method, path, theirs)).status).toBe(200)
  })
})

test('every record that a form edits can be read under its address', () => {
  const readable = new Set(
    app.endpoints.filter(({ method }) => method === 'get').map(({ path }) => path),
  )
  const edits = app.endpoints.filter(({ method }) => method === 'put' || method === 'patch')
  expect(
    edits
      .map(({ path }) => path)
      .filter((path) => !readable.has(path))
      .sort(),
  ).toEqual([
    // Parts of a CSV file, of a pack and of the settings; several files.
    '/api/csv/{id}/columns',
    '/api/csv/{id}/encoding',
    '/api/csv/{id}/header',
    '/api/csv/{id}/sheet',
    '/api/files/bulk-update',
    '/api/packs/{id}/order',
    '/api/settings/buyer-page/logo',
    '/api/settings/mail/domain',
    '/api/settings/mail/server',
    // Read as a document under its id.
    '/api/workflows/by-name/{name}',
  ])
})

test('changes of different fields do not conflict, nor does the same change', async () => {
  const read = await send('GET', '/api/settings')
  expect((await send('PATCH', '/api/settings', { download_limit: 3 }, read.etag)).status).toBe(200)
  expect((await send('PATCH', '/api/settings', { order_tag: 'files' }, read.etag)).status).toBe(200)
  expect((await send('PATCH', '/api/settings', { download_limit: 3 }, read.etag)).status).toBe(200)
  expect((await send('PATCH', '/api/settings', { download_limit: 4 }, '*')).status).toBe(200)
  const lost = await send('PATCH', '/api/settings', { download_limit: 5 }, '"another"')
  expect(lost.status).toBe(412)
})

test('of many concurrent changes of one field with the same ETag, one succeeds', async () => {
  const { etag } = await send('GET', '/api/settings')
  const changes = Array.from({ length: 12 }, (_, n) =>
    send('PATCH', '/api/settings', { expiry_days: 20 + n }, etag),
  )
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 412)).toHaveLength(11)
})

test('the current record is not shown to a key that may not read it', async () => {
  const id = await addFile(app.engine, 'hidden.txt', Buffer.from('hidden'))
  const path = `/api/files/file_${id.replaceAll('-', '')}`
  const { etag } = await send('GET', path)
  await send('PATCH', path, { filename: 'shown.txt' })
  const writer = await app.clientWith(['files:write'])
  const { status, body } = await send('PATCH', path, { filename: 'x.txt' }, etag, writer.key)
  expect(status).toBe(412)
  expect(body.error).not.toHaveProperty('current')
})
