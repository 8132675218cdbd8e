// Texts to buyers whose order has a phone number and no email address: sent once, with the link, while
// the number is stored sealed and no longer than it is needed.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { silent } from '../../../test/database.ts'
import { startTwilioFake, type TwilioFake } from '../../../test/fakes/twilio.ts'
import { openPurchases, type Buyer, type Purchases } from '../../../test/purchases.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { recordChangedOrders } from '../../storefront/changes.ts'
import { BUYER_PLACES } from '../../features.ts'
import { customerData } from '../compliance/customer-data.ts'
import { redactCustomer } from '../compliance/redact-customer.ts'
import {
  changeDelivery,
  correctAddress,
  holdDelivery,
  releaseDelivery,
  resendDelivery,
  revokeDelivery,
} from './changes.ts'
import { listDeliveries } from './deliveries.ts'
import { forgetPhones } from './order-rows.ts'
import { REPLACED } from './mail-writer.ts'

let shop: Purchases
let twilio: TwilioFake
beforeAll(async () => {
  twilio = await startTwilioFake()
  shop = await openPurchases(null, twilio.account)
})
afterAll(async () => {
  await shop.close()
  await twilio.close()
})
const settings = (change: object) =>
  shop.scope.query(`update shops set settings = :change where id = :shop`, {
    change: JSON.stringify(change),
  })
beforeEach(async () => {
  await settings({ text_buyers: true })
  twilio.taken.length = 0
})

let numbers = 0
const nextPhone = () => `+4915112345${String((numbers += 1)).padStart(3, '0')}`
const parts = () => ({ secrets: shop.secrets, now: new Date() })
async function reconcile(order: string): Promise<void> {
  await recordChangedOrders(shop.scope, [order])
  await shop.run('reconcile')
}
async function buy(buyer: Partial<Buyer> = {}) {
  const phone = nextPhone()
  const order = await shop.buy({ email: null, phone, ...buyer })
  await reconcile(order)
  const { id, ...delivery } = (await shop.delivery(order))!
  return { ...delivery, id, order, phone }
}
const unreachable = async () =>
  (await listDeliveries(shop.scope, { listed: ['unreachable'], limit: 50 })).map(({ id }) => id)
/** The stored numbers of an order, opened. */
async function stored(order: string): Promise<(string | null)[]> {
  const row = await shop.scope.one<{ first: Buffer | null; second: Buffer | null }>(
    `select o.phone as first, d.phone as second from orders o
     join deliveries d on d.shop_id = o.shop_id and d.order_id = o.id
     where o.shop_id = :shop and o.id = :order`,
    { order },
  )
  const place = `${shop.scope.shop}/orders.phone`
  return [row.first, row.second].map((sealed) => sealed && shop.secrets.open(sealed, place))
}
const noticeTitles = async () =>
  (await listNotices(shop.scope, { limit: 50 })).rows.map(({ title }) => title)

test('a buyer without an address gets one text with the link, in the order’s language', async () => {
  const { id, order, phone } = await buy({ locale: 'de' })
  await reconcile(order)
  expect(await unreachable()).not.toContain(id)
  await shop.sendTexts()
  await shop.sendTexts()
  expect(twilio.taken).toHaveLength(1)
  const [{ To, Body }] = twilio.taken as [{ To: string; Body: string }]
  expect(To).toBe(phone)
  expect(Body).toMatch(
    /Die Dateien Ihrer Bestellung #\d+ .*\nhttps:\/\/files\.example\.com\/download\?key=[\w-]{43}$/,
  )
  expect(await unreachable()).not.toContain(id)
  expect(await shop.delivery(order)).toMatchObject({
    message: { kind: 'sms', status: 'sent', kept: false },
    messages: [{ kind: 'sms', to: [`+49…${phone.slice(-3)}`], status: 'sent' }],
  })
  // Neither the number nor the key is in the outbox, and the number is stored sealed.
  const { all } = await shop.scope.one<{ all: string }>(
    `select string_agg(o::text, '') as all from outbox o where shop_id = :shop`,
  )
  expect(all).not.toContain(phone.slice(1))
  expect(all).not.toContain(new URL(Body.split('\n')[1]!).searchParams.get('key'))
  expect(await stored(order)).toEqual([phone, null])
  expect(await noticeTitles()).not.toContain(
    `Order ${(await shop.order(order)).name} has no email address`,
  )
})

test('nothing is read or sent if the shop has not switched it on, or the platform sends its own', async () => {
  for (const off of [{}, { text_buyers: true, delivery_mail: 'platform' }]) {
    await settings(off)
    const { id, order } = await buy()
    expect(await stored(order)).toEqual([null, null])
    expect(await unreachable()).toContain(id)
    await expect(resendDelivery(shop.scope, id, parts())).rejects.toMatchObject({
      code: 'conflict',
    })
  }
  await shop.sendTexts()
  expect(twilio.taken).toEqual([])
})

soakTest(
  'an order with an address, and one whose number cannot be dialled, get no text',
  async () => {
    const mailed = await buy({ email: 'both@example.com' })
    const local = await buy({ phone: '0151 12345' })
    expect(await stored(mailed.order)).toEqual([null, null])
    expect(await stored(local.order)).toEqual([null, null])
    expect(await unreachable()).toContain(local.id)
    await shop.sendTexts()
    expect(twilio.taken).toEqual([])
  },
)

