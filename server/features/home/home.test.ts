// The home page's counts and figures, over the API.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { soakTest } from '../../../test/scale.ts'
import { openTestApp, type TestApp } from '../../../test/app.ts'
import { startOrigin, type Origin } from '../../../test/fakes/origin.ts'
import { paidOrder } from '../../../test/orders.ts'
import { dayAt } from '../../../plugins/contract/index.ts'
import { zoneOfAnotherDay } from '../../../test/zones.ts'
import { changeShopSettings } from '../../files/shop-settings.ts'
import { addMappings } from '../../files/mappings.ts'
import { parsePublicId } from '../../core/ids.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import { languageOf } from '../../core/texts.ts'
import { CORRECTED, REPLACED } from '../orders/mail-writer.ts'
import { recordReviews } from '../mapping/model/reviews.ts'
import { reconcileOrder } from '../orders/reconcile.ts'
import { readTops, refreshTops } from './model/tops.ts'
import { refreshDays } from './model/days.ts'
import { sendSummaries } from './weekly-summary.ts'

let app: TestApp
let origin: Origin
beforeAll(async () => {
  ;[app, origin] = await Promise.all([openTestApp(), startOrigin()])
})
afterAll(async () => {
  await Promise.all([app.close(), origin.close()])
})

const PRODUCT = 'gid://shopify/Product/1'
const MAPPING = {
  product_title: 'Guides',
  variant_id: null,
  sku: null,
  score: 1,
  reason: '',
  method: 'manual' as const,
}
// Tests look into answers as they like.
/* oxlint-disable typescript/no-explicit-any */
const read = async (route: string): Promise<any> => (await app.owner.call('GET', route)).body
const NONE = { downloads: 0, orders: 0, deliveries: 0, imported_files: 0, bounced_mails: 0 }
const needs = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await read('/api/attention')).needs.map(({ need, count }: any) => [need, count]),
  )
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

test('a new shop needs nothing and has taken no step', async () => {
  expect(await read('/api/attention')).toEqual({
    needs: [],
    first_steps: {
      imported: false,
      mapped: false,
      ordered: false,
      downloaded: false,
      branded: false,
    },
  })
  const { days, totals, ...lists } = await read('/api/home/figures?days=7')
  expect(days).toHaveLength(7)
  const none = NONE
  expect(days.at(-1)).toEqual({ day: day(0), ...none })
  expect(totals).toEqual({ now: none, before: none })
  const stats = await read('/api/stats?metric=downloads&days=7')
  expect(stats.points.at(-1)).toEqual({ day: day(0), value: 0, before: 0 })
  expect([stats.points.length, stats.total]).toEqual([7, 0])
  expect(lists).toEqual({
    top_files: [],
    top_products: [],
    storage: [],
    imports: [],
    failures: [],
  })
})

