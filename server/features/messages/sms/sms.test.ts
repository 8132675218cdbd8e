import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestShop, openTestDatabase, silent } from '../../../../test/database.ts'
import { startTwilioFake, type TwilioFake } from '../../../../test/fakes/twilio.ts'
import { forShop, type ShopScope } from '../../../core/db/for-shop.ts'
import { createSecrets } from '../../../core/secrets.ts'
import { listMessages } from '../messages.ts'
import { listNotices } from '../../../core/outbox/notices.ts'
import { openOutbox, type Outbox } from '../../../startup/outbox.ts'
import { queueSms } from './sms.ts'
import type { TwilioAccount } from '../../../core/configuration/environment.ts'

const NUMBERS = ['+4915112345678', '+14155550100']

let database: Awaited<ReturnType<typeof openTestDatabase>>
let scope: ShopScope
let twilio: TwilioFake
const opened: Outbox[] = []
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())
let shops = 0
beforeEach(async () => {
  twilio = await startTwilioFake()
  scope = forShop(database, await createTestShop(database, `sms-${shops++}.myshopify.com`))
  await database.pool.query('update shops set settings = $2 where id = $1', [
    scope.shop,
    { sms_recipients: NUMBERS },
  ])
})
afterEach(async () => {
  for (const outbox of opened.splice(0)) await outbox.close()
  await twilio.close()
})

const open = (account: TwilioAccount | null = twilio.account): Outbox => {
  const outbox = openOutbox({
    database,
    smtpUrl: null,
    twilio: account,
    from: 'files@example.com',
    log: silent,
    baseUrl: 'https://files.example.com',
    client: { post: () => Promise.reject(new Error('no callback in this test')) },
    secrets: createSecrets('x'.repeat(32)),
    operationRecord: () => Promise.resolve({}),
    clock: () => new Date(),
  })
  opened.push(outbox)
  return outbox
}

async function ended(text = 'Harbour: Import complete.'): Promise<string> {
  const [operation] = await scope.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
     values (:shop, 'import', 'import', 'api', '{}', 'test', 1000, 'success') returning id`,
  )
  await queueSms(scope, operation!.id, text)
  return operation!.id
}
const messages = () => listMessages(scope, { kind: 'sms', limit: 50 }, '')
async function deliverAll(outbox = open()): Promise<void> {
  for (const { id, status } of await messages())
    if (status === 'waiting') await outbox.deliver({ shop: scope.shop, message: id })
}

it('each number gets one message per operation, also when it ends again', async () => {
  const operation = await ended()
  await queueSms(scope, operation, 'Harbour: Import complete, again.')
  await deliverAll()
  await deliverAll()
  expect(twilio.taken.toSorted((a, b) => a.To!.localeCompare(b.To!))).toEqual(
    NUMBERS.toSorted().map((To) => ({
      To,
      From: twilio.account.from,
      Body: 'Harbour: Import complete.',
    })),
  )
  expect((await messages()).map(({ status, kept }) => [status, kept])).toEqual([
    ['sent', false],
    ['sent', false],
  ])
})

it('a messaging service replaces the sender’s number', async () => {
  await ended()
  const from = `MG${'0'.repeat(32)}`
  await deliverAll(open({ ...twilio.account, from }))
  expect(twilio.taken[0]).toMatchObject({ MessagingServiceSid: from })
  expect(twilio.taken[0]).not.toHaveProperty('From')
})

it.each([
  [{ error: 21211 }, 'failed', 'This is not a phone number'],
  [{ error: 99999 }, 'failed', 'The SMS provider answered 400, error 99999'],
  [{ status: 503 }, 'waiting', 'The SMS provider answered 503'],
  [{ status: 401 }, 'failed', 'The SMS account of this installation was refused'],
  // It may have arrived, so it is not sent again.
  ['break-off' as const, 'unknown', 'The SMS provider did not answer'],
])('%j leaves the message %s', async (behaviour, status, error) => {
  twilio.behaviour = behaviour
  await ended()
  await deliverAll()
  expect(await messages()).toMatchObject([
    { status, error },
    { status, error },
  ])
  const { rows } = await listNotices(scope, { limit: 10 })
  expect(rows.map(({ title }) => title)).toEqual(
    status === 'waiting'
      ? []
      : Array(2).fill(
          status === 'failed'
            ? 'A text message could not be sent'
            : 'A text message may not have arrived',
        ),
  )
  if (status !== 'waiting') expect(rows[0]!.body).toMatch(/^To \+\d+: /)
})

it('an unreachable provider is retried; without a provider the message is stored', async () => {
  await ended()
  const account = { ...twilio.account, apiUrl: 'http://127.0.0.1:1' }
  await deliverAll(open(account))
  expect((await messages())[0]).toMatchObject({ status: 'waiting' })
  await deliverAll(open(null))
  expect((await messages())[0]).toMatchObject({ status: 'sent', kept: true })
})
