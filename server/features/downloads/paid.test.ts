// A delivery's page and its ZIP file, over real sockets: opening counts nothing, each file has its
// own terms, and a resumed ZIP file is never charged twice.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, get as httpGet, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../test/database.ts'
import { paidOrder } from '../../../test/orders.ts'
import { addMappings } from '../../files/mappings.ts'
import { changeDelivery, holdDelivery, revokeDelivery } from '../orders/changes.ts'
import { reconcileOrder } from '../orders/reconcile.ts'
import type { BlobStore } from '../../core/store/store.ts'
import { get, openDepot, pressed, visit, type Depot } from '../../../test/delivery.ts'
import { WAIT_MS } from '../../../test/wait.ts'

const run = promisify(execFile)
let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
let bought = 0
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve()
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})
beforeEach(() => void (depot.time.now = new Date('2026-03-01T12:00:00Z')))

/**
 * Creates an order of one product with these files; returns the keys of its page and files, and its
 * ids.
 */
async function buy(files: readonly [name: string, bytes: Buffer, fields?: object][]) {
  const product = `gid://shopify/Product/${(bought += 1)}`
  const ids: string[] = []
  for (const [name, bytes, fields = {}] of files) {
    const named = { filename: name, name_key: `${bought} ${name}`, mapping_state: 'mapped' }
    const id = await depot.addFile(bytes, { download_limit: 2, ...named, ...fields })
    const mapping = { product_title: '', variant_id: null, sku: null, score: 1, reason: '' }
    await addMappings(depot.scope, [
      { fileId: id, mapping: { ...mapping, product_id: product, method: 'manual' } },
    ])
    ids.push(id)
  }
  const order = paidOrder({
    id: `gid://shopify/Order/${bought}`,
    name: `#${1000 + bought}`,
    products: [product],
  })
  const parts = { secrets: depot.secrets, now: depot.time.now }
  await reconcileOrder(depot.scope, order, parts)
  const [row] = await depot.scope.query<{ delivery: string; link: string; rotation: number }>(
    `select d.id as delivery, l.id as link, l.rotation from deliveries d
     join links l on l.shop_id = d.shop_id and l.delivery_id = d.id where d.shop_id = :shop
       and d.order_id = :order`,
    { order: order.id },
  )
  return {
    ids,
    order,
    parts,
    delivery: row!.delivery,
    key: depot.secrets.linkKey(row!.link, row!.rotation),
    downloads: async () => {
      await depot.flush()
      const rows = await depot.scope.query<{ downloads: number }>(
        'select downloads from links where shop_id = :shop and parent_id = :link order by file_id',
        { link: row!.link },
      )
      return rows.map(({ downloads }) => downloads)
    },
    keys: async () => {
      const rows = await depot.scope.query<{ id: string; rotation: number }>(
        `select id, rotation from links where shop_id = :shop and parent_id = :link
          order by file_id`,
        { link: row!.link },
      )
      return rows.map(({ id, rotation }) => depot.secrets.linkKey(id, rotation))
    },
  }
}
const all = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
  visit(port, `/download?key=${key}&all=1`, headers, method)

