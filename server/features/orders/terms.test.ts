// Terms of time: releases, rentals and customer tags of the files of orders, packs and links, over
// real sockets.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { get, openDepot, visit, type Depot } from '../../../test/delivery.ts'
import { eventStatements, wantEvent } from '../../../test/told-events.ts'
import { toPublicId } from '../../core/ids.ts'
import { paidOrder, type MadeOrder } from '../../../test/orders.ts'
import { PortError } from '../../../plugins/contract/index.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { addMappings } from '../../files/mappings.ts'
import { createLogger } from '../../core/log.ts'
import { changeShopSettings } from '../../files/shop-settings.ts'
import type { PlatformCustomer } from '../../storefront/customers.ts'
import { ScopeMissing } from '../../storefront/platform-failures.ts'
import { reportChange, TOPICS } from '../../storefront/changes.ts'
import { mergeCustomers, reportCustomer } from '../../storefront/customer-changes.ts'
import { listBuyers } from '../library/buyers.ts'
import { changeBuyerPage } from '../downloads/buyer-page.ts'
import { readLibrary } from '../library/items.ts'
import { createLinks } from '../links/model/creation.ts'
import { extendLink } from '../links/model/changes.ts'
import { mailedDelivery, writeDeliveryMails } from './delivery-mail.ts'
import { changeDelivery } from './changes.ts'
import { customerSyncTask, customerTagTask } from './customer-tags.ts'
import { listDeliveries, readDelivery } from './deliveries.ts'
import { createOrderPages } from './order-pages.ts'
import { reconcileOrder } from './reconcile.ts'
import { followReleases, noteUnreleased, releaseDue } from './release-task.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const AT = new Date('2027-02-20T12:00:00Z')
/** 1 March 2027 begins in Berlin an hour before it does in UTC. */
const MARCH = new Date('2027-02-28T23:00:00Z')

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
let bought = 0
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve()
  await changeShopSettings(depot.scope, { time_zone: 'Europe/Berlin' })
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})
beforeEach(() => void (depot.time.now = AT))

/** For mails, which compare with the time of the database. */
const fromNow = (ms: number) => new Date(Date.now() + ms)
const berlin = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'Europe/Berlin' })

const later = (ms: number) => void (depot.time.now = new Date(+depot.time.now + ms))

/** An order of one product with one file for each of these fields. */
async function buy(files: readonly object[], over: MadeOrder = {}) {
  bought += 1
  const product = `gid://shopify/Product/${bought}`
  const ids: string[] = []
  for (const [at, fields] of files.entries()) {
    const filename = `${bought}-${at}.pdf`
    const id = await depot.addFile(Buffer.from(`file ${filename}`), {
      filename,
      name_key: filename,
      mapping_state: 'mapped',
      download_limit: null,
      ...fields,
    })
    const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
    await addMappings(depot.scope, [
      { fileId: id, mapping: { ...mapping, product_id: product, method: 'manual' } },
    ])
    ids.push(id)
  }
  return { ids, product, ...(await order(product, over)) }
}

async function order(product: string, over: MadeOrder = {}) {
  bought += 1
  const placed = paidOrder({
    id: `gid://shopify/Order/${bought}`,
    name: `#${bought}`,
    products: [product],
    created_at: depot.time.now,
    updated_at: depot.time.now,
    ...over,
  })
  await reconcileOrder(depot.scope, placed, { secrets: depot.secrets, now: depot.time.now })
  const rows = await depot.scope.query<{ id: string; delivery_id: string | null }>(
    `select l.id, l.delivery_id from links l
     left join links p on p.shop_id = l.shop_id and p.id = l.parent_id
     join deliveries d on d.shop_id = l.shop_id and d.id = coalesce(l.delivery_id, p.delivery_id)
     where l.shop_id = :shop and d.order_id = :order order by l.file_id nulls first`,
    { order: placed.id },
  )
  const [page, ...links] = rows
  return {
    delivery: page!.delivery_id!,
    page: depot.secrets.linkKey(page!.id, 0),
    keys: links.map(({ id }) => depot.secrets.linkKey(id, 0)),
    links: links.map(({ id }) => id),
  }
}

const decoded = (html: string) => html.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&')
/** What a person reads on the page. */
const readPage = async (key: string) => {
  const { text } = await get(port, key)
  return text.replace(/<style>.*?<\/style>/s, '').replaceAll(/<[^>]*>|\s+/g, ' ')
}
const json = { accept: 'application/json' }
const codeOf = async (key: string, headers = {}) => {
  const { status, text } = await get(port, key, { ...json, ...headers })
  return status === 200
    ? 'sent'
    : `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`
}
const setFile = (id: string, set: object) =>
  depot.scope
    .from('files')
    .where('id', id)
    .update(set as never)
const linkOf = async (id: string) => {
  await depot.flush()
  return depot.scope.one<{
    available_at: Date | null
    expires_at: Date | null
    ends_at: Date | null
    view_expires_at: Date | null
    first_used_at: Date | null
    downloads: number
  }>('select * from links where shop_id = :shop and id = :id', { id })
}
const filesOf = async (delivery: string) =>
  (await readDelivery(depot.scope, delivery, depot.time.now))!.file_list
