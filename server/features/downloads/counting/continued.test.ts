// A download that broke off is continued in its session instead of being counted again.
import { randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { soakTest, someOf } from '../../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../../test/database.ts'
import { breakOff, get, openDepot, visit, type Depot } from '../../../../test/delivery.ts'
import { ensurePack } from '../../../files/packs.ts'
import { createPackLink } from '../../links/model/pack-links.ts'

/**
 * Three times what a connection's buffers hold while nothing is read: a transfer that breaks off at its
 * beginning has not been sent.
 */
const LARGE = randomBytes(12_000_000)
/** The system lets the buffers of a connection grow while its bytes are read. */
const HUGE = randomBytes(30_000_000)
const MINUTE_MS = 60_000

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
let secondPort: number
/** A server behind a proxy that names the client's address. */
let proxied: number
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve()
  secondPort = await depot.serve()
  proxied = await depot.serve({ trustProxy: true })
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})

const pathOf = (key: string) => `/download?key=${key}`
const breakOffLink = (key: string, headers: Record<string, string> = {}, length = 1) =>
  breakOff(port, pathOf(key), headers, length)
const agent = (name: string) => ({ 'user-agent': name })
const from = (address: string, more: Record<string, string> = {}) => ({
  'x-forwarded-for': address,
  ...more,
})

async function sessionOf(id: string) {
  const [row] = await depot.scope.query<{ open: number; missing: number; bytes_left: number }>(
    'select * from download_sessions where shop_id = :shop and link_id = :id',
    { id },
  )
  return row
}
/** Waits until every transfer has ended, and the copy is complete. */
const completed = (id: string) =>
  expect
    .poll(async () => {
      const session = await sessionOf(id)
      return session?.open === 0 && session.missing <= 0
    })
    .toBe(true)
const brokenOff = (id: string) =>
  expect.poll(async () => (await sessionOf(id))?.missing).toBeGreaterThan(0)

/** Begins a download and reads nothing of it until it is told to. */
function hold(key: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const target = { port, host: '127.0.0.1', path: pathOf(key), headers, agent: false as const }
    httpRequest(target, (response) => resolve(response.on('error', () => {})))
      .on('error', reject)
      .end()
  })
}

