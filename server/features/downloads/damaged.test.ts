import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { soakDescribe, soakTest, someOf } from '../../../test/scale.ts'
import { createTestShop, openTestDatabase, silent } from '../../../test/database.ts'
import { SCRUB_PARTS, scrubBlobs } from '../../files/blob-checks.ts'
import { listNotices } from '../../core/outbox/notices.ts'
import { createDiskStore } from '../../core/store/disk.ts'
import type { BlobStore } from '../../core/store/store.ts'
import type { Delivery } from './downloads.ts'
import { get, openDepot, visit, type Depot } from '../../../test/delivery.ts'

const DAY = 24 * 60 * 60 * 1000
const SIZES = { small: 1000, large: 700_000 }

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let backupFolder: string
let backup: BlobStore
let port: number
let delivery: Delivery
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  backupFolder = await mkdtemp(path.join(tmpdir(), 'stevedore-backup-'))
  backup = createDiskStore({ folder: backupFolder })
  port = await depot.serve({ stores: stores() })
  delivery = depot.lastDelivery()
})
afterAll(async () => {
  await depot.close()
  await rm(backupFolder, { recursive: true })
  await database.drop()
})

const stores = () => new Map([['primary', depot.store], ['backup', backup]]) // oxfmt-ignore
let made = 0
const fresh = (size: number) => Buffer.alloc(size, `bytes ${made++} `)