async function untilDone(step: (now: Date) => Promise<boolean>) {
  while (await step(depot.time.now));
}
const follow = () => untilDone((now) => followReleases(depot.scope, now))
const release = () => untilDone((now) => releaseDue(depot.scope, now))

describe('a release', () => {
  test('closes the file until its day begins in the shop, and its expiry counts from then', async () => {
    const made = await buy([
      { available_from: '2027-03-01', expiry_days: 30, download_limit: 2 },
      { expiry_days: 30 },
    ])
    const [closed, open] = made.keys as [string, string]
    expect(await codeOf(closed)).toBe('403 link_not_released')
    expect(await codeOf(open)).toBe('sent')
    expect(await readPage(closed)).toContain('You can download it from March 1, 2027.')
    expect(await linkOf(made.links[0]!)).toMatchObject({
      available_at: MARCH,
      expires_at: new Date(+MARCH + 30 * DAY),
      downloads: 0,
    })
    expect(await readPage(made.page)).toContain('Available from March 1, 2027')
    const german = await order(made.product, { locale: 'de' })
    expect(await readPage(german.page)).toContain('Verfügbar ab 1. März 2027')
    const zip = await visit(port, `/download?key=${made.page}&all=1`, json)
    expect(zip.status).toBe(200)
    expect((await filesOf(made.delivery)).map(({ status }) => status).toSorted()).toEqual([
      'active',
      'not_released',
    ])
    const library = await readLibrary(depot.scope, depot.secrets, {
      email: 'buyer@example.com',
      search: '',
      page: 1,
      now: depot.time.now,
    })
    expect(library.items.map(({ status }) => status)).toContain('not_released')
    depot.time.now = new Date(+MARCH - 1)
    expect(await codeOf(closed)).toBe('403 link_not_released')
    depot.time.now = MARCH
    expect(await codeOf(closed)).toBe('sent')
    expect((await linkOf(made.links[0]!)).downloads).toBe(1)
  })

  test('is an event about its file once its time has come', async () => {
    const day = new Date(+AT + 2 * DAY)
    const made = await buy([{ available_after_days: 2 }, {}])
    const told = await wantEvent(depot.scope, 'file.released')
    await release()
    expect(await told()).toEqual([])
    depot.time.now = day
    await release()
    const [file] = await depot.scope.query<{ file_id: string }>(
      'select file_id from links where shop_id = :shop and id = :id',
      { id: made.links[0] },
    )
    const ids = [toPublicId('file', file!.file_id)]
    expect(await told()).toEqual([{ links: 1, total: 1, file_ids: ids }])
    await depot.scope.from('webhook_endpoints').delete()
    depot.time.now = AT
    await buy([{ available_after_days: 2 }])
    depot.time.now = day
    expect(await eventStatements(database, release)).toBe(0)
  })

  soakTest(
    'some days after the purchase: of the order, the link or the pack’s link; the later of both terms',
    async () => {
      const ordered = new Date(+AT - 3 * DAY)
      const made = await buy(
        [
          { available_after_days: 7 },
          { available_after_days: 2 },
          { available_after_days: 30, available_from: '2027-03-01' },
        ],
        { created_at: ordered, updated_at: ordered },
      )
      const times = await Promise.all(made.links.map(linkOf))
      expect(times.map(({ available_at }) => available_at)).toEqual([
        new Date(+ordered + 7 * DAY),
        null,
        new Date(+ordered + 30 * DAY),
      ])
      const [link] = await createLinks(
        depot.scope,
        depot.secrets,
        { file_ids: made.ids.slice(0, 1), expiry_days: 1 },
        AT,
      )
      expect(link).toMatchObject({
        status: 'not_released',
        available_at: new Date(+AT + 7 * DAY),
        expires_at: new Date(+AT + 8 * DAY),
      })
      const all = await visit(
        port,
        `/download?key=${(await buy([{ available_after_days: 1 }])).page}&all=1`,
        json,
      )
      expect([all.status, all.text]).toEqual([403, expect.stringContaining('link_not_released')])
    },
  )

  soakTest(
    'a changed day moves what is closed, forwards and back, and never what is open',
    async () => {
      const made = await buy([{ available_from: '2027-03-01', expiry_days: 10 }])
      const [id, key, link] = [made.ids[0]!, made.keys[0]!, made.links[0]!]
      const before = await buy([{}])
      await setFile(before.ids[0]!, { available_from: '2027-06-01' })
      await setFile(id, { available_from: '2027-03-05' })
      await follow()
      expect(await linkOf(link)).toMatchObject({
        available_at: new Date(+MARCH + 4 * DAY),
        expires_at: new Date(+MARCH + 14 * DAY),
      })
      expect(await codeOf(before.keys[0]!)).toBe('sent')
      expect(await codeOf((await order(before.product)).keys[0]!)).toBe('403 link_not_released')
      // The merchant gave it to this buyer: it does not follow the file.
      const own = await order(made.product)
      await changeDelivery(
        depot.scope,
        own.delivery,
        { terms: [{ file_id: id, available_at: '2027-02-25T00:00:00Z' }] },
        { secrets: depot.secrets, now: AT },
      )
      await setFile(id, { available_from: null })
      await follow()
      expect(await codeOf(key)).toBe('sent')
      expect((await linkOf(link)).expires_at).toEqual(new Date(+AT + 10 * DAY))
      expect(await codeOf(own.keys[0]!)).toBe('403 link_not_released')
      await setFile(id, { available_from: '2028-01-01' })
      await follow()
      expect(await codeOf(key)).toBe('sent')
      await changeDelivery(
        depot.scope,
        own.delivery,
        { terms: [{ file_id: id, available_at: null }] },
        { secrets: depot.secrets, now: AT },
      )
      expect(await codeOf(own.keys[0]!)).toBe('sent')
      // Another time zone is noticed by the comparison.
      depot.time.now = AT
      const zoned = await buy([{ available_from: '2027-03-01' }])
      await changeShopSettings(depot.scope, { time_zone: 'UTC' })
      await noteUnreleased(depot.scope, AT)
      await follow()
      expect((await linkOf(zoned.links[0]!)).available_at).toEqual(new Date('2027-03-01'))
      await changeShopSettings(depot.scope, { time_zone: 'Europe/Berlin' })
    },
  )

  soakTest(
    'that the merchant moves for one buyer moves an expiry that counts from it',
    async () => {
      const made = await buy([{ available_from: '2027-03-01', expiry_days: 10 }])
      const [file_id, link] = [made.ids[0]!, made.links[0]!]
      const change = (terms: object) =>
        changeDelivery(
          depot.scope,
          made.delivery,
          { terms: [{ file_id, ...terms }] },
          { secrets: depot.secrets, now: depot.time.now },
        )
      const expiry = async () => (await linkOf(link)).expires_at
      const at = new Date(+MARCH + 2 * DAY)
      await change({ available_at: at.toISOString() })
      expect(await expiry()).toEqual(new Date(+at + 10 * DAY))
      await change({ available_at: null })
      expect(await expiry()).toEqual(new Date(+AT + 10 * DAY))
      // What is open keeps its end, and an undo sets both times again.
      later(DAY)
      await change({ available_at: null })
      expect(await expiry()).toEqual(new Date(+AT + 10 * DAY))
      await change({ available_at: at.toISOString() })
      await change({ available_at: null })
      await change({ available_at: at.toISOString() })
      expect(await expiry()).toEqual(new Date(+at + 10 * DAY))
      // A file without a release counts from its order until it gets one.
      depot.time.now = AT
      const open = await buy([{ expiry_days: 10 }])
      const closed = { file_id: open.ids[0]!, available_at: at.toISOString() }
      await changeDelivery(
        depot.scope,
        open.delivery,
        { terms: [closed] },
        { secrets: depot.secrets, now: AT },
      )
      expect((await linkOf(open.links[0]!)).expires_at).toEqual(new Date(+at + 10 * DAY))
      // A time that the merchant set stays, also when the file's release moves.
      const end = new Date(+MARCH + 90 * DAY)
      const other = await order(made.product)
      const set = { available_at: at.toISOString(), expires_at: end.toISOString() }
      const terms = [{ file_id, ...set }]
      const parts = { secrets: depot.secrets, now: depot.time.now }
      await changeDelivery(depot.scope, other.delivery, { terms }, parts)
      const early = { terms: [{ file_id, available_at: null }] }
      await changeDelivery(depot.scope, other.delivery, early, parts)
      expect((await linkOf(other.links[0]!)).expires_at).toEqual(end)
      const last = await order(made.product)
      const fixed = { terms: [{ file_id, expires_at: end.toISOString() }] }
      await changeDelivery(depot.scope, last.delivery, fixed, parts)
      await setFile(file_id, { available_from: '2027-03-05' })
      await follow()
      expect(await linkOf(last.links[0]!)).toMatchObject({
        available_at: new Date(+MARCH + 4 * DAY),
        expires_at: end,
      })
    },
  )

  soakTest('moves the end of views with it, unless the merchant set that end', async () => {
    const fields = { view: 'both', content_type: 'image/png', view_days: 10, expiry_days: 5 }
    const made = await buy([{ ...fields, available_from: '2027-03-01' }])
    const other = await order(made.product)
    const file_id = made.ids[0]!
    const change = (delivery: string, terms: object) =>
      changeDelivery(
        depot.scope,
        delivery,
        { terms: [{ file_id, ...terms }] },
        { secrets: depot.secrets, now: depot.time.now },
      )
    const ends = async (link: string | undefined) => {
      const { expires_at, view_expires_at } = await linkOf(link!)
      return [expires_at, view_expires_at].map((end) => (+end! - +MARCH) / DAY)
    }
    const at = new Date(+MARCH + 2 * DAY).toISOString()
    await change(made.delivery, { available_at: at })
    expect(await ends(made.links[0])).toEqual([7, 12])
    // Only the end of its views is the merchant's, then only that of its downloads.
    await change(other.delivery, { view_expires_at: new Date(+MARCH + 3 * DAY).toISOString() })
    const third = await order(made.product)
    await change(third.delivery, { expires_at: new Date(+MARCH + 3 * DAY).toISOString() })
    await setFile(file_id, { available_from: '2027-03-02' })
    await follow()
    expect(await ends(other.links[0])).toEqual([6, 3])
    expect(await ends(third.links[0])).toEqual([3, 11])
  })

  test('its buyers get one mail for each delivery, once', async () => {
    await release()
    await depot.scope.query('delete from outbox where shop_id = :shop')
    const { product, delivery } = await buy(
      [{ available_from: '2027-03-01' }, { available_from: '2027-03-01' }, {}],
      { locale: 'de-DE' },
    )
    const withdrawn = await order(product)
    await depot.scope.query(
      'update deliveries set revoked_at = now() where shop_id = :shop and id = :id',
      { id: withdrawn.delivery },
    )
    const mails = async () => {
      const rows = await depot.scope.query<{ payload: object }>(
        `select payload from outbox where shop_id = :shop order by id`,
      )
      const mailed = rows.flatMap(({ payload }) => mailedDelivery(payload) ?? [])
      const written = await writeDeliveryMails(depot.scope, mailed, 'https://files.example.com')
      return mailed.map((one, at) => ({ ...one, text: written[at]!.text }))
    }
    const [first] = await mails()
    expect(first!.text).toMatch(/1 Datei|Ihre Datei/)
    expect(first!.text).toContain('Später verfügbar:')
    expect(first!.text).toContain('1. März 2027')
    await depot.scope.query('delete from outbox where shop_id = :shop')
    await release()
    expect(await mails()).toEqual([])
    depot.time.now = MARCH
    await Promise.all([release(), release()])
    await release()
    const told = await mails()
    const own = told.filter((mail) => [delivery, withdrawn.delivery].includes(mail.delivery))
    expect(own.map((mail) => [mail.delivery, mail.about])).toEqual([[delivery, 'available']])
    expect(own[0]!.text).toContain('2 Dateien Ihrer Bestellung')
    await depot.scope.query('delete from outbox where shop_id = :shop')
    depot.time.now = AT
    await changeShopSettings(depot.scope, { release_mail: false })
    const quiet = await buy([{ available_from: '2027-03-01' }])
    await depot.scope.query('delete from outbox where shop_id = :shop')
    depot.time.now = MARCH
    await release()
    expect(await mails()).toEqual([])
    expect(await codeOf(quiet.keys[0]!)).toBe('sent')
    await changeShopSettings(depot.scope, { release_mail: true })
  })
})