describe('the page', () => {
  test('counts nothing, for people and for mail filters that fetch its links', async () => {
    const one = await buy([['a.pdf', Buffer.from('a')]])
    for (const method of ['GET', 'HEAD'])
      for (const agent of [
        'Mozilla/5.0',
        'Barracuda Sentinel (EE)',
        'Mozilla/5.0 BingPreview/1.0b',
      ])
        expect((await get(port, one.key, { 'user-agent': agent }, method)).status).toBe(200)
    expect(await one.downloads()).toEqual([0])
    const { text } = await get(port, one.key)
    expect(text).toContain('Order #')
    expect(text).toContain('2 downloads left')
    expect(text).not.toContain('<script')
  })
  soakTest(
    'tells the shop when its buyer has opened it, and not when the shop itself has',
    async () => {
      const one = await buy([['a.pdf', Buffer.from('a')]])
      const other = await buy([['b.pdf', Buffer.from('b')]])
      const openedAt = async (delivery: string) =>
        (
          await depot.scope.one<{ opened_at: Date | null }>(
            'select opened_at from deliveries where shop_id = :shop and id = :delivery',
            { delivery },
          )
        ).opened_at
      const recorded = ({ delivery }: { delivery: string }) =>
        expect.poll(() => openedAt(delivery), { timeout: WAIT_MS }).not.toBeNull()
      await visit(port, `/download?key=${one.key}&preview=1`)
      await get(port, one.key, { 'sec-purpose': 'prefetch' })
      // The record of a later page: those before it were not recorded.
      await get(port, other.key)
      await recorded(other)
      expect(await openedAt(one.delivery)).toBeNull()
      await get(port, one.key)
      await recorded(one)
    },
  )
  test('a mail filter that follows its links gets a button, a person the file', async () => {
    const one = await buy([['a.pdf', Buffer.from('the file')]])
    const [key] = (await one.keys()) as [string]
    const scanned = await get(port, key, { 'user-agent': 'Mimecast URL protect' })
    expect([scanned.status, scanned.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect(await one.downloads()).toEqual([0])
    expect((await get(port, key, { 'user-agent': 'Mozilla/5.0' })).text).toBe('the file')
    const download = await pressed(port, `/download?key=${key}&page=1`)
    expect((await visit(port, download, { 'user-agent': 'Mimecast URL protect' })).text).toBe(
      'the file',
    )
    expect(await one.downloads()).toEqual([2])
  })
  test.each(
    someOf(
      [
        ['sec-purpose', 'prefetch;prerender'],
        ['purpose', 'prefetch'],
        ['x-purpose', 'preview'],
      ] as const,
      (_, at) => at < 1,
    ),
  )('a browser that fetches ahead uses nothing up: %s', async (name, ahead) => {
    const one = await buy([['a.pdf', Buffer.from('the file')]])
    const [key] = (await one.keys()) as [string]
    const fetched = await get(port, key, { 'user-agent': 'Mozilla/5.0', [name]: ahead })
    expect(fetched.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(await one.downloads()).toEqual([0])
  })
  soakTest('nor does a mail filter use up the ZIP file, or a part of a file', async () => {
    const one = await buy([
      ['a.pdf', Buffer.from('first')],
      ['b.pdf', Buffer.from('second')],
    ])
    const filter = { 'user-agent': 'Mimecast URL protect' }
    const zip = await all(one.key, filter)
    expect(zip.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(zip.text).toContain('all&#x3D;1')
    const [key] = (await one.keys()) as [string]
    const part = await get(port, key, { ...filter, range: 'bytes=0-1' })
    expect(part.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(await one.downloads()).toEqual([0, 0])
    const download = await pressed(port, `/download?key=${one.key}&page=1&all=1`, filter)
    expect((await visit(port, download, filter)).headers['content-type']).toBe('application/zip')
    expect(await one.downloads()).toEqual([1, 1])
  })
  soakTest('offers views, which a hold and an expiry of their own files end', async () => {
    const track = { view: 'both', content_type: 'audio/mpeg' }
    const one = await buy([
      ['1.mp3', Buffer.from('first'), { ...track, expiry_days: 30 }],
      ['2.mp3', Buffer.from('second'), { ...track, view: 'view_only', expiry_days: null }],
    ])
    const [first, second] = (await one.keys()) as [string, string]
    const view = (key: string) => visit(port, `/view?key=${key}`)
    const { text } = await get(port, one.key)
    expect([...text.matchAll(/view\?key&#x3D;([\w-]{43})/g)].map(([, key]) => key)).toEqual([
      first,
      second,
    ])
    const tracks = (page: string) => page.match(/class='track'/g)?.length
    expect(tracks((await view(second)).text)).toBe(2)
    expect((await view(one.key)).headers.location).toBe(`download?key=${one.key}&page=1`)
    depot.time.now = new Date('2026-04-15T12:00:00Z')
    expect((await view(first)).status).toBe(410)
    expect(tracks((await view(second)).text)).toBe(1)
    await holdDelivery(depot.scope, one.delivery, one.parts)
    depot.invalidate()
    const held = await view(second)
    expect([held.status, held.text.includes('Your order is being checked')]).toEqual([403, true])
  })
  test('each file ends by its own terms, and a new version has the same link', async () => {
    const one = await buy([
      ['month.pdf', Buffer.from('month'), { expiry_days: 30 }],
      ['ever.pdf', Buffer.from('ever'), { expiry_days: null, download_limit: null }],
    ])
    const [month, ever] = (await one.keys()) as [string, string]
    depot.time.now = new Date('2026-04-15T12:00:00Z')
    expect((await get(port, month)).status).toBe(410)
    expect((await get(port, ever)).text).toBe('ever')
    expect((await get(port, one.key)).text).toContain('expired on March 31, 2026')
  })
  soakTest(
    'a paid file stays available without products, unless the shop’s setting says otherwise',
    async () => {
      const one = await buy([['a.pdf', Buffer.from('kept')]])
      const [key] = (await one.keys()) as [string]
      await depot.setFile(one.ids[0]!, { mapping_state: 'unmapped' })
      expect((await get(port, key)).text).toBe('kept')
      const set = (json: string) =>
        database.pool.query('update shops set settings = $2 where id = $1', [depot.shop, json])
      await set('{"paid_deliveries_survive": false}')
      expect((await get(port, key)).status).toBe(410)
      expect((await get(port, one.key)).text).not.toContain('a.pdf')
      await set('{}')
    },
  )
  soakTest('gives the reason if an order has ended, in the order’s language', async () => {
    const ended = [
      [{ cancelled_at: depot.time.now }, 'Diese Bestellung wurde storniert'],
      [{ financial_status: 'REFUNDED', lines: [] }, 'Diese Bestellung wurde erstattet'],
      [
        { financial_status: 'PARTIALLY_REFUNDED', lines: [] },
        'Die Produkte dieser Dateien wurden erstattet',
      ],
      [{ financial_status: 'VOIDED' }, 'Dieser Link wurde zurückgezogen'],
    ] as const
    for (const [change, text] of ended) {
      const one = await buy([['a.pdf', Buffer.from('a')]])
      const [key] = (await one.keys()) as [string]
      const updated_at = new Date(one.order.updated_at.getTime() + 1000)
      const order = { ...one.order, locale: 'de', updated_at, ...change }
      await reconcileOrder(depot.scope, order, one.parts)
      for (const asked of [one.key, key]) {
        const answer = await get(port, asked)
        expect([answer.status, answer.headers['content-language']]).toEqual([410, 'de'])
        expect(answer.text).toContain(text)
      }
    }
  })
  test('says that the order is checked while it is held, and that it is refused afterwards', async () => {
    const one = await buy([['a.pdf', Buffer.from('a')]])
    const [key] = (await one.keys()) as [string]
    await holdDelivery(depot.scope, one.delivery, one.parts)
    for (const held of [one.key, key]) {
      const answer = await get(port, held)
      expect([answer.status, answer.text.includes('Your order is being checked')]).toEqual([
        403,
        true,
      ])
    }
    await revokeDelivery(depot.scope, one.delivery, one.parts)
    for (const ended of [one.key, key]) {
      const answer = await get(port, ended)
      expect([answer.status, answer.text.includes('does not offer these files any more')]).toEqual([
        410,
        true,
      ])
      // More downloads would not help.
      expect(answer.text).not.toContain('<form')
    }
    expect(await one.downloads()).toEqual([0])
  })
  soakTest('a buyer requests more on it, and the shop learns how much is used', async () => {
    const one = await buy([
      ['a.pdf', Buffer.from('a'), { download_limit: 1 }],
      ['b.pdf', Buffer.from('b')],
    ])
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/download/ask`, {
        method: 'POST',
        body: new URLSearchParams({ key: one.key }),
      })
    const [key] = (await one.keys()) as [string]
    await get(port, key)
    expect((await ask()).status).toBe(200)
    const notices = await depot.scope.query<{ body: string }>(
      'select body from notices where shop_id = :shop and title = :title',
      { title: `A customer asks for more: order ${one.order.name}` },
    )
    expect(notices).toEqual([{ body: 'Used up or expired: 1 of its 2 files.' }])
  })
  test('a corrected address ends the link sent to the wrong one', async () => {
    const one = await buy([['a.pdf', Buffer.from('a')]])
    await changeDelivery(depot.scope, one.delivery, { email: 'right@example.com' }, one.parts)
    expect((await get(port, one.key)).status).toBe(404)
  })
})

describe('all files as a ZIP file', () => {
  const files = [
    ['large – größer.bin', randomBytes(700_000)],
    ['small.txt', Buffer.from('small')],
    ['empty.txt', Buffer.alloc(0)],
  ] as const

  soakTest('is not charged to a client that leaves before its first byte', async () => {
    const one = await buy([['a.pdf', Buffer.from('a')]])
    const [asked, left, resume] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
      PromiseWithResolvers<void>,
    ]
    const slow: BlobStore = {
      ...depot.store,
      size: async (...blob) => {
        asked.resolve()
        await resume.promise
        return depot.store.size(...blob)
      },
    }
    await depot.serve({ stores: new Map([['primary', slow]]) })
    const delivery = depot.lastDelivery()
    const handled = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      response.once('close', left.resolve)
      void delivery.handle(request, response).then(handled.resolve)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const leaving = new AbortController()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/download?key=${one.key}&all=1`
    const request = fetch(url, { signal: leaving.signal }).catch(() => {})
    await asked.promise
    leaving.abort()
    await left.promise
    resume.resolve()
    await Promise.all([handled.promise, request])
    expect(await one.downloads()).toEqual([0])
    await new Promise((resolve) => server.close(resolve))
  })
  test('can be unpacked by unzip, has a known length, and counts each file once', async () => {
    const one = await buy(files.map(([name, bytes]) => [name, bytes]))
    const head = await all(one.key, {}, 'HEAD')
    expect(await one.downloads()).toEqual([0, 0, 0])
    const whole = await all(one.key)
    expect([whole.status, Number(whole.headers['content-length'])]).toEqual([
      200,
      whole.body.length,
    ])
    expect([head.headers['content-length'], head.headers.etag]).toEqual([
      String(whole.body.length),
      whole.headers.etag,
    ])
    expect(await one.downloads()).toEqual([1, 1, 1])
    const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-zip-'))
    const file = path.join(folder, 'all.zip')
    await writeFile(file, whole.body)
    const env = { ...process.env, LC_ALL: 'C.UTF-8' }
    await run('unzip', ['-q', file, '-d', path.join(folder, 'out')], { env })
    for (const [name, bytes] of files)
      expect((await readFile(path.join(folder, 'out', name))).equals(bytes)).toBe(true)
    await rm(folder, { recursive: true })
  })
  test('resumes at every offset without a charge, also when no downloads are left', async () => {
    const one = await buy(files.map(([name, bytes]) => [name, bytes, { download_limit: 1 }]))
    const whole = await all(one.key)
    for (const from of [1, 31, 350_000, 700_100, whole.body.length - 5]) {
      const rest = await all(one.key, { range: `bytes=${from}-`, 'if-range': whole.headers.etag! })
      expect([rest.status, rest.body.equals(whole.body.subarray(from))]).toEqual([206, true])
    }
    expect(await one.downloads()).toEqual([1, 1, 1])
    const again = await all(one.key)
    expect([again.status, again.text.includes('nothing left')]).toEqual([410, true])
    expect((await all(one.key, { range: 'bytes=0-' })).status).toBe(410)
  })
  soakTest(
    'is not counted for a program that asks for its first byte to find out about parts',
    async () => {
      const one = await buy(files.map(([name, bytes]) => [name, bytes, { download_limit: 1 }]))
      const probe = await all(one.key, { range: 'bytes=0-0' })
      expect([probe.status, probe.text]).toEqual([206, 'P'])
      expect(await one.downloads()).toEqual([0, 0, 0])
      expect((await all(one.key, { range: 'bytes=0-' })).status).toBe(206)
      expect(await one.downloads()).toEqual([1, 1, 1])
    },
  )
  soakTest('keeps its first content, also if a file gets a new version meanwhile', async () => {
    const one = await buy([
      ['a.bin', Buffer.from('first version')],
      ['b.bin', Buffer.from('b')],
    ])
    const whole = await all(one.key)
    const bytes = Buffer.from('second one')
    const written = await depot.store.write(depot.shop, {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
    })
    const hash = Buffer.from(written.hash, 'hex')
    await depot.scope.insert('blobs', { hash, size_bytes: bytes.length })
    await depot.scope.insert('blob_locations', { hash, location: 'primary' })
    const version = { file_id: one.ids[0], number: 2, hash, location: 'primary' }
    await depot.scope.insert('versions', {
      ...version,
      size_bytes: bytes.length,
      content_type: 'x/y',
    })
    await depot.setFile(one.ids[0]!, { version: 2, size_bytes: bytes.length })
    const rest = await all(one.key, { range: 'bytes=40-' })
    expect(rest.body.equals(whole.body.subarray(40))).toBe(true)
    expect((await get(port, (await one.keys())[0]!)).text).toBe('second one')
    const fresh = await all(one.key)
    expect(fresh.headers.etag).not.toBe(whole.headers.etag)
  })
  test.each(
    someOf(
      [
        ['the whole order', { financial_status: 'REFUNDED', lines: [] }],
        ['one of its products', null],
      ] as const,
      (_, at) => at < 1,
    ),
  )('ends when %s is refunded, and its rest has no refunded file', async (_, change) => {
    const one = await buy([
      ['a.bin', randomBytes(5_000_000), { download_limit: 5 }],
      ['b.bin', Buffer.from('the refunded bytes')],
    ])
    const stall = Promise.withResolvers<void>()
    const stalling = await depot.serve({
      stores: new Map([
        [
          'primary',
          {
            ...depot.store,
            open: undefined as never,
            read: async () =>
              Readable.from(
                (async function* () {
                  yield randomBytes(50_000)
                  await stall.promise
                })(),
              ),
          },
        ],
      ]),
    })
    const whole = await all(one.key)
    expect(whole.text).toContain('the refunded bytes')
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpGet(
        { port: stalling, host: '127.0.0.1', path: `/download?key=${one.key}&all=1` },
        resolve,
      ).on('error', () => {}),
    )
    const ended = new Promise((resolve) => response.on('error', resolve).on('end', resolve))
    await new Promise((resolve) => response.once('data', resolve))
    response.resume()
    const updated_at = new Date(one.order.updated_at.getTime() + 1000)
    if (change)
      await reconcileOrder(depot.scope, { ...one.order, updated_at, ...change }, one.parts)
    else
      await depot.scope.query(
        'update links set revoked_at = now() where shop_id = :shop and file_id = :file',
        { file: one.ids[1] },
      )
    expect(await ended).toMatchObject({ code: 'ECONNRESET' })
    stall.resolve()
    const rest = await all(one.key, { range: 'bytes=10-' })
    // The ZIP file has other files now: a part of it would not continue the client's.
    expect(rest.status).toBe(change ? 410 : 200)
    expect(rest.text).not.toContain('the refunded bytes')
  })
  test('a part without an earlier download is counted and answered whole, and an invalid range is not counted', async () => {
    const one = await buy(files.map(([name, bytes]) => [name, bytes]))
    expect((await all(one.key, { range: 'bytes=99999999-' })).status).toBe(416)
    expect(await one.downloads()).toEqual([0, 0, 0])
    const answer = await all(one.key, { range: 'bytes=10-19' })
    expect([answer.status, answer.headers['content-range']]).toEqual([200, undefined])
    expect(await one.downloads()).toEqual([1, 1, 1])
  })
  soakTest('counts nothing if bytes are missing', async () => {
    const one = await buy(
      files.map(([name, bytes]) => [name, Buffer.concat([bytes, randomBytes(9)])]),
    )
    const [row] = await depot.scope.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from versions where shop_id = :shop and file_id = :id`,
      { id: one.ids[0] },
    )
    await depot.store.remove(depot.shop, row!.hash)
    expect((await all(one.key)).status).toBe(503)
    expect(await one.downloads()).toEqual([0, 0, 0])
  })
  test('serves as many parallel downloads as the limit allows', async () => {
    const one = await buy([
      ['a.bin', randomBytes(1000)],
      ['b.bin', randomBytes(1000)],
    ])
    const answers = await Promise.all(Array.from({ length: 10 }, () => all(one.key)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(2)
    expect(await one.downloads()).toEqual([2, 2])
  })
})
