// Reports over the API, against rows that the test counts itself.
import { randomUUID } from 'node:crypto'
import Papa from 'papaparse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type Client, type TestApp } from '../../../test/app.ts'
import { addFile } from '../../../test/deliveries.ts'
import { randomOf } from '../../../test/scale.ts'
import { hashKey } from '../../core/secrets.ts'
import { toPublicId } from '../../core/ids.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { RunningReports } from './report-stream.ts'

let app: TestApp
beforeAll(async () => void (app = await openTestApp()))
afterAll(() => app.close())

const random = randomOf('reports')
const pick = <One>(list: readonly One[]): One => list[random(0, list.length)]!

type Row = Record<string, string | number | null>
const report = async (client: Client, address: string): Promise<Row[]> => {
  const { status, body } = await client.call('GET', `/api/reports/${address}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.rows
}
const sum = (rows: readonly Row[], figure: string) =>
  rows.reduce((total, row) => total + Number(row[figure]), 0)

const ZONE = 'Pacific/Auckland'
const monthAt = (at: Date) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, year: 'numeric', month: '2-digit' }).format(at)
const dayOf = (at: Date) => new Intl.DateTimeFormat('en-CA', { timeZone: ZONE }).format(at)

async function addFiles(scope: ShopScope, names: readonly string[]): Promise<string[]> {
  const { parts } = app.engine
  const ids: string[] = []
  for (const name of names) ids.push(await addFile({ parts, scope }, name, Buffer.from(name)))
  return ids
}

const addMapping = (scope: ShopScope, file_id: string, product: number) =>
  scope.insert('mappings', {
    file_id,
    product_id: `gid://shopify/Product/${product}`,
    product_title: `Last title ${product}`,
    sku: `SKU-${product}`,
    method: 'sku',
    score: 1,
    reason: 'SKU',
  })

async function addLink(scope: ShopScope, row: object): Promise<string> {
  const key = hashKey(randomUUID())
  const [made] = (await scope.insert('links', { key_hash: key, ...row }).returning('id')) as [
    { id: string },
  ]
  return made.id
}

const DAY_MS = 24 * 60 * 60 * 1000
/** The last 100 days: months of the shop differ from those of UTC. */
const someTime = () => new Date(Date.now() - random(0, 100 * DAY_MS))

interface Download {
  file: string
  buyer: string | null
  month: string
  day: string
}

/** Downloads of tracked and untracked files, through links of buyers, of orders and of nobody. */
async function addDownloads(scope: ShopScope, files: readonly string[]): Promise<Download[]> {
  const order = `gid://shopify/Order/${randomUUID()}`
  await scope.insert('orders', {
    id: order,
    name: '#1',
    email: 'Order@Example.com',
    ordered_at: new Date(),
    changed_at: new Date(),
  })
  const delivery = randomUUID()
  await scope.insert('deliveries', { id: delivery, order_id: order })
  const page = await addLink(scope, { delivery_id: delivery })
  const links: { id: string | null; file: string; buyer: string | null }[] = []
  for (const file of files) {
    const own = await addLink(scope, { file_id: file, email: 'Ada@Example.com' })
    const under = await addLink(scope, { file_id: file, parent_id: page })
    links.push(
      { id: own, file, buyer: 'ada@example.com' },
      { id: under, file, buyer: 'order@example.com' },
      { id: null, file, buyer: null },
    )
  }
  const untracked = files.length > 1 ? files[0] : undefined
  const all = Array.from({ length: 300 }, () => ({ ...pick(links), at: someTime() }))
  const tracked = all.filter(({ file }) => file !== untracked)
  await scope.insert(
    'downloads',
    tracked.map(({ id, file, at }) => ({
      file_id: file,
      link_id: id,
      at,
      address: '',
      agent: '',
      // Rows lie in the month of their id.
      id: `${at
        .getTime()
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-7000-8000-${randomUUID().slice(-12)}`,
    })),
  )
  const days = Map.groupBy(all, ({ file, at }) => `${dayOf(at)} ${file}`)
  await scope.insert(
    'file_days',
    [...days].map(([key, list]) => ({
      day: key.slice(0, 10),
      file_id: key.slice(11),
      downloads: list.length,
    })),
  )
  return all.map(({ file, buyer, at }) => ({
    file,
    buyer: file === untracked ? null : buyer,
    month: monthAt(at),
    day: dayOf(at),
  }))
}