describe('views', () => {
  const fields = { view: 'both', content_type: 'image/png' }
  const browser = () => ({ cookie: `stevedore_view=${randomBytes(16).toString('base64url')}` })
  const press = async (key: string) =>
    (await visit(port, `/view?key=${key}`, browser(), 'POST')).status
  const blockedBy = async (delivery: string) => {
    const [row] = await listDeliveries(depot.scope, { listed: ['blocked'], limit: 1 })
    return row?.id === delivery ? [row.blocked, row.used_up, row.views_used_up] : null
  }

  soakTest(
    'of an order have the terms of its files, for each unit, and more for one buyer',
    async () => {
      const made = await buy([
        { ...fields, view_limit: 1, view_days: 9, expiry_days: 2 },
        { ...fields, download_limit: 4 },
      ])
      const [key, link] = [made.keys[0]!, made.links[0]!]
      expect(await filesOf(made.delivery)).toMatchObject([
        { view_limit: 1, views: 0, view_expires_at: new Date(+AT + 9 * 24 * HOUR) },
        { view_limit: null, view_expires_at: null, download_limit: 4 },
      ])
      expect([await press(key), await press(key)]).toEqual([303, 410])
      expect(await blockedBy(made.delivery)).toEqual([1, 0, 1])
      const parts = { secrets: depot.secrets, now: depot.time.now }
      await changeDelivery(depot.scope, made.delivery, { more_views: 2 }, parts)
      // The other file stays unlimited.
      expect((await filesOf(made.delivery)).map((one) => one.view_limit)).toEqual([3, null])
      expect(await blockedBy(made.delivery)).toBeNull()
      expect([await press(key), await press(key), await press(key)]).toEqual([303, 303, 410])
      const view_expires_at = new Date(+AT + HOUR).toISOString()
      const terms = [{ file_id: made.ids[0]!, view_limit: null, view_expires_at }]
      await changeDelivery(depot.scope, made.delivery, { terms }, parts)
      expect(await press(key)).toBe(303)
      later(HOUR)
      expect([await press(key), await codeOf(key)]).toEqual([410, 'sent'])
      expect(await readPage(made.page)).toContain('could be viewed until')
      await changeDelivery(
        depot.scope,
        made.delivery,
        { view_days: 30 },
        { ...parts, now: depot.time.now },
      )
      later(3 * 24 * HOUR)
      expect([await press(key), await codeOf(key)]).toEqual([303, '410 link_expired'])
      expect((await linkOf(link)).downloads).toBe(1)
    },
  )

  test('alone end a file that is only viewed, also in its mail', async () => {
    depot.time.now = fromNow(0)
    const [downloads, views] = [4, 9].map((days) =>
      berlin.format(new Date(+depot.time.now + days * DAY)),
    )
    const made = await buy([{ ...fields, view: 'view_only', view_days: 9, expiry_days: 2 }])
    const mixed = await buy([
      { ...fields, view: 'view_only', view_days: 9, expiry_days: 2 },
      { expiry_days: 4 },
    ])
    const [written, both] = await writeDeliveryMails(
      depot.scope,
      [made, mixed].map(({ delivery }) => ({
        delivery,
        about: 'order' as const,
        given: null,
        released: null,
      })),
      'https://files.example.com',
    )
    expect(written!.text).toContain(`You can view in the browser until ${views}.`)
    expect(written!.text).not.toContain('You can download until')
    expect(written!.html).toContain('Open your file')
    expect(both!.text).toContain(
      `You can download until ${downloads}. You can view in the browser until ${views}.`,
    )
    later(3 * DAY)
    expect((await filesOf(made.delivery)).map(({ status }) => status)).toEqual(['active'])
    later(6 * DAY)
    expect((await filesOf(made.delivery)).map(({ status }) => status)).toEqual(['expired'])
  })

  soakTest('block an order only while its files are viewed', async () => {
    const limits = { view_limit: 1, view_days: 1, download_limit: 1 }
    const files = [
      { ...fields, ...limits, view: 'view_only' },
      // No browser shows it: the setting is without effect.
      { ...limits, view: 'view_only', content_type: 'application/zip' },
      { ...fields, ...limits },
    ]
    const email = 'viewer@example.com'
    const made = await buy(files, { email })
    // The list compares with the time of the database.
    await depot.scope.query(
      `update links set views = 1, downloads = 1, view_expires_at = '2020-01-01',
         expires_at = '2020-01-01' where shop_id = :shop and id = any(:links::uuid[])`,
      { links: made.links },
    )
    const blocks = async () => {
      const [row] = await listDeliveries(depot.scope, { listed: ['blocked'], limit: 1 })
      const [buyer] = await listBuyers(depot.scope, { search: email, limit: 1 })
      if (row?.id !== made.delivery) return [buyer?.blocked]
      const { used_up, expired, views_used_up, views_expired } = row
      return [buyer?.blocked, row.blocked, used_up, expired, views_used_up, views_expired]
    }
    expect(await blocks()).toEqual([3, 3, 2, 2, 2, 2])
    expect((await filesOf(made.delivery)).map(({ view }) => view)).toEqual([
      'view_only',
      'download',
      'both',
    ])
    await depot.scope.query(
      `update links set expires_at = null, downloads = 0 where shop_id = :shop
       and id = any(:links::uuid[])`,
      { links: made.links },
    )
    expect(await blocks()).toEqual([2, 2, 0, 0, 2, 2])
    for (const id of made.ids) await setFile(id, { view: 'download' })
    expect(await blocks()).toEqual([0])
  })
})