describe('a link with one download', () => {
  test('is not used up by a transfer that breaks off, but by the one that follows', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    expect((await breakOffLink(key)).status).toBe(200)
    const again = await get(port, key)
    expect([again.status, again.body.equals(LARGE)]).toEqual([200, true])
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
    for (const at of [port, secondPort]) expect((await get(at, key)).status).toBe(410)
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
  })

  soakTest(
    'is continued by another program of the same network, at another process, also in parts',
    async () => {
      const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
      await breakOffLink(key, agent('browser'))
      await breakOff(secondPort, pathOf(key), agent('download manager'))
      // Both programs are known in the session now.
      const middle = LARGE.length / 2
      const parts = await Promise.all(
        [`bytes=${middle}-`, `bytes=1-${middle - 1}`].map((range) =>
          get(port, key, { ...agent('download manager'), range }),
        ),
      )
      expect(parts.map(({ status }) => status)).toEqual([206, 206])
      expect(parts[0]!.body.equals(LARGE.subarray(middle))).toBe(true)
      expect((await depot.downloads(id)).downloads).toBe(1)
      expect((await get(port, key, agent('third'))).status).toBe(410)
    },
  )

  test('is complete once its parts make a whole copy', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    const half = LARGE.length / 2
    expect((await get(port, key, { range: `bytes=0-${half - 1}` })).status).toBe(206)
    expect((await get(port, key, { range: `bytes=${half}-` })).status).toBe(206)
    await completed(id)
    expect((await get(port, key)).status).toBe(410)
  })

  test('is not continued from another network, except at an offset that was sent, with the ETag', async () => {
    const { key, id } = await depot.addLink(HUGE, { download_limit: 1 })
    const { etag } = await breakOff(proxied, pathOf(key), from('198.51.100.7'), 10_000_000)
    await brokenOff(id)
    const ask = (headers: Record<string, string>) => get(proxied, key, headers)
    const range = 'bytes=9000000-'
    const away = (more: Record<string, string> = {}) => from('203.0.113.9', more)
    expect((await ask(away())).status).toBe(410)
    expect((await ask(away({ range }))).status).toBe(410)
    expect((await ask(away({ range, 'if-range': '"other"' }))).status).toBe(410)
    const unsent = `bytes=${HUGE.length - 10}-`
    expect((await ask(away({ range: unsent, 'if-range': etag }))).status).toBe(410)
    const rest = await ask(away({ range, 'if-range': etag }))
    expect([rest.status, rest.body.equals(HUGE.subarray(9_000_000))]).toEqual([206, true])
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
    // The rest completed the copy.
    await completed(id)
    expect((await ask(from('198.51.100.7'))).status).toBe(410)
    expect((await ask(away())).status).toBe(410)
  })

  soakTest('is continued while the connection of the old network still hangs', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    const held = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = from('198.51.100.8')
      const about = { port: proxied, host: '127.0.0.1', path: pathOf(key), headers }
      httpRequest(about, resolve).on('error', reject).end()
    })
    held.on('error', () => {})
    const sent = async () => {
      const [row] = await depot.scope.query<{ sent_to: number }>(
        'select sent_to from download_sessions where shop_id = :shop and link_id = :id',
        { id },
      )
      return row?.sent_to
    }
    await expect.poll(sent).toBeGreaterThan(1000)
    const etag = held.headers.etag!
    const moved = from('203.0.113.10', { range: 'bytes=1000-', 'if-range': etag })
    const rest = await get(proxied, key, moved)
    held.destroy()
    expect([rest.status, rest.body.equals(LARGE.subarray(1000))]).toEqual([206, true])
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  soakTest('waits for a transfer that is just breaking off', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    const held = await hold(key, agent('browser'))
    const second = get(port, key, agent('download manager'))
    await new Promise((resolve) => held.once('readable', resolve))
    held.destroy()
    const answer = await second
    expect([answer.status, answer.body.equals(LARGE)]).toEqual([200, true])
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  soakTest(
    'is refused while its transfer goes on, and still while a session without a copy is open',
    async () => {
      const { key } = await depot.addLink(LARGE, { download_limit: 1 })
      const held = await hold(key)
      expect((await get(port, key)).status).toBe(410)
      held.destroy()
      expect((await get(port, key)).status).toBe(200)
      expect((await get(port, key)).status).toBe(410)
    },
  )

  soakTest('may be continued for thirty minutes, also after its expiry', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1, expiry_days: 1 })
    const start = depot.time.now
    try {
      depot.time.now = new Date(+start + 24 * 60 * MINUTE_MS - 1)
      await breakOffLink(key)
      await brokenOff(id)
      depot.time.now = new Date(+start + 24 * 60 * MINUTE_MS + 29 * MINUTE_MS)
      await breakOffLink(key)
      await brokenOff(id)
      expect((await get(port, key, {}, 'HEAD')).status).toBe(200)
      depot.time.now = new Date(+start + 24 * 60 * MINUTE_MS + 30 * MINUTE_MS)
      expect((await get(port, key, {}, 'HEAD')).status).toBe(410)
      expect((await get(port, key)).status).toBe(410)
    } finally {
      depot.time.now = start
    }
  })

  soakTest('shows its page with the button while a copy is owed', async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    await breakOffLink(key)
    await brokenOff(id)
    const page = await visit(port, `${pathOf(key)}&page=1`)
    expect([page.status, page.text.includes('<button')]).toEqual([200, true])
    const scanner = await get(port, key, agent('Mimecast URL protect'))
    expect([scanner.status, scanner.headers['content-type']]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
    expect((await get(port, key)).body.length).toBe(LARGE.length)
    expect((await visit(port, `${pathOf(key)}&page=1`)).status).toBe(410)
  })

  soakTest('ends with its file, also while a copy is owed', async () => {
    const { key, id, file } = await depot.addLink(LARGE, { download_limit: 1 })
    await breakOffLink(key)
    await brokenOff(id)
    await depot.setFile(file, { deleted_at: new Date() })
    const answer = await get(port, key)
    expect([answer.status, answer.text.includes('withdrawn')]).toEqual([410, true])
  })
})