/** What a report has to answer, from the rows themselves. */
const counted = (downloads: readonly Download[], key: (one: Download) => string) =>
  Object.fromEntries(
    [...Map.groupBy(downloads, key)].map(([name, list]) => [name, list.length] as const),
  )
const answered = (rows: readonly Row[], key: (row: Row) => string) =>
  Object.fromEntries(rows.map((row) => [key(row), row.downloads]))

test('sums of downloads are those of the rows, by each group and each two of them', async () => {
  const { scope } = app.owner
  await scope.query(
    `update shops set settings = settings || jsonb_build_object('time_zone', :ZONE::text)
     where id = :shop`,
    { ZONE },
  )
  const files = await addFiles(scope, ['guide.pdf', '=1+1.pdf', 'gone.pdf'])
  await addMapping(scope, files[0]!, 1)
  await addMapping(scope, files[1]!, 1)
  await addMapping(scope, files[1]!, 2)
  await scope.query(
    `insert into products (shop_id, id, title, title_key, handle, status)
     values (:shop, 'gid://shopify/Product/1', 'Renamed', 'renamed', 'one', 'ACTIVE')`,
  )
  const stranger = await app.stranger('other.myshopify.com')
  await addDownloads(stranger.scope, await addFiles(stranger.scope, ['theirs.pdf']))
  const downloads = await addDownloads(scope, files)

  const byFile = await report(app.owner, 'downloads.json?by=file')
  const fileKey = ({ file }: Download) => toPublicId('file', file)
  expect(answered(byFile, (row) => String(row.file_id))).toEqual(counted(downloads, fileKey))
  const named = await report(app.owner, 'downloads.json?by=month,buyer')
  expect(answered(named, (row) => `${row.month} ${row.buyer}`)).toEqual(
    counted(downloads, ({ month, buyer }) => `${month} ${buyer}`),
  )
  for (const by of ['month', 'buyer', 'file,buyer', 'file,month'])
    expect(sum(await report(app.owner, `downloads.json?by=${by}`), 'downloads')).toBe(300)

  const products = await report(app.owner, 'downloads.json?by=product')
  const of = (...places: number[]) =>
    downloads.filter(({ file }) => places.some((place) => file === files[place])).length
  expect(products).toEqual([
    { product_id: 'gid://shopify/Product/1', product_title: 'Renamed', downloads: of(0, 1) },
    { product_id: 'gid://shopify/Product/2', product_title: 'Last title 2', downloads: of(1) },
    { product_id: null, product_title: null, downloads: of(2) },
  ])

  const days = downloads.map(({ day }) => day).toSorted()
  const [from, to] = [days[60]!, days[200]!]
  const inside = downloads.filter(({ day }) => day >= from && day <= to)
  const period = `from=${from}&to=${to}`
  for (const by of ['month', 'buyer', 'file,month'])
    expect(sum(await report(app.owner, `downloads.json?by=${by}&${period}`), 'downloads')).toBe(
      inside.length,
    )
  const ofAda = downloads.filter(({ buyer }) => buyer === 'ada@example.com')
  for (const by of ['month', 'buyer'])
    expect(
      sum(await report(app.owner, `downloads.json?by=${by}&email=ADA@example.com`), 'downloads'),
    ).toBe(ofAda.length)
  for (const filter of ['product=SKU-2', 'product=2', `file_id=${toPublicId('file', files[1]!)}`])
    expect(sum(await report(app.owner, `downloads.json?by=buyer&${filter}`), 'downloads')).toBe(
      of(1),
    )

  // Deleted for good: its records and links go, its counts stay. A deleted buyer has no address.
  await scope.query('delete from files where shop_id = :shop and id = :id', { id: files[2]! })
  await scope.query('update links set email = null where shop_id = :shop')
  const after = await report(app.owner, 'downloads.json?by=file,buyer')
  expect(sum(after, 'downloads')).toBe(300)
  const gone = after.filter(({ file_id }) => file_id === toPublicId('file', files[2]!))
  expect(gone).toMatchObject([{ filename: null, buyer: null, downloads: of(2) }])
  expect(after.filter(({ buyer }) => buyer === 'ada@example.com')).toEqual([])

  const csv = await app.owner.call('GET', '/api/reports/downloads.csv?by=file')
  expect(csv.headers.get('content-type')).toContain('text/csv')
  const text = String(csv.body).replace(/^\ufeff/, '')
  const lines = Papa.parse<Row>(text, { header: true, skipEmptyLines: true })
  expect(lines.meta.fields).toEqual(['file_id', 'filename', 'downloads'])
  expect(lines.data.map(({ filename }) => filename)).toEqual(['guide.pdf', "'=1+1.pdf", ''])
  const ofStranger = await report(stranger, 'downloads.json?by=file')
  expect(ofStranger).toMatchObject([{ filename: 'theirs.pdf', downloads: 300 }])
})

