// Orders in batches: found without a webhook, delivered together, failing separately, mailed over
// few sessions, and marked on the platform.
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { startMailFake, type MailFake } from '../../../test/fakes/smtp.ts'
import { fileProduct, openPurchases, type Purchases } from '../../../test/purchases.ts'
import { addLicenceKeys, createLicenceList } from '../preparation/licence-lists.ts'
import { PortError } from '../../../plugins/contract/index.ts'
import { silent } from '../../../test/database.ts'
import { createIds } from '../../demo/catalog-ids.ts'
import { RetryLater } from '../../core/queue/background.ts'
import type { LiveOrders } from '../../storefront/orders.ts'
import { NoAnswer } from '../../storefront/platform-failures.ts'
import { effectTask } from './effects.ts'
import { reconcileTask } from './tasks.ts'
import { claimOrders } from '../../storefront/intake.ts'
import { recordChangedOrders } from '../../storefront/changes.ts'
import { askedAddress, listNotices } from '../../core/outbox/notices.ts'
import { recordReport, type MailReport } from '../mail/reports.ts'
import { COMPLAINED } from '../mail/settings.ts'
import { queueDeliveryMail, queueDeliveryMails } from './delivery-mail.ts'
import { CORRECTED, NO_ADDRESS, withOldAddress } from './mail-writer.ts'
import { readMessage, resendMessage } from '../messages/messages.ts'
import {
  changeDelivery,
  correctAddress,
  holdDelivery,
  releaseDelivery,
  resendDelivery,
} from './changes.ts'
import { listDeliveries } from './deliveries.ts'

let shop: Purchases
let mail: MailFake
beforeAll(async () => {
  mail = await startMailFake()
  shop = await openPurchases(mail.url)
  // A second product, with another file.
  await fileProduct(shop.scope, OTHER_PRODUCT, 'map.pdf')
})
afterAll(async () => {
  await shop.close()
  await mail.close()
})
let buyers = 0
const buyer = () => ({ email: `buyer-${(buyers += 1)}@example.com` })
const buyAll = (count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.buy(buyer())))
const waiting = () =>
  shop.scope.query<{ subject: string; attempts: number; due: boolean }>(
    `select subject, attempts, due_at <= now() as due from platform_changes
     where shop_id = :shop and kind = 'order'`,
  )
const settings = (change: object) =>
  shop.scope.query(`update shops set settings = :change where id = :shop`, {
    change: JSON.stringify(change),
  })
const reported = async (orders: readonly string[]) => {
  await recordChangedOrders(shop.scope, orders)
  await shop.run('reconcile')
}
const toldAt = async (order: string) =>
  (
    await shop.scope.one<{ at: Date | null }>(
      'select mailed_at as at from deliveries where shop_id = :shop and order_id = :order',
      { order },
    )
  ).at
const statusOf = async (order: string) => (await shop.delivery(order))?.status ?? null
const mailsTo = (to: string) => mail.mails.filter((one) => one.to[0] === to)
const sendAll = async () => {
  await shop.scope.query(
    `update outbox set batched = true where shop_id = :shop and status = 'waiting'`,
  )
  await shop.run('mails')
}
const OTHER_PRODUCT = createIds('Product')('a-field-guide-to-coastal-birds')
/** A paid edit, which brings the second product’s file. */
async function edit(order: string, fulfilled = 0): Promise<void> {
  await shop.change(order, ({ lines }) => {
    const [line] = lines
    lines.push({
      ...line!,
      id: line!.id + 990_000,
      productId: OTHER_PRODUCT,
      sku: 'MAP',
      fulfilled,
    })
  })
  await reported([order])
}

beforeEach(async () => {
  await settings({})
  mail.behaviour = 'accept'
  mail.deferred.clear()
})

test('the hourly comparison finds orders that no webhook reported, each once', async () => {
  const orders = await buyAll(3)
  await expect.poll(() => shop.withheld.length).toBeGreaterThanOrEqual(3)
  await shop.run('reconcile')
  expect(await Promise.all(orders.map(statusOf))).toEqual([null, null, null])
  await shop.run('sync')
  await shop.run('reconcile')
  expect(await Promise.all(orders.map(statusOf))).toEqual(['ready', 'ready', 'ready'])
  // The next comparison finds nothing new.
  await shop.scope.query('update order_syncs set due_at = now() where shop_id = :shop')
  await shop.run('sync')
  expect(await waiting()).toEqual([])
})