soakTest(
  'of parallel requests, as many are free as copies broke off, and the others count',
  async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 4 })
    // In parallel, so that none continues the other.
    const held = await Promise.all([hold(key), hold(key)])
    held.forEach((response) => response.destroy())
    await expect.poll(async () => (await sessionOf(id))?.open).toBe(0)
    expect((await depot.downloads(id)).downloads).toBe(2)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        get(at % 2 ? port : secondPort, key, { range: 'bytes=0-' }),
      ),
    )
    const served = answers.filter(({ status }) => status === 206)
    expect(served.every(({ body }) => body.equals(LARGE))).toBe(true)
    // Two are counted. At least one is free, and two if the budget of both is not needed for one.
    expect((await depot.downloads(id)).downloads).toBe(4)
    expect(served.length).toBeGreaterThanOrEqual(3)
    expect(served.length).toBeLessThanOrEqual(4)
  },
)

soakTest('is counted again when the session has sent twice the file’s size', async () => {
  const { key, id } = await depot.addLink(HUGE, { download_limit: 2 })
  const most = 20_000_000
  // The first is counted. The others take more than half of the budget each.
  for (let times = 0; times < 3; times++) {
    await breakOffLink(key, {}, most)
    await brokenOff(id)
    expect((await depot.downloads(id)).downloads).toBe(1)
  }
  expect((await sessionOf(id))!.bytes_left).toBeLessThan(HUGE.length)
  const answer = await get(port, key)
  expect([answer.status, answer.body.equals(HUGE)]).toEqual([200, true])
  expect((await depot.downloads(id)).downloads).toBe(2)
  expect((await get(port, key)).status).toBe(410)
})

soakTest(
  'a transfer whose process was killed is continued when its process is silent for three seconds',
  async () => {
    const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
    expect((await get(port, key)).status).toBe(200)
    await completed(id)
    // What a killed process leaves.
    const open_until = new Date(+depot.time.now + 3000)
    await depot.scope
      .from('download_sessions')
      .where({ link_id: id } as never)
      .update({ open: 1, open_until } as never)
    expect((await get(port, key)).status).toBe(410)
    const start = depot.time.now
    try {
      depot.time.now = open_until
      expect((await get(port, key)).status).toBe(200)
      expect((await get(port, key)).status).toBe(410)
      expect((await depot.downloads(id)).downloads).toBe(1)
    } finally {
      depot.time.now = start
    }
  },
)

test('a link without a limit counts each download that begins', async () => {
  const { key, id } = await depot.addLink(LARGE)
  await breakOffLink(key)
  expect((await get(port, key)).status).toBe(200)
  expect((await depot.downloads(id)).downloads).toBe(2)
})

