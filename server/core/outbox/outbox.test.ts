import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { soakDescribe, soakTest, someOf } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { createSecrets } from '../secrets.ts'
import { sweepStaleMessages } from './run-outbox.ts'
import { sendBatch, writeBatch } from './deliver.ts'
import { present } from '../lazy.ts'
import { openMailServer } from '../../features/mail/mail-server.ts'
import {
  listMessages,
  readMessage,
  resendMessage,
  type MessageRow,
} from '../../features/messages/messages.ts'
import { listNotices } from './notices.ts'
import {
  openDeliverers,
  openOutbox,
  type Outbox,
  type OutboxOptions,
} from '../../startup/outbox.ts'
import type { Deliverers } from './outbox.ts'

const BASE_URL = 'https://files.example.com'
const TO = ['owner@example.com', 'second@example.com']

let database: Awaited<ReturnType<typeof openTestDatabase>>
let smtp: MailFake
let outbox: Outbox
let shop: number
let scope: ShopScope
const opened: Outbox[] = []

const optionsWith = (given: Partial<OutboxOptions> = {}): OutboxOptions => ({
  database,
  smtpUrl: smtp.url,
  twilio: null,
  from: 'Stevedore <files@example.com>',
  baseUrl: BASE_URL,
  client: { post: () => Promise.reject(new Error('no callback in this test')) },
  secrets: createSecrets('x'.repeat(32)),
  operationRecord: () => Promise.resolve({}),
  clock: () => new Date(),
  log: silent,
  ...given,
})

const open = (given: Partial<OutboxOptions> = {}): Outbox => {
  const one = openOutbox(optionsWith(given))
  opened.push(one)
  return one
}
const deliverers = (smtpUrl: string | null): Deliverers => openDeliverers(optionsWith({ smtpUrl }))

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.drop())
let shops = 0
beforeEach(async () => {
  smtp = await startMailFake()
  shop = await createTestShop(database, `shop-${(shops += 1)}.myshopify.com`)
  scope = forShop(database, shop)
  await database.pool.query('update shops set settings = $2 where id = $1', [
    shop,
    { recipients: TO },
  ])
  outbox = open()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  await smtp.close()
  await database.pool.query('truncate graphile_worker._private_jobs')
})

let keys = 0
async function queueEmail(given: Record<string, unknown> = {}): Promise<string> {
  const [operation] = await scope.query<{ id: string }>(
    `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total)
     values (:shop, 'bulk', 'tag-files', 'page', '{}', 'test', 1204) returning id`,
  )
  const [row] = await scope.query<{ id: string }>(
    `insert into outbox (shop_id, key, kind, payload, operation_id, status, taken_at, result)
     values (:shop, :key, 'email', :payload, :operation, :status, now() - :ago::interval, :result)
       returning id`,
    {
      key: `test/${(keys += 1)}`,
      payload: JSON.stringify({ template: 'operation-finished', data: DATA }),
      operation: operation!.id,
      status: 'waiting',
      ago: '0 s',
      result: null,
      ...given,
    },
  )
  return row!.id
}

const DATA = {
  id: 'op_1',
  title: 'Tag files partly complete',
  status: 'partial',
  headline: '1,200 of 1,204 files changed, 4 failed.',
  shop: { name: 'Harbour & Sons' },
  counts: [
    { label: 'Changed', count: 1200 },
    { label: 'Failed', count: 4 },
  ],
  failures: {
    listed: [{ filename: '<b>guide</b>.pdf', code: 'file_in_use', message: 'File in use' }],
    more: 1200,
  },
  unmapped: { listed: [], more: 0, length: 0 },
  warned: { listed: [], more: 0 },
  next: ['Choose Retry Failed once the other operation on those files has ended.'],
}

const read = async (id: string): Promise<MessageRow> =>
  (await listMessages(scope, { kind: 'email', limit: 50 }, BASE_URL)).find((row) => row.id === id)!
const notices = async () => (await listNotices(scope, { limit: 50 })).rows
const jobs = async (id: string) =>
  (
    await database.pool.query<{ at: number; delay: number }>(
      `select extract(epoch from run_at)::float as at,
           extract(epoch from run_at - now())::float as delay
         from graphile_worker.jobs where key = $1`,
      [`message:${id}`],
    )
  ).rows
const deliver = (id: string, by = outbox) => by.deliver({ shop, message: id })