test('a refused number makes the delivery unreachable until it is corrected, and the old link stops', async () => {
  const { id, order, phone } = await buy()
  twilio.behaviour = { error: 21_211 }
  await shop.sendTexts()
  expect(await unreachable()).toContain(id)
  const [notice] = (await listNotices(shop.scope, { limit: 1 })).rows
  expect(notice).toMatchObject({ title: 'A text message could not be sent' })
  expect(notice!.body).toContain('Correct the buyer’s number under Deliveries')
  expect(notice!.body).not.toContain(phone.slice(1))
  twilio.behaviour = 'accept'
  twilio.taken.length = 0
  const right = nextPhone()
  const spaced = right.replace('+49151', '0049 (0)151 ')
  await correctAddress(shop.scope, id, { phone: spaced }, parts())
  expect(await unreachable()).not.toContain(id)
  await shop.sendTexts()
  expect(twilio.taken.map(({ To }) => To)).toEqual([right])
  expect(await stored(order)).toEqual([phone, right])
  const { rotation } = (await shop.delivery(order))!
  expect(rotation).toBe(1)
  // Another state of the order does not bring the wrong number back.
  await reconcile(order)
  expect((await stored(order))[1]).toBe(right)
})

soakTest(
  'a number or an address that is corrected between two attempts gets one message',
  async () => {
    const messagesOf = async (order: string) =>
      (await shop.delivery(order))!.messages.map(({ kind, status, error }) => [kind, status, error])
    twilio.behaviour = { status: 503 }
    const { id, order } = await buy()
    const other = await buy()
    await shop.sendTexts()
    twilio.behaviour = 'accept'
    twilio.taken.length = 0
    const right = nextPhone()
    await correctAddress(shop.scope, id, { phone: right }, parts())
    await correctAddress(shop.scope, other.id, { email: 'other@example.com' }, parts())
    await shop.sendTexts()
    expect(twilio.taken.map(({ To }) => To)).toEqual([right])
    expect(await messagesOf(order)).toEqual([
      ['sms', 'sent', null],
      ['sms', 'failed', REPLACED],
    ])
    expect(await messagesOf(other.order)).toEqual([
      ['email', 'waiting', null],
      ['sms', 'failed', REPLACED],
    ])
  },
)

soakTest('a text of an order that got an address meanwhile is no failure to report', async () => {
  twilio.behaviour = { status: 503 }
  const { id, order } = await buy()
  await shop.sendTexts()
  twilio.behaviour = 'accept'
  const before = await noticeTitles()
  await shop.change(order, (one) => Object.assign(one, { email: 'late@example.com' }))
  await reconcile(order)
  await shop.sendTexts()
  expect((await shop.delivery(order))!.messages).toMatchObject([
    { kind: 'email', status: 'waiting' },
    { kind: 'sms', status: 'failed' },
  ])
  expect(await unreachable()).not.toContain(id)
  expect(await noticeTitles()).toEqual(before)
})

soakTest('an added number or address sends one message', async () => {
  await settings({})
  const { id, order } = await buy({ phone: undefined })
  await settings({ text_buyers: true })
  const right = nextPhone()
  await changeDelivery(shop.scope, id, { phone: right }, parts())
  await resendDelivery(shop.scope, id, parts())
  await shop.sendTexts()
  expect(twilio.taken.map(({ To }) => To)).toEqual([right])
  // An address replaces the number, which is deleted.
  await changeDelivery(shop.scope, id, { email: 'now@example.com' }, parts())
  expect(await stored(order)).toEqual([null, null])
  await expect(changeDelivery(shop.scope, id, { phone: right }, parts())).rejects.toMatchObject({
    code: 'conflict',
  })
})

soakTest('a text of a delivery that is held meanwhile is sent after its release', async () => {
  const { id } = await buy()
  await holdDelivery(shop.scope, id, parts())
  await shop.sendTexts()
  expect(twilio.taken).toEqual([])
  await releaseDelivery(shop.scope, id, parts())
  await shop.sendTexts()
  expect(twilio.taken).toHaveLength(1)
})

test('the number is deleted with the end of the delivery, and by an hourly comparison', async () => {
  const revoked = await buy()
  await revokeDelivery(shop.scope, revoked.id, parts())
  expect(await stored(revoked.order)).toEqual([null, null])
  const ended = await buy()
  await shop.scope.query(
    'update deliveries set withdrawn_at = now() where shop_id = :shop and id = :id',
    { id: ended.id },
  )
  await forgetPhones(shop.scope)
  expect(await stored(ended.order)).toEqual([null, null])
})

soakTest(
  'a customer’s request shows the number, and a redaction deletes it with the texts',
  async () => {
    const { order, id, phone } = await buy()
    await shop.sendTexts()
    const compliance = {
      database: shop.database,
      places: BUYER_PLACES,
      secrets: shop.secrets,
      log: silent,
      clock: () => new Date(),
    }
    const request = { email: null, customerId: null, orderIds: [order] }
    const { data } = await customerData(compliance, shop.scope.shop, request)
    expect(data.orders).toMatchObject([{ id: order, phone }])
    expect(JSON.stringify(data.records.Messages)).toContain('files of your order')
    await redactCustomer(compliance, shop.scope.shop, request)
    expect(await stored(order)).toEqual([null, null])
    const left = await shop.scope.query(
      `select from outbox where shop_id = :shop and payload ->> 'delivery' = :id::text`,
      { id },
    )
    expect(left).toEqual([])
  },
)