/** The path of a file's bytes on the disk. */
async function pathOf(file: string): Promise<string> {
  const [row] = await depot.scope.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from versions where shop_id = :shop and file_id = :file`,
    { file },
  )
  return path.join(depot.folder, String(depot.shop), row!.hash)
}

/** Overwrites the file with other bytes of the same length. */
const spoil = async (file: string, size: number) =>
  writeFile(await pathOf(file), Buffer.alloc(size, 'x'))
const madeBefore = (days: number) =>
  database.pool.query('update blob_locations set created_at = $1, checked_at = null', [
    new Date(depot.time.now.getTime() - days * DAY),
  ])
/** Runs the scrub as another process does: this one learns its findings within a second. */
async function scrub(): Promise<void> {
  const parts = { database, stores: stores(), log: silent, clock: () => depot.time.now }
  for (let part = 0; part < SCRUB_PARTS; part++)
    await scrubBlobs(parts, new AbortController().signal, part)
  await depot.operationProgress()
}

const notices = async () => (await listNotices(depot.scope, { limit: 100 })).rows

describe.each(Object.entries(SIZES))('a blob that was truncated: %s', (_, size) => {
  it('is answered 503 before its first byte, and counts nothing', async () => {
    const link = await depot.addLink(fresh(size), { download_limit: 3 })
    await truncate(await pathOf(link.file), size - 1)
    const answer = await get(port, link.key)
    expect([answer.status, answer.headers.etag]).toEqual([503, undefined])
    expect(await depot.downloads(link.id)).toEqual({ downloads: 0, served: 0 })
  })
})

soakDescribe('missing bytes', () => {
  it('are reported at the first download, together, and in one mail', async () => {
    const { scope } = depot
    await scope.query(
      `update shops set settings = settings || '{"recipients": ["owner@example.com"]}'
       where id = :shop`,
    )
    const links = [await depot.addLink(fresh(1000)), await depot.addLink(fresh(SIZES.large))]
    for (const link of links) await rm(await pathOf(link.file))
    for (const link of links) {
      expect((await get(port, link.key)).status).toBe(503)
      await delivery.checked()
      const page = await get(port, link.key, { accept: 'text/html' })
      expect(page.text).toContain('This file is damaged')
      expect(await depot.downloads(link.id)).toEqual({ downloads: 0, served: 0 })
    }
    const unread = (await notices()).filter(({ read_at }) => read_at === null)
    expect(unread.map(({ title }) => title)).toEqual(['The bytes of 4 files are damaged'])
    const mails = await scope.query<{ payload: { data: { title: string } } }>(
      `select payload from outbox where shop_id = :shop and key like 'damaged/%'`,
    )
    expect(mails).toHaveLength(1)
  })
})

describe('other bytes at the first download of a day', () => {
  const spoiled = async (size: number, terms = {}) => {
    const link = await depot.addLink(fresh(size), { download_limit: 3, ...terms })
    await madeBefore(1)
    await spoil(link.file, size)
    return link
  }
  it('of a small file are answered 503 before the first byte, and count nothing', async () => {
    const link = await spoiled(SIZES.small)
    expect((await get(port, link.key)).status).toBe(503)
    expect(await depot.downloads(link.id)).toEqual({ downloads: 0, served: 0 })
  })
  it.each(someOf<Record<string, string>>([{}, { range: 'bytes=0-' }], (_, at) => at < 1))(
    'of a large file are never sent to the end: %o',
    async (headers) => {
      const link = await spoiled(SIZES.large)
      await expect(get(port, link.key, headers)).rejects.toThrow()
      await delivery.checked()
      // The count is given back after the connection has ended.
      await expect.poll(() => depot.downloads(link.id)).toEqual({ downloads: 0, served: 0 })
      const page = await get(port, link.key, { accept: 'text/html' })
      expect(page.text).toContain('This file is damaged')
    },
  )
  it('are restored from the backup, and sent whole at the next attempt', async () => {
    const bytes = fresh(SIZES.large)
    const link = await depot.addLink(bytes)
    await backup.write(depot.shop, Readable.from([bytes]))
    await madeBefore(1)
    await spoil(link.file, SIZES.large)
    await expect(get(port, link.key)).rejects.toThrow()
    await delivery.checked()
    expect((await get(port, link.key)).body).toEqual(bytes)
  })
  soakTest('from a bucket are not sent to the end either', async () => {
    const bytes = fresh(SIZES.large)
    const link = await depot.addLink(bytes)
    const wrong = Buffer.alloc(SIZES.large, 'y')
    const bucket: BlobStore = {
      ...depot.store,
      open: undefined as never,
      size: () => Promise.resolve(SIZES.large),
      read: () =>
        Promise.resolve(Readable.from([wrong.subarray(0, 300_000), wrong.subarray(300_000)])),
    }
    const other = await depot.serve({ stores: new Map([['primary', bucket]]) })
    await madeBefore(1)
    await expect(get(other, link.key)).rejects.toThrow()
  })
})

describe('after damage was found, no request gets a byte of it', () => {
  /** A check that does not end during the test: the requests meanwhile are what is tested. */
  const unchecked = (): BlobStore => {
    const held = Promise.withResolvers<never>()
    held.promise.catch(() => {})
    onTestFinished(() => held.reject(new Error('The test has ended')))
    return { ...depot.store, read: () => held.promise }
  }
  const found = async (size: number) => {
    const link = await depot.addLink(fresh(size))
    const serveAgain = () => depot.serve({ stores: new Map([['primary', unchecked()]]) })
    const ports = [await serveAgain(), await serveAgain()]
    // The other process has compared it today, when it was whole.
    expect((await get(ports[1]!, link.key)).status).toBe(200)
    await spoil(link.file, size)
    return { link, ports, first: get(ports[0]!, link.key) }
  }
  it('of a small file: whole, part, HEAD, and in another process', async () => {
    const { link, ports, first } = await found(SIZES.small)
    expect((await first).status).toBe(503)
    for (const at of [ports[0]!, ports[1]!])
      for (const answer of [
        await get(at, link.key),
        await get(at, link.key, { range: 'bytes=10-20' }),
        await get(at, link.key, {}, 'HEAD'),
      ])
        expect(answer.status).toBe(503)
  })
  it('of a large file, whose download broke off', async () => {
    const { link, ports, first } = await found(SIZES.large)
    await expect(first).rejects.toThrow()
    for (const at of [ports[0]!, ports[1]!])
      for (const answer of [
        await get(at, link.key),
        await get(at, link.key, { range: 'bytes=10-20' }),
      ])
        expect(answer.status).toBe(503)
  })
  soakTest('of a small file that another server would send, before it is handed over', async () => {
    const accel = { location: 'primary', prefix: '/blobs' }
    const at = await depot.serve({ accel, stores: new Map([['primary', unchecked()]]) })
    const link = await depot.addLink(fresh(SIZES.small))
    await spoil(link.file, SIZES.small)
    for (const headers of [{}, { range: 'bytes=10-20' }, {}] as Record<string, string>[])
      expect((await get(at, link.key, headers)).status).toBe(503)
  })
  soakTest('of a small file asked for in parts', async () => {
    const link = await depot.addLink(fresh(SIZES.small))
    await spoil(link.file, SIZES.small)
    for (const range of ['bytes=0-', 'bytes=5-9', 'bytes=-3'])
      expect((await get(port, link.key, { range })).status).toBe(503)
  })
})

describe('a blob with other bytes', () => {
  it('is found by its first download of the day, and answered with a page afterwards', async () => {
    const link = await depot.addLink(fresh(SIZES.small))
    const open = await depot.addPublic(fresh(SIZES.large))
    await madeBefore(1)
    await spoil(link.file, SIZES.small)
    await spoil(open.file, SIZES.large)
    expect((await get(port, link.key)).status).toBe(503)
    await expect(visit(port, open.path)).rejects.toThrow()
    await delivery.checked()
    for (const method of ['GET', 'HEAD']) {
      const answers = [
        await get(port, link.key, {}, method),
        await visit(port, open.path, {}, method),
      ]
      expect(answers.map(({ status }) => status)).toEqual([503, 503])
    }
    const page = await get(port, link.key, { accept: 'text/html' })
    expect(page.text).toContain('This file is damaged')
    expect(page.text).toContain('This was not counted as a download')
    const asked = await get(port, link.key, {
      accept: 'application/json',
      'if-none-match': '*',
      range: 'bytes=5-9',
    })
    expect((JSON.parse(asked.text) as { error: { code: string } }).error.code).toBe('file_damaged')
    expect((await depot.downloads(link.id)).downloads).toBe(0)
    expect(await depot.publicDownloads(open.file)).toBe(0)
    // With those of the tests above.
    const unread = (await notices()).filter(({ read_at }) => read_at === null)
    expect(unread.map(({ level, title }) => [level, title])).toEqual([
      ['critical', expect.stringMatching(/^The bytes of \d+ files are damaged$/)],
    ])
  })
  soakTest('is verified once a day', async () => {
    const link = await depot.addLink(fresh(SIZES.small))
    await madeBefore(1)
    await get(port, link.key)
    await delivery.checked()
    await spoil(link.file, SIZES.small)
    await get(port, link.key)
    await delivery.checked()
    expect((await get(port, link.key)).status).toBe(200)
    depot.time.now = new Date(depot.time.now.getTime() + DAY)
    expect((await get(port, link.key)).status).toBe(503)
  })
  it('is found by the scrub within 30 days, and restored from the backup', async () => {
    const bytes = fresh(SIZES.large)
    const [kept, lost] = [await depot.addLink(bytes), await depot.addLink(fresh(SIZES.small))]
    await backup.write(depot.shop, Readable.from([bytes]))
    await spoil(kept.file, SIZES.large)
    await spoil(lost.file, SIZES.small)
    await madeBefore(10)
    await scrub()
    expect((await get(port, lost.key, {}, 'HEAD')).status).toBe(200)
    await madeBefore(21)
    await scrub()
    const answer = await get(port, kept.key)
    expect(answer.body.equals(bytes)).toBe(true)
    expect((await get(port, lost.key)).status).toBe(503)
  })
  soakTest('is served again when its bytes are restored', async () => {
    const bytes = fresh(SIZES.small)
    const link = await depot.addLink(bytes)
    await spoil(link.file, SIZES.small)
    await madeBefore(21)
    await scrub()
    expect((await get(port, link.key)).status).toBe(503)
    await writeFile(await pathOf(link.file), bytes)
    await scrub()
    expect((await get(port, link.key)).body.equals(bytes)).toBe(true)
  })
})

soakTest('a scrub reads all blobs within ten days, oldest first', async () => {
  await database.pool.query('update blob_locations set created_at = now(), checked_at = $1', [
    new Date(depot.time.now.getTime() - 21 * DAY),
  ])
  await scrub()
  const { rows } = await database.pool.query<{ left: string }>(
    'select count(*) as left from blob_locations where checked_at < $1',
    [depot.time.now],
  )
  expect(Number(rows[0]!.left)).toBe(0)
})