describe('an email', () => {
  it('is sent once, to all recipients, as text and as escaped HTML, with its own Message-ID', async () => {
    const id = await queueEmail()
    await deliver(id)
    await deliver(id)
    expect(smtp.mails.length).toBe(1)
    const [mail] = smtp.mails
    expect(mail!.to).toEqual(TO)
    expect(mail!.messageId).toBe(`<message_${id.replaceAll('-', '')}@example.com>`)
    expect(mail!.raw).toMatch(/^Subject: Tag files partly complete: 1,200 of 1,204 files changed/m)
    expect(mail!.raw).toMatch(/^Auto-Submitted: auto-generated/m)
    const parts = mail!.raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')
    expect(parts).toContain('  - <b>guide</b>.pdf: File in use (file_in_use)\r\n  and 1,200 more')
    expect(parts).toContain('&lt;b&gt;guide&lt;/b&gt;.pdf')
    expect(parts).toContain('Harbour &amp; Sons')
    expect(parts).toContain(`${BASE_URL}/operations/op_1`)
    expect(await read(id)).toMatchObject({
      status: 'sent',
      to: TO,
      kept: false,
      error: null,
      attempts: 1,
    })
    expect((await read(id)).sent_at).toBeInstanceOf(Date)
    expect(await notices()).toEqual([])
  })

  it('that waits can be read as it would be sent', async () => {
    expect(await read(await queueEmail())).toMatchObject({
      status: 'waiting',
      to: TO,
      subject: expect.stringMatching(/^Tag/),
    })
  })

  soakTest(
    'that cannot be rendered is tried and fails like any other, and blocks no other message',
    async () => {
      const id = await queueEmail({ payload: JSON.stringify({ template: 'no-such', data: {} }) })
      for (let n = 0; n < 3; n++) await deliver(id)
      expect(await read(id)).toMatchObject({
        status: 'failed',
        error: 'Something went wrong on our side',
        subject: 'no-such',
      })
      expect((await notices()).length).toBe(1)
    },
  )

  it('is stored if there is no mail server', async () => {
    const id = await queueEmail()
    await deliver(id, open({ smtpUrl: null }))
    expect(smtp.mails).toEqual([])
    expect(await read(id)).toMatchObject({
      status: 'sent',
      kept: true,
      text: expect.stringContaining('File in use'),
    })
  })

  it.each(someOf(['defer', 'defer-message'] as const, (_, at) => at < 1))(
    'that meets %s is tried three times, minutes apart, then failed',
    async (how) => {
      smtp.behaviour = how
      const id = await queueEmail()
      await deliver(id)
      expect(await read(id)).toMatchObject({
        status: 'waiting',
        attempts: 1,
        error: expect.stringMatching(/answered: 451/),
      })
      expect((await jobs(id))[0]!.delay).toBeCloseTo(60, -1)
      await deliver(id)
      expect((await jobs(id))[0]!.delay).toBeCloseTo(300, -1)
      expect(await notices()).toEqual([])
      await deliver(id)
      await deliver(id)
      expect(await read(id)).toMatchObject({ status: 'failed', attempts: 3 })
      expect(await notices()).toMatchObject([
        {
          level: 'critical',
          title: 'An email could not be sent',
          operation_id: (await read(id)).operation_id,
        },
      ])
    },
  )

  it.each(someOf(['refuse', 'refuse-message'] as const, (_, at) => at < 1))(
    'that meets %s fails at the first attempt',
    async (how) => {
      smtp.behaviour = how
      const id = await queueEmail()
      await deliver(id)
      expect(await read(id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: expect.stringMatching(/answered: 55/),
      })
      expect(await jobs(id)).toEqual([])
      expect(await notices()).toMatchObject([
        { level: 'critical', title: 'An email could not be sent' },
      ])
    },
  )

  it('does not reveal the mail server’s address when that is unavailable', async () => {
    const id = await queueEmail()
    await deliver(id, open({ smtpUrl: 'smtp://127.0.0.1:1' }))
    expect((await read(id)).error).toBe('The mail server could not be reached')
  })

  it('that one of its recipients refuses is sent, and the shop notified', async () => {
    smtp.refused.add(TO[1]!)
    const id = await queueEmail()
    await deliver(id)
    expect(smtp.mails).toMatchObject([{ to: [TO[0]] }])
    expect(await read(id)).toMatchObject({ status: 'sent', error: `Not accepted for ${TO[1]}` })
    expect(await notices()).toMatchObject([
      { level: 'warning', title: 'An email was not sent to all recipients' },
    ])
  })

  soakTest('without recipients fails immediately', async () => {
    await database.pool.query(`update shops set settings = '{}' where id = $1`, [shop])
    const id = await queueEmail()
    await deliver(id)
    expect(await read(id)).toMatchObject({
      status: 'failed',
      error: 'There are no recipients in the settings',
    })
  })
})