test('an order that cannot be written is retried later, and the others of its batch are delivered', async () => {
  const poison = { email: 'poison@example.com' }
  const orders = [await shop.buy(buyer()), await shop.buy(poison), await shop.buy(buyer())]
  await shop.scope.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused by :shop';
       end $$`,
  )
  await shop.scope.query(
    `create trigger refuse before insert on orders for each row
     when (new.email = 'poison@example.com' and new.shop_id = :shop) execute function refuse()`,
  )
  await reported(orders)
  expect(await Promise.all(orders.map(statusOf))).toEqual(['ready', null, 'ready'])
  expect(await waiting()).toEqual([{ subject: orders[1], attempts: 1, due: false }])
  await shop.scope.query('drop trigger refuse on orders; drop function refuse; select :shop')
  // A webhook about it makes it due immediately.
  await reported([orders[1]!])
  expect(await statusOf(orders[1]!)).toBe('ready')
  expect(await waiting()).toEqual([])
})

test('a shop without access is asked again soon, and the log says it once an hour', async () => {
  const logged: object[] = []
  let now = new Date()
  const task = reconcileTask({
    database: shop.database,
    secrets: shop.secrets,
    clock: () => now,
    log: { ...silent, warn: (_, fields) => void logged.push(fields ?? {}) },
    storefront: {
      orders: () =>
        ({
          read: () => Promise.reject(new PortError('storefront_unavailable', 'No access', true)),
        }) as unknown as LiveOrders,
    },
  })
  const order = await shop.buy(buyer())
  await recordChangedOrders(shop.scope, [order])
  const run = async () => {
    const again = await task
      .run({
        shop: shop.scope.shop,
        key: String(shop.scope.shop),
        attempt: 1,
        signal: new AbortController().signal,
        lease: undefined as never,
      })
      .catch((error: unknown) => error)
    expect(again).toBeInstanceOf(RetryLater)
  }
  await run()
  await run()
  expect(logged).toMatchObject([{ shop: shop.scope.shop, error: 'No access' }])
  now = new Date(+now + 60 * 60 * 1000)
  await run()
  expect(logged).toHaveLength(2)
  await reported([order])
  expect(await statusOf(order)).toBe('ready')
})

soakTest(
  'an order on which each read takes too long is retried alone, and the others are read',
  async () => {
    const [slow, ...others] = ['81', '82', '83', '84'].map((id) => `gid://shopify/Order/${id}`)
    const logged: object[] = []
    const sizes: number[] = []
    const task = reconcileTask({
      database: shop.database,
      secrets: shop.secrets,
      clock: () => new Date(),
      readWithinMs: 100,
      log: { ...silent, warn: (_, fields) => void logged.push(fields ?? {}) },
      storefront: {
        orders: () =>
          ({
            read: async (ids: string[], { signal }: { signal: AbortSignal }) => {
              sizes.push(ids.length)
              if (ids.includes(slow!)) await once(signal, 'abort')
              signal.throwIfAborted()
              return ids.map(() => null)
            },
          }) as unknown as LiveOrders,
      },
    })
    await recordChangedOrders(shop.scope, [slow!, ...others])
    await task.run({
      shop: shop.scope.shop,
      key: String(shop.scope.shop),
      attempt: 1,
      signal: new AbortController().signal,
      lease: undefined as never,
    })
    expect(await waiting()).toEqual([{ subject: slow, attempts: 2, due: false }])
    expect(sizes).toEqual([4, 1, 1, 1, 1])
    expect(logged).toMatchObject([
      { shop: shop.scope.shop, orders: 4 },
      {
        shop: shop.scope.shop,
        order: slow,
        error: expect.stringContaining('did not answer within'),
      },
    ])
    // While it is due again, new orders are still read together.
    await recordChangedOrders(shop.scope, others)
    await shop.scope.query(
      `update platform_changes set due_at = now() - interval '1 hour'
     where shop_id = :shop and subject = :slow`,
      { slow },
    )
    await shop.scope.transaction(async (tx) => {
      expect(await claimOrders(tx, 9)).toMatchObject([{ order: slow }])
      await shop.scope.transaction(async (next) => {
        expect((await claimOrders(next, 9)).map(({ order }) => order)).toEqual(others)
      })
    })
    await shop.scope.query('delete from platform_changes where shop_id = :shop')
  },
)

test('two workers claim different orders, and a dead worker’s claims are released', async () => {
  const orders = ['gid://shopify/Order/1', 'gid://shopify/Order/2', 'gid://shopify/Order/3']
  await recordChangedOrders(shop.scope, orders)
  const claim = (most: number, then: (mine: string[]) => Promise<void>) =>
    shop.scope.transaction(async (tx) =>
      then((await claimOrders(tx, most)).map((one) => one.order)),
    )
  await claim(2, async (first) => {
    expect(first).toEqual(orders.slice(0, 2))
    // A webhook does not wait for a claim.
    await recordChangedOrders(shop.scope, orders.slice(0, 1))
    await claim(3, async (second) => expect(second).toEqual(orders.slice(2)))
  })
  await claim(3, async (all) => expect(all.toSorted()).toEqual(orders))
  await reported(orders)
  expect(await waiting()).toEqual([])
})