/** An order with a delivery of these files, each sold as the product of a separate line. */
async function deliver(
  scope: ShopScope,
  { email, at, lines }: { email: string; at: Date; lines: [product: number, file: string][] },
): Promise<{ id: string; page: string; keys: string[] }> {
  const order = `gid://shopify/Order/${randomUUID()}`
  const [id, name] = [randomUUID(), `#${randomUUID()}`]
  await scope.insert('orders', { id: order, name, email, ordered_at: at, changed_at: at })
  await scope.insert('deliveries', { id, order_id: order, created_at: at })
  const page = await addLink(scope, { delivery_id: id })
  for (const [place, [product, file]] of lines.entries()) {
    const line = { id: `line-${place}`, position: place, title: `Line of ${product}`, quantity: 1 }
    const product_id = `gid://shopify/Product/${product}`
    await scope.insert('order_lines', { ...line, order_id: order, product_id, entitled: true })
    await scope.insert('delivery_files', { delivery_id: id, line_id: line.id, file_id: file })
  }
  return { id, page, keys: lines.map((_, place) => `line-${place}`) }
}

test('deliveries, refusals and activations are counted once in each group, and filtered', async () => {
  const client = await app.stranger('counted.myshopify.com')
  const { scope } = client
  const [a, b] = (await addFiles(scope, ['a.pdf', 'b.pdf'])) as [string, string]
  await addMapping(scope, a, 1)
  const may = new Date('2026-05-31T23:30:00Z')
  const june = new Date('2026-06-10T12:00:00Z')
  const first = await deliver(scope, {
    email: 'Ada@example.com',
    at: may,
    lines: [
      [1, a],
      [1, b],
      [2, b],
    ],
  })
  const second = await deliver(scope, { email: 'bob@example.com', at: june, lines: [[1, a]] })
  await scope.query(
    `update deliveries set opened_at = now(), revoked_at = now()
     where shop_id = :shop and id = :id`,
    { id: second.id },
  )
  expect(await report(client, 'deliveries.json?by=month')).toEqual([
    { month: '2026-05', deliveries: 1, opened: 0, withdrawn: 0 },
    { month: '2026-06', deliveries: 1, opened: 1, withdrawn: 1 },
  ])
  expect(await report(client, 'deliveries.json?by=product')).toMatchObject([
    { product_id: 'gid://shopify/Product/1', product_title: 'Line of 1', deliveries: 2 },
    { product_id: 'gid://shopify/Product/2', product_title: 'Line of 2', deliveries: 1 },
  ])
  expect(await report(client, 'deliveries.json?by=file&product=2')).toMatchObject([
    { filename: 'a.pdf', deliveries: 1 },
    { filename: 'b.pdf', deliveries: 1 },
  ])
  for (const [filter, deliveries] of [
    ['status=revoked', 1],
    ['state=blocked', 0],
    ['email=ADA@example.com', 1],
    ['search=bob', 1],
    [`file_id=${toPublicId('file', b)}`, 1],
    ['from=2026-06-01&to=2026-06-10', 1],
    ['to=2026-05-31', 1],
  ] as const)
    expect(sum(await report(client, `deliveries.json?by=buyer&${filter}`), 'deliveries')).toBe(
      deliveries,
    )

  const refused = (link_id: string, file_id: string | null, reason: string, times: number) =>
    scope.insert('refused_downloads', {
      link_id,
      file_id,
      reason,
      times,
      minute: may,
      at: may,
      address: '',
      agent: '',
    })
  const link = await addLink(scope, { file_id: a, parent_id: first.page })
  await refused(link, a, 'expired', 3)
  await refused(first.page, null, 'held', 4)
  expect(await report(client, 'refusals.json?by=buyer')).toEqual([
    { buyer: 'ada@example.com', refusals: 7 },
  ])
  expect(await report(client, 'refusals.json?by=product&reason=expired')).toEqual([
    { product_id: 'gid://shopify/Product/1', product_title: 'Last title 1', refusals: 3 },
  ])
  expect(sum(await report(client, 'refusals.json?by=month,file'), 'refusals')).toBe(7)

  const [list] = (await scope
    .insert('licence_lists', { name: 'Codes', name_key: 'codes' })
    .returning('id')) as [{ id: string }]
  const give = async (line_id: string | null, instances: number) => {
    const [key] = (await scope
      .insert('licence_keys', {
        list_id: list.id,
        hash: Buffer.from(randomUUID()),
        sealed: Buffer.from('sealed'),
        delivery_id: first.id,
        file_id: b,
        ordinal: instances,
        assigned_at: may,
        line_id,
      })
      .returning('id')) as [{ id: string }]
    for (let n = 0; n < instances; n++)
      await scope.insert('licence_activations', {
        key_id: key.id,
        instance: `place-${n}`,
        address: '',
        activated_at: june,
      })
  }
  await give('line-2', 2)
  await give(null, 1)
  expect(await report(client, 'activations.json?by=product')).toMatchObject([
    { product_id: 'gid://shopify/Product/1', activations: 1, keys: 1 },
    { product_id: 'gid://shopify/Product/2', activations: 3, keys: 2 },
  ])
  const filter = `list_id=${toPublicId('licences', list.id)}&status=active&product=2`
  expect(await report(client, `activations.json?by=month,file&${filter}`)).toEqual([
    {
      month: '2026-06',
      file_id: toPublicId('file', b),
      filename: 'b.pdf',
      activations: 3,
      keys: 2,
    },
  ])
})