test('each need is counted, and gone when it is done', async () => {
  const worker = await app.engine.startWorker()
  const { scope } = app.owner
  const started = await app.owner.call('POST', '/api/files/import', {
    files: [
      { filename: 'guide.pdf', url: `${origin.url}/bytes/1000/guide.pdf` },
      { filename: 'gone.pdf', url: `${origin.url}/missing/gone.pdf` },
    ],
  })
  expect(started.body).toMatchObject({ status: 'partial' })
  await worker.stop()
  expect(await needs()).toEqual({ unmapped: 1, failed_imports: 1 })

  const [{ id }] = (await read('/api/files')).data
  const fileId = parsePublicId('file', id)!
  await addMappings(scope, [{ fileId, mapping: { ...MAPPING, product_id: PRODUCT } }])
  await scope.query(`update files set mapping_state = 'mapped' where shop_id = :shop`)
  const parts = { secrets: app.engine.parts.secrets, now: new Date() }
  await reconcileOrder(scope, paidOrder({ products: [PRODUCT], email: null }), parts)
  expect(await needs()).toEqual({ unreachable: 1, failed_imports: 1 })
  await scope.query(`update deliveries set held_by = 'risk' where shop_id = :shop`)
  expect(await needs()).toEqual({ held: 1, failed_imports: 1 })
  await scope.query(`update deliveries set held_by = 'workflow' where shop_id = :shop`)
  expect(await needs()).toEqual({ failed_imports: 1 })
  await scope.query(`update deliveries set held_by = null, email = 'a@example.com', ask = '{}'
    where shop_id = :shop`)
  await scope.query(`update links set expires_at = now() where shop_id = :shop
    and file_id is not null`)
  expect(await needs()).toEqual({ asked: 1, blocked: 1, failed_imports: 1 })
  for (const [change, blocked] of [
    ['expires_at = null', 0],
    ['download_limit = 2, downloads = 2', 1],
    ['download_limit = 3', 0],
    [`use_hours = 1, first_used_at = now() - interval '2 hours'`, 1],
    ['revoked_at = now()', 0],
    ['revoked_at = null', 1],
  ] as const) {
    await scope.query(`update links set ${change} where shop_id = :shop and file_id is not null`)
    expect((await needs()).blocked ?? 0, change).toBe(blocked)
  }
  await scope.query(`update versions set bytes_damaged = true where shop_id = :shop`)
  expect(await needs()).toMatchObject({ damaged: 1 })

  expect((await read('/api/attention')).first_steps).toEqual({
    imported: true,
    mapped: true,
    ordered: true,
    downloaded: false,
    branded: false,
  })
})

soakTest(
  'connections that fail, lists that run out, and messages that came back are counted',
  async () => {
    const { scope } = app.owner
    const [delivery] = await scope.query<{ id: string }>(
      'select id from deliveries where shop_id = :shop limit 1',
    )
    await scope.query(
      `insert into connections (shop_id, provider, name, settings, options, state)
     select :shop, 'demo', state, '{}', '{}', state
     from unnest(array['ready', 'failing', 'unauthorized']) state`,
    )
    await scope.query(
      `insert into licence_lists (shop_id, name, name_key, warned_at, deleted_at) values
       (:shop, 'Full', 'full', null, null), (:shop, 'Empty', 'empty', now(), null),
       (:shop, 'Gone', 'gone', now(), now())`,
    )
    await scope.query(
      `update deliveries set bounced_at = now(), revoked_at = null, withdrawn_at = null
     where shop_id = :shop and id = :id`,
      { id: delivery!.id },
    )
    const counted = { connections: 2, licence_lists: 1, bounced: 1 }
    expect(await needs()).toMatchObject(counted)
    const { needs: found } = await read('/api/attention')
    expect(found.find(({ need }: any) => need === 'bounced').message).toBe(
      '1 message to a buyer did not arrive',
    )
    await scope.query(
      `update deliveries set bounced_at = null where shop_id = :shop and id = :id`,
      {
        id: delivery!.id,
      },
    )
    await scope.query(`delete from connections where shop_id = :shop`)
    await scope.query(`update licence_lists set warned_at = null where shop_id = :shop`)
    expect(Object.keys(await needs()).filter((need) => need in counted)).toEqual([])
  },
)

