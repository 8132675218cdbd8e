import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { startReceiver, type Receiver } from '../../../test/fakes/receiver.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import { createGuardedClient } from '../../ports/guarded-fetch.ts'
import { createSecrets } from '../../core/secrets.ts'
import { callbackDeliverer, queueCallback } from './callbacks.ts'
import { sweepStaleMessages } from '../../core/outbox/run-outbox.ts'
import { listMessages } from './messages.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import {
  openDeliverers,
  openOutbox,
  type Outbox,
  type OutboxOptions,
} from '../../startup/outbox.ts'
import { webhookSecret } from '../../core/outbox/signatures.ts'

const secrets = createSecrets('a secret of at least thirty-two characters')
const client = createGuardedClient({ allowLoopback: true, fileBytes: 1e6 })

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let receiver: Receiver
let outbox: Outbox
let options: OutboxOptions
let asked = 0

beforeAll(async () => {
  database = await openTestDatabase()
  scope = forShop(database, await createTestShop(database))
})
afterAll(async () => {
  await client.close()
  await database.drop()
})
beforeEach(async () => {
  receiver = await startReceiver()
  options = {
    database,
    client,
    secrets,
    operationRecord: (_scope, id) =>
      Promise.resolve({ id: `import_${id}`, status: 'success', asked: (asked += 1) }),
    smtpUrl: null,
    twilio: null,
    from: 'files@example.com',
    baseUrl: 'https://files.example.com',
    clock: () => new Date(),
    log: silent,
  }
  outbox = openOutbox(options)
})
afterEach(async () => {
  await outbox.close()
  await receiver.close()
})

