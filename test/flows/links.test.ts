// Buyers' links through the whole product, over real HTTP: changes to a file or its link reach
// buyers within a second, and links that are sent arrive and work.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { startOrigin, type Origin } from '../fakes/origin.ts'
import { startMailFake, type MailFake } from '../fakes/smtp.ts'
import { promisedMs, soakTest } from '../scale.ts'
import { uniqueSkus } from './catalog.ts'
import { importUntilEnd, listAll } from './imports.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

const WITHIN_MS = promisedMs(1000)
let server: RunningServer
let origin: Origin
let smtp: MailFake
let file: string
let files = 0

beforeAll(async () => {
  ;[origin, smtp] = await Promise.all([startOrigin(), startMailFake()])
  server = await startLocalServer({ SMTP_URL: smtp.url })
})
afterAll(async () => {
  await server.stop()
  await Promise.all([origin.close(), smtp.close(), removeDataDir(server.dataDir)])
})
beforeEach(async () => {
  file = await importFile({ product_sku: uniqueSkus()[files] })
})

async function importFile(given: object = {}): Promise<string> {
  const filename = `score-${++files}.pdf`
  const url = `${origin.url}/bytes/2000/${filename}`
  const reply = await importUntilEnd(server, {
    files: [{ filename, url, ...given }],
    auto_map: false,
  })
  return reply.files[0]!.file_id!
}

interface Link {
  id: string
  url: string
  status: string
}
async function call<Reply = Record<string, unknown>>(
  method: string,
  route: string,
  body?: unknown,
): Promise<Reply> {
  const response = await server.call(method, route, body)
  const reply = (await response.json()) as Reply
  if (!response.ok)
    throw new Error(`${route} was answered ${response.status}: ${JSON.stringify(reply)}`)
  return reply
}
const makeLink = async (body: object): Promise<Link> =>
  (await call<{ data: Link[] }>('POST', '/api/links', { download_limit: null, ...body })).data[0]!

/** Runs an action on the file to its end. */
async function act(action: string, options: object = {}): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/api/operations', {
    action,
    options,
    select: { file_ids: [file] },
  })
  const events = await (await server.call('GET', `/api/operations/${id}/events`)).text()
  expect(events).toMatch(/"status":"success"/)
}

/** Waits until a download has this status, for at most a second. */
async function expectStatus({ url }: Link, status: number): Promise<void> {
  const since = performance.now()
  let answered: number
  do {
    const response = await fetch(url)
    const body = await response.arrayBuffer()
    answered = response.status
    if (answered === 200) expect(body.byteLength).toBe(2000)
  } while (answered !== status && performance.now() - since < WITHIN_MS)
  expect(answered).toBe(status)
}
const statusOf = async (link: Link) =>
  (await listAll(server, `/api/links?file_id=${file}`)).find(({ id }) => id === link.id)!.status

describe('a link stops within a second, and is restored', () => {
  test('when its file loses its last product, until it has one again', async () => {
    const link = await makeLink({ file_ids: [file] })
    await expectStatus(link, 200)
    const productsOf = async () =>
      (await call<{ products: string[] }>('GET', `/api/files/${file}`)).products
    const [own] = await productsOf()
    const { data } = await call<{ data: { id: string }[] }>('GET', '/api/products?limit=2')
    await act('map-products', { product_id: data.find(({ id }) => id !== own)!.id })
    const products = await productsOf()
    expect(products.length).toBe(2)
    await act('unmap-products', { product_ids: [products[0]] })
    await expectStatus(link, 200)
    await act('unmap-products', { product_ids: [products[1]] })
    await expectStatus(link, 410)
    expect(await statusOf(link)).toBe('withdrawn')
    await act('map-products', { product_id: products[0] })
    await expectStatus(link, 200)
    expect(await statusOf(link)).toBe('active')
  })

  test('when its file is moved to the trash, until it is restored; a mapping deleted with the file keeps it withdrawn', async () => {
    const link = await makeLink({ file_ids: [file] })
    await call('POST', '/api/files/bulk-delete', { file_ids: [file] })
    await expectStatus(link, 410)
    await act('restore-files')
    await expectStatus(link, 200)
    await call('POST', '/api/files/bulk-delete', { file_ids: [file], remove_mappings: true })
    await act('restore-files')
    await expectStatus(link, 410)
  })

  soakTest('when an undo removes its file’s product', async () => {
    const link = await makeLink({ file_ids: [file] })
    const { id } = await call<{ id: string }>('POST', '/api/operations', {
      action: 'unmap-products',
      select: { file_ids: [file] },
    })
    await expectStatus(link, 410)
    await (await server.call('GET', `/api/operations/${id}/events`)).text()
    await call('POST', `/api/operations/${id}/undo`)
    await expectStatus(link, 200)
  })

  soakTest('never, if its file never had a product', async () => {
    file = await importFile()
    await expectStatus(await makeLink({ file_ids: [file] }), 200)
  })
})

