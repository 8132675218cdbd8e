import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { startReceiver, type Receiver } from '../../../test/fakes/receiver.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { toPublicId } from '../ids.ts'
import { firstOf } from '../lazy.ts'
import { createGuardedClient } from '../../ports/guarded-fetch.ts'
import { createSecrets } from '../secrets.ts'
import { openOutbox, type Outbox } from '../../startup/outbox.ts'
import { resendMessage } from '../../features/messages/messages.ts'
import { createWebhook } from '../../features/webhooks/webhooks.ts'
import { soakTest } from '../../../test/scale.ts'

const secrets = createSecrets('a secret of at least thirty-two characters')
const client = createGuardedClient({ allowLoopback: true, fileBytes: 1e6 })
/** Longer than a test: a receiver that does not answer holds its place until its end. */
const FOR_EVER = 600_000
const DAY_MS = 86_400_000

let database: Awaited<ReturnType<typeof openTestDatabase>>
let healthy: Receiver
let dead: Receiver
let outbox: Outbox
let within = FOR_EVER
let shops = 0

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  await client.close()
  await database.drop()
})
beforeEach(async () => {
  healthy = await startReceiver()
  dead = await startReceiver()
  dead.status = null
  within = FOR_EVER
  outbox = openOutbox({
    database,
    client,
    secrets,
    log: silent,
    smtpUrl: null,
    twilio: null,
    from: 'files@example.com',
    baseUrl: 'https://files.example.com',
    operationRecord: () => Promise.resolve({}),
    clock: () => new Date(),
    deadline: () => within,
  })
})
afterEach(async () => {
  await outbox.close()
  await Promise.all([healthy.close(), dead.close()])
})

const newShop = async (): Promise<ShopScope> =>
  forShop(database, await createTestShop(database, `turns-${(shops += 1)}.myshopify.com`))

async function addWebhook(scope: ShopScope, receiver: Receiver): Promise<string> {
  const fields = { url: receiver.url, description: '', events: [], enabled: true }
  return (await createWebhook(scope, secrets, fields)).webhook.id
}

let keys = 0
async function addMessage(scope: ShopScope, webhook: string): Promise<string> {
  const [row] = (await scope
    .insert('outbox', {
      key: `turns/${(keys += 1)}`,
      kind: 'webhook',
      payload: JSON.stringify({ type: 'notice.created', data: {} }),
      webhook_id: webhook,
    })
    .returning('id')) as { id: string }[]
  return row!.id
}

const run = (scope: ShopScope, message: string) => outbox.run({ shop: scope.shop, message })
const deliver = (scope: ShopScope, message: string) => outbox.deliver({ shop: scope.shop, message })
/** Attempts whose time was over may have posted nothing: a busy machine connects slowly. */
const postsOf = (message: string) =>
  dead.posts.filter(({ headers }) => headers['webhook-id'] === toPublicId('message', message))
    .length
const read = async (message: string) => {
  const { rows } = await database.pool.query<{
    status: string
    attempts: number
    error: string | null
  }>('select status, attempts, error from outbox where id = $1', [message])
  return rows[0]!
}
/** The job of a message is due at the end of the pause of its receiver, not before. */
const waitsForPause = (scope: ShopScope, message: string): Promise<boolean> =>
  scope.has(
    `select from graphile_worker.jobs j, receiver_failures r where j.key = :key
       and r.shop_id = :shop and j.run_at >= r.retry_at
       and j.run_at < r.retry_at + interval '10 seconds'`,
    { key: `message:${message}` },
  )
const failuresOf = async (scope: ShopScope) =>
  scope.query<{ failures: number; pause: number | null }>(
    `select failures, extract(epoch from retry_at - failed_at)::int as pause
     from receiver_failures where shop_id = :shop`,
  )
/** Lets time pass for the messages of a shop and their receivers: all of it is the database's. */
async function pass(scope: ShopScope, ms: number): Promise<void> {
  const by = `:ms::float8 * interval '1 millisecond'`
  await scope.query(
    `update receiver_failures set failed_at = failed_at - ${by}, retry_at = retry_at - ${by}
     where shop_id = :shop`,
    { ms },
  )
  await scope.query(`update outbox set created_at = created_at - ${by} where shop_id = :shop`, {
    ms,
  })
}