describe('first mails', () => {
  soakTest('of a batch share few sessions; a deferred mail is retried alone', async () => {
    const before = mail.connections
    mail.deferred.add('deferred@example.com')
    const orders = [...(await buyAll(20)), await shop.buy({ email: 'deferred@example.com' })]
    await reported(orders)
    await shop.run('mails')
    const to = await Promise.all(orders.map(async (one) => (await shop.delivery(one))!.email!))
    expect(to.slice(0, 20).map((one) => mailsTo(one).length)).toEqual(Array(20).fill(1))
    expect(mail.connections - before).toBeLessThanOrEqual(8)
    const deferred = (await shop.delivery(orders[20]!))!
    expect(deferred.messages).toMatchObject([
      {
        status: 'waiting',
        error: expect.stringContaining('451'),
        error_text: { message: 'The mail server answered: {reply}' },
      },
    ])
    const jobs = await shop.scope.withoutRows(
      `select from graphile_worker.jobs where key = 'message:' || :id`,
      { id: deferred.messages[0]!.id },
    )
    expect(jobs.length).toBe(1)
    // Nothing is sent twice.
    await shop.run('mails')
    expect(to.slice(0, 20).map((one) => mailsTo(one).length)).toEqual(Array(20).fill(1))
  })

  test('of a delivery that was held meanwhile are sent after its release, and no failure is reported', async () => {
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    const { id } = (await shop.delivery(order))!
    const parts = { secrets: shop.secrets, now: new Date() }
    await holdDelivery(shop.scope, id, parts)
    await shop.run('mails')
    expect((await shop.delivery(order))!.messages).toMatchObject([{ status: 'failed' }])
    expect(mailsTo(about.email)).toEqual([])
    const notices = `select from notices where shop_id = :shop and body like :name`
    expect(await shop.scope.query(notices, { name: `%${about.email}%` })).toEqual([])
    for (let again = 0; again < 2; again++) await releaseDelivery(shop.scope, id, parts)
    await shop.run('mails')
    expect(mailsTo(about.email).length).toBe(1)
  })

  soakTest(
    'about an edit during a hold are sent after the release, one for each buyer',
    async () => {
      const parts = { secrets: shop.secrets, now: new Date() }
      for (const sent of [true, false]) {
        const about = buyer()
        const order = await shop.buy(about)
        await reported([order])
        if (sent) await shop.run('mails')
        const { id } = (await shop.delivery(order))!
        await holdDelivery(shop.scope, id, parts)
        await shop.run('mails')
        const before = await toldAt(order)
        await edit(order)
        await sendAll()
        // The edit gets no mail, and no new time, while the first mail waits.
        if (sent) expect(await toldAt(order)).not.toEqual(before)
        else expect(await toldAt(order)).toEqual(before)
        expect(mailsTo(about.email)).toHaveLength(sent ? 1 : 0)
        await releaseDelivery(shop.scope, id, parts)
        await sendAll()
        expect(mailsTo(about.email)).toHaveLength(sent ? 2 : 1)
      }
    },
  )

  test('do not go to the old address if it was corrected between two attempts', async () => {
    const about = buyer()
    const right = buyer().email
    const order = await shop.buy(about)
    await reported([order])
    mail.deferred.add(about.email)
    await shop.run('mails')
    mail.deferred.clear()
    const { id, messages } = (await shop.delivery(order))!
    const parts = { secrets: shop.secrets, now: new Date() }
    await correctAddress(shop.scope, id, { email: right }, parts)
    await sendAll()
    expect([mailsTo(about.email), mailsTo(right)].map(({ length }) => length)).toEqual([0, 1])
    const after = (await shop.delivery(order))!
    expect(after.messages.find((one) => one.id === messages[0]!.id)).toMatchObject({
      status: 'failed',
      error: CORRECTED,
      error_text: null,
    })
    expect(after.bounced_at).toBeNull()
    const { rows } = await listNotices(shop.scope, { limit: 5 })
    expect(rows.filter((one) => JSON.stringify(one).includes(about.email))).toEqual([])
    // The merchant may send that message too.
    await resendMessage(shop.scope, messages[0]!.id)
    await sendAll()
    expect([mailsTo(about.email), mailsTo(right)].map(({ length }) => length)).toEqual([0, 2])
  })

  soakTest(
    'sent again in place of a first one that was tried follow a hold as that would',
    async () => {
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      mail.deferred.add(about.email)
      await shop.run('mails')
      mail.deferred.clear()
      const { id } = (await shop.delivery(order))!
      const parts = { secrets: shop.secrets, now: new Date() }
      await resendDelivery(shop.scope, id, parts)
      await holdDelivery(shop.scope, id, parts)
      await sendAll()
      expect(mailsTo(about.email)).toEqual([])
      await releaseDelivery(shop.scope, id, parts)
      await sendAll()
      expect(mailsTo(about.email)).toHaveLength(1)
    },
  )

  soakTest('go to the address that the order has got between two attempts, once', async () => {
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    mail.deferred.add(about.email)
    await shop.run('mails')
    mail.deferred.clear()
    const right = buyer().email
    await shop.change(order, (one) => Object.assign(one, { email: right }))
    await reported([order])
    const { messages } = (await shop.delivery(order))!
    expect(messages).toMatchObject([{ status: 'waiting', to: [right] }])
    const waiting = await readMessage(shop.scope, messages[0]!.id, 'https://files.example.com')
    expect(waiting).toMatchObject({ status: 'waiting', to: [right] })
    await sendAll()
    expect([mailsTo(about.email), mailsTo(right)].map(({ length }) => length)).toEqual([0, 1])
    const sent = (await shop.delivery(order))!.messages
    expect(sent).toMatchObject([{ status: 'sent', to: [right] }])
  })

  soakTest(
    'about an order follow a corrected address unless another one about it does, and end without any',
    async () => {
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      mail.deferred.add(about.email)
      await shop.run('mails')
      mail.deferred.clear()
      const { id, messages } = (await shop.delivery(order))!
      const content = { to: [about.email], subject: '', text: '' }
      const outdated = () =>
        withOldAddress(shop.scope, [{ id: messages[0]!.id, delivery: id, content }])
      const setAddress = (email: string | null) =>
        shop.scope.query(
          `with o as (update orders set email = :email where shop_id = :shop and id = :order)
         update deliveries set email = :email where shop_id = :shop and id = :id`,
          { id, order, email },
        )
      expect(await outdated()).toEqual(new Map())
      await setAddress(buyer().email)
      const operation = '0199c2f5-d2c0-7f0a-9b7e-3f4a5b6c7d8e'
      await shop.scope.query(
        `insert into outbox (shop_id, key, kind, payload) values (:shop, :operation, 'email',
         jsonb_build_object('template', 'order-delivery', 'delivery', :id::text, 'about', 'update'))`,
        { id, operation },
      )
      expect(await outdated()).toEqual(new Map([[0, { followed: false }]]))
      await shop.scope.transaction((tx) => queueDeliveryMail(tx, id, 'again'))
      expect(await outdated()).toEqual(new Map([[0, { followed: true }]]))
      await setAddress(null)
      expect(await outdated()).toEqual(new Map([[0, { followed: false }]]))
      await sendAll()
      const ended = (await shop.delivery(order))!.messages
      const nobody = { status: 'failed', error: NO_ADDRESS, to: [] }
      expect(ended).toMatchObject([nobody, nobody, nobody])
      expect(mailsTo(about.email)).toEqual([])
      await setAddress(about.email)
    },
  )

  test('that come back make their delivery unreachable until the address is corrected', async () => {
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    await shop.run('mails')
    const delivery = async () => (await shop.delivery(order))!
    const { id, messages } = await delivery()
    const report: MailReport = {
      event: 'bounced',
      permanent: true,
      recipient: about.email,
      code: '5.1.1',
      reason: '550 5.1.1 No such user',
      source: 'mailbox',
      key: '1',
      mail: { shop: shop.scope.shop, message: messages[0]!.id },
    }
    expect(await recordReport(shop.database, report)).toBe(true)
    expect(await recordReport(shop.database, report)).toBe(false)
    const unreachable = async () =>
      (await listDeliveries(shop.scope, { listed: ['unreachable'], limit: 50 })).map(
        (one) => one.id,
      )
    expect(await unreachable()).toContain(id)
    expect((await delivery()).message).toMatchObject({ status: 'bounced', error: report.reason })
    const { rows } = await listNotices(shop.scope, { limit: 1 })
    expect(rows).toMatchObject([{ title: 'An email came back', delivery_id: id }])
    expect(rows.map(askedAddress)).toEqual(['wrong'])
    // Further orders of this address get no mail either, and can be corrected too.
    const next = await shop.buy(about)
    await reported([next])
    await shop.run('mails')
    const second = (await shop.delivery(next))!
    expect(second.messages).toMatchObject([{ status: 'failed', error: expect.any(String) }])
    expect((await unreachable()).toSorted()).toEqual([id, second.id].toSorted())
    expect(mailsTo(about.email).length).toBe(1)

    const parts = { secrets: shop.secrets, now: new Date() }
    const right = buyer().email
    await correctAddress(shop.scope, id, { email: right }, parts)
    expect(await unreachable()).toEqual([second.id])
    expect(await delivery()).toMatchObject({ email: right, bounced_at: null })
    expect((await delivery()).messages[0]).toMatchObject({ status: 'waiting' })
    // The same address again: it works now.
    await correctAddress(shop.scope, second.id, { email: about.email }, parts)
    expect(await unreachable()).toEqual([])
    expect(await shop.scope.query('select from mail_blocks where shop_id = :shop')).toEqual([])
  })

  soakTest('waits as long as the shop wants, unless it is sent again before', async () => {
    await settings({ mail_delay_minutes: 10 })
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    await shop.run('mails')
    const { id } = (await shop.delivery(order))!
    const rows = () =>
      shop.scope.query<{ status: string; wait: number | null; runs: boolean }>(
        `select o.status, extract(epoch from o.due_at - o.created_at)::int as wait,
           j.run_at = coalesce(o.due_at, j.run_at) as runs
         from outbox o left join graphile_worker.jobs j on j.key = 'message:' || o.id
         where o.shop_id = :shop and o.payload ->> 'delivery' = :id::text order by o.id`,
        { id },
      )
    expect([await rows(), mailsTo(about.email)]).toEqual([
      [{ status: 'waiting', wait: 600, runs: true }],
      [],
    ])
    await resendDelivery(shop.scope, id, { secrets: shop.secrets, now: new Date() })
    expect(await rows()).toMatchObject([
      { status: 'failed', wait: 600 },
      { status: 'waiting', wait: null, runs: true },
    ])
  })

  soakTest(
    'a buyer who reported a mail as spam gets no news, but what was bought and what the shop sends',
    async () => {
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      await shop.run('mails')
      const { id, messages } = (await shop.delivery(order))!
      const report: MailReport = {
        event: 'complained',
        permanent: false,
        recipient: about.email,
        code: null,
        reason: 'Reported as spam',
        source: 'mailbox',
        key: '1',
        mail: { shop: shop.scope.shop, message: messages[0]!.id },
      }
      expect(await recordReport(shop.database, report)).toBe(true)
      const blocks = () =>
        shop.scope.query(
          'select complaint from mail_blocks where shop_id = :shop and email = :to',
          {
            to: about.email.toLowerCase(),
          },
        )
      expect(await blocks()).toEqual([{ complaint: true }])
      const operation = await shop.scope.one<{ id: string }>(
        `insert into operations (shop_id, kind, action, channel, workflow, requested_by, total, status)
       values (:shop, 'import', 'import', 'api', '{}', 'test', 1, 'success') returning id`,
      )
      await shop.scope.transaction(async (tx) => {
        await queueDeliveryMails(tx, [id], { about: 'update', operation: operation.id })
        await tx.query(
          `update outbox set batched = true where shop_id = :shop and status = 'waiting'`,
        )
      })
      await shop.run('mails')
      const news = (await shop.delivery(order))!
      expect(news.messages[0]).toMatchObject({ status: 'failed', error: COMPLAINED.reason })
      expect(news.bounced_at).toBeNull()
      const titles = (await listNotices(shop.scope, { limit: 2 })).rows.map(({ title }) => title)
      expect(titles).toContain('An email was reported as spam')
      // Another purchase, and the merchant's own sending.
      const next = await shop.buy(about)
      await reported([next])
      await shop.run('mails')
      expect(mailsTo(about.email)).toHaveLength(2)
      await resendDelivery(shop.scope, id, { secrets: shop.secrets, now: new Date() })
      await shop.scope.query(
        `update outbox set batched = true where shop_id = :shop and status = 'waiting'`,
      )
      await shop.run('mails')
      expect(mailsTo(about.email)).toHaveLength(3)
      // A bounce blocks the address entirely, and sending a message again tries to reach it.
      const bounce = { ...report, event: 'bounced', permanent: true, key: '2' } as const
      await recordReport(shop.database, bounce)
      expect(await blocks()).toEqual([{ complaint: false }])
      expect((await shop.delivery(order))!.bounced_at).not.toBeNull()
      await resendMessage(shop.scope, messages[0]!.id)
      expect((await shop.delivery(order))!.bounced_at).toBeNull()
      await shop.scope.query('delete from mail_blocks where shop_id = :shop')
    },
  )

  soakTest('continue over a new session when the server has ended the old one', async () => {
    await reported([await shop.buy(buyer())])
    await shop.run('mails')
    mail.hangUp()
    const late = buyer()
    await reported([await shop.buy(late)])
    await shop.run('mails')
    expect(mailsTo(late.email).length).toBe(1)
  })

  soakTest('are stored, with the reason, if there is no mail server', async () => {
    const kept = await openPurchases(null)
    onTestFinished(() => kept.close())
    const order = await kept.buy(buyer())
    await recordChangedOrders(kept.scope, [order])
    await kept.run('reconcile')
    await kept.run('mails')
    expect(await kept.delivery(order)).toMatchObject({
      message: { status: 'sent', kept: true },
      messages: [{ status: 'sent', kept: true }],
    })
  })

  test('contain the licence keys, which are in no stored message', async () => {
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    const { id, file_list } = (await shop.delivery(order))!
    await shop.scope.transaction(async (tx) => {
      const list = await createLicenceList(tx, 'Keys')
      await addLicenceKeys(tx, shop.secrets, list, ['KEY<1>&CO'])
    })
    await shop.scope.query(
      `update licence_keys set delivery_id = :id, file_id = :file, ordinal = 1, assigned_at = now()
       where shop_id = :shop`,
      { id, file: file_list[0]!.file_id },
    )
    await shop.run('mails')
    const { raw } = mailsTo(about.email)[0]!
    const text = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')
    expect(text).toContain('Your licence keys:\r\nguide.pdf: KEY<1>&CO')
    expect(text).toContain('guide.pdf: KEY&lt;1&gt;&amp;CO')
    const [stored] = await shop.scope.query<{ all: string }>(
      `select string_agg(result::text || payload::text, '') as all from outbox
         where shop_id = :shop`,
    )
    expect(stored!.all).not.toContain('KEY<1>')
  })
})

