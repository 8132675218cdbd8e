// A buyer's library, with the whole product: the request without scripts, the mail through SMTP,
// the page, and a download that is counted once. What strangers learn: nothing.
import { afterAll, beforeAll, expect, test } from 'vitest'
import pg from 'pg'
import { sharedBrowser } from '../browser/page-browser.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { present } from '../../server/core/lazy.ts'
import { importUntilEnd } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { readDemo, removeDataDir, type RunningServer } from './server.ts'
import { soakTest } from '../scale.ts'

const ADA = 'ada@example.com'

let server: RunningServer
let origin: Origin
let mail: MailFake
let client: pg.Client
let shopFront: string

beforeAll(async () => {
  ;[origin, mail] = await Promise.all([startOrigin(), startMailFake()])
  server = await startLocalServer({ SMTP_URL: mail.url })
  shopFront = (await readDemo(server.dataDir)).storefront.url
  client = new pg.Client(server.databaseUrl)
  await client.connect()
  for (const [filename, sku] of [
    ['guide.pdf', 'EB-001'],
    ['walks.pdf', 'EB-001'],
    ['map.pdf', 'EB-002'],
  ])
    await importUntilEnd(server, {
      files: [{ filename, url: `${origin.url}/bytes/1000/${filename}`, product_sku: sku }],
    })
  await buy(ADA, 'EB-001')
  await buy(ADA.toUpperCase(), 'EB-002')
  await buy('bob@example.com', 'EB-002')
})
afterAll(async () => {
  await client.end()
  await server.stop()
  await Promise.all([origin.close(), mail.close(), removeDataDir(server.dataDir)])
})

async function buy(email: string, sku: string): Promise<void> {
  const answer = await fetch(`${shopFront}/demo/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, locale: 'fr', lines: [{ sku, quantity: 1 }] }),
  })
  expect(answer.status).toBe(201)
}

const libraryMails = (to: string) =>
  mail.mails
    .filter((one) => one.to[0] === to)
    .flatMap(({ raw }) => {
      const text = raw.replace(/=\r\n/g, '').replaceAll('=3D', '=')
      return /http\S+\/library\?key=[\w-]{43}/.exec(text) ?? []
    })

const ask = (fields: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/library/request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(fields),
  })
const forgetLimits = () => client.query('delete from rate_limits')

const untilAnswered = () =>
  expect
    .poll(async () => (await client.query('select from library_keys where pending')).rowCount)
    .toBe(0)

test('a buyer without scripts asks for the library, opens its mail and downloads', async () => {
  // The mails of the three orders, not those to the shop.
  const buyers = [ADA, 'bob@example.com']
  await expect
    .poll(() => mail.mails.filter(({ to }) => buyers.includes(to[0]?.toLowerCase() ?? '')).length)
    .toBe(3)
  const delivered = async () => {
    const reply = await server.call('GET', '/api/deliveries?status=ready')
    return ((await reply.json()) as { data: unknown[] }).data.length
  }
  await expect.poll(delivered).toBe(3)
  const browser = await sharedBrowser()
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${server.url}/library`)
  await page.getByLabel('Email address').fill(` ${ADA} `)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect
    .poll(() => page.getByRole('heading', { level: 1 }).textContent())
    .toBe('Check your inbox')
  await expect.poll(() => libraryMails(ADA).length).toBe(1)

  const address = present(libraryMails(ADA)[0], 'The address')
  const opened = await page.goto(address)
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr')
  expect(opened?.headers()['content-security-policy']).toContain("default-src 'none'")
  const names = () => page.locator('li .name').allTextContents()
  expect((await names()).map((text) => text.trim().split(/\s/)[0])).toEqual([
    'map.pdf',
    expect.stringMatching(/guide|walks/),
    expect.stringMatching(/guide|walks/),
  ])
  await page.getByRole('searchbox').fill('EB-001 no such')
  await page.getByRole('button', { name: 'Chercher' }).click()
  await expect.poll(() => page.getByRole('status').textContent()).toContain('Rien ne contient')
  await page.getByRole('searchbox').fill('walk')
  await page.getByRole('button', { name: 'Chercher' }).click()
  expect(await names()).toHaveLength(1)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Télécharger walks.pdf' }).click(),
  ])
  expect(await download.failure()).toBeNull()
  const deliveries = (await (await server.call('GET', `/api/deliveries?email=${ADA}`)).json()) as {
    data: { downloads: number; url: string }[]
  }
  expect(deliveries.data.map(({ downloads }) => downloads).toSorted()).toEqual([0, 1])
  await context.close()
})

