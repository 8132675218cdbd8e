// A cached link is counted as exactly, and ends as soon, as any other.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { soakTest, someOf } from '../../../../test/scale.ts'
import { createTestShop, openTestDatabase } from '../../../../test/database.ts'
import { hashKey } from '../../../core/secrets.ts'
import { deaf, get, openDepot, type Depot } from '../../../../test/delivery.ts'

const SMALL = randomBytes(1000)
const LARGE = randomBytes(300_000)
const HOUR_MS = 3_600_000

let database: Awaited<ReturnType<typeof openTestDatabase>>
let depot: Depot
let port: number
let secondPort: number
/** A server that receives no notifications. */
let deafPort: number
beforeAll(async () => {
  database = await openTestDatabase()
  depot = await openDepot(database, await createTestShop(database))
  port = await depot.serve()
  secondPort = await depot.serve()
  deafPort = await depot.serve({ listener: deaf })
})
afterAll(async () => {
  await depot.close()
  await database.drop()
})
afterEach(() => void vi.restoreAllMocks())

const statusOf = async (key: string, at = port) => (await get(at, key)).status
const many = (count: number, key: string) =>
  Promise.all(Array.from({ length: count }, (_, at) => statusOf(key, at % 2 ? port : secondPort)))
/** Advances the process's clock. */
const goOn = (ms: number) => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

const sql = (text: string, ...values: unknown[]) => database.pool.query(text, values)

describe('counts', () => {
  test.each(
    someOf(
      [
        ['small', SMALL],
        ['large', LARGE],
      ] as const,
      (_, at) => at < 1,
    ),
  )(
    'of a %s file’s link without a limit, for every one of many downloads at two servers',
    async (_, bytes) => {
      const { key, id } = await depot.addLink(bytes)
      for (const times of [1, 60, 60]) await many(times, key)
      expect(await depot.downloads(id)).toEqual({ downloads: 121, served: 121 })
    },
  )

  test('exactly the limit of a link that was just used', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 30 })
    for (const at of [port, secondPort]) expect(await statusOf(key, at)).toBe(200)
    const statuses = await many(60, key)
    expect(statuses.filter((status) => status === 200)).toHaveLength(28)
    expect(statuses.filter((status) => status === 410)).toHaveLength(32)
    expect(await depot.downloads(id)).toEqual({ downloads: 30, served: 30 })
  })

  test('exactly the limit of a link that had many downloads left a moment ago', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 100_000 })
    for (let times = 0; times < 3; times++) expect(await statusOf(key)).toBe(200)
    await depot.flush()
    await depot.setLink(id, { downloads: 99_970 })
    const statuses = await many(60, key)
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect((await depot.downloads(id)).downloads).toBe(100_000)
  })

  test('of a link with a limit are written before its file is served, however many are left', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 100_000 })
    const free = await depot.addLink(SMALL)
    // On a busy machine the cached link would expire before it is requested again.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (const link of [key, free.key]) expect(await statusOf(link)).toBe(200)
    const lock = await database.pool.connect()
    await lock.query('begin; lock table links in access exclusive mode')
    let served = 0
    const all = Array.from({ length: 60 }, () => statusOf(key).then((status) => (served++, status)))
    // Requested later, and answered from the cache.
    expect(await statusOf(free.key)).toBe(200)
    expect(served).toBe(0)
    await lock.query('commit')
    lock.release()
    expect(await Promise.all(all)).toEqual(all.map(() => 200))
    const { rows } = await sql('select downloads from links where id = $1', id)
    expect(rows).toEqual([{ downloads: 61 }])
  })

  soakTest('of many links requested concurrently are kept apart', async () => {
    const links = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        depot.addLink(SMALL, { download_limit: at % 3 ? null : 5 }),
      ),
    )
    for (let round = 0; round < 6; round++)
      await Promise.all(links.flatMap(({ key }) => [statusOf(key), statusOf(key, secondPort)]))
    for (const [at, { id }] of links.entries())
      expect([at, (await depot.downloads(id)).downloads]).toEqual([at, at % 3 ? 12 : 5])
  })

  test('a part that follows immediately is charged to the session that the download opened', async () => {
    const { key, id } = await depot.addLink(SMALL)
    for (const agent of ['one', 'two']) {
      const headers = { 'user-agent': agent }
      expect((await get(port, key, headers)).status).toBe(200)
      expect((await get(port, key, { ...headers, range: 'bytes=10-' })).status).toBe(206)
    }
    expect((await depot.downloads(id)).downloads).toBe(2)
  })

  test('a download whose bytes are missing reverts its count', async () => {
    const lost = randomBytes(1000)
    const { key, id, file } = await depot.addLink(lost)
    const other = await depot.addLink(lost)
    await get(port, key)
    await get(port, other.key)
    const [version] = await depot.scope.query<{ hash: Buffer }>(
      'select hash from versions where shop_id = :shop and file_id = :file',
      { file },
    )
    await depot.store.remove(depot.shop, version!.hash.toString('hex'))
    expect(await statusOf(key)).toBe(503)
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
    const sessions = await sql('select from download_sessions where link_id = $1', id)
    expect(sessions.rowCount).toBe(0)
  })

  soakTest('a pending count of a deleted link does not lose those of others', async () => {
    const [gone, stays] = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
    for (const { key } of [gone, stays, gone, stays]) expect(await statusOf(key)).toBe(200)
    await sql('delete from files where id = $1', gone.file)
    expect((await depot.downloads(stays.id)).downloads).toBe(2)
    const left = await sql('select from download_sessions where link_id = $1', gone.id)
    expect(left.rowCount).toBe(0)
  })
})