soakTest('200 receivers that never answer, of 100 shops, delay none of 20 that do', async () => {
  for (let shop = 0; shop < 100; shop++) {
    const scope = await newShop()
    for (const receiver of [dead, dead, ...(shop % 5 === 0 ? [healthy] : [])])
      await run(scope, await addMessage(scope, await addWebhook(scope, receiver)))
  }
  await expect.poll(() => healthy.posts.length).toBe(20)
  await expect.poll(() => dead.posts.length).toBe(200)
})

it('after three attempts without an answer messages wait, and then one of them tries', async () => {
  const scope = await newShop()
  const webhook = await addWebhook(scope, dead)
  within = 50
  for (let attempt = 0; attempt < 3; attempt++)
    await deliver(scope, await addMessage(scope, webhook))
  expect(await failuresOf(scope)).toEqual([{ failures: 3, pause: 30 }])

  const [first, second] = [await addMessage(scope, webhook), await addMessage(scope, webhook)]
  await deliver(scope, first)
  expect(await read(first)).toMatchObject({ status: 'waiting', attempts: 0 })
  expect(await waitsForPause(scope, first)).toBe(true)

  await pass(scope, 30_000)
  within = FOR_EVER
  await run(scope, first)
  await run(scope, second)
  await expect.poll(() => postsOf(first)).toBe(1)
  expect(postsOf(second)).toBe(0)
  expect(await read(second)).toMatchObject({ status: 'waiting', attempts: 0 })
})

soakTest('a pause grows to an hour, and ends with an answer', async () => {
  const scope = await newShop()
  const webhook = await addWebhook(scope, dead)
  within = 50
  const pauses: number[] = []
  for (let attempt = 0; attempt < 12; attempt++) {
    await deliver(scope, await addMessage(scope, webhook))
    const { pause } = (await failuresOf(scope))[0]!
    if (pause === null) continue
    pauses.push(pause)
    await pass(scope, pause * 1000)
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
  dead.status = 204
  within = FOR_EVER
  const message = await addMessage(scope, webhook)
  await deliver(scope, message)
  expect(await read(message)).toMatchObject({ status: 'sent' })
  expect(await failuresOf(scope)).toEqual([])
})

it('a fast refusal begins no pause', async () => {
  const scope = await newShop()
  const webhook = await addWebhook(scope, healthy)
  healthy.status = 500
  for (let attempt = 0; attempt < 4; attempt++)
    await deliver(scope, await addMessage(scope, webhook))
  expect(healthy.posts.length).toBe(4)
  expect(await failuresOf(scope)).toEqual([])
})

it('another attempt has its time from the database, also if the clock of the process is wrong', async () => {
  const scope = await newShop()
  const message = await addMessage(scope, await addWebhook(scope, healthy))
  healthy.status = 500
  vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  await deliver(scope, message)
  const { wait } = firstOf(
    await scope.withoutRows<{ wait: number }>(
      `select extract(epoch from run_at - now())::float8 as wait from graphile_worker.jobs
     where key = :key`,
      { key: `message:${message}` },
    ),
  )
  expect(wait).toBeLessThan(3600)
})

soakTest('a receiver in a pause gets what a person sends again', async () => {
  const scope = await newShop()
  const webhook = await addWebhook(scope, dead)
  within = 50
  const message = await addMessage(scope, webhook)
  for (let attempt = 0; attempt < 3; attempt++) await deliver(scope, message)
  dead.status = 204
  within = FOR_EVER
  await deliver(scope, message)
  expect(await read(message)).toMatchObject({ status: 'waiting', attempts: 3 })
  expect(await resendMessage(scope, message)).toBe(true)
  await deliver(scope, message)
  expect(await read(message)).toMatchObject({ status: 'sent' })
})

it('a message that waited for three days fails', async () => {
  const scope = await newShop()
  const webhook = await addWebhook(scope, dead)
  within = 50
  for (let attempt = 0; attempt < 3; attempt++)
    await deliver(scope, await addMessage(scope, webhook))
  const message = await addMessage(scope, webhook)
  await pass(scope, 3.1 * DAY_MS)
  await deliver(scope, message)
  expect(await read(message)).toMatchObject({
    status: 'failed',
    error: 'The address did not answer for three days',
  })
  expect(postsOf(message)).toBe(0)
})

it('a post that has no job any more is put back when the process stops', async () => {
  const scope = await newShop()
  const message = await addMessage(scope, await addWebhook(scope, dead))
  await run(scope, message)
  await expect.poll(() => dead.posts.length).toBe(1)
  await outbox.close()
  expect(await read(message)).toMatchObject({ status: 'waiting', attempts: 0 })
})