test('a known and an unknown address get the same answer, and only the known one a mail', async () => {
  await forgetLimits()
  const bodies = []
  for (const email of ['bob@example.com', 'nobody@example.com']) {
    const answer = await ask({ email })
    bodies.push([answer.status, await answer.text()])
  }
  expect(bodies).toEqual(bodies.map(() => [202, '{"status":"accepted"}']))
  await expect.poll(() => libraryMails('bob@example.com').length).toBe(1)
  await untilAnswered()
  expect(mail.mails.some(({ to }) => to[0] === 'nobody@example.com')).toBe(false)
  const { rows } = await client.query('select email from library_keys order by email')
  expect(rows).toEqual([{ email: ADA }, { email: 'bob@example.com' }])
  // Another shop's library of the same address has nothing, and one's key opens only one's own.
  const bobs = await (
    await fetch(present(libraryMails('bob@example.com')[0], 'The address'))
  ).text()
  expect(bobs).toContain('map.pdf')
  expect(bobs).not.toContain('guide.pdf')
  await client.query(`insert into shops (domain, name) values ('other.example', 'Other')`)
  expect((await ask({ email: ADA, shop: 'other.example' })).status).toBe(202)
  await untilAnswered()
  expect(libraryMails(ADA)).toHaveLength(1)
  await client.query(`delete from shops where domain = 'other.example'`)
})

soakTest('an address gets three mails an hour and a network makes 60 requests', async () => {
  await forgetLimits()
  const before = libraryMails('bob@example.com').length
  for (let n = 0; n < 5; n++) expect((await ask({ email: 'Bob@example.com' })).status).toBe(202)
  await expect.poll(() => libraryMails('bob@example.com').length).toBe(before + 3)
  const form = (email: string) =>
    fetch(`${server.url}/library/request`, { method: 'POST', body: new URLSearchParams({ email }) })
  expect((await form('no address')).status).toBe(422)
  for (let n = 0; n < 54; n++)
    expect((await ask({ email: n % 2 ? 'no address' : `nobody${n}@example.com` })).status).toBe(202)
  const refused = await form(ADA)
  expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true])
  const others = libraryMails(ADA).length
  // The answer to a program is always the same, also without an Accept header.
  const silent = await ask({ email: ADA }, { accept: '*/*' })
  expect([silent.status, await silent.text()]).toEqual([202, '{"status":"accepted"}'])
  const malformed = await fetch(`${server.url}/library/request`, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  })
  expect(malformed.status).toBe(400)
  expect(await malformed.json()).toMatchObject({ error: { code: 'malformed_request' } })
  // PostgreSQL cannot store the character 0.
  expect((await fetch(`${server.url}/library?shop=a%00b`)).status).toBe(404)
  expect((await ask({ email: ADA, shop: 'a\0b' })).status).toBe(202)
  await untilAnswered()
  expect(libraryMails(ADA)).toHaveLength(others)
  expect(libraryMails('bob@example.com')).toHaveLength(before + 3)
})

test('opening a new key ends the earlier one, whose page offers another', async () => {
  await forgetLimits()
  const old = present(libraryMails(ADA).at(-1), 'The first address')
  await ask({ email: ADA })
  await expect.poll(() => libraryMails(ADA).length).toBe(2)
  const renewed = present(libraryMails(ADA).at(-1), 'The second address')
  expect((await fetch(old)).status).toBe(200)
  const page = await fetch(renewed)
  expect(page.status).toBe(200)
  expect((await page.text()).length).toBeLessThan(60_000)
  const ended = await fetch(old)
  expect(ended.status).toBe(410)
  expect(await ended.text()).toContain("action='library/request'")
  expect((await fetch(`${server.url}/library?key=${'A'.repeat(43)}`)).status).toBe(404)
})

test('the page of a delivery asks for the mail of its order, if the shop wants the button', async () => {
  await forgetLimits()
  const { data } = (await (
    await server.call('GET', '/api/deliveries?email=bob@example.com')
  ).json()) as { data: { url: string }[] }
  const { url } = present(data[0], 'The delivery')
  expect(await (await fetch(url)).text()).not.toContain('library/request')
  await server.call('PATCH', '/api/settings/buyer-page', { library_link: true })
  await expect.poll(async () => (await fetch(url)).text()).toContain("action='library/request'")
  const before = libraryMails('bob@example.com').length
  const key = new URL(url).searchParams.get('key')
  const sent = await ask({ key }, { accept: 'text/html' })
  expect([sent.status, await sent.text()]).toEqual([
    202,
    expect.not.stringContaining('bob@example.com'),
  ])
  await expect.poll(() => libraryMails('bob@example.com').length).toBe(before + 1)
  // Without libraries the pages answer like those of a shop that does not exist; programs get 202.
  const library = present(libraryMails('bob@example.com').at(-1), 'The address')
  await server.call('PATCH', '/api/settings/buyer-page', { library: false })
  await expect.poll(async () => (await fetch(library)).status).toBe(404)
  const mails = libraryMails(ADA).length
  expect((await ask({ email: ADA })).status).toBe(202)
  expect(libraryMails(ADA)).toHaveLength(mails)
  await server.call('PATCH', '/api/settings/buyer-page', { library: true })
})

