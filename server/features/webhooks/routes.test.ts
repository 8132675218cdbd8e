import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { silent } from '../../../test/database.ts'
import { startReceiver, type Receiver } from '../../../test/fakes/receiver.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'
import { raiseUsed } from '../downloads/exhausted-links.ts'
import { raiseNotice, raiseNoticeOnce } from '../../core/outbox/notices.ts'
import { EVENTS } from '../../features.ts'
import type { OperationEvents } from '../../core/outbox/webhook-events.ts'
import { openOutbox, type Outbox } from '../../startup/outbox.ts'
import { runEnds } from '../../engine/run-ends.ts'
import type { OperationRow } from '../../engine/types.ts'
import { raisedAtEnds } from './deliverer.ts'
import { changeWebhook } from './webhooks.ts'
import { createGuardedClient } from '../../ports/guarded-fetch.ts'

const DAY_MS = 86_400_000
const client = createGuardedClient({ allowLoopback: true, fileBytes: 1e6 })

let app: TestApp
let receiver: Receiver
let outbox: Outbox
let now = new Date()
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(async () => {
  await client.close()
  await app.close()
})
beforeEach(async () => {
  receiver = await startReceiver()
  now = new Date()
  const { database, secrets } = app.engine.parts
  outbox = openOutbox({
    database,
    secrets,
    client,
    smtpUrl: null,
    twilio: null,
    log: silent,
    from: 'files@example.com',
    baseUrl: app.url,
    clock: () => now,
    operationRecord: (_scope, id) => Promise.resolve({ id, status: 'success' }),
  })
  for (const table of ['webhook_endpoints', 'outbox', 'notices'] as const)
    await app.owner.scope.from(table).delete()
})
afterEach(async () => {
  // Every message has the data that its event declares, and nothing more.
  const sent = receiver.posts.map(({ body }) => JSON.parse(body) as { type: string; data: object })
  for (const { type, data } of sent) {
    const event = EVENTS.find(({ name, operations }) => name === type && !isRecord(operations))
    if (event) expect(event.data.strict().parse(data)).toEqual(data)
  }
  await outbox.close()
  await receiver.close()
})

/** The record of an operation is a stand-in in these tests. */
const isRecord = (operations?: OperationEvents) => operations?.content === 'record'
const call = (...args: Parameters<TestApp['owner']['call']>) => app.owner.call(...args)
const create = async (fields: object = {}) =>
  (await call('POST', '/api/webhooks', { url: receiver.url, ...fields })).body as {
    id: string
    secret: string
  }
interface Sent {
  id: string
  subject: string
  status: string
  attempts: number
  error: string | null
}
const sentTo = async (id: string) =>
  (await call('GET', `/api/webhooks/${id}/deliveries`)).body.data as Sent[]
async function deliver(id: string): Promise<void> {
  for (const { id: message, status } of await sentTo(id))
    if (status === 'waiting')
      await outbox.deliver({
        shop: app.owner.scope.shop,
        message: parsePublicId('message', message)!,
      })
}
const notice = (title = 'It ended') =>
  raiseNotice(app.owner.scope, { level: 'info', title, body: 'All of it', operation_id: null })
const read = async (id: string) =>
  (await call('GET', `/api/webhooks/${id}`)).body as Record<string, unknown>

interface TestEnd {
  kind?: 'import' | 'bulk'
  /** How many of the items are entries of an import. */
  entries?: number
  undoes?: string
}