describe('an email that may have arrived', () => {
  it('is never sent again automatically: the shop is notified, and sends it manually with the same Message-ID', async () => {
    smtp.behaviour = 'break-off'
    const id = await queueEmail()
    await deliver(id)
    await deliver(id)
    expect(await read(id)).toMatchObject({ status: 'unknown' })
    expect(await jobs(id)).toEqual([])
    expect(await notices()).toMatchObject([
      { level: 'warning', title: 'An email may not have arrived' },
    ])
    smtp.behaviour = 'accept'
    expect(await resendMessage(scope, id)).toBe(true)
    expect((await jobs(id)).length).toBe(1)
    await deliver(id)
    expect(await read(id)).toMatchObject({ status: 'sent', attempts: 1 })
    expect(smtp.mails.length).toBe(2)
    expect(smtp.mails[0]!.messageId).toBe(smtp.mails[1]!.messageId)
  })

  const content = JSON.stringify({ to: TO, subject: 'S', text: 'T' })

  it('is found when its worker has been dead for two minutes, once by any number of sweeps', async () => {
    const fresh = await queueEmail({ status: 'sending', ago: '110 s', result: content })
    const lost = await queueEmail({ status: 'sending', ago: '121 s', result: content })
    const all = deliverers(smtp.url)
    await Promise.all([1, 2, 3].map(() => sweepStaleMessages(database, all)))
    expect(await read(fresh)).toMatchObject({ status: 'sending' })
    expect(await read(lost)).toMatchObject({ status: 'unknown' })
    expect((await notices()).length).toBe(1)
    await deliver(lost)
    expect(smtp.mails).toEqual([])
  })

  soakTest(
    'waits again if it cannot have arrived: it was not written, or none can be sent',
    async () => {
      const unwritten = await queueEmail({ status: 'sending', ago: '31 s' })
      const beingWritten = await queueEmail({ status: 'sending', ago: '20 s' })
      await sweepStaleMessages(database, deliverers(smtp.url))
      const kept = await queueEmail({ status: 'sending', ago: '3 m', result: content })
      await sweepStaleMessages(database, deliverers(null))
      for (const id of [unwritten, kept]) {
        expect(await read(id)).toMatchObject({ status: 'waiting' })
        expect((await jobs(id)).length).toBe(1)
      }
      expect(await read(beingWritten)).toMatchObject({ status: 'sending' })
      expect(await notices()).toEqual([])
    },
  )

  soakTest('of a batch that was written long before its turn is left to the sweep', async () => {
    const id = await queueEmail()
    await database.pool.query('update outbox set batched = true where id = $1', [id])
    const all = deliverers(smtp.url)
    const signal = new AbortController().signal
    const parts = { database, deliverers: all, log: silent, signal, clock: () => new Date() }
    const batch = await writeBatch(scope, parts, 8)
    await database.pool.query(`update outbox set taken_at = now() - interval '3 m' where id = $1`, [
      id,
    ])
    await sweepStaleMessages(database, all)
    await sendBatch(scope, parts, present(batch, 'The batch'))
    expect(smtp.mails).toEqual([])
    await deliver(id)
    expect(smtp.mails.length).toBe(1)
  })

  soakTest('is recorded as sent if the response arrives late', async () => {
    smtp.behaviour = 'hang-after'
    const id = await queueEmail()
    const delivered = deliver(id)
    await until(() => smtp.hanging === 1)
    expect(await resendMessage(scope, id)).toBe(false)
    await database.pool.query(`update outbox set taken_at = now() - interval '3 m' where id = $1`, [
      id,
    ])
    await sweepStaleMessages(database, deliverers(smtp.url))
    expect(await read(id)).toMatchObject({ status: 'unknown' })
    smtp.release()
    await delivered
    expect(await read(id)).toMatchObject({ status: 'sent', error: null })
    expect(smtp.mails.length).toBe(1)
  })

  soakTest(
    'that was sent again manually meanwhile is not overwritten by the first attempt',
    async () => {
      smtp.behaviour = 'hang-after'
      const id = await queueEmail()
      const first = deliver(id)
      await until(() => smtp.hanging === 1)
      await database.pool.query(`update outbox set status = 'unknown' where id = $1`, [id])
      await resendMessage(scope, id)
      smtp.release()
      await first
      expect(await read(id)).toMatchObject({ status: 'waiting' })
    },
  )
})