describe('a mail', () => {
  beforeEach(() => void (depot.time.now = fromNow(0)))
  const mailOf = async (delivery: string, about: 'order' | 'update' | 'ready' | 'edited') => {
    const mailed = [{ delivery, about, given: null, released: null }]
    const [mail] = await writeDeliveryMails(depot.scope, mailed, 'https://files.example.com')
    return mail!.text
  }
  const setLink = (id: string, set: object) =>
    depot.scope
      .from('links')
      .where('id', id)
      .update(set as never)

  test('names only files that can still be used, and no end that has passed', async () => {
    const { delivery, links } = await buy([{ expiry_days: 4 }, { download_limit: 1 }, {}])
    const [first, second, third] = links as [string, string, string]
    await setLink(first, { expires_at: new Date(Date.now() - HOUR) })
    await setLink(second, { downloads: 1 })
    const end = fromNow(40 * DAY)
    await setLink(third, { expires_at: end })
    const some = await mailOf(delivery, 'order')
    expect(some).toMatch(/Your file is ready\.\n\n- \d+-2\.pdf\n\n/)
    expect(some).toContain(`You can download until ${berlin.format(end)}.`)
    await setLink(third, { expires_at: new Date(Date.now() - HOUR) })
    const none = await mailOf(delivery, 'order')
    expect(none).toContain('Its files have reached their download limit or have expired. If you')
    expect(none).toContain('\nOpen your files\n')
    expect(none).not.toMatch(/ready|until|-2\.pdf/)
    const news = await mailOf(delivery, 'update')
    expect(news).toContain('has a new version of what you bought')
    expect(news).toContain('but your files have reached their download limit or have expired')
  })

  soakTest('does not call all files ready while one becomes available later', async () => {
    const available_from = fromNow(30 * DAY)
      .toISOString()
      .slice(0, 10)
    const { delivery } = await buy([{}, { available_from }])
    expect(await mailOf(delivery, 'ready')).toContain(
      'that were still being prepared are ready now.',
    )
    expect(await mailOf(delivery, 'edited')).toContain('One file is ready at your link.')
    const two = await buy([{}, {}, { available_from }])
    expect(await mailOf(two.delivery, 'edited')).toContain('2 files are ready at your link.')
  })

  test('has the language of the shop if the order’s has no translation', async () => {
    const { delivery } = await buy([{}], { locale: 'nl' })
    expect(await mailOf(delivery, 'order')).toContain('Thank you for your order')
    await changeBuyerPage(depot.scope, { language: 'es' })
    expect(await mailOf(delivery, 'order')).toContain('Gracias por su pedido')
    await changeBuyerPage(depot.scope, { language: 'en' })
  })
})