describe('a link', () => {
  test('stops for good when it is revoked, and the file’s other links still work', async () => {
    const [link, other] = [
      await makeLink({ file_ids: [file] }),
      await makeLink({ file_ids: [file] }),
    ]
    await call('POST', `/api/links/${link.id}/revoke`)
    await expectStatus(link, 410)
    await expectStatus(other, 200)
    await call('POST', '/api/links/revoke', { link_ids: [other.id] })
    await expectStatus(other, 410)
    await call('POST', '/api/files/bulk-delete', { file_ids: [file] })
    await act('restore-files')
    await expectStatus(link, 410)
  })

  test('in use has its count when the shop reads it, and its new terms at the next download', async () => {
    const link = await makeLink({ file_ids: [file] })
    const download = async () => {
      const response = await fetch(link.url)
      await response.arrayBuffer()
      return [response.status, response.headers.get('content-disposition')]
    }
    const countOf = async () => (await listAll(server, `/api/links?file_id=${file}`))[0]!.downloads
    for (let times = 1; times <= 5; times++) {
      await Promise.all(Array.from({ length: 10 }, download))
      expect(await countOf()).toBe(times * 10)
    }
    for (const filename of ['first-name.pdf', 'second-name.pdf']) {
      await act('rename-files', { pattern: filename.replace('.pdf', '') })
      expect(await download()).toEqual([200, expect.stringContaining(filename)])
    }
    await call('POST', `/api/links/${link.id}/revoke`)
    expect((await download())[0]).toBe(410)
    expect(await countOf()).toBe(52)
  })

  test('that is used up works again after a reset, exactly as often', async () => {
    const link = await makeLink({ file_ids: [file], download_limit: 2 })
    const statuses = async (times: number) => {
      const answers = await Promise.all(Array.from({ length: times }, () => fetch(link.url)))
      return answers.map(({ status }) => status).toSorted()
    }
    expect(await statuses(5)).toEqual([200, 200, 410, 410, 410])
    await call('POST', `/api/links/${link.id}/reset`)
    expect(await statuses(4)).toEqual([200, 200, 410, 410])
    expect(await call('GET', `/api/files/${file}`)).toMatchObject({ downloads: 4 })
  })

  test('to a pack serves its files, until it is revoked', async () => {
    const { id: pack_id } = await call<{ id: string }>('POST', '/api/packs', {
      name: `Pack ${files}`,
    })
    await act('move-to-pack', { pack: pack_id })
    // The pack has no product, so its file keeps its own.
    const link = await makeLink({ pack_id })
    const page = await (await fetch(link.url, { headers: { accept: 'text/html' } })).text()
    const [, key] = /download\?key(?:=|&#x3D;)([\w-]{43})/.exec(page)!
    const own = { ...link, url: `${server.url}/download?key=${key}` }
    await expectStatus(own, 200)
    await call('POST', `/api/links/${link.id}/revoke`)
    await expectStatus(own, 410)
    expect((await listAll(server, `/api/links?pack_id=${pack_id}`)).length).toBe(1)
  })
})

describe('sent links', () => {
  const received = (to: string) => smtp.mails.filter((mail) => mail.to.includes(to))
  const addressIn = (raw: string) =>
    /https?:\/\/[^\s"']+\/download\?key=[\w-]{43}/.exec(
      raw.replace(/=\r\n/g, '').replaceAll('=3D', '='),
    )![0]

  test('with an operation arrive once each at their own addresses, and work', async () => {
    const others = [await importFile(), await importFile()]
    const file_ids = [file, ...others]
    const per_file = [{ file_id: others[1], email: 'second@example.com', expiry_days: 1 }]
    const { id } = await call<{ id: string }>('POST', '/api/operations', {
      action: 'create-links',
      select: { file_ids },
      options: { email: 'first@example.com', send_emails: true, per_file },
    })
    await expect.poll(() => received('first@example.com').length).toBe(2)
    await expect.poll(() => received('second@example.com').length).toBe(1)
    for (const mail of smtp.mails) expect(mail.to.length).toBe(1)
    const [mail] = received('second@example.com')
    const answer = await fetch(addressIn(mail!.raw))
    expect(answer.status).toBe(200)
    const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition')!)![1]!
    expect(Buffer.from(await answer.arrayBuffer()).equals(contentOf(2000, name))).toBe(true)
    const undone = await call<{ id: string }>('POST', `/api/operations/${id}/undo`)
    await (await server.call('GET', `/api/operations/${undone.id}/events`)).text()
    expect((await fetch(addressIn(mail!.raw))).status).toBe(410)
  })

  soakTest('manually arrive as often as they are sent', async () => {
    const link = await makeLink({ file_ids: [file], email: 'hand@example.com' })
    for (let n = 1; n <= 2; n++) {
      expect(await call('POST', '/api/links/email', { link_ids: [link.id] })).toEqual({
        queued: 1,
        skipped: [],
      })
      await expect.poll(() => received('hand@example.com').length).toBe(n)
    }
    expect(received('hand@example.com').map(({ raw }) => addressIn(raw))).toEqual([
      link.url,
      link.url,
    ])
  })
})