async function endOperation(url: string | undefined = receiver.url, round = 0): Promise<string> {
  const [operation] = await scope.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
     values (:shop, 'import', 'import', 'api', '{}', 'test', 1, 'success') returning id`,
  )
  const request = url === undefined ? {} : { callback_url: url }
  await scope.transaction((tx) => queueCallback(tx, { id: operation!.id, round, request }))
  return operation!.id
}

const messagesOf = async (operation: string) =>
  (await listMessages(scope, { kind: 'callback', limit: 50 }, '')).filter(
    (row) => row.operation_id === operation,
  )
const end = async () => {
  const operation = await endOperation()
  const [message] = await messagesOf(operation)
  return {
    operation,
    id: message!.id,
    deliver: () => outbox.deliver({ shop: scope.shop, message: message!.id }),
  }
}

const delayOf = async (id: string) => {
  const { rows } = await database.pool.query<{ delay: number }>(
    `select extract(epoch from run_at - now())::float as delay from graphile_worker.jobs
       where key = $1`,
    [`message:${id}`],
  )
  return rows[0]?.delay ?? null
}

describe('a callback', () => {
  it('is posted once, with a signature that Standard Webhooks verifies', async () => {
    const { operation, id, deliver } = await end()
    await deliver()
    await deliver()
    expect(receiver.posts.length).toBe(1)
    const { headers, body } = receiver.posts[0]!
    expect(headers['content-type']).toBe('application/json')
    expect(headers['webhook-id']).toBe(`message_${id.replaceAll('-', '')}`)
    const secret = webhookSecret(secrets, scope.shop)
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'operation.finished',
      timestamp: expect.stringMatching(/^\d{4}-/),
      data: { id: `import_${operation}`, status: 'success' },
    })
    expect(() =>
      new Webhook(webhookSecret(secrets, scope.shop + 1)).verify(body, headers),
    ).toThrow()
    expect((await messagesOf(operation))[0]).toMatchObject({
      status: 'sent',
      // Without its query, which only the receiver may see.
      to: [receiver.url.replace(/\?.*$/, '')],
      text: body,
    })
  })

  it('that fails is posted again with the same id and body and a new timestamp', async () => {
    receiver.status = 503
    const { operation, id, deliver } = await end()
    await deliver()
    expect((await messagesOf(operation))[0]).toMatchObject({
      status: 'waiting',
      error: 'The address answered 503',
    })
    expect(await delayOf(id)).toBeCloseTo(5, -1)
    receiver.status = 200
    options.clock = () => new Date(Date.now() + 300_000)
    const later = openOutbox(options)
    await later.deliver({ shop: scope.shop, message: id })
    await later.close()
    const [first, second] = receiver.posts
    expect(second!.body).toBe(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
    expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first!.headers['webhook-timestamp']),
    )
    expect((await messagesOf(operation))[0]).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('follows no redirect', async () => {
    const elsewhere = await startReceiver()
    receiver.status = 307
    receiver.headers = { location: elsewhere.url }
    const { operation, deliver } = await end()
    await deliver()
    expect(elsewhere.posts).toEqual([])
    expect((await messagesOf(operation))[0]).toMatchObject({
      status: 'waiting',
      error: 'The address answered 307',
    })
    await elsewhere.close()
  })

  it('stops at 410, and notifies the shop without the address’s secrets', async () => {
    receiver.status = 410
    const { operation, deliver } = await end()
    await deliver()
    expect((await messagesOf(operation))[0]).toMatchObject({ status: 'failed', attempts: 1 })
    const [notice] = (await listNotices(scope, { limit: 1 })).rows
    expect(notice).toMatchObject({
      level: 'critical',
      title: 'A callback could not be delivered',
      operation_id: operation,
    })
    expect(notice!.body).not.toContain('t0p')
  })

  it('is retried for three days, then failed', async () => {
    receiver.status = 500
    const { operation, id, deliver } = await end()
    const { delays } = callbackDeliverer(options)
    for (const delay of delays) {
      await deliver()
      expect(await delayOf(id)).toBeCloseTo(delay / 1000, -1)
    }
    expect((await messagesOf(operation))[0]).toMatchObject({ status: 'waiting' })
    await deliver()
    expect((await messagesOf(operation))[0]).toMatchObject({
      status: 'failed',
      attempts: delays.length + 1,
    })
    const days = delays.reduce((sum, delay) => sum + delay) / 86_400_000
    expect(days).toBeGreaterThan(2.5)
    expect(days).toBeLessThanOrEqual(3)
  })

  it.each(['http://10.0.0.1/x', 'http://127.0.0.1:1/x', 'http://no-such-host.invalid/x'])(
    'to %s only reports that it could not be reached',
    async (url) => {
      const operation = await endOperation(url)
      const [message] = await messagesOf(operation)
      await outbox.deliver({ shop: scope.shop, message: message!.id })
      const reason = 'The address could not be reached, or did not answer in time'
      expect((await messagesOf(operation))[0]).toMatchObject({ status: 'waiting', error: reason })
    },
  )

  it('whose worker died is posted again: its id identifies the duplicate', async () => {
    const { operation, id } = await end()
    await database.pool.query(
      `update outbox set status = 'sending', taken_at = now() - interval '3 m', result = '{"to":[]}'
         where id = $1`,
      [id],
    )
    await sweepStaleMessages(database, openDeliverers(options))
    expect((await messagesOf(operation))[0]).toMatchObject({ status: 'waiting' })
    expect(await delayOf(id)).not.toBeNull()
  })

  it('is released when the worker stops while the receiver has not answered', async () => {
    receiver.status = null
    const { operation, deliver } = await end()
    const delivered = deliver()
    while (receiver.posts.length === 0) await new Promise(setImmediate)
    await outbox.close()
    await delivered
    expect((await messagesOf(operation))[0]).toMatchObject({
      status: 'waiting',
      attempts: 0,
      error: null,
    })
  })
})

describe('queueCallback', () => {
  it('queues one message per end: again for another round, none without an address', async () => {
    const operation = await endOperation()
    const request = { callback_url: receiver.url }
    await queueCallback(scope, { id: operation, round: 0, request })
    expect((await messagesOf(operation)).length).toBe(1)
    await queueCallback(scope, { id: operation, round: 1, request })
    expect((await messagesOf(operation)).length).toBe(2)
    await queueCallback(scope, { id: operation, round: 2, request: {} })
    expect((await messagesOf(operation)).length).toBe(2)
  })
  it('is rolled back with the transaction that ends the operation', async () => {
    const operation = await endOperation()
    const ended = scope.transaction(async (tx) => {
      await queueCallback(tx, { id: operation, round: 9, request: { callback_url: receiver.url } })
      throw new Error('rolled back')
    })
    await expect(ended).rejects.toThrow('rolled back')
    expect((await messagesOf(operation)).length).toBe(1)
  })
})