describe('of a pack', () => {
  let names = 0
  async function addPack(files: number) {
    const pack = await ensurePack(depot.scope, `Pack ${names++}`)
    for (let at = 0; at < files; at++)
      await depot.addFile(randomBytes(LARGE.length / 2), { pack_id: pack, pack_position: at })
    const terms = { pack_id: pack, download_limit: 1 }
    const link = await createPackLink(depot.scope, depot.secrets, terms, depot.time.now)
    const counts = () =>
      depot.scope.query<{ downloads: number }>(
        'select downloads from links where shop_id = :shop and parent_id = :id order by id',
        { id: link.id },
      )
    const offers = async () => {
      const { text } = await get(port, link.key)
      const [all] = /download\?key=[^']*all=1/.exec(text.replaceAll('&#x3D;', '=')) ?? []
      return { files: text.match(/aria-label='Download /g)?.length ?? 0, all: all !== undefined }
    }
    return { link, counts, offers, all: `${pathOf(link.key)}&all=1` }
  }

  test('the ZIP file is continued, with its files, and then used up', async () => {
    const { all, counts, offers } = await addPack(2)
    await breakOff(port, all)
    await expect.poll(offers).toEqual({ files: 0, all: true })
    const head = await visit(port, all, {}, 'HEAD')
    const whole = await visit(secondPort, all, agent('download manager'))
    expect([whole.status, head.headers.etag]).toEqual([200, whole.headers.etag])
    expect(whole.body.length).toBe(Number(head.headers['content-length']))
    expect(await counts()).toEqual([{ downloads: 1 }, { downloads: 1 }])
    expect((await visit(port, all)).status).toBe(410)
    expect(await offers()).toEqual({ files: 0, all: false })
  })

  soakTest('a file that broke off keeps its button on the page', async () => {
    const { link, offers } = await addPack(1)
    const { text } = await get(port, link.key)
    const key = /key=([\w-]{43})' aria|key&#x3D;([\w-]{43})'/.exec(text)!.slice(1).find(Boolean)!
    await breakOffLink(key)
    await expect.poll(offers).toEqual({ files: 1, all: false })
    expect((await get(port, key)).status).toBe(200)
    expect(await offers()).toEqual({ files: 0, all: false })
  })
})

describe('a file that was replaced since a transfer began', () => {
  const OLD = randomBytes(400_000)
  const NEW = randomBytes(400_000)
  const part = (key: string, headers: Record<string, string> = {}) =>
    get(port, key, { range: 'bytes=1000-1999', ...headers })

  test.each(someOf([{ download_limit: 3 }, {}] as const, (_, at) => at < 1))(
    'is sent whole to a program that names no version: %o',
    async (terms) => {
      const { key, file } = await depot.addLink(OLD, terms)
      expect((await get(port, key)).body.equals(OLD)).toBe(true)
      expect((await part(key)).status).toBe(206)
      await depot.replaceFile(file, NEW)
      const joined = await part(key)
      expect([joined.status, joined.body.equals(NEW)]).toEqual([200, true])
      // This transfer began with the new version, and other programs have none of it.
      const next = await part(key)
      expect([next.status, next.body.equals(NEW.subarray(1000, 2000))]).toEqual([206, true])
      expect((await part(key, agent('another'))).status).toBe(200)
    },
  )

  soakTest('is continued by a condition on its version', async () => {
    const { key, file } = await depot.addLink(OLD, { download_limit: 3 })
    const old = (await get(port, key)).headers.etag!
    await depot.replaceFile(file, NEW)
    expect((await part(key, { 'if-range': old })).status).toBe(200)
    const now = (await get(port, key, {}, 'HEAD')).headers.etag!
    expect((await part(key, { 'if-range': now, ...agent('another') })).status).toBe(206)
  })

  soakTest('is not redirected or handed over with a part that it does not grant', async () => {
    const address = 'http://bucket.test/blob'
    const store = { ...depot.store, signedAddress: () => Promise.resolve(address) }
    const bucketRedirect = { fromBytes: 1, seconds: 60, origins: [] }
    const at = [
      await depot.serve({ stores: new Map([['primary', store]]), bucketRedirect }),
      await depot.serve({ accel: { location: 'primary', prefix: '/blobs' } }),
    ]
    const { key, file } = await depot.addLink(OLD)
    await depot.replaceFile(file, NEW)
    for (const [n, one] of at.entries()) {
      const answer = await get(one, key, { range: 'bytes=1000-1999', ...agent(`program ${n}`) })
      expect([answer.status, answer.body.equals(NEW)]).toEqual([200, true])
    }
  })
})