/** Ends an operation with this step, whose items, with a file each, have these outcomes. */
async function endOperation(
  plugin: string,
  afters: readonly (object | null)[],
  { kind = 'bulk', entries = 0, undoes }: TestEnd = {},
) {
  const { scope } = app.owner
  const [operation] = await scope.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, done,
       status)
     values (:shop, :kind, 'act', 'api', '{}', 'test', :total, :total, 'success') returning id`,
    { kind, total: afters.length },
  )
  const { id } = operation!
  const items = await scope.query<{ file_id: string }>(
    `insert into items (shop_id, operation_id, position, status, file_id, after, entry)
     select :shop, :id, at - 1, 'done', uuidv7(), nullif(after, 'null'),
       case when at <= :entries then '{}'::jsonb end
     from jsonb_array_elements(:afters::jsonb) with ordinality as given (after, at)
     returning file_id`,
    { id, entries, afters: JSON.stringify(afters) },
  )
  const workflow = { id: 'act', steps: [{ id: 'act', plugin }] }
  const about = {
    id,
    kind,
    channel: 'api',
    round: 0,
    workflow,
    undoes: undoes ?? null,
    request: {},
  }
  await raiseEvents(about)
  return { about, files: items.map(({ file_id }) => toPublicId('file', file_id)) }
}

const raiseEvents = (operation: object) =>
  runEnds(app.owner.scope, operation as OperationRow, {
    plugins: app.engine.parts.plugins,
    ends: [raisedAtEnds(EVENTS)],
    worked: true,
    status: 'success',
  })

/** What the webhook was told about files: `file.deleted 1 file_…`. */
async function toldOfFiles(webhook: string): Promise<string[]> {
  await deliver(webhook)
  const posted = receiver.posts.map(
    ({ body }) => JSON.parse(body) as { type: string; data: { total: number; file_ids: string[] } },
  )
  return posted
    .map(({ type, data: { total, file_ids } }) => [type, total, ...file_ids].join(' '))
    .toSorted()
}

it('a secret is shown once, and verifies its messages', async () => {
  const made = await call('POST', '/api/webhooks', { url: receiver.url, description: 'Books' })
  const { secret, ...record } = made.body as { id: string; secret: string }
  expect(made.status).toBe(201)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  // The query of an address may contain a token.
  expect(record).toMatchObject({
    id: expect.stringMatching(/^webhook_[0-9a-f]{32}$/),
    url: receiver.url.replace(/\?.*/, ''),
    enabled: true,
    events: [],
    failing_since: null,
    last_success_at: null,
  })
  expect((await call('GET', '/api/webhooks')).body.data).toEqual([record])
  const kept = await app.owner.scope.query(
    'select webhook_endpoints::text as row from webhook_endpoints where shop_id = :shop',
  )
  expect(JSON.stringify(kept)).not.toMatch(/whsec_|t0p/)
  await notice()
  await deliver(record.id)
  const [{ headers, body }] = receiver.posts as [{ headers: Record<string, string>; body: string }]
  expect(new Webhook(secret).verify(body, headers)).toEqual({
    type: 'notice.created',
    timestamp: expect.stringMatching(/Z$/),
    data: {
      id: expect.stringMatching(/^notice_/),
      level: 'info',
      title: 'It ended',
      body: 'All of it',
      operation_id: null,
      delivery_id: null,
      created_at: expect.stringMatching(/Z$/),
    },
  })
  expect(await sentTo(record.id)).toMatchObject([{ subject: 'notice.created', status: 'sent' }])
  expect(await read(record.id)).toMatchObject({
    last_success_at: expect.stringMatching(/Z$/),
    last_error: null,
  })
})

soakTest(
  'a notice of a schedule or of the drop folder is an event once, while it is unread',
  async () => {
    const { id } = await create({ events: ['notice.created'] })
    const once = () =>
      app.owner.scope.transaction((tx) =>
        raiseNoticeOnce(tx, { level: 'warning', title: 'It waits', body: '', operation_id: null }),
      )
    await once()
    await once()
    expect((await sentTo(id)).map(({ subject }) => subject)).toEqual(['notice.created'])
  },
)

it('a webhook gets the events that it selects, and none while it is off', async () => {
  const all = await create()
  const some = await create({ events: ['operation.finished', 'file.deleted'] })
  const off = await create({ enabled: false })
  const { about, files } = await endOperation('delete-files', [{ deleted: true }])
  await raiseEvents(about)
  await notice()
  const told = async ({ id }: { id: string }) =>
    (await sentTo(id)).map(({ subject }) => subject).toSorted()
  expect(await told(all)).toEqual([
    'file.deleted',
    'file.trashed',
    'notice.created',
    'operation.finished',
  ])
  expect(await told(some)).toEqual(['file.deleted', 'operation.finished'])
  expect(await told(off)).toEqual([])
  await deliver(some.id)
  expect(receiver.posts.map(({ body }) => JSON.parse(body) as object)).toContainEqual(
    expect.objectContaining({
      type: 'file.deleted',
      data: {
        operation_id: expect.stringMatching(/^op_/) as string,
        total: 1,
        file_ids: files,
        more: null,
      },
    }),
  )
})

soakTest(
  'the event about mappings names the files that got other products, and is not sent for none',
  async () => {
    const { id: webhook } = await create({ events: ['mapping.changed'] })
    const end = (plugin: string, afters: readonly object[]) =>
      endOperation(plugin, afters, { kind: 'import' })
    const moved = { mappings: { added: [], removed: [{}] } }
    await end('map-products', [{ created: true, product_mapped: false }])
    await end('map-products', [{ replaced: true, product_mapped: true }])
    await end('tag-files', [moved])
    const { files } = await end('map-products', [
      { created: true, product_mapped: false },
      { created: true, product_mapped: true },
    ])
    const packs = await end('move-to-pack', [{ pack: 'A' }, { pack: 'A', ...moved }])
    const undo = await endOperation('notify', [moved], { undoes: packs.about.id })
    const changed = [files[1], packs.files[1], undo.files[0]]
    expect(await toldOfFiles(webhook)).toEqual(
      changed.map((file) => `mapping.changed 1 ${file}`).toSorted(),
    )
  },
)

soakTest('events about files that were imported or deleted name only those', async () => {
  const { id: webhook } = await create({ events: ['file.imported', 'file.deleted'] })
  const deleted = { deleted: true }
  const some = await endOperation('delete-files', [deleted, { tags: {} }, null])
  const purge = await endOperation('purge-files', [{ purged: true }])
  const sync = await endOperation('sync-cloud', [{ created: true }, deleted, null], {
    kind: 'import',
    entries: 1,
  })
  await endOperation('sync-cloud', [{ filename: 'renamed.pdf' }], { kind: 'import' })
  await endOperation('restore-files', [{ deleted: false }])
  const undo = await endOperation('notify', [deleted], { undoes: sync.about.id })
  expect(await toldOfFiles(webhook)).toEqual(
    [
      `file.deleted 1 ${some.files[0]}`,
      `file.deleted 1 ${purge.files[0]}`,
      `file.imported 1 ${sync.files[0]}`,
      `file.deleted 1 ${sync.files[1]}`,
      `file.deleted 1 ${undo.files[0]}`,
    ].toSorted(),
  )
})

it('after a rotation both secrets verify, until the previous one expires', async () => {
  const { id, secret } = await create()
  const rotated = await call('POST', `/api/webhooks/${id}/rotate`, { keep_hours: 2 })
  const next = rotated.body.secret as string
  expect(next).not.toBe(secret)
  const verified = ({ headers, body }: Receiver['posts'][0]) =>
    [secret, next].map((one) => {
      try {
        return Boolean(new Webhook(one).verify(body, headers))
      } catch {
        return false
      }
    })
  await call('POST', `/api/webhooks/${id}/test`)
  await deliver(id)
  expect(verified(receiver.posts[0]!)).toEqual([true, true])
  await app.owner.scope.query(
    `update webhook_endpoints set previous_until = :past where shop_id = :shop`,
    { past: new Date(now.getTime() - 1000) },
  )
  await call('POST', `/api/webhooks/${id}/test`)
  await deliver(id)
  expect(verified(receiver.posts[1]!)).toEqual([false, true])
  expect(await read(id)).toMatchObject({ previous_secret_until: null })
})

it('a failure is retried; days of failures switch the webhook off, with a notice', async () => {
  const { id } = await create()
  receiver.status = 500
  await notice()
  await deliver(id)
  expect(await sentTo(id)).toMatchObject([
    { status: 'waiting', attempts: 1, error: 'The address answered 500' },
  ])
  const { failing_since } = await read(id)
  expect(failing_since).not.toBeNull()
  now = new Date(now.getTime() + 4.9 * DAY_MS)
  await deliver(id)
  expect(await read(id)).toMatchObject({ enabled: true, failing_since })
  now = new Date(now.getTime() + 0.2 * DAY_MS)
  await deliver(id)
  expect(await read(id)).toMatchObject({
    enabled: false,
    switched_off: {
      reason: expect.stringContaining('The address answered 500'),
      reason_text: expect.objectContaining({ values: expect.anything() }),
    },
  })
  const { body } = await call('GET', '/api/notices')
  const [told] = body.data as { title: string; level: string; body: string }[]
  expect(told).toMatchObject({ level: 'critical', title: 'A webhook was switched off' })
  expect(told!.body).toMatch(/^127\.0\.0\.1:\d+ gets no more messages/)
  const [message] = await sentTo(id)
  const replay = () => call('POST', `/api/webhooks/${id}/deliveries/${message!.id}/replay`)
  expect((await replay()).status).toBe(409)
  await call('PATCH', `/api/webhooks/${id}`, { enabled: true })
  expect(await read(id)).toMatchObject({ switched_off: null, failing_since: null })
  receiver.status = 200
  expect((await replay()).status).toBe(202)
  await deliver(id)
  const ids = receiver.posts.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
  expect(await sentTo(id)).toMatchObject([{ status: 'sent' }])
})

soakTest('410 switches it off immediately, and a test is sent even if it is off', async () => {
  const { id } = await create()
  receiver.status = 410
  await notice()
  await deliver(id)
  expect(await read(id)).toMatchObject({
    enabled: false,
    switched_off: { reason: expect.stringContaining('410') },
  })
  receiver.status = 200
  expect((await call('POST', `/api/webhooks/${id}/test`)).status).toBe(202)
  await deliver(id)
  expect((await sentTo(id))[0]).toMatchObject({ subject: 'webhook.test', status: 'sent' })
})

it('an address inside the network gets no request, and the error reveals nothing about it', async () => {
  const { id } = await create()
  // The name of an accepted address may lead elsewhere later.
  const url = 'http://169.254.169.254/latest/meta-data'
  const { secrets } = app.engine.parts
  await changeWebhook(app.owner.scope, secrets, parsePublicId('webhook', id)!, { url })
  await notice()
  await deliver(id)
  expect(await sentTo(id)).toMatchObject([
    {
      status: 'waiting',
      error: 'The address could not be reached, or did not answer in time',
    },
  ])
})

soakTest('a used-up link is reported once for its limit', async () => {
  const { scope } = app.owner
  const { id } = await create({ events: ['link.exhausted'] })
  const [link] = (await scope
    .insert('links', {
      id: crypto.randomUUID(),
      pack_name: 'Course',
      key_hash: Buffer.alloc(32, 7),
      download_limit: 2,
      downloads: 1,
      email: 'buyer@example.com',
    })
    .returning('id')) as { id: string }[]
  const used = () => raiseUsed(app.engine.parts.database, [{ shop: scope.shop, link: link!.id }])
  await used()
  expect(await sentTo(id)).toEqual([])
  await scope.query('update links set downloads = 2 where shop_id = :shop')
  await used()
  await used()
  await deliver(id)
  expect(receiver.posts.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
    {
      type: 'link.exhausted',
      data: { file_id: null, email: 'buyer@example.com', downloads: 2, download_limit: 2 },
    },
  ])
})

soakTest('an address that this server may not reach is refused when it is given', async () => {
  const { body: made } = await call('POST', '/api/webhooks', { url: receiver.url })
  const refused = [
    'http://10.0.0.1/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/hook',
    'https://0x0a000001/hook',
    'https://example.com:8443/hook',
    'https://user:secret@example.com/hook',
  ]
  for (const url of refused) {
    const answers = [
      await call('POST', '/api/webhooks', { url }),
      await call('PATCH', `/api/webhooks/${made.id}`, { url }),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error.param]).toEqual([422, 'url'])
      // The rules for all addresses have other texts.
      if (!url.includes('@')) expect(body.error.details[0].code).toBe('url_not_accessible')
    }
    const files = [{ filename: 'a.pdf', url: 'https://example.com/a.pdf' }]
    const imported = await call('POST', '/api/files/import', { files, callback_url: url })
    expect([imported.status, imported.body.error.param]).toEqual([422, 'callback_url'])
  }
  const texts = new Set<string>()
  for (const url of refused.slice(0, 5))
    texts.add((await call('POST', '/api/webhooks', { url })).body.error.message as string)
  expect(texts.size).toBe(1)
})

it('invalid webhooks are refused with every problem', async () => {
  const wrong = await call('POST', '/api/webhooks', {
    url: 'ftp://example.com/',
    events: ['file.eaten'],
    description: 'x'.repeat(201),
  })
  expect(wrong.status).toBe(422)
  expect((wrong.body.error.details as { param: string }[]).map(({ param }) => param)).toEqual([
    'url',
    'description',
    'events',
  ])
  for (let made = 0; made < 20; made++) await create()
  const more = await call('POST', '/api/webhooks', { url: receiver.url })
  expect([more.status, more.body.error.code]).toEqual([422, 'too_many'])
  const gone = 'webhook_0199c2f5d2c07f0a9b7e3f4a5b6c7d1b'
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
  ] as const)
    expect(
      (await call(method, `/api/webhooks/${gone}${path}`, method === 'GET' ? undefined : {}))
        .status,
    ).toBe(404)
})