soakTest('failed imports are listed by cause, each with the place of its files', async () => {
  const { scope } = app.owner
  const listed = async () =>
    (await read('/api/attention')).needs
      .filter(({ cause }: any) => cause !== null)
      .map(({ need, count, cause, message, url }: any) => ({ need, count, cause, message, url }))
  const [{ id }] = (await read('/api/operations?kind=import')).data
  const gone = {
    need: 'failed_imports',
    count: 1,
    cause: 'url_not_accessible',
    message: '1 file could not be imported this week: File URL not accessible',
    url: expect.stringMatching(`/operations/${id}\\?status=failed&error=url_not_accessible$`),
  }
  expect(await listed()).toEqual([gone])
  const failed = await read(`/api/operations/${id}/items?error=url_not_accessible`)
  expect(failed.data.map(({ filename }: any) => filename)).toEqual(['gone.pdf'])
  expect((await read(`/api/operations/${id}/items?error=sku_not_found`)).data).toEqual([])

  const worker = await app.engine.startWorker()
  await app.owner.call('POST', '/api/files/import', {
    files: ['one', 'two'].map((name) => ({
      filename: `${name}.pdf`,
      url: `${origin.url}/missing/${name}.pdf`,
    })),
  })
  await worker.stop()
  const [both, ...others] = await listed()
  expect(others).toEqual([])
  expect(both).toMatchObject({ count: 3, cause: 'url_not_accessible' })
  const { search } = new URL(both.url)
  const imports = (await read(`/api/operations${search}`)).data
  expect(imports).toHaveLength(2)
  expect((await read('/api/operations?error=sku_not_found')).data).toEqual([])

  await scope.query(
    `update operations set failure_causes = null, stopped = :stopped::jsonb
     where shop_id = :shop and id = :id`,
    {
      id: parsePublicId('import', imports[0].id),
      stopped: JSON.stringify({ step: 'fetch', code: 'time_limit', message: 'Stopped' }),
    },
  )
  expect(await listed()).toEqual([
    {
      need: 'stopped_imports',
      count: 1,
      cause: 'time_limit',
      message: '1 import of this week stopped: Processing this file takes longer than is allowed',
      url: expect.stringMatching(/operations.import_[0-9a-f]+$/),
    },
    gone,
  ])
  await scope.query(
    `update operations set created_at = now() - interval '8 days'
     where shop_id = :shop and stopped is not null`,
  )
})

soakTest('open reviews are counted until they are decided', async () => {
  const { scope } = app.owner
  const [{ id }] = (await read('/api/files')).data
  const [operation] = (await read('/api/operations?kind=import')).data
  await recordReviews(scope, parsePublicId('import', operation.id)!, [
    {
      fileId: parsePublicId('file', id)!,
      replaces: true,
      candidates: [{ product_id: PRODUCT, variant_id: null, title: 'Guides', score: 0.7 } as any],
    },
  ])
  expect(await needs()).toMatchObject({ reviews: 1 })
  await scope.query(`update reviews set status = 'rejected' where shop_id = :shop`)
  expect(await needs()).not.toHaveProperty('reviews')
})

test('the figures of a period are compared with the period before it', async () => {
  const { scope } = app.owner
  const [{ id }] = (await read('/api/files')).data
  const file = parsePublicId('file', id)
  await scope.query(
    `insert into file_days (shop_id, day, file_id, downloads)
     select :shop, d.day, :file, d.downloads
     from (values (:today::date, 5), (:last::date, 2), (:before::date, 100), (:old::date, 1000))
       as d (day, downloads)`,
    { file, today: day(0), last: day(6), before: day(7), old: day(14) },
  )
  const { totals, days, top_files, top_products, storage, imports, failures } = await read(
    '/api/home/figures?days=7',
  )
  expect(totals).toEqual({
    now: { ...NONE, downloads: 7, deliveries: 1, imported_files: 1 },
    before: { ...NONE, downloads: 100 },
  })
  expect(days.map(({ downloads }: any) => downloads)).toEqual([2, 0, 0, 0, 0, 0, 5])
  const stats = await read('/api/stats?metric=downloads&days=7')
  expect(stats.total).toBe(7)
  expect(stats.points[0]).toEqual({ day: day(6), value: 2, before: 0 })
  expect(stats.points[6]).toEqual({ day: day(0), value: 5, before: 100 })
  expect(top_files).toEqual([{ file_id: id, filename: 'guide.pdf', downloads: 7 }])
  expect(top_products).toEqual([{ product_id: PRODUCT, title: 'Guides', downloads: 7 }])
  expect(storage).toEqual([{ extension: 'pdf', files: 1, bytes: 1000 }])
  expect(imports).toEqual([{ channel: 'api', imports: 1, files: 1 }])
  expect(failures).toHaveLength(1)
  expect((await read('/api/home/figures?days=90')).totals.now.downloads).toBe(1107)
})