describe('a rental', () => {
  test.each(
    someOf(
      [
        ['without a limit', null],
        ['with a limit', 50],
      ] as const,
      (_, at) => at < 1,
    ),
  )('%s ends once, counted from the first of many downloads', async (_, download_limit) => {
    const made = await buy([{ first_use_hours: 48, download_limit }])
    const [key, link] = [made.keys[0]!, made.links[0]!]
    expect(await readPage(made.page)).toContain('2 days from the first download')
    expect(await linkOf(link)).toMatchObject({ first_used_at: null, ends_at: null })
    const first = await Promise.all(Array.from({ length: 8 }, () => codeOf(key)))
    expect(new Set(first)).toEqual(new Set(['sent']))
    const end = new Date(+AT + 48 * HOUR)
    expect(await linkOf(link)).toMatchObject({ first_used_at: AT, ends_at: end, downloads: 8 })
    expect(await readPage(made.page)).toContain('until February 22, 2027 at 1:00')
    later(47 * HOUR)
    expect(await codeOf(key)).toBe('sent')
    expect((await linkOf(link)).ends_at).toEqual(end)
    later(HOUR)
    expect(await codeOf(key)).toBe('410 link_expired')
    expect((await filesOf(made.delivery))[0]).toMatchObject({ status: 'expired', expires_at: end })
    await extendLink(depot.scope, link, 1, depot.time.now)
    expect(await codeOf(key)).toBe('sent')
  })

  soakTest(
    'that its delivery ends earlier says so on the page of the order and of the file',
    async () => {
      const { page, keys, links } = await buy([{ first_use_hours: 480, download_limit: 3 }])
      expect(await codeOf(keys[0]!)).toBe('sent')
      await depot.scope.query(
        'update links set expires_at = :end where shop_id = :shop and id = :id',
        { id: links[0], end: new Date(+AT + 240 * HOUR) },
      )
      const terms = /2 downloads left · until \w+ \d+, 2027(?: at)?/
      const ofOrder = terms.exec(await readPage(page))?.[0]
      const ofFile = terms.exec(await readPage(`${keys[0]!}&page=1`))?.[0]
      expect(ofOrder).toBe('2 downloads left · until March 2, 2027')
      expect(ofFile).toBe(ofOrder)
    },
  )

  soakTest('begins with a view or a ZIP file, and not with what could not be sent', async () => {
    const fields = { view: 'both', content_type: 'image/png' }
    const viewed = await buy([{ ...fields, first_use_hours: 1 }])
    const page = await visit(port, `/view?key=${viewed.keys[0]}`)
    expect((await linkOf(viewed.links[0]!)).first_used_at).toBeNull()
    const [, address = ''] = /'(view\/bytes[^']*)'/.exec(page.text) ?? []
    const cookie = page.headers['set-cookie']![0]!.split(';', 1)[0]!
    const bytes = await visit(port, `/${decoded(address)}`, { cookie })
    expect(bytes.status).toBe(200)
    expect((await linkOf(viewed.links[0]!)).ends_at).toEqual(new Date(+AT + HOUR))
    const zipped = await buy([{ first_use_hours: 1 }, {}])
    expect((await visit(port, `/download?key=${zipped.page}&all=1`)).status).toBe(200)
    expect((await linkOf(zipped.links[0]!)).ends_at).toEqual(new Date(+AT + HOUR))
    const lost = await buy([{ first_use_hours: 1, download_limit: 1 }])
    expect(await codeOf(lost.keys[0]!, { range: 'bytes=900-' })).toBe('416 range_not_satisfiable')
    expect(await linkOf(lost.links[0]!)).toMatchObject({ first_used_at: null, downloads: 0 })
  })

  soakTest('of one buyer counts from the first use, also if that has been', async () => {
    const made = await buy([{ first_use_hours: 48 }, {}])
    const parts = { secrets: depot.secrets, now: depot.time.now }
    const set = (at: number, first_use_hours: number | null) =>
      changeDelivery(
        depot.scope,
        made.delivery,
        { terms: [{ file_id: made.ids[at]!, first_use_hours }] },
        parts,
      )
    expect(await codeOf(made.keys[0]!)).toBe('sent')
    await set(0, 72)
    const used = await linkOf(made.links[0]!)
    expect(+used.ends_at!).toBe(+used.first_used_at! + 72 * HOUR)
    await set(0, null)
    expect((await linkOf(made.links[0]!)).ends_at).toBeNull()
    await set(1, 24)
    expect(await filesOf(made.delivery)).toMatchObject([{ use_hours: null }, { use_hours: 24 }])
    expect((await linkOf(made.links[1]!)).ends_at).toBeNull()
  })

  soakTest('the earlier of both expiries counts', async () => {
    const made = await buy([{ first_use_hours: 72, expiry_days: 1 }])
    expect(await codeOf(made.keys[0]!)).toBe('sent')
    expect((await linkOf(made.links[0]!)).ends_at).toEqual(new Date(+AT + DAY))
  })
})