soakDescribe('a slow mail server', () => {
  it('blocks at most four jobs of a process: the other messages are released one by one', async () => {
    smtp.behaviour = 'hang-after'
    const first = [await queueEmail(), await queueEmail(), await queueEmail(), await queueEmail()]
    const [second, third] = [await queueEmail(), await queueEmail()]
    const delivered = Promise.all(first.map((id) => deliver(id)))
    await until(() => smtp.hanging === first.length)
    await Promise.all([deliver(second), deliver(third)])
    const [soon, later] = [...(await jobs(second)), ...(await jobs(third))].sort(
      (one, two) => one.at - two.at,
    )
    expect(soon!.delay).toBeLessThan(1)
    expect(later!.at - soon!.at).toBeGreaterThan(0.05)
    expect(await read(second)).toMatchObject({ status: 'waiting', attempts: 0 })
    smtp.behaviour = 'accept'
    smtp.release()
    await delivered
    await deliver(second)
    expect(await read(second)).toMatchObject({ status: 'sent', attempts: 1 })
  })
})

describe('another shop', () => {
  it('can neither read a message nor send it', async () => {
    const id = await queueEmail()
    await deliver(id)
    const other = forShop(database, await createTestShop(database, `other-${shops}.myshopify.com`))
    expect(await listMessages(other, { kind: 'email', limit: 50 }, BASE_URL)).toEqual([])
    expect(await readMessage(other, id, BASE_URL)).toBeNull()
    expect(await resendMessage(other, id)).toBe(false)
    await outbox.deliver({ shop: other.shop, message: id })
    expect(await readMessage(scope, id, BASE_URL)).toMatchObject({ status: 'sent' })
    expect(smtp.mails.length).toBe(1)
  })
})

describe('stopping', () => {
  soakTest('releases what was not handed over, uncounted, for later', async () => {
    smtp.behaviour = 'hang-before'
    const id = await queueEmail()
    const delivered = deliver(id)
    await until(() => smtp.hanging === 1)
    await outbox.close()
    await delivered
    expect(await read(id)).toMatchObject({ status: 'waiting', attempts: 0 })
    expect((await jobs(id))[0]!.delay).toBeCloseTo(5, -1)
    smtp.behaviour = 'accept'
    smtp.release()
    // Not by this worker any more.
    await deliver(id)
    expect(await read(id)).toMatchObject({ status: 'waiting' })
    await deliver(id, open())
    expect(smtp.mails.length).toBe(1)
  })

  it('waits for the response to what was', async () => {
    smtp.behaviour = 'hang-after'
    const id = await queueEmail()
    const delivered = deliver(id)
    await until(() => smtp.hanging === 1)
    await outbox.close()
    smtp.release()
    await delivered
    expect(await read(id)).toMatchObject({ status: 'sent' })
  })
})

describe('handing over', () => {
  const letter = {
    from: 'a@example.com',
    to: TO,
    subject: 'S',
    text: 'T',
    messageId: '<m@stevedore>',
    headers: {},
  }

  soakTest(
    'is given up when the server is not ready in time, and nothing is sent later',
    async () => {
      smtp.behaviour = 'hang-before'
      const server = openMailServer(smtp.url, { handOver: 2000, answer: 10_000, connect: 1000 })
      const delivery = await server.handOver(letter, new AbortController().signal)
      expect(delivery).toEqual({ status: 'again', reason: 'The mail server could not be reached' })
      smtp.release()
      smtp.behaviour = 'accept'
      expect(await server.handOver(letter, new AbortController().signal)).toEqual({
        status: 'sent',
        content: { reply: expect.stringMatching(/^250 /) },
      })
      expect(smtp.mails.length).toBe(1)
    },
  )

  it('is unknown when the server stops responding after the message', async () => {
    smtp.behaviour = 'hang-after'
    const server = openMailServer(smtp.url, { handOver: 1000, answer: 300, connect: 1000 })
    expect(await server.handOver(letter, new AbortController().signal)).toMatchObject({
      status: 'unknown',
    })
  })
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