test('every problem of a request is named', async () => {
  const query = 'by=week,file,month&from=2026-13-01&to=2026-01-01&file_id=x&colour=red'
  const wrong = await app.owner.call('GET', `/api/reports/downloads.csv?${query}`)
  expect(wrong.status).toBe(422)
  const params = wrong.body.error.details.map(({ param }: { param: string }) => param)
  expect(new Set(params)).toEqual(new Set(['by', 'from', 'file_id', 'colour']))
  expect(wrong.body.error.details).toContainEqual(
    expect.objectContaining({ param: 'by', message: 'Count by at most two' }),
  )
  expect(params.filter((param: string) => param === 'by').length).toBe(2)
  const late = 'by=month,month,file&from=2026-02-01&to=2026-01-31&status=none'
  const order = await app.owner.call('GET', `/api/reports/deliveries.json?${late}`)
  const named = order.body.error.details.map(({ param }: { param: string }) => param)
  expect(new Set(named)).toEqual(new Set(['by', 'to', 'status']))
  const without = await app.owner.call('GET', '/api/reports/refusals.json')
  expect(without.body.error).toMatchObject({ code: 'validation_failed', param: 'by' })
  const reader = await app.clientWith(['files:read'])
  const keys = await reader.call('GET', '/api/reports/activations.json?by=month')
  expect(keys.status).toBe(403)
})

test('a report that takes too long, and a second one of the shop, are refused', async () => {
  const { scope } = app.owner
  const running = new RunningReports()
  const { signal } = new AbortController()
  const slow = { sql: 'select pg_sleep(30), id from shops where id = :shop', bindings: {} }
  await expect(running.open(scope, slow, signal, 1)).rejects.toMatchObject({
    code: 'report_too_large',
  })
  const many = { sql: 'select n from generate_series(1, 5000) n where :shop > 0', bindings: {} }
  const pages = await running.open(scope, many, signal)
  await expect(running.open(scope, many, signal)).rejects.toMatchObject({ code: 'report_busy' })
  // A reader that goes away frees its connection.
  for await (const page of pages) if (page.length > 0) break
  await expect
    .poll(async () => {
      const again = await running.open(scope, many, signal).catch(() => null)
      let rows = 0
      for await (const page of again ?? []) rows += page.length
      return rows
    })
    .toBe(5000)
})