describe('a change', () => {
  const changes: readonly [
    what: string,
    change: (link: { file: string; id: string }) => Promise<unknown>,
  ][] = [
    ['the trash', ({ file }) => sql('update files set deleted_at = now() where id = $1', file)],
    [
      'unmapping',
      ({ file }) => sql(`update files set mapping_state = 'unmapped' where id = $1`, file),
    ],
    ['revoking', ({ id }) => sql('update links set revoked_at = now() where id = $1', id)],
    [
      'an end that was set earlier',
      ({ id }) => sql(`update links set expires_at = '2026-03-01' where id = $1`, id),
    ],
    [
      'a limit that is reached',
      ({ id }) => sql('update links set download_limit = 1 where id = $1', id),
    ],
    [
      'another key',
      ({ id }) => sql('update links set key_hash = $2 where id = $1', id, hashKey(randomUUID())),
    ],
    ['deletion', ({ file }) => sql('delete from files where id = $1', file)],
    [
      'uninstalling',
      () => sql(`update shops set uninstalled_at = now() where id = $1`, depot.shop),
    ],
  ]
  describe.each(
    someOf(
      [
        ['small', SMALL],
        ['large', LARGE],
      ] as const,
      (_, at) => at < 1,
    ),
  )('ends the link of a %s file', (_, bytes) => {
    test.each(someOf(changes, (_, at) => at < 3))(
      '%s, within 800 ms if no notification arrives',
      async (_, change) => {
        const link = await depot.addLink(bytes)
        for (let times = 0; times < 2; times++) expect(await statusOf(link.key, deafPort)).toBe(200)
        await depot.flush()
        await change(link)
        goOn(800)
        expect([404, 410]).toContain(await statusOf(link.key, deafPort))
        await sql('update shops set uninstalled_at = null')
      },
    )

    test.each(someOf(changes, (_, at) => at < 2))(
      '%s, when an operation makes progress',
      async (_, change) => {
        const link = await depot.addLink(bytes)
        for (let times = 0; times < 2; times++) expect(await statusOf(link.key)).toBe(200)
        await depot.flush()
        await change(link)
        await depot.operationProgress()
        expect([404, 410]).toContain(await statusOf(link.key))
        await sql('update shops set uninstalled_at = null')
      },
    )
  })

  test.each(someOf(changes.slice(2), (_, at) => at < 3))(
    '%s is notified by the database',
    async (_, change) => {
      const link = await depot.addLink(SMALL)
      for (let times = 0; times < 2; times++) expect(await statusOf(link.key)).toBe(200)
      await depot.flush()
      await change(link)
      await depot.notificationsArrived()
      expect([404, 410]).toContain(await statusOf(link.key))
      await sql('update shops set uninstalled_at = null')
    },
  )

  test.each(changes)(
    '%s ends the link immediately if it was made through the API',
    async (_, change) => {
      const link = await depot.addLink(SMALL)
      const { key } = link
      for (let times = 0; times < 3; times++) expect(await statusOf(key)).toBe(200)
      await depot.flush()
      await change(link)
      depot.invalidate()
      expect([404, 410]).toContain(await statusOf(key))
      await sql('update shops set uninstalled_at = null')
    },
  )

  test('of another shop keeps this shop’s cached links', async () => {
    const { key } = await depot.addLink(SMALL)
    // The notice of the new link itself would drop it from the cache.
    await depot.notificationsArrived()
    // On a busy machine the cached link would expire before the table is locked.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    expect(await statusOf(key)).toBe(200)
    await database.pool.query(`select pg_notify('operation_progress', '${depot.shop + 1}/other')`)
    await depot.notificationsArrived()
    const lock = await database.pool.connect()
    await lock.query('begin; lock table links in access exclusive mode')
    try {
      expect(await statusOf(key)).toBe(200)
    } finally {
      await lock.query('rollback')
      lock.release()
    }
  })

  test('a link’s expiry is exact to the millisecond', async () => {
    const { key } = await depot.addLink(SMALL, { expiry_days: 1 })
    const start = depot.time.now
    try {
      expect(await statusOf(key)).toBe(200)
      depot.time.now = new Date(+start + 24 * HOUR_MS - 1)
      expect(await statusOf(key)).toBe(200)
      depot.time.now = new Date(+start + 24 * HOUR_MS)
      expect(await statusOf(key)).toBe(410)
    } finally {
      depot.time.now = start
    }
  })

  soakTest('the next download gets a new name, new bytes and new sites', async () => {
    const { key, file } = await depot.addLink(SMALL)
    const answers = async () => (
      await depot.operationProgress(),
      get(port, key, { referer: 'https://elsewhere.example/' })
    )
    expect((await answers()).body.equals(SMALL)).toBe(true)
    await depot.setFile(file, { filename: 'renamed.pdf' })
    expect((await answers()).headers['content-disposition']).toContain('renamed.pdf')
    const { hash, size_bytes } = await depot.store.write(depot.shop, [LARGE] as never)
    const raw = Buffer.from(hash, 'hex')
    await sql(
      'insert into blobs (shop_id, hash, size_bytes) values ($1, $2, $3) on conflict do nothing',
      depot.shop,
      raw,
      size_bytes,
    )
    await depot.scope.insert('versions', {
      file_id: file,
      number: 2,
      hash: raw,
      location: 'primary',
      size_bytes,
      content_type: 'application/pdf',
    })
    await depot.setFile(file, { version: 2, size_bytes })
    expect((await answers()).body.equals(LARGE)).toBe(true)
    await depot.setFile(file, { allowed_referrers: ['shop.example'] })
    expect((await answers()).status).toBe(403)
    expect((await get(port, key)).status).toBe(200)
  })

  test('a locked link delays neither the counts of other links nor any download', async () => {
    const [held, other] = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
    for (const { key } of [held, other, held, other]) expect(await statusOf(key)).toBe(200)
    const lock = await database.pool.connect()
    await lock.query('begin')
    await lock.query('select from links where id = $1 for update', [held.id])
    expect((await depot.downloads(other.id)).downloads).toBe(2)
    expect(await statusOf(held.key)).toBe(200)
    await depot.operationProgress()
    expect(await statusOf(other.key)).toBe(200)
    expect((await depot.downloads(other.id)).downloads).toBe(3)
    await lock.query('commit')
    lock.release()
    expect((await depot.downloads(held.id)).downloads).toBe(3)
  })

  test('counts that cannot be written are kept and written later', async () => {
    const { key, id } = await depot.addLink(SMALL)
    for (let times = 0; times < 3; times++) expect(await statusOf(key)).toBe(200)
    await sql('alter table links rename to links_away')
    depot.logged.length = 0
    try {
      await depot.flush()
      expect(depot.logged.join()).toContain('not counted yet')
    } finally {
      await sql('alter table links_away rename to links')
    }
    expect((await depot.downloads(id)).downloads).toBe(3)
  })

  test('while the table is locked, only cached links are served, and counted later', async () => {
    const sure = await depot.addLink(SMALL)
    const limited = await depot.addLink(SMALL, { download_limit: 10 })
    for (const { key } of [sure, limited]) expect(await statusOf(key)).toBe(200)
    const lock = await database.pool.connect()
    await lock.query('begin; lock table links in access exclusive mode')
    expect(await statusOf(sure.key)).toBe(200)
    const waits = statusOf(limited.key)
    await lock.query('commit')
    lock.release()
    expect(await waits).toBe(200)
    expect((await depot.downloads(sure.id)).downloads).toBe(2)
    expect((await depot.downloads(limited.id)).downloads).toBe(2)
  })
})