describe('a customer tag', () => {
  const customers = new Map<string, PlatformCustomer>()
  const tag = (id: string, ...tags: string[]) =>
    customers.set(id, { id, tags, updated_at: new Date() })
  const parts = () => ({
    database: depot.database,
    clock: () => new Date(),
    log: createLogger('error', () => {}),
    storefront: {
      customers: () => ({
        read: (ids: readonly string[]) =>
          Promise.resolve(ids.flatMap((id) => customers.get(id) ?? [])),
        changedSince: async function* (since: Date) {
          yield [...customers.values()].filter(({ updated_at }) => updated_at >= since)
        },
      }),
    },
  })
  const run = (task: ReturnType<typeof customerTagTask>) =>
    task.run({
      shop: depot.scope.shop,
      key: '',
      attempt: 1,
      lease: null as never,
      signal: new AbortController().signal,
    })
  const read = () => run(customerTagTask(parts()))

  test('opens and closes a file, and guests learn why they have none', async () => {
    const customer_id = 'gid://shopify/Customer/901'
    const made = await buy([{ customer_tag: 'Subscriber' }, {}], { customer_id })
    const [closed, open] = made.keys as [string, string]
    expect(await codeOf(closed)).toBe('403 customer_tag_missing')
    const { order_id } = await depot.scope.one<{ order_id: string }>(
      'select order_id from deliveries where shop_id = :shop and id = :id',
      { id: made.delivery },
    )
    const pages = createOrderPages({
      database,
      secrets: depot.secrets,
      baseUrl: 'http://f.example',
    })
    const shown = async () => (await pages.find(depot.scope.shop, order_id))?.terms
    expect(await shown()).toMatchObject({ closed: 1, later: 0, ends_at: null })
    await depot.scope.query('delete from order_effects where shop_id = :shop')
    tag(customer_id, 'vip', 'SUBSCRIBER')
    await read()
    expect(await shown()).toMatchObject({ closed: 0 })
    expect(
      await depot.scope.query('select order_id, kind from order_effects where shop_id = :shop'),
    ).toEqual([{ order_id, kind: 'mark' }])
    expect(await codeOf(closed)).toBe('sent')
    tag(customer_id, 'vip')
    await depot.scope.transaction((tx) => reportCustomer(tx, customer_id))
    await read()
    expect(await codeOf(closed)).toBe('403 customer_tag_missing')
    expect(await codeOf(open)).toBe('sent')
    expect(await readPage(made.page)).toContain('needs a running membership')
    expect(await filesOf(made.delivery)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tag_problem: 'missing', customer_tag: 'Subscriber' }),
      ]),
    )
    // No webhook came: the comparison finds it.
    tag(customer_id, 'subscriber')
    await depot.scope.query('update customer_syncs set due_at = now() where shop_id = :shop')
    await run(customerSyncTask(parts()))
    await read()
    expect(await codeOf(closed)).toBe('sent')
    const guest = await order(made.product, { customer_id: null })
    expect(await codeOf(guest.keys[0]!)).toBe('403 customer_unknown')
    expect(await readPage(guest.keys[0]!)).toContain('without a customer account')
    // Other customers leave nothing.
    await depot.scope.transaction((tx) => reportCustomer(tx, 'gid://shopify/Customer/902'))
    expect(
      await depot.scope.query('select customer_id from customer_tags where shop_id = :shop'),
    ).toEqual([{ customer_id }])
  })

  soakTest('of merged customers is that of the one that is left', async () => {
    const [deleted, kept] = ['gid://shopify/Customer/911', 'gid://shopify/Customer/912']
    const made = await buy([{ customer_tag: 'member' }], { customer_id: deleted })
    const [key] = made.keys as [string]
    tag(deleted, 'member')
    await read()
    expect(await codeOf(key)).toBe('sent')
    const report = (status: string) =>
      depot.scope.transaction(async (tx) => {
        const change = TOPICS['customers/merge']!({
          admin_graphql_api_customer_deleted_id: deleted,
          admin_graphql_api_customer_kept_id: kept,
          status,
        })
        if (change && change !== 'uninstalled') await reportChange(tx, change)
      })
    customers.delete(deleted)
    tag(kept)
    await report('failed')
    await read()
    expect(await codeOf(key)).toBe('sent')
    await report('completed')
    await read()
    expect(await codeOf(key)).toBe('403 customer_tag_missing')
    tag(kept, 'member')
    await depot.scope.transaction((tx) => reportCustomer(tx, kept))
    await read()
    expect(await codeOf(key)).toBe('sent')
    await depot.scope.query('delete from customer_tags where shop_id = :shop')
  })

  soakTest(
    'of a customer with other tags, into whom another one was merged, is shown for the orders of both',
    async () => {
      const [deleted, kept] = ['gid://shopify/Customer/921', 'gid://shopify/Customer/922']
      const marked = async () => {
        const rows = await depot.scope.query<{ customer_id: string }>(
          `with gone as (delete from order_effects where shop_id = :shop returning order_id, kind)
         select o.customer_id from gone join orders o on o.shop_id = :shop and o.id = gone.order_id
         where kind = 'mark'`,
        )
        return rows.map(({ customer_id }) => customer_id)
      }
      for (const member of [deleted, kept]) {
        const made = await buy([{ customer_tag: 'member' }], { customer_id: deleted })
        await order(made.product, { customer_id: kept })
        tag(deleted)
        tag(kept)
        tag(member, 'member')
        await read()
        await marked()
        customers.delete(deleted)
        tag(kept, 'member')
        await depot.scope.transaction((tx) => mergeCustomers(tx, deleted, kept))
        expect(await codeOf(made.keys[0]!)).toBe('sent')
        await read()
        expect(new Set(await marked())).toEqual(new Set([kept]))
        // Nothing changed since.
        await depot.scope.transaction((tx) => reportCustomer(tx, kept))
        await read()
        expect(await marked()).toEqual([])
        await depot.scope.query('delete from customer_tags where shop_id = :shop')
      }
    },
  )

  test('does not close what was bought without it, nor links without an order', async () => {
    const made = await buy([{}])
    await setFile(made.ids[0]!, { customer_tag: 'subscriber' })
    expect(await codeOf(made.keys[0]!)).toBe('sent')
    const [link] = await createLinks(depot.scope, depot.secrets, { file_ids: made.ids }, AT)
    expect(await codeOf(link!.key)).toBe('sent')
    const tagged = await order(made.product, { customer_id: 'gid://shopify/Customer/903' })
    expect(await codeOf(tagged.keys[0]!)).toBe('403 customer_tag_missing')
    await setFile(made.ids[0]!, { customer_tag: null })
    expect(await codeOf(tagged.keys[0]!)).toBe('sent')
  })

  soakTest('of one buyer replaces that of the file, or opens it', async () => {
    const ids = ['gid://shopify/Customer/911', 'gid://shopify/Customer/912'] as const
    tag(ids[0], 'vip')
    const [one, other] = [
      await buy([{ customer_tag: 'subscriber' }], { customer_id: ids[0] }),
      await buy([{}], { customer_id: ids[1] }),
    ]
    const parts = { secrets: depot.secrets, now: depot.time.now }
    const set = (made: typeof one, terms: object) =>
      changeDelivery(
        depot.scope,
        made.delivery,
        { terms: [{ file_id: made.ids[0]!, ...terms }] },
        parts,
      )
    await read()
    expect(await codeOf(one.keys[0]!)).toBe('403 customer_tag_missing')
    await set(one, { customer_tag: 'VIP' })
    expect(await codeOf(one.keys[0]!)).toBe('sent')
    expect(await filesOf(one.delivery)).toMatchObject([{ customer_tag: 'VIP', tag_problem: null }])
    await set(one, { customer_tag: 'gold' })
    expect(await codeOf(one.keys[0]!)).toBe('403 customer_tag_missing')
    await set(one, { customer_tag: null })
    expect(await codeOf(one.keys[0]!)).toBe('sent')
    expect(await filesOf(one.delivery)).toMatchObject([{ customer_tag: null }])
    // A customer who bought no such file before is read now.
    expect(await codeOf(other.keys[0]!)).toBe('sent')
    tag(ids[1], 'vip')
    await set(other, { customer_tag: 'vip' })
    expect(await codeOf(other.keys[0]!)).toBe('403 customer_tag_missing')
    await read()
    expect(await codeOf(other.keys[0]!)).toBe('sent')
  })
  describe('that cannot be read', () => {
    const NOTICE = 'The tags of customers cannot be read'
    const notices = async () =>
      (await listNotices(depot.scope, { limit: 250 })).rows.filter(({ title }) => title === NOTICE)
    const failing = (error: PortError): Parameters<typeof customerTagTask>[0] => ({
      ...parts(),
      storefront: {
        customers: () => ({ ...parts().storefront.customers(), read: () => Promise.reject(error) }),
      },
    })
    /** Reads the customer again, and gets this error. */
    const fail = async (customer_id: string, error: PortError) => {
      await depot.scope.transaction((tx) => reportCustomer(tx, customer_id))
      await run(customerTagTask(failing(error)))
    }
    beforeEach(() => depot.scope.query('delete from notices where shop_id = :shop'))

    test('during an outage keeps what is known, and for lack of a scope there is a notice', async () => {
      const customer_id = 'gid://shopify/Customer/904'
      tag(customer_id, 'subscriber')
      const made = await buy([{ customer_tag: 'subscriber' }], { customer_id })
      await read()
      await fail(customer_id, new PortError('storefront_unavailable', 'It does not answer', true))
      expect(await codeOf(made.keys[0]!)).toBe('sent')
      expect(await notices()).toEqual([])
      await fail(
        customer_id,
        new ScopeMissing('storefront_unavailable', 'A scope is missing', true),
      )
      expect(await notices()).toHaveLength(1)
      await read()
    })

    soakTest('because the platform names no customer without the scope, is a notice', async () => {
      const grant = (scope: string) =>
        depot.scope.query(
          `insert into shop_tokens (shop_id, access_token, scope) values (:shop, :t, :scope)
           on conflict (shop_id) do update set scope = excluded.scope`,
          { t: Buffer.from('t'), scope },
        )
      await grant('read_products,write_orders,read_customers')
      // A guest.
      await buy([{ customer_tag: 'subscriber' }], { customer_id: null })
      expect(await notices()).toEqual([])
      await grant('read_products,write_orders')
      await buy([{}], { customer_id: null })
      expect(await notices()).toEqual([])
      await buy([{ customer_tag: 'subscriber' }], { customer_id: null })
      expect(await notices()).toHaveLength(1)
      await depot.scope.query('delete from shop_tokens where shop_id = :shop')
    })
  })
})

test('random bytes of a file that is not available are not sent by any request', async () => {
  const { keys } = await buy([{ available_from: '2027-03-01', download_limit: 1 }])
  const headers = [
    {},
    { range: 'bytes=0-3' },
    { range: 'bytes=2-', 'if-range': `"${randomBytes(4).toString('hex')}"` },
  ]
  for (const one of headers) expect(await codeOf(keys[0]!, one)).toBe('403 link_not_released')
  expect((await get(port, keys[0]!, {}, 'HEAD')).status).toBe(403)
  expect((await visit(port, `/view?key=${keys[0]}`, json)).status).toBe(403)
})