test('a shop with many downloads has top lists of the last hour, without deleted files', async () => {
  const { scope } = app.owner
  const now = new Date()
  const period = { days: 7, today: day(0) }
  const counted = await readTops(scope, period)
  await refreshTops(scope, now, 0)
  expect(await readTops(scope, period, 0)).toEqual(counted)
  await scope.query('update file_days set downloads = downloads + 4 where shop_id = :shop')
  expect(await readTops(scope, period, 0)).toEqual(counted)
  const present = await readTops(scope, period)
  expect(present.top_files[0]!.downloads).toBe(15)
  // The worker has not run, or the period is an earlier one.
  const week = { days: 7, today: day(7) }
  expect((await readTops(scope, week, 0)).top_files[0]!.downloads).toBe(104)
  await scope.query(
    `update shop_tops set counted_at = now() - interval '1 day' where shop_id = :shop`,
  )
  expect(await readTops(scope, period, 0)).toEqual(present)
  await refreshTops(scope, now, 0)
  const id = parsePublicId('file', present.top_files[0]!.file_id)!
  const binned = (deleted: boolean) =>
    scope.query(
      `update files set deleted_at = ${deleted ? 'now()' : 'null'}
       where shop_id = :shop and id = :id`,
      { id },
    )
  await binned(true)
  expect((await readTops(scope, period, 0)).top_files).toEqual([])
  await binned(false)
  const { days } = await read('/api/home/figures?days=7')
  expect(days.map(({ downloads }: any) => downloads)).toEqual([6, 0, 0, 0, 0, 0, 9])
})

soakTest(
  'figures that did not change are read without a write, and one figure writes only itself',
  async () => {
    const { scope } = app.owner
    const rows = () =>
      scope.query<{ figure: string; version: string }>(
        `select figure, day::text, subject, xmin::text as version from shop_days
       where shop_id = :shop order by 1, 2, 3`,
      )
    await read('/api/home/figures?days=7')
    const before = await rows()
    expect(before.map(({ figure }) => figure)).toEqual(
      expect.arrayContaining(['deliveries', 'imports']),
    )
    await read('/api/home/figures?days=7')
    expect(await rows()).toEqual(before)
    await scope.query(`update shop_days set value = 99 where shop_id = :shop
    and figure in ('deliveries', 'imports')`)
    const { total } = await read('/api/stats?metric=deliveries&days=7')
    expect(total).toBeLessThan(99)
    const wrong = await scope.query<{ figure: string }>(
      'select distinct figure from shop_days where shop_id = :shop and value = 99',
    )
    expect(wrong).toEqual([{ figure: 'imports' }])
  },
)

soakTest('emails that another one replaces are not among those that did not arrive', async () => {
  await app.owner.scope.query(
    `insert into outbox (shop_id, key, kind, payload, status, error)
     select :shop, 'failed/' || n, 'email', '{}', 'failed', error
     from unnest(:errors::text[]) with ordinality e (error, n)`,
    { errors: [null, 'The address is blocked', CORRECTED, REPLACED] },
  )
  expect((await read('/api/stats?metric=bounced_mails&days=7')).total).toBe(2)
  await app.owner.scope.query(`delete from outbox where shop_id = :shop and key like 'failed/%'`)
})

test('a figure whose rows are gone is counted again, and another shop sees none of it', async () => {
  const { scope } = app.owner
  await scope.query('delete from deliveries where shop_id = :shop')
  expect((await read('/api/home/figures?days=7')).totals.now.deliveries).toBe(0)
  const other = await app.stranger('other.myshopify.com')
  expect(((await other.call('GET', '/api/home/figures?days=90')).body as any).totals.now).toEqual(
    NONE,
  )
})

soakTest(
  'orders are counted on their day, those of an earlier day when the worker runs',
  async () => {
    const { scope, call } = app.owner
    const now = new Date()
    const past = new Date(now.getTime() - 5 * 86_400_000)
    const parts = { secrets: app.engine.parts.secrets, now }
    const order = paidOrder({ id: 'gid://shopify/Order/55', products: [PRODUCT], created_at: past })
    await reconcileOrder(scope, order, parts)
    const orders = async () =>
      ((await call('GET', '/api/stats?metric=orders&days=7')).body as any).points
    const before = await orders()
    await refreshDays(app.engine.parts.database, now, new AbortController().signal)
    const after = await orders()
    expect(after[1].value - before[1].value).toBe(1)
    expect(after[6]).toEqual(before[6])
  },
)

