// From a purchase in the demo shop to the download, with the whole product: the stand-in's signed
// webhooks, the worker, the mail, the buyer's page, and the order on the platform afterwards.
import { beforeAll, expect, test } from 'vitest'
import pg from 'pg'
import { THANK_YOU_PATH } from '../../server/features/orders/extensions/thank-you.ts'
import { createSecrets } from '../../server/core/secrets.ts'
import { DEMO_SHOP } from '../../server/demo/app.ts'
import { signToken } from '../../server/demo/jwt.ts'
import { allParts, parseMime } from '../../server/features/mail/mime.ts'
import { demoCredentials } from '../../server/startup/ports.ts'
import { visit } from '../delivery.ts'
import { importUntilEnd } from './imports.ts'
import { startOrderShop, type OrderShop } from './order-shop.ts'
import { SECRET } from './server.ts'
import { soakTest } from '../scale.ts'

let server: OrderShop['server']
let origin: OrderShop['origin']
let mail: OrderShop['mail']
let shopFront: string

beforeAll(async () => {
  const shop = await startOrderShop()
  ;({ server, origin, mail, shopFront } = shop)
  return shop.end
})

// Tests look into answers as they like.
/* oxlint-disable typescript/no-explicit-any */
async function post(route: string, body: object): Promise<any> {
  const answer = await fetch(`${shopFront}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, ...((await answer.json()) as object) }
}
const read = async (route: string): Promise<any> => (await server.call('GET', route)).json()
const buy = (email: string, sku: string) =>
  post('/demo/orders', { email, locale: 'fr', lines: [{ sku, quantity: 1 }] })
const deliveryOf = async (order: string) =>
  (await read(`/api/deliveries?order=${encodeURIComponent(order)}`)).data[0]
const statusOf = async (order: string) => (await deliveryOf(order))?.status

async function sell(filename: string, sku: string): Promise<void> {
  const file = { filename, url: `${origin.url}/bytes/1000/${filename}`, product_sku: sku }
  const { files } = await importUntilEnd(server, { files: [file] })
  expect(files[0]).toMatchObject({ status: 'imported', product_mapped: true })
}

test('a purchase creates mail, page and order status, and the delivery follows the order', async () => {
  await sell('guide.pdf', 'EB-001')
  await sell('walks.pdf', 'EB-001')
  const order = await buy('buyer@example.com', 'EB-001')
  expect(order).toMatchObject({ status: 201, confirmation_number: expect.stringMatching(/^\w+$/) })
  await expect
    .poll(() => mail.mails.filter(({ to }) => to[0] === 'buyer@example.com').length)
    .toBe(1)
  const delivery = await deliveryOf(order.order_id)
  expect(delivery).toMatchObject({ status: 'ready', files: 2, downloads: 0, locale: 'fr' })
  const { raw } = mail.mails.find(({ to }) => to[0] === 'buyer@example.com')!
  const key = delivery.url.split('key=')[1]
  expect(raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')).toContain(`key=${key}`)

  const page = await (await fetch(delivery.url)).text()
  expect(page).toContain('guide.pdf')
  expect((await deliveryOf(order.order_id)).downloads).toBe(0)
  const zip = await fetch(`${delivery.url}&all=1`)
  expect([zip.status, (await zip.arrayBuffer()).byteLength]).toEqual([
    200,
    Number(zip.headers.get('content-length')),
  ])
  expect((await deliveryOf(order.order_id)).downloads).toBe(2)

  const shown = async () => (await fetch(`${shopFront}/demo/orders/${order.name.slice(1)}`)).json()
  await expect.poll(shown).toMatchObject({
    tags: ['files-delivered'],
    metafields: [{ namespace: '$app', key: 'delivery' }],
    fulfilments: [{ notified: false }],
  })

  expect((await post(`/demo/orders/${order.order_id}/refund`, {})).financial_status).toBe(
    'REFUNDED',
  )
  await expect.poll(() => statusOf(order.order_id)).toBe('withdrawn')
  expect((await fetch(delivery.url)).status).toBe(410)
})

/** The addresses of downloads in the text and in the HTML part of the last mail to this address. */
async function addressesTo(email: string): Promise<string[]> {
  const own = () => mail.mails.filter(({ to }) => to[0] === email)
  await expect.poll(() => own().length).toBeGreaterThan(0)
  const parts = allParts(parseMime(own().at(-1)!.raw))
  const textOf = (type: string) => parts.find((part) => part.type === type)!.text
  const inText = textOf('text/plain').match(/^https?:\S+$/gm) ?? []
  const inHtml = [...textOf('text/html').matchAll(/<a\s+href='([^']*)'/g)]
  return [...inText, ...inHtml.map(([, href]) => href!.replaceAll('&amp;', '&'))].filter(
    (address) => address.startsWith(server.url),
  )
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36'
const AGENTS = ['', CHROME, 'Mozilla/5.0 (compatible; Barracuda Sentinel)', 'curl/8.14']

/** Requests the address as programs do that read mails, and presses the first button of its page. */
async function pressAfterScans(address: string, count: () => Promise<number>): Promise<number> {
  const port = Number(new URL(address).port)
  const target = address.slice(server.url.length)
  for (const agent of AGENTS)
    for (const method of ['HEAD', 'GET']) {
      const { status, headers } = await visit(port, target, { 'user-agent': agent }, method)
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    }
  const before = await count()
  const page = (await visit(port, target, { 'user-agent': CHROME })).text
  const [, action = ''] = /<form[^>]* method='post' action='(download[^']*)'/.exec(page) ?? []
  const form = new URL(action.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='), address)
  const pressed = await visit(port, form.href.slice(server.url.length), {}, 'POST')
  expect([pressed.status, await count()]).toEqual([303, before])
  const file = new URL(pressed.headers.location!, form).href.slice(server.url.length)
  const { status, body } = await visit(port, file, { 'user-agent': CHROME })
  expect([status, body.length]).toEqual([200, 1000])
  return before
}

soakTest(
  'each address in a mail opens a page with a button, for every browser, filter and program',
  async () => {
    await sell('letter.pdf', 'EB-003')
    const order = await buy('reader@example.com', 'EB-003')
    const downloads = async () => (await deliveryOf(order.order_id)).downloads
    const found = await addressesTo('reader@example.com')
    expect(found).toHaveLength(2)
    // The page of an order leads to the file's own page: its button is pressed there.
    for (const [at, address] of found.entries())
      expect(await pressAfterScans(address, downloads)).toBe(at)
    const [file] = (await read('/api/files?search=letter.pdf')).data
    for (const download_limit of [5, null]) {
      const email = `link-${download_limit}@example.com`
      const body = { file_ids: [file.id], download_limit, email }
      const made: any = await (await server.call('POST', '/api/links', body)).json()
      const [link] = made.data
      await server.call('POST', '/api/links/email', { link_ids: [link.id] })
      const counted = async () =>
        (await read(`/api/links?file_id=${file.id}`)).data.find((one: any) => one.id === link.id)
          .downloads
      const own = await addressesTo(email)
      expect(own).toHaveLength(2)
      for (const [at, address] of own.entries())
        expect(await pressAfterScans(address, counted)).toBe(at)
    }
  },
)

/** Requests as the thank-you page's extension does, with a guest's token. */
async function askAsBuyer(order: { order_id: string; confirmation_number: string }): Promise<any> {
  const { apiKey, apiSecret } = demoCredentials(createSecrets(SECRET))
  const now = Math.floor(Date.now() / 1000)
  const times = { nbf: now, iat: now, exp: now + 300 }
  const token = signToken({ dest: DEMO_SHOP.domain, aud: apiKey, ...times }, apiSecret)
  const { order_id, confirmation_number } = order
  const answer = await fetch(server.url + THANK_YOU_PATH, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id, confirmation_number }),
  })
  return answer.json()
}

test('the thank-you page of a new order links to its files, given its confirmation number', async () => {
  const order = await buy('thanks@example.com', 'EB-001')
  await expect.poll(() => askAsBuyer(order)).toMatchObject({ status: 'ready', files: 2 })
  const { url } = await askAsBuyer(order)
  expect(url).toBe((await deliveryOf(order.order_id)).url)
  expect(await (await fetch(url)).text()).toContain('guide.pdf')
  const unknown = await askAsBuyer({ ...order, order_id: 'gid://shopify/Order/999999' })
  expect(await askAsBuyer({ ...order, confirmation_number: 'WRONG' })).toEqual(unknown)

  const { id } = await deliveryOf(order.order_id)
  await server.call('POST', `/api/deliveries/${id}/hold`)
  expect(await askAsBuyer(order)).toEqual({ status: 'held' })
  await server.call('POST', `/api/deliveries/${id}/release`)
  const client = new pg.Client(server.databaseUrl)
  await client.connect()
  await client.query(
    `update orders set ordered_at = ordered_at - interval '31 minutes' where id = $1`,
    [order.order_id],
  )
  await client.end()
  expect(await askAsBuyer(order)).toEqual({ status: 'elsewhere' })
})

soakTest('an edit with a balance takes nothing back, and its payment brings the rest', async () => {
  await sell('map.pdf', 'EB-002')
  const order = await buy('edits@example.com', 'EB-001')
  await expect.poll(() => statusOf(order.order_id)).toBe('ready')
  const edit = { lines: [{ sku: 'EB-002', quantity: 1 }], unpaid: true }
  const edited = await post(`/demo/orders/${order.order_id}/edit`, edit)
  expect(edited).toMatchObject({ financial_status: 'PARTIALLY_PAID' })
  const lines = async () => {
    const { id } = await deliveryOf(order.order_id)
    const { lines } = await read(`/api/deliveries/${id}`)
    return lines.map(({ sku, entitled }: any) => [sku, entitled])
  }
  await expect.poll(lines).toEqual([
    ['EB-001', true],
    ['EB-002', false],
  ])
  expect(await statusOf(order.order_id)).toBe('ready')
  const files = async () => (await deliveryOf(order.order_id)).files
  const before = await files()
  await post(`/demo/orders/${order.order_id}/pay`, {})
  await expect.poll(files).toBe(before + 1)
})

soakTest('an order that is first seen after its edit delivers what was paid before', async () => {
  const order = await post('/demo/orders', {
    email: 'unseen@example.com',
    lines: [{ sku: 'EB-001', quantity: 1 }],
    // No webhook reports it.
    created_at: new Date(Date.now() - 60_000).toISOString(),
  })
  const edit = { lines: [{ sku: 'EB-002', quantity: 1 }], unpaid: true }
  const edited = await post(`/demo/orders/${order.order_id}/edit`, edit)
  expect(edited).toMatchObject({ financial_status: 'PARTIALLY_PAID' })
  await expect.poll(() => statusOf(order.order_id)).toBe('ready')
  const { lines } = await read(`/api/deliveries/${(await deliveryOf(order.order_id)).id}`)
  expect(lines.map(({ sku, entitled }: any) => [sku, entitled])).toEqual([
    ['EB-001', true],
    ['EB-002', false],
  ])
})

soakTest(
  'an order with a deposit waits for its payment; a line that is added waits alone',
  async () => {
    const order = await post('/demo/orders', {
      email: 'deposit@example.com',
      source: 'pos',
      financial_status: 'PARTIALLY_PAID',
      lines: [{ sku: 'EB-001' }],
    })
    expect(order).toMatchObject({ status: 201, financial_status: 'PARTIALLY_PAID' })
    const paid = await post(`/demo/orders/${order.order_id}/pay`, {})
    expect(paid).toMatchObject({ status: 200, financial_status: 'PAID' })
    await expect.poll(() => statusOf(order.order_id)).toBe('ready')
    const edited = await post(`/demo/orders/${order.order_id}/edit`, {
      add: [{ sku: 'EB-002', quantity: 2 }],
    })
    expect(edited).toMatchObject({ financial_status: 'PARTIALLY_PAID' })
    const { id } = await deliveryOf(order.order_id)
    const lines = async () =>
      (await read(`/api/deliveries/${id}`)).lines.map(({ sku, quantity, entitled }: any) => [
        sku,
        quantity,
        entitled,
      ])
    await expect.poll(lines).toEqual([
      ['EB-001', 1, true],
      ['EB-002', 2, false],
    ])
    await post(`/demo/orders/${order.order_id}/pay`, {})
    await expect.poll(lines).toEqual([
      ['EB-001', 1, true],
      ['EB-002', 2, true],
    ])
    expect((await post(`/demo/orders/${order.order_id}/edit`, {})).status).toBe(422)
  },
)

soakTest(
  'an authorized order is delivered without waiting, if the shop delivers on authorization',
  async () => {
    const set = (deliver_on: string) => server.call('PATCH', '/api/settings', { deliver_on })
    expect((await set('authorized')).status).toBe(200)
    const order = await post('/demo/orders', {
      email: 'authorized@example.com',
      financial_status: 'AUTHORIZED',
      lines: [{ sku: 'EB-001', quantity: 1 }],
    })
    await expect.poll(() => statusOf(order.order_id)).toBe('ready')
    expect((await set('paid')).status).toBe(200)
  },
)

soakTest(
  'an order of a bundle’s component delivers the files of the bundle’s product',
  async () => {
    await sell('bundle.pdf', 'EB-010')
    const component = { sku: 'EB-005', quantity: 1, bundle_sku: 'EB-010' }
    const order = await post('/demo/orders', { email: 'bundles@example.com', lines: [component] })
    await expect.poll(() => deliveryOf(order.order_id)).toMatchObject({ status: 'ready', files: 1 })
  },
)

test('an order without an address has a notice, and a link to copy', async () => {
  const order = await post('/demo/orders', {
    email: null,
    phone: '+15550100',
    lines: [{ sku: 'EB-001', quantity: 1 }],
  })
  await expect.poll(() => statusOf(order.order_id)).toBe('ready')
  const { data } = await read('/api/deliveries?reach=unreachable')
  expect(data).toMatchObject([{ order_id: order.order_id, email: null, sent: null }])
  expect((await fetch(data[0].url)).status).toBe(200)
  const notices = (await read('/api/notices')).data.map(({ title }: any) => title)
  expect(notices).toContain(`Order ${order.name} has no email address`)
})

soakTest('a risky order waits for the merchant, whose release sends the mail', async () => {
  const order = await buy('risky@example.com', 'EB-001')
  await post(`/demo/orders/${order.order_id}/risk`, { recommendation: 'INVESTIGATE' })
  await expect.poll(() => statusOf(order.order_id)).toBe('held')
  const { id } = await deliveryOf(order.order_id)
  expect((await server.call('POST', `/api/deliveries/${id}/resend`)).status).toBe(409)
  expect((await server.call('POST', `/api/deliveries/${id}/release`)).status).toBe(200)
  expect(await statusOf(order.order_id)).toBe('ready')
  await expect.poll(() => mail.mails.some(({ to }) => to[0] === 'risky@example.com')).toBe(true)
  // A tool in a loop does not fill the buyer's mailbox.
  const again = () => server.call('POST', `/api/deliveries/${id}/resend`)
  for (let n = 0; n < 4; n++) expect((await again()).status).toBe(202)
  const refused = await again()
  expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true])
  expect(await refused.json()).toMatchObject({
    error: { code: 'rate_limited', message: expect.stringContaining('5 times within an hour') },
  })
})

soakTest('past buyers get one mail per order about a new version', async () => {
  const order = await buy('past@example.com', 'EB-001')
  await expect
    .poll(() => mail.mails.filter(({ to }) => to[0] === 'past@example.com').length)
    .toBe(1)
  const { id } = await deliveryOf(order.order_id)
  const { file_list } = await read(`/api/deliveries/${id}`)
  const unsold = { filename: 'unsold.pdf', url: `${origin.url}/bytes/1000/unsold.pdf` }
  const { files } = await importUntilEnd(server, { files: [unsold] })
  const body = {
    action: 'tell-buyers',
    select: {
      file_ids: [files[0]!.file_id, ...file_list.map((file: { file_id: string }) => file.file_id)],
    },
  }
  const told = await server.call('POST', '/api/operations', body)
  expect(told.status).toBe(202)
  const { id: telling } = (await told.json()) as { id: string }
  await expect
    .poll(() => mail.mails.filter(({ to }) => to[0] === 'past@example.com').length)
    .toBe(2)
  await expect
    .poll(() => read(`/api/operations/${telling}`))
    .toMatchObject({ status: 'success', done: file_list.length, skipped: 1 })
  const messages = (await read(`/api/deliveries/${id}`)).messages
  expect(messages.map(({ subject }: { subject: string }) => subject)).toEqual([
    expect.stringContaining('Nouvelle version'),
    expect.stringContaining('Vos fichiers'),
  ])
})

soakTest(
  'a file that is imported after the sale is given to past buyers, and taken back',
  async () => {
    await sell('first.pdf', 'EB-006')
    const order = await buy('later@example.com', 'EB-006')
    const mailed = () => mail.mails.filter(({ to }) => to[0] === 'later@example.com').length
    await expect.poll(mailed).toBe(1)
    await sell('second.pdf', 'EB-006')
    const { data } = await read('/api/new-files')
    const [product] = data.filter(({ files }: any) => files[0].filename === 'second.pdf')
    expect(product).toMatchObject({ orders: 1, buyers: 1 })
    expect((await read('/api/attention')).needs).toContainEqual(
      expect.objectContaining({
        need: 'new_files',
        count: data.length,
        url: `${server.url}/deliveries/new-files`,
      }),
    )
    const request = {
      action: 'give-files',
      options: { product_id: product.product_id },
      dry_run: true,
      select: { file_ids: product.files.map(({ file_id }: any) => file_id) },
    }
    const preview: any = await (await server.call('POST', '/api/operations', request)).json()
    const operation = async (id: string) => (await read(`/api/operations/${id}`)).status
    await expect.poll(() => operation(preview.id)).toBe('previewed')
    const items = await read(`/api/operations/${preview.id}/items`)
    expect(items.data[0].after).toEqual({ orders: 1, buyers: 1 })
    expect((await deliveryOf(order.order_id)).files).toBe(1)
    await server.call('POST', `/api/operations/${preview.id}/confirm`)
    await expect.poll(() => operation(preview.id)).toBe('success')
    expect((await deliveryOf(order.order_id)).files).toBe(2)
    await expect.poll(mailed).toBe(2)
    const { messages } = await read(`/api/deliveries/${(await deliveryOf(order.order_id)).id}`)
    expect(messages[0].subject).toContain('nouveaux fichiers')
    const undo: any = await (await server.call('POST', `/api/operations/${preview.id}/undo`)).json()
    await expect.poll(() => operation(undo.id)).toBe('success')
    expect((await deliveryOf(order.order_id)).files).toBe(1)
  },
)

soakTest(
  'orders from before the installation are imported after a preview, without a mail',
  async () => {
    await sell('old.pdf', 'EB-007')
    const placed = (days: number) =>
      post('/demo/orders', {
        email: 'before@example.com',
        lines: [{ sku: 'EB-007', quantity: 1 }],
        created_at: new Date(Date.now() - days * 86_400_000).toISOString(),
      })
    const [recent, hidden] = [await placed(30), await placed(90)]
    expect(await read('/api/orders/import')).toMatchObject({
      all_orders: false,
      operation_id: null,
    })
    const day = new Date(Date.now() - 70 * 86_400_000).toISOString()
    const refused = await server.call('POST', '/api/orders/import', { since: day })
    expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
      422,
      expect.stringContaining('read_all_orders'),
    ])
    const began: any = await (
      await server.call('POST', '/api/orders/import', { dry_run: true })
    ).json()
    const operation = async () => read(`/api/operations/${began.id}`)
    await expect.poll(async () => (await operation()).status).toBe('previewed')
    expect((await operation()).intentions).toContain('New deliveries: 1')
    expect(await deliveryOf(recent.order_id)).toBeUndefined()
    await server.call('POST', `/api/operations/${began.id}/confirm`)
    await expect.poll(async () => (await operation()).status).toBe('success')
    const { total, done, percentage } = await operation()
    expect([done, percentage]).toEqual([total, 100])
    expect(await deliveryOf(recent.order_id)).toMatchObject({ status: 'ready', sent: null })
    expect(await deliveryOf(hidden.order_id)).toBeUndefined()
    expect(mail.mails.filter(({ to }) => to[0] === 'before@example.com')).toEqual([])
    expect(await read('/api/orders/import')).toMatchObject({ operation_id: began.id })
  },
)

test('a changed SKU is read from its webhook, without a refresh of the catalog', async () => {
  const found = async (search: string) =>
    (await read(`/api/products?search=${search}`)).data.map((one: { title: string }) => one.title)
  await expect.poll(() => found('EB-002')).toHaveLength(1)
  const [title] = await found('EB-002')
  expect((await post('/demo/products', { sku: 'EB-002', new_sku: 'NEW-42' })).status).toBe(200)
  await expect.poll(() => found('NEW-42')).toEqual([title])
})

test('the shop front is only open to pages on this machine, and explains an invalid purchase', async () => {
  const page = await fetch(`${shopFront}/demo/shop`)
  expect(page.headers.get('content-security-policy')).toContain('img-src http: https:;')
  expect(await page.text()).toContain('action="/demo/orders"')
  expect(await buy('nobody', 'EB-001')).toMatchObject({ status: 422 })
  expect(await buy('buyer@example.com', 'NO-SUCH-SKU')).toMatchObject({
    status: 422,
    error: { message: 'There is no product with the SKU NO-SUCH-SKU' },
  })
  const elsewhere = { origin: 'https://evil.example', 'content-type': 'application/json' }
  const answer = await fetch(`${shopFront}/demo/orders`, {
    method: 'POST',
    headers: elsewhere,
    body: '{}',
  })
  expect(answer.status).toBe(403)
})

soakTest(
  'workflows start when a delivery is ready, downloaded, held or refunded, and when a link is used up',
  async () => {
    await sell('sails.pdf', 'EB-001')
    const events = [
      'delivery.ready',
      'delivery.downloaded',
      'delivery.held',
      'order.refunded',
      'link.exhausted',
    ]
    for (const event of events) {
      const saved = await server.call('POST', '/api/workflows', {
        name: event,
        kind: 'bulk',
        steps: [{ plugin: 'tag-files', options: { mode: 'add', tags: [event] } }],
        when: [{ kind: 'event', event, collect: 0, which: { name_like: '*sails*' } }],
      })
      expect(saved.status).toBe(201)
    }
    const file = async () => (await read('/api/files?search=sails.pdf')).data[0]
    const tagged = (event: string) =>
      expect.poll(async () => (await file()).tags, { timeout: 20_000 }).toContain(event)
    const order = await buy('sailor@example.com', 'EB-001')
    await tagged('delivery.ready')
    const { id, url } = await deliveryOf(order.order_id)
    await (await fetch(`${url}&all=1`)).arrayBuffer()
    await tagged('delivery.downloaded')
    await server.call('POST', `/api/deliveries/${id}/hold`)
    await tagged('delivery.held')
    await post(`/demo/orders/${order.order_id}/refund`, {})
    await tagged('order.refunded')
    const link = { file_ids: [(await file()).id], download_limit: 1 }
    const made: any = await (await server.call('POST', '/api/links', link)).json()
    await (await fetch(made.data[0].url)).arrayBuffer()
    await tagged('link.exhausted')
  },
)

test('files are added to an order that the platform finds, told, downloaded, and end with it', async () => {
  const order = await buy('portrait@example.com', 'EB-022')
  const key = await importUntilEnd(server, {
    files: [{ filename: 'portrait.png.bin', url: `${origin.url}/bytes/1000/portrait.bin` }],
  })
  const file_ids = [key.files[0]!.file_id]
  const found = await read(`/api/orders?order=${encodeURIComponent(order.name)}`)
  expect(found.data).toMatchObject([{ order_id: order.order_id, delivery_id: null }])
  const add = (idempotency: string) =>
    server.call(
      'POST',
      '/api/orders/files',
      { order: order.name.slice(1), file_ids, download_limit: 2, email: true },
      { 'idempotency-key': idempotency },
    )
  const added = await add('portrait')
  expect(added.status).toBe(200)
  const delivery: any = await added.json()
  expect(delivery).toMatchObject({
    status: 'ready',
    file_list: [{ filename: 'portrait.png.bin', added: true, download_limit: 2 }],
  })
  const again: any = await (await add('portrait')).json()
  expect(again.id).toBe(delivery.id)
  await expect
    .poll(() => mail.mails.filter(({ to }) => to[0] === 'portrait@example.com').length)
    .toBe(1)
  expect(await (await fetch(delivery.url)).text()).toContain('portrait.png.bin')
  expect((await fetch(`${delivery.url}&all=1`)).status).toBe(200)
  await post(`/demo/orders/${order.order_id}/refund`, {})
  await expect.poll(() => statusOf(order.order_id)).toBe('withdrawn')
  expect(
    (await server.call('POST', '/api/orders/files', { order: 'no such', file_ids })).status,
  ).toBe(404)
})