soakTest(
  'a library marks what is new since the last visit, and says how to get the rest again',
  async () => {
    await client.query(
      `update library_visits set visited_at = now() - interval '2 days' where email = $1`,
      [ADA],
    )
    await client.query(
      `update links set created_at = now() - interval '3 days' where parent_id is not null
       and lower(email) = $1`,
      [ADA],
    )
    await buy(ADA, 'EB-002')
    const address = present(libraryMails(ADA).at(-1), 'The address')
    const text = async () => (await fetch(`${address}&locale=en`)).text()
    await expect.poll(text).toContain('New since your last visit')
    expect((await text()).split('New since your last visit')).toHaveLength(2)
    await client.query(
      `update links l set expires_at = now() - interval '1 hour' from files f
     where f.id = l.file_id and f.filename = 'guide.pdf' and lower(l.email) = $1`,
      [ADA],
    )
    const html = await text()
    expect(html).toMatch(/expired on .*(Ask for more: guide\.pdf)/s)
    expect(html).toMatch(
      /href='https:\/\/[^']+\/products\/[^']+'\s+aria-label='Buy again: guide\.pdf'/,
    )

    // The page of the order offers the same, if the shop wants it.
    const page = /href='(download\?key=[\w-]{43})[^']*'\s+aria-label='Ask [^']*: guide\.pdf'/.exec(
      html.replaceAll('&#x3D;', '='),
    )
    const order = async () => (await fetch(`${server.url}/${page?.[1]}&locale=en`)).text()
    expect(await order()).toMatch(/\/products\/[^']+'\s+aria-label='Buy again: guide\.pdf'/)
    expect(await order()).toContain("name='message'")
    await server.call('PATCH', '/api/settings/buyer-page', { ask_again: false, buy_again: false })
    await expect.poll(order).not.toContain('Buy again')
    expect(await order()).not.toContain("name='message'")
    expect(await text()).not.toMatch(/Buy again|Ask .* for more/)
    const key = present(page?.[1]?.split('=')[1], 'The key of the page')
    const asked = await fetch(`${server.url}/download/ask`, {
      method: 'POST',
      body: new URLSearchParams({ key }),
    })
    expect(asked.status).toBe(409)
    await server.call('PATCH', '/api/settings/buyer-page', { ask_again: true, buy_again: true })
  },
)

soakTest('the shop lists its buyers with what they have, and sends their library', async () => {
  await forgetLimits()
  type Json = Record<string, unknown>
  const read = async (route: string) => (await (await server.call('GET', route)).json()) as Json
  const { data } = await read('/api/buyers')
  expect(data).toMatchObject([
    { email: ADA, orders: 3, files: 4, blocked_files: 1, downloads: 1 },
    { email: 'bob@example.com', orders: 1, files: 1, blocked_files: 0, downloads: 0 },
  ])
  const first = await read('/api/buyers?limit=1')
  expect(await read(`/api/buyers?limit=1&cursor=${String(first.next_cursor)}`)).toMatchObject({
    data: [{ email: 'bob@example.com' }],
    next_cursor: null,
  })
  expect(await read('/api/buyers?search=BO')).toMatchObject({
    data: [{ email: 'bob@example.com' }],
  })
  const [file] = (await read('/api/files?name_contains=guide.pdf')).data as Json[]
  const made = await server.call('POST', '/api/links', { file_ids: [file?.id], email: ADA })
  const { data: links } = (await made.json()) as { data: { url: string }[] }
  const link = present(links[0], 'The link').url
  await client.query(
    'update links set expires_at = now() where expires_at > now() and parent_id is null',
  )
  await expect.poll(async () => (await fetch(link)).status).toBe(410)
  await expect
    .poll(() => read(`/api/buyers/detail?email=${ADA.toUpperCase()}`))
    .toMatchObject({
      email: ADA,
      orders: 3,
      library: { opened_at: expect.any(String) },
      download_list: [{ filename: 'walks.pdf' }],
      refusals: [{ filename: 'guide.pdf', code: 'expired' }],
    })
  expect((await server.call('GET', '/api/buyers/detail?email=no@example.com')).status).toBe(404)
  const sendTo = (email: string) => server.call('POST', '/api/buyers/library', { email })
  const before = libraryMails(ADA).length
  expect((await sendTo(ADA)).status).toBe(202)
  await expect.poll(() => libraryMails(ADA).length).toBe(before + 1)
  expect((await sendTo('no@example.com')).status).toBe(404)
})

test('a program that names no shop gets 202, and the mail of each shop where the address has files', async () => {
  await forgetLimits()
  const before = libraryMails('bob@example.com').length
  await client.query(`insert into shops (domain, name) values ('other.example', 'Other')`)
  const pending = async () =>
    (await client.query('select from library_keys where pending')).rowCount
  expect((await ask({ email: 'bob@example.com' })).status).toBe(202)
  await expect.poll(pending).toBe(0)
  await expect.poll(() => libraryMails('bob@example.com').length).toBe(before + 1)
  const page = await fetch(`${server.url}/library`)
  expect(page.status).toBe(404)
  expect((await ask({ email: 'bob@example.com', shop: 'none.example' })).status).toBe(202)
  expect(await pending()).toBe(0)
  await client.query(`delete from shops where domain = 'other.example'`)
})