describe('on the platform', () => {
  test('its own mail contains the link if the shop’s setting says so, once', async () => {
    await settings({ delivery_mail: 'platform' })
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    await shop.run('mails')
    for (let again = 0; again < 2; again++) {
      await shop.run('effects')
      await shop.scope.query(
        `insert into order_effects (shop_id, order_id, kind) values (:shop, :order, 'fulfil')
         on conflict do nothing`,
        { order },
      )
    }
    await shop.run('effects')
    const { fulfilments, tags } = await shop.order(order)
    const tracking = {
      company: expect.any(String),
      url: expect.stringMatching(/^https:\/\/files\.example\.com\/download\?key=[\w-]{20,}$/),
    }
    expect(fulfilments).toMatchObject([{ notified: true, tracking }])
    expect(tags).toEqual(['files-delivered'])
    expect(mailsTo(about.email)).toEqual([])
    expect((await shop.delivery(order))!.messages).toEqual([])
  })

  test('an order whose lines cannot be fulfilled gets our mail instead, once', async () => {
    await settings({ delivery_mail: 'platform' })
    const about = buyer()
    const order = await shop.buy(about)
    // The merchant or another app was faster.
    await shop.change(order, ({ lines }) => {
      for (const line of lines) line.fulfilled = line.quantity
    })
    await reported([order])
    for (let again = 0; again < 2; again++) {
      await shop.run('effects')
      await shop.run('mails')
      await shop.scope.query(
        `insert into order_effects (shop_id, order_id, kind) values (:shop, :order, 'fulfil')
         on conflict do nothing`,
        { order },
      )
    }
    expect((await shop.order(order)).fulfilments).toEqual([])
    expect(mailsTo(about.email)).toHaveLength(1)
    expect((await shop.delivery(order))!.messages).toMatchObject([{ status: 'sent' }])
  })

  const fulfilAgain = async (order: string) => {
    await shop.scope.query(
      `insert into order_effects (shop_id, order_id, kind) values (:shop, :order, 'fulfil')
       on conflict (shop_id, order_id, kind) do update set due_at = now()`,
      { order },
    )
    await shop.run('effects')
    await sendAll()
  }

  soakTest('its mail about an edit is the only one, also if ours failed before', async () => {
    await settings({ delivery_mail: 'platform' })
    const about = buyer()
    const order = await shop.buy(about)
    await shop.change(order, (placed) => void (placed.delayed = 'held'))
    await reported([order])
    await fulfilAgain(order)
    await shop.scope.query(
      `update outbox set status = 'failed', created_at = created_at - interval '1 hour'
       where shop_id = :shop and payload ->> 'delivery' = :id`,
      { id: (await shop.delivery(order))!.id },
    )
    await shop.scope.query(
      `update deliveries set mailed_at = mailed_at - interval '1 hour'
       where shop_id = :shop and order_id = :order`,
      { order },
    )
    await edit(order)
    await shop.change(order, (placed) => void delete placed.delayed)
    await fulfilAgain(order)
    // A line that ships from elsewhere is fulfilled later, and brings nothing new.
    await shop.change(order, ({ lines }) => {
      lines.push({ ...lines[1]!, id: lines[1]!.id + 1, fulfilled: 0 })
    })
    await reported([order])
    await fulfilAgain(order)
    const { fulfilments } = await shop.order(order)
    expect(fulfilments.map(({ notified }) => notified)).toEqual([true, false])
    expect(mailsTo(about.email)).toHaveLength(1)
  })

  soakTest(
    'an order whose mail was sent again, after a failed attempt, is told of once',
    async () => {
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      mail.deferred.add(about.email)
      await shop.run('mails')
      mail.deferred.clear()
      const { id } = (await shop.delivery(order))!
      await resendDelivery(shop.scope, id, { secrets: shop.secrets, now: new Date() })
      await sendAll()
      const [again, first] = (await shop.delivery(order))!.messages
      expect([again, first]).toMatchObject([{ status: 'sent' }, { status: 'failed' }])
      await settings({ delivery_mail: 'platform' })
      await fulfilAgain(order)
      const { fulfilments } = await shop.order(order)
      expect(fulfilments.map(({ notified }) => notified)).toEqual([false])
      expect(mailsTo(about.email)).toHaveLength(1)
    },
  )

  /** Its mail is tried while the delivery is held, which is then released. */
  async function failWhileHeld(order: string): Promise<void> {
    const parts = { secrets: shop.secrets, now: new Date() }
    const { id } = (await shop.delivery(order))!
    await holdDelivery(shop.scope, id, parts)
    await sendAll()
    expect((await shop.delivery(order))!.messages).toMatchObject([{ status: 'failed' }])
    await releaseDelivery(shop.scope, id, parts)
  }

  for (const [after, held] of [
    ['', false],
    [', after a hold', true],
  ] as const)
    soakTest(`an edit whose lines it does not fulfil gets our mail, once${after}`, async () => {
      await settings({ delivery_mail: 'platform' })
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      await fulfilAgain(order)
      expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: true }])
      await edit(order, 1)
      if (held) {
        await shop.run('effects')
        await failWhileHeld(order)
      }
      for (let again = 0; again < 2; again++) await fulfilAgain(order)
      expect((await shop.order(order)).fulfilments).toHaveLength(1)
      expect(mailsTo(about.email)).toHaveLength(1)
    })

  soakTest(
    'our mail that failed while the delivery was held is sent after its release',
    async () => {
      await settings({ delivery_mail: 'platform' })
      const about = buyer()
      const order = await shop.buy(about)
      await shop.change(order, ({ lines }) => {
        for (const line of lines) line.fulfilled = line.quantity
      })
      await reported([order])
      await shop.run('effects')
      await failWhileHeld(order)
      for (let again = 0; again < 2; again++) await fulfilAgain(order)
      expect(mailsTo(about.email)).toHaveLength(1)
    },
  )

  soakTest(
    'an edit that our mail told of is not told again after the shop lets the platform tell',
    async () => {
      const about = buyer()
      const order = await shop.buy(about)
      await reported([order])
      await sendAll()
      await edit(order)
      await sendAll()
      const { messages } = (await shop.delivery(order))!
      expect(messages.map(({ subject }) => subject.split(':')[0])).toEqual([
        'Changed order',
        expect.stringMatching(/^Your files of order/),
      ])
      await settings({ delivery_mail: 'platform' })
      await fulfilAgain(order)
      const { fulfilments } = await shop.order(order)
      expect(fulfilments.map(({ notified }) => notified)).not.toContain(true)
      expect(mailsTo(about.email)).toHaveLength(2)
    },
  )

  soakTest('whose answer to a fulfilment was lost is not followed by our mail', async () => {
    await settings({ delivery_mail: 'platform' })
    const about = buyer()
    const order = await shop.buy(about)
    await reported([order])
    for (const fulfilments of [1, 2]) {
      const before = await toldAt(order)
      await fulfilAgain(order)
      // What its answer said was not recorded.
      await shop.scope.query(
        `update deliveries set mailed_at = :before where shop_id = :shop and order_id = :order`,
        { order, before },
      )
      await fulfilAgain(order)
      expect((await shop.order(order)).fulfilments).toHaveLength(fulfilments)
      expect(await toldAt(order)).not.toEqual(before)
      if (fulfilments === 1) await edit(order)
    }
    expect(mailsTo(about.email)).toEqual([])
  })

  describe('an order that cannot be fulfilled yet', () => {
    const effects = () =>
      shop.scope.query<{ seconds: number; attempts: number }>(
        `select extract(epoch from due_at - now())::float8 as seconds, attempts from order_effects
         where shop_id = :shop`,
      )
    beforeEach(() => shop.scope.query('delete from order_effects where shop_id = :shop'))
    const delayed = async (delayed: 'held' | 'unassigned') => {
      await settings({ delivery_mail: 'platform' })
      const about = buyer()
      const order = await shop.buy(about)
      await shop.change(order, (placed) => void (placed.delayed = delayed))
      await reported([order])
      const runDue = async () => {
        await shop.scope.query('update order_effects set due_at = now() where shop_id = :shop')
        await shop.run('effects')
        await shop.run('mails')
        return mailsTo(about.email).length
      }
      const endDelay = () => shop.change(order, (placed) => void delete placed.delayed)
      return { order, runDue, endDelay }
    }

    test('because it is on hold is fulfilled after it, and our mail is sent at the beginning', async () => {
      const { order, runDue, endDelay } = await delayed('held')
      expect([await runDue(), await runDue()]).toEqual([1, 1])
      const [left, ...others] = await effects()
      expect([left!.attempts, others]).toEqual([0, []])
      expect(left!.seconds).toBeGreaterThan(500)
      await endDelay()
      expect(await runDue()).toBe(1)
      // Our mail has brought the link: the platform sends no second one.
      expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: false }])
      expect(await effects()).toEqual([])
    })

    soakTest(
      'because it is on hold is not told again of a file that the merchant replaced',
      async () => {
        const { order, runDue, endDelay } = await delayed('held')
        expect(await runDue()).toBe(1)
        const { id, file_list } = (await shop.delivery(order))!
        const other = await shop.scope.one<{ id: string }>(
          `select id from files where shop_id = :shop and filename = 'map.pdf'`,
        )
        const replace = [{ file_id: file_list[0]!.file_id, with: other.id }]
        await changeDelivery(
          shop.scope,
          id,
          { replace },
          { secrets: shop.secrets, now: new Date(Date.now() + 1000) },
        )
        await endDelay()
        expect(await runDue()).toBe(1)
        expect((await shop.delivery(order))!.file_list).toMatchObject([
          { status: 'revoked' },
          { filename: 'map.pdf' },
        ])
        expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: false }])
      },
    )

    const SENT = `payload ->> 'delivery' = (
      select id::text from deliveries where shop_id = :shop and order_id = :order)`
    test.each(
      someOf(
        [
          [
            'our mail failed',
            `update outbox set status = 'failed' where shop_id = :shop and ${SENT}`,
          ],
          [
            'it got files since',
            `update delivery_files f set created_at = now() + interval '1 minute' from deliveries d
         where f.shop_id = :shop and d.id = f.delivery_id and d.order_id = :order`,
          ],
        ] as const,
        (_, at) => at < 1,
      ),
    )('because it is on hold is told by the platform too if %s', async (_, sql) => {
      const { order, runDue, endDelay } = await delayed('held')
      expect(await runDue()).toBe(1)
      await shop.scope.query(sql, { order })
      await endDelay()
      await runDue()
      expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: true }])
    })

    soakTest(
      'because it has no location is fulfilled soon, and the platform tells the buyer',
      async () => {
        const { order, runDue, endDelay } = await delayed('unassigned')
        expect(await runDue()).toBe(0)
        expect((await effects())[0]!.seconds).toBeLessThan(301)
        await endDelay()
        expect(await runDue()).toBe(0)
        expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: true }])
      },
    )

    soakTest(
      'and gets no location gets our mail after two minutes, and is tried for ten',
      async () => {
        const { order, runDue } = await delayed('unassigned')
        const isAged = (minutes: number) =>
          shop.scope.query(
            `update deliveries set created_at = now() - :minutes * interval '1 minute'
           where shop_id = :shop and order_id = :order`,
            { order, minutes },
          )
        await isAged(1)
        expect(await runDue()).toBe(0)
        await isAged(3)
        expect(await runDue()).toBe(1)
        expect((await effects())[0]!.seconds).toBeLessThan(301)
        await isAged(11)
        expect(await runDue()).toBe(1)
        expect(await effects()).toEqual([])
      },
    )
  })

  const AWAY = new PortError('storefront_unavailable', 'The store is frozen', true)
  const instead = (orders: Partial<LiveOrders>, isAnswering = true) =>
    effectTask({
      database: shop.database,
      secrets: shop.secrets,
      log: silent,
      baseUrl: 'https://files.example.com',
      gatherMs: 0,
      storefront: {
        orders: () => orders as LiveOrders,
        installation: () => ({
          id: () => (isAnswering ? Promise.resolve('1') : Promise.reject(AWAY)),
        }),
      },
    })
  const without = (fulfil: LiveOrders['fulfil'], isAnswering = true) =>
    instead({ mark: (marks) => Promise.resolve(marks.map(() => null)), fulfil }, isAnswering)
  const runOnce = (task: ReturnType<typeof effectTask>) =>
    task.run({
      shop: shop.scope.shop,
      key: String(shop.scope.shop),
      attempt: 1,
      signal: new AbortController().signal,
      lease: undefined as never,
    })

  soakTest(
    'an order that it refuses to fulfil gets our mail instead, unless the buyer was told',
    async () => {
      await settings({ delivery_mail: 'platform' })
      const error = new PortError('storefront_unavailable', 'The order: on hold', false)
      for (const told of [false, true]) {
        const about = buyer()
        await reported([await shop.buy(about)])
        await runOnce(
          without((wanted) => Promise.resolve(wanted.map(() => ({ error, told, later: null })))),
        )
        await shop.run('mails')
        expect(mailsTo(about.email)).toHaveLength(told ? 0 : 1)
      }
      await shop.scope.query('delete from order_effects where shop_id = :shop')
    },
  )

  soakTest('an edit while it tells the buyer of the order is told afterwards', async () => {
    await settings({ delivery_mail: 'platform' })
    await shop.scope.query('delete from order_effects where shop_id = :shop')
    const order = await shop.buy(buyer())
    await reported([order])
    const told: boolean[] = []
    await runOnce(
      without(async (wanted) => {
        const results = wanted.map(({ notify }) => notify !== null)
        told.push(...results)
        if (told.length === 1) await edit(order)
        return results.map((told) => ({ error: null, told, later: null }))
      }),
    )
    expect(told).toEqual([true, true])
  })

  describe('a platform that', () => {
    const fulfils = () =>
      shop.scope.query<{ order_id: string; attempts: number }>(
        `select order_id, attempts from order_effects where shop_id = :shop and kind = 'fulfil'
         order by order_id`,
      )
    const fault = new NoAnswer('storefront_unavailable', 'It answered HTTP 502', true)

    test.each(
      someOf(
        [
          ['has closed the store', AWAY, true],
          ['answers nothing', fault, false],
        ] as const,
        (_, at) => at < 1,
      ),
    )('%s for days gets the changes afterwards', async (_, error, isAnswering) => {
      const order = await shop.buy(buyer())
      await reported([order])
      const task = without(() => Promise.reject(error), isAnswering)
      for (let run = 0; run < 20; run++) expect(await runOnce(task)).toBeGreaterThan(0)
      expect(await fulfils()).toEqual([{ order_id: order, attempts: 0 }])
      await shop.run('effects')
      expect((await shop.order(order)).fulfilments).toHaveLength(1)
    })

    soakTest('fails on one order carries out the others', async () => {
      const orders = (await buyAll(3)).toSorted()
      await reported(orders)
      const task = without((wanted) =>
        wanted.some(({ order }) => order === orders[0])
          ? Promise.reject(fault)
          : Promise.resolve(wanted.map(() => ({ error: null, told: false, later: null }))),
      )
      await runOnce(task)
      expect((await fulfils()).map(({ attempts }) => attempts)).toEqual([1, 1, 1])
      await shop.scope.query('update order_effects set due_at = now() where shop_id = :shop')
      await runOnce(task)
      expect(await fulfils()).toEqual([{ order_id: orders[0], attempts: 2 }])
      await shop.scope.query('delete from order_effects where shop_id = :shop')
    })

    soakTest(
      'is away for hours leaves the mail to us, and sends no second one afterwards',
      async () => {
        await settings({ delivery_mail: 'platform' })
        const about = buyer()
        const order = await shop.buy(about)
        await reported([order])
        const task = without(() => Promise.reject(AWAY))
        const mailed = async () => {
          await runOnce(task)
          await sendAll()
          return mailsTo(about.email).length
        }
        expect(await mailed()).toBe(0)
        await shop.scope.query(
          `update order_effects set due_at = now() - interval '121 minutes' where shop_id = :shop`,
        )
        expect([await mailed(), await mailed()]).toEqual([1, 1])
        await shop.run('effects')
        expect((await shop.order(order)).fulfilments).toMatchObject([{ notified: false }])
        // An edit while it is away again.
        await edit(order)
        expect(await mailed()).toBe(1)
        await shop.scope.query(
          `update order_effects set due_at = now() - interval '121 minutes' where shop_id = :shop`,
        )
        expect([await mailed(), await mailed()]).toEqual([2, 2])
        await shop.run('effects')
      },
    )
  })

  soakTest('every line is fulfilled, for any number of lines and locations', async () => {
    await settings({ delivery_mail: 'platform' })
    const locations = [...Array<number>(130).fill(0), ...Array.from({ length: 12 }, (_, at) => at)]
    const order = await shop.buy(buyer(), locations)
    await reported([order])
    await shop.run('effects')
    const { lines, fulfilments } = await shop.order(order)
    expect(lines.filter(({ fulfilled }) => fulfilled !== 1)).toEqual([])
    // One for each location, of which the first notifies the buyer.
    expect(fulfilments.map(({ notified }) => notified)).toEqual([true, ...Array(11).fill(false)])
  })

  test('orders are marked together, and one that the platform no longer has fails alone', async () => {
    const orders = await buyAll(3)
    await reported(orders)
    const lost = Number(orders[1]!.split('/').pop())
    await shop.scope.query('delete from demo_orders where shop_id = :shop and id = :lost', { lost })
    await shop.run('effects')
    for (const order of [orders[0]!, orders[2]!])
      expect(await shop.order(order)).toMatchObject({
        tags: ['files-delivered'],
        metafields: [{ key: 'delivery', value: expect.stringContaining('"status":"ready"') }],
        fulfilments: [{ notified: false, tracking: null }],
      })
    const left = () =>
      shop.scope.query(
        'select order_id, kind, attempts, error from order_effects where shop_id = :shop',
      )
    const effect = { order_id: orders[1], kind: 'mark' }
    expect(await left()).toEqual([{ ...effect, attempts: 1, error: null }])
    await shop.scope.query(
      'update order_effects set attempts = 8, due_at = now() where shop_id = :shop',
    )
    await shop.run('effects')
    expect(await left()).toEqual([
      { ...effect, attempts: 9, error: 'The order: Owner does not exist' },
    ])
  })

  soakTest(
    'an order shows the terms that a first use, a replacement or a revoked link leaves',
    async () => {
      const order = await shop.buy(buyer())
      await reported([order])
      await shop.run('effects')
      const shown = async () => {
        await shop.run('effects')
        const { metafields } = await shop.order(order)
        return (JSON.parse(metafields[0]!.value) as { terms: Record<string, unknown> }).terms
      }
      const setLinks = (sql: string) =>
        shop.scope.query(
          `update links l set ${sql} from links p
         join deliveries d on d.shop_id = p.shop_id and d.id = p.delivery_id
         where l.shop_id = :shop and l.parent_id = p.id and p.shop_id = l.shop_id
           and d.order_id = :order`,
          { order },
        )
      await setLinks('use_hours = 48')
      expect(await shown()).toMatchObject({ use_hours: 48, until: null, ends_at: null })
      await setLinks('downloads = 1, first_used_at = now()')
      const used = await shown()
      expect(used).toMatchObject({ use_hours: null, until: expect.any(String) })
      expect(used.ends_at).toBe(used.until)
      await setLinks('revoked_at = now()')
      expect(await shown()).toMatchObject({ until: null, ends_at: null })
      // A download that changes no term requests nothing.
      await setLinks('downloads = 2, first_used_at = l.first_used_at')
      expect(await shop.scope.query('select from term_changes where shop_id = :shop')).toEqual([])
    },
  )

  soakTest('the customer’s name is stored if known', async () => {
    const orders = [await shop.buy({ ...buyer(), name: 'Ada Lovelace' }), await shop.buy(buyer())]
    await reported(orders)
    const names = await shop.scope.query(
      `select customer_name as name from orders where shop_id = :shop and id = any(:orders::text[])
        order by id`,
      { orders },
    )
    expect(names).toEqual([{ name: 'Ada Lovelace' }, { name: null }])
  })
})
