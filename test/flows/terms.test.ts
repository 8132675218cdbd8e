// Terms of time with the whole product: a pre-order that is released while a rental runs, and a
// membership that a subscription app gives and takes, with the stand-in's signed webhooks.
import { beforeAll, expect, test } from 'vitest'
import { importUntilEnd } from './imports.ts'
import { startOrderShop, type OrderShop } from './order-shop.ts'
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
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${shopFront}${route}`, init)).json()
}
const read = async (route: string): Promise<any> => (await server.call('GET', route)).json()
const send = async (method: string, route: string, body: object): Promise<any> =>
  (await server.call(method, route, body)).json()

async function buy(email: string, sku: string, more: object = {}): Promise<any> {
  const order = await post('/demo/orders', { email, lines: [{ sku }], ...more })
  const find = async () =>
    (await read(`/api/deliveries?order=${encodeURIComponent(order.order_id)}`)).data[0]?.url
  await expect.poll(find).toMatch(/^http/)
  const { data } = await read(`/api/deliveries?order=${encodeURIComponent(order.order_id)}`)
  return { ...data[0], order }
}

/** The addresses of the files on a buyer's page, by name; without those that have no button. */
async function buttonsOf(url: string): Promise<Record<string, string>> {
  const page = (await (await fetch(url)).text()).replaceAll('&#x3D;', '=').replaceAll('&amp;', '&')
  const form = /action='(download[^']*)&page=1'>\s*<button[^>]*aria-label='Download ([^']*)'/g
  const forms = [...page.matchAll(form)]
  return Object.fromEntries(forms.map(([, direct, name]) => [name, new URL(direct!, url).href]))
}
const filesOf = async (id: string): Promise<any> =>
  Object.fromEntries(
    (await read(`/api/deliveries/${id}`)).file_list.map((file: any) => [file.filename, file]),
  )
const mailsTo = (email: string) => mail.mails.filter(({ to }) => to[0] === email)

async function importFiles(sku: string, files: Record<string, object>): Promise<any> {
  const entries = Object.entries(files).map(([filename, terms]) => ({
    filename,
    url: `${origin.url}/bytes/1000/${filename}`,
    product_sku: sku,
    ...terms,
  }))
  const { files: imported } = await importUntilEnd(server, { files: entries })
  expect(imported.map(({ status }: any) => status)).toEqual(entries.map(() => 'imported'))
  return Object.fromEntries(imported.map(({ filename, file_id }: any) => [filename, file_id]))
}

soakTest(
  'a pre-order is refused, moved and released with one mail; a rental begins with its download',
  async () => {
    const ids = await importFiles('EB-001', {
      'album.pdf': { available_from: '2099-03-01', expiry_days: 30 },
      'booklet.pdf': { available_from: '2099-03-01' },
      'film.pdf': { first_use_hours: 48, download_limit: null },
    })
    expect((await read('/api/files?released=false')).total).toBe(2)
    const { id, url } = await buy('early@example.com', 'EB-001')
    await expect.poll(() => mailsTo('early@example.com').length).toBe(1)
    expect(mailsTo('early@example.com')[0]!.raw).toContain('March 1, 2099')
    const buttons = await buttonsOf(url)
    expect(Object.keys(buttons)).toEqual(['film.pdf'])
    expect((await filesOf(id))['album.pdf']).toMatchObject({
      status: 'not_released',
      available_at: '2099-03-01T00:00:00.000Z',
      expires_at: '2099-03-31T00:00:00.000Z',
    })
    const parallel = await Promise.all(Array.from({ length: 6 }, () => fetch(buttons['film.pdf']!)))
    expect(parallel.map(({ status }) => status)).toEqual(Array(6).fill(200))
    const { first_used_at, expires_at } = (await filesOf(id))['film.pdf']
    expect(Date.parse(expires_at) - Date.parse(first_used_at)).toBe(48 * 3_600_000)

    // A changed day moves those who wait; an undo moves them back; a past day releases them.
    const change = (available_from: string) =>
      send('PUT', '/api/files/bulk-update', {
        file_ids: [ids['album.pdf'], ids['booklet.pdf']],
        updates: { available_from },
      })
    const day = async () => (await filesOf(id))['album.pdf'].available_at?.slice(0, 10)
    const { job_id } = await change('2099-12-01')
    await expect.poll(day).toBe('2099-12-01')
    await send('POST', `/api/operations/${job_id}/undo`, {})
    await expect.poll(day).toBe('2099-03-01')
    expect((await filesOf(id))['album.pdf'].expires_at).toBe('2099-03-31T00:00:00.000Z')
    await change('2020-01-01')
    await expect
      .poll(async () => Object.keys(await buttonsOf(url)))
      .toEqual(['album.pdf', 'booklet.pdf', 'film.pdf'])
    await expect.poll(() => mailsTo('early@example.com').length).toBe(2)
    const { raw } = mailsTo('early@example.com')[1]!
    expect(raw).toContain('Now available')
    expect([raw.includes('- album.pdf'), raw.includes('- film.pdf')]).toEqual([true, false])
  },
)

test('a customer tag opens and closes a file; guests and strangers learn why', async () => {
  await importFiles('EB-002', { 'members.pdf': { customer_tag: 'Subscriber' }, 'plain.pdf': {} })
  const tag = (...tags: string[]) => post('/demo/customers/member@example.com', { tags })
  const { id, url } = await buy('member@example.com', 'EB-002')
  const names = async () => Object.keys(await buttonsOf(url))
  expect(await names()).toEqual(['plain.pdf'])
  expect((await filesOf(id))['members.pdf']).toMatchObject({ tag_problem: 'missing' })
  await tag('vip', 'subscriber')
  await expect.poll(names).toEqual(['members.pdf', 'plain.pdf'])
  const { 'members.pdf': address } = await buttonsOf(url)
  expect((await fetch(address!)).status).toBe(200)
  await tag('vip')
  await expect.poll(names).toEqual(['plain.pdf'])
  const refused = await fetch(address!, { headers: { accept: 'application/json' } })
  expect([refused.status, ((await refused.json()) as any).error.code]).toEqual([
    403,
    'customer_tag_missing',
  ])
  await tag('SUBSCRIBER')
  await expect.poll(async () => (await fetch(address!)).status).toBe(200)
  const guest = await buy('guest@example.com', 'EB-002', { guest: true })
  expect((await filesOf(guest.id))['members.pdf']).toMatchObject({ tag_problem: 'guest' })
  // One for each minute in which they happened.
  const reasons = async () =>
    new Set((await read(`/api/deliveries/${id}`)).refusals.map(({ code }: any) => code))
  await expect.poll(reasons).toEqual(new Set(['customer_tag']))
})

soakTest(
  'buyers read the text of a file on their page and in the mail, if the file asks for nothing',
  async () => {
    const buyer_text = 'Unzip it first.\r\nHelp: https://example.com/help?a=1&b=2'
    const ids = await importFiles('EB-003', {
      'kit.zip': { buyer_text },
      'asked.zip': { buyer_text: 'The code is 1234.', ask_for: 'email' },
    })
    const { url } = await buy('reader@example.com', 'EB-003')
    const shown = async () => (await (await fetch(url)).text()).replaceAll(/\s+/g, ' ')
    expect(await shown()).toContain(
      "Unzip it first.<br />Help: <a href='https://example.com/help?a&#x3D;1&amp;b&#x3D;2'",
    )
    expect(await shown()).not.toContain('1234')
    await expect.poll(() => mailsTo('reader@example.com').length).toBe(1)
    const [{ raw } = { raw: '' }] = mailsTo('reader@example.com')
    expect(raw.replaceAll('\r\n', '\n')).toContain(
      'kit.zip\nUnzip it first.\nHelp: https://example.com/help',
    )
    expect(raw).not.toContain('1234')
    const file = await read(`/api/files/${ids['kit.zip']}`)
    expect(file.buyer_text).toBe(buyer_text.replace('\r', ''))
    await send('PATCH', `/api/files/${ids['kit.zip']}`, { buyer_text: null })
    expect(await shown()).not.toContain('Unzip')
  },
)