test('a product that sells without a file is listed until it has one or is dismissed', async () => {
  const { scope } = app.owner
  const product = 'gid://shopify/Product/77'
  const shipped = { product_id: 'gid://shopify/Product/78', requires_shipping: true }
  const order = paidOrder({
    id: 'gid://shopify/Order/77',
    created_at: new Date(),
    products: [{ product_id: product, title: 'Sea songs' }, shipped],
  })
  const { secrets } = app.engine.parts
  for (const one of [order, order, { ...order, financial_status: 'PENDING' }])
    await reconcileOrder(scope, one, { secrets, now: new Date() })
  const listed = async () =>
    (await read('/api/unfiled-products')).data.map(({ product_id, title }: any) => [
      product_id,
      title,
    ])
  const dismiss = async (dismissed: boolean) => {
    const body = { product_id: product, dismissed }
    return (await app.owner.call('POST', '/api/unfiled-products/dismiss', body)).status
  }
  expect(await listed()).toEqual([[product, 'Sea songs']])
  expect(await needs()).toMatchObject({ unfiled_products: 1 })
  expect([await dismiss(true), await listed()]).toEqual([204, []])
  expect([await dismiss(false), await listed()]).toEqual([204, [[product, 'Sea songs']]])

  const rows = await scope.query<{ id: string }>(
    'select id from files where shop_id = :shop and deleted_at is null limit 1',
  )
  await addMappings(scope, [{ fileId: rows[0]!.id, mapping: { ...MAPPING, product_id: product } }])
  expect(await listed()).toEqual([])
})

test('the weekly summary is sent once, on Monday morning in the shop’s time zone', async () => {
  const { scope } = app.owner
  const settings = {
    weekly_summary: true,
    recipients: ['owner@example.com'],
    time_zone: 'America/New_York',
    mail_language: 'de',
  }
  expect((await app.owner.call('PATCH', '/api/settings', settings)).status).toBe(200)
  await scope.query(
    `insert into file_days (shop_id, day, file_id, downloads)
     select :shop, '2026-03-15', id, 41 from files where shop_id = :shop limit 1`,
  )
  const mails = () =>
    scope.query<{ payload: MailPayload }>(
      `select payload from outbox where shop_id = :shop and key like 'weekly-summary/%'`,
    )
  const send = (at: string) =>
    sendSummaries(app.engine.parts.database, new Date(at), new AbortController().signal)
  await send('2026-03-16T11:59:00Z') // 7:59 there
  await send('2026-03-15T15:00:00Z') // Sunday
  expect(await mails()).toEqual([])
  for (const minute of [1, 31]) await send(`2026-03-16T12:0${minute % 10}:00Z`)
  const [mail, ...more] = await mails()
  expect(more).toEqual([])
  const { subject, text, html } = renderMail(mail!.payload, 'https://app', languageOf('de'))
  expect(subject).toBe('Deine Woche: 41 Downloads, 0 Lieferungen')
  expect(text).toContain('Die Woche vom 2026-03-09 bis 2026-03-15')
  expect(text).toContain('https://app/operations/import_')
  expect(html).toContain('guide.pdf')
})

soakTest('each figure counts on its day in the time zone of the shop', async () => {
  const { scope, call } = app.owner
  const now = new Date()
  const last = async () =>
    ((await call('GET', '/api/stats?metric=orders&days=7')).body as any).points.at(-1)
  const before = await last()
  const zone = zoneOfAnotherDay(now)
  await changeShopSettings(scope, { time_zone: zone })
  onTestFinished(async () => void (await changeShopSettings(scope, { time_zone: 'UTC' })))
  const order = paidOrder({ id: 'gid://shopify/Order/88', products: [PRODUCT], created_at: now })
  await reconcileOrder(scope, order, { secrets: app.engine.parts.secrets, now })
  const today = { day: dayAt(now, zone), value: before.value + 1 }
  expect(await last()).toMatchObject(today)
  await refreshDays(app.engine.parts.database, now, new AbortController().signal)
  expect(await last()).toMatchObject(today)
})
