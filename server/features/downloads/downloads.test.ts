import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { startS3 } from '../../../test/fakes/s3.ts'
import { revokeLinks } from '../links/model/changes.ts'
import { createS3Store } from '../../core/store/s3.ts'
import { createLogger } from '../../core/log.ts'
import { checkBlob } from '../../files/blob-checks.ts'
import { CountedWrites } from './counted-writes.ts'
import { createCounting } from './counting/counting.ts'
import { deaf, get, openTestDepot, type Depot, type TestDepot } from '../../../test/delivery.ts'
import { createLooks } from './look.ts'
import { sweepSessions } from './counting/sessions.ts'
import { openQuery } from './targets.ts'
import { WAIT_MS } from '../../../test/wait.ts'
import { sized, soakDescribe, soakTest } from '../../../test/scale.ts'

const run = promisify(execFile)
const SMALL = randomBytes(1000)
const LARGE = randomBytes(3_000_000)
const MINUTE_MS = 60_000

let database: TestDepot['database']
let depot: Depot
let port: number
let secondPort: number
beforeAll(async () => {
  const opened = await openTestDepot()
  ;({ database, depot, port } = opened)
  secondPort = await depot.serve()
  return opened.end
})

type Linked = Awaited<ReturnType<Depot['addLink']>>

/** How many connections wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

const many = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))

async function until<T>(look: () => Promise<T>, good: (value: T) => boolean): Promise<T> {
  const end = Date.now() + WAIT_MS
  while (true) {
    const value = await look()
    if (good(value)) return value
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(value)}`)
  }
}

describe('counting', () => {
  test('a small and a large file arrive completely and are counted', async () => {
    for (const bytes of [SMALL, LARGE]) {
      const { key, id } = await depot.addLink(bytes)
      const answer = await get(port, key)
      expect(answer.status).toBe(200)
      expect(answer.body.equals(bytes)).toBe(true)
      expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
    }
  })

  test('of 50 concurrent requests on a limit of 5, two servers serve exactly 5', async () => {
    for (let round = 0; round < sized(3, 10); round++) {
      const { key, id } = await depot.addLink(SMALL, { download_limit: 5 })
      const answers = await many(50, (at) => get(at % 2 ? port : secondPort, key))
      const served = answers.filter(({ status }) => status === 200)
      expect(served).toHaveLength(5)
      expect(served.every(({ body }) => body.equals(SMALL))).toBe(true)
      expect(answers.filter(({ status }) => status === 410)).toHaveLength(45)
      expect(await depot.downloads(id)).toEqual({ downloads: 5, served: 5 })
    }
  })

  soakTest('many links concurrently, each with its own limit, from two servers', async () => {
    const links = await many(12, (at) => depot.addLink(SMALL, { download_limit: at + 1 }))
    const answers = await many(240, async (at) => {
      const link = (at * 7) % 12
      return { link, status: (await get(at % 2 ? port : secondPort, links[link]!.key)).status }
    })
    for (const [at, { id }] of links.entries()) {
      expect(answers.filter(({ link, status }) => link === at && status === 200)).toHaveLength(
        at + 1,
      )
      expect((await depot.downloads(id)).downloads).toBe(at + 1)
    }
  })

  soakTest(
    'many small files arrive with their own bytes while other clients disconnect',
    async () => {
      const files = await many(30, async (at) => {
        const bytes = randomBytes(20_000 + at * 7000)
        return { bytes, ...(await depot.addLink(bytes)) }
      })
      const leave = async (key: string) => {
        const socket = createConnection(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(`GET /download?key=${key} HTTP/1.1\r\nHost: a\r\n\r\n`)
        await new Promise((resolve) => socket.once('data', resolve))
        socket.destroy()
      }
      await many(300, async (at) => {
        const { bytes, key } = files[at % 30]!
        if (at % 5 === 0) return leave(key)
        const range = { start: at % 11, end: bytes.length - 1 - (at % 13) }
        const answer = await get(
          port,
          key,
          at % 3 ? {} : { range: `bytes=${range.start}-${range.end}` },
        )
        expect(
          answer.body.equals(at % 3 ? bytes : bytes.subarray(range.start, range.end + 1)),
        ).toBe(true)
      })
    },
  )

  test('a merchant’s reset reopens the link and keeps the total', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 1 })
    await get(port, key)
    expect((await get(port, key)).status).toBe(410)
    await depot.scope
      .from('links')
      .where({ id } as never)
      .update({ downloads: 0 } as never)
    expect((await get(port, key)).status).toBe(200)
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 2 })
  })

  soakTest('a locked link delays no other link', async () => {
    const [held, free] = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
    const holder = await database.pool.connect()
    await holder.query('begin')
    await holder.query('select 1 from links where id = $1 for update', [held.id])
    const waiting = get(port, held.key)
    expect((await many(20, () => get(port, free.key))).every(({ status }) => status === 200)).toBe(
      true,
    )
    await holder.query('rollback')
    holder.release()
    expect((await waiting).status).toBe(200)
  })

  soakTest('a statement that deadlocks with another transaction is retried', async () => {
    // Only a link with a limit is locked.
    const add = () => depot.addLink(SMALL, { download_limit: 5 })
    const links = [await add(), await add()]
    const [first, second] = links.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [Linked, Linked]
    // PostgreSQL rolls back the transaction whose deadlock_timeout ends first.
    const pool = new pg.Pool({
      connectionString: database.url,
      options: '-c deadlock_timeout=300ms',
    })
    const query = openQuery(pool)
    const { links: counter } = createCounting({
      query,
      writes: new CountedWrites(pool, createLogger('error')),
      looks: createLooks(query, deaf),
      log: createLogger('error'),
      recorder: { record: () => {} },
      clock: () => depot.time.now,
    })
    const client = { hash: Buffer.alloc(16), network: Buffer.alloc(16), address: '', agent: '' }
    const [gate, holder] = [await database.pool.connect(), await database.pool.connect()]
    const lock = (client: pg.PoolClient, id: string) =>
      client.query('select 1 from links where id = $1 for update', [id])
    await gate.query('begin')
    await lock(gate, first.id)
    await holder.query(`begin; set local deadlock_timeout = '20s'`)
    await lock(holder, second.id)
    const counted = Promise.all(
      [first, second].map(({ key }) =>
        counter.count({ key, client, sites: null, now: depot.time.now }),
      ),
    )
    await until(waiting, (count) => count === 1)
    const locked = lock(holder, first.id)
    await until(waiting, (count) => count === 2)
    // The count is next: it locks the first link and waits for the second, whose holder waits for
    // the first.
    await gate.query('rollback')
    gate.release()
    await locked
    await holder.query('rollback')
    holder.release()
    expect((await counted).map((download) => download?.target.link)).toEqual([first.id, second.id])
    expect((await depot.downloads(first.id)).downloads).toBe(1)
    await pool.end()
  })

  soakTest(
    'revoking many links locks them in id order, as downloads do, also in a sequential scan',
    async () => {
      const links = [await depot.addLink(SMALL), await depot.addLink(SMALL)]
      const [first, second] = links.toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [Linked, Linked]
      const placesOf = async () =>
        (
          await database.pool.query<{ behind: boolean }>(
            `select (select ctid from links where id = $1) > (select ctid from links where id = $2)
            as behind`,
            [first.id, second.id],
          )
        ).rows[0]!.behind
      // Each change moves its row, eventually behind the other's.
      for (let n = 0; !(await placesOf()); n++)
        await depot.setLink(first.id, { email: `${n}@example.com` })
      const holder = await database.pool.connect()
      await holder.query('begin')
      await holder.query('select 1 from links where id = $1 for update', [first.id])
      const ending = depot.scope.transaction(async (tx) => {
        // Forces a sequential scan, as the planner may choose for a large table.
        const off = (name: string) => `set_config('${name}', 'off', true)`
        await tx.query(
          `select :shop, ${['enable_indexscan', 'enable_bitmapscan'].map(off).join(', ')}`,
        )
        await revokeLinks(tx, [second.id, first.id])
      })
      await until(waiting, (count) => count > 0)
      const free = await holder.query('select 1 from links where id = $1 for update skip locked', [
        second.id,
      ])
      await holder.query('rollback')
      holder.release()
      await ending
      expect(free.rowCount).toBe(1)
      expect((await get(port, second.key)).status).toBe(410)
    },
  )

  test('a client that disconnects has been counted', async () => {
    const { key, id } = await depot.addLink(LARGE)
    const socket = createConnection(port, '127.0.0.1')
    socket.write(`GET /download?key=${key} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
  })

  test('missing bytes count nothing, are answered 503 and logged', async () => {
    for (const bytes of [randomBytes(500), randomBytes(2_000_000)]) {
      const { key, id } = await depot.addLink(bytes, { download_limit: 1 })
      const { hash } = await depot.store.write(depot.shop, [bytes] as never)
      await depot.store.remove(depot.shop, hash)
      depot.logged.length = 0
      const answer = await get(port, key)
      expect(answer.status).toBe(503)
      expect(answer.headers['retry-after']).toBe('60')
      expect(await depot.downloads(id)).toEqual({ downloads: 0, served: 0 })
      expect(depot.logged.join()).toContain(hash)
      expect(depot.logged.join()).not.toContain(key)
      // The check that the download has started records the damage; the next one takes it back.
      await expect
        .poll(() =>
          depot.scope.query(
            `select damaged from versions where shop_id = :shop and hash = decode(:hash, 'hex')`,
            { hash },
          ),
        )
        .toEqual([{ damaged: true }])
      await depot.store.write(depot.shop, [bytes] as never)
      const parts = {
        database,
        stores: new Map([['primary', depot.store]]),
        log: createLogger('error', () => {}),
        clock: () => depot.time.now,
      }
      const blob = { shop: depot.shop, hash, location: 'primary' }
      expect(await checkBlob(parts, blob, new AbortController().signal)).toBe('whole')
      await expect.poll(async () => (await get(port, key)).status).toBe(200)
    }
  })
})

describe('the end of a link', () => {
  test('it expires by the configured clock', async () => {
    const { key } = await depot.addLink(SMALL, { expiry_days: 1 })
    const start = depot.time.now
    try {
      depot.time.now = new Date(+start + 24 * 60 * MINUTE_MS - 1)
      expect((await get(port, key)).status).toBe(200)
      depot.time.now = new Date(+start + 24 * 60 * MINUTE_MS)
      const answer = await get(port, key)
      expect(answer.status).toBe(410)
      expect(answer.text).toContain('March 2, 2026')
    } finally {
      depot.time.now = start
    }
  })

  test('trash, unmapping, revoking and uninstalling stop it immediately, with its sessions', async () => {
    const stops = [
      `update files set deleted_at = now() where id = $1`,
      `update files set mapping_state = 'unmapped' where id = $1`,
      `update links set revoked_at = now() where file_id = $1`,
      `update shops set uninstalled_at = now()
         where id = (select shop_id from files where id = $1)`,
    ]
    for (const stop of stops) {
      const { key, file } = await depot.addLink(SMALL)
      expect((await get(port, key)).status).toBe(200)
      await database.pool.query(stop, [file])
      await depot.operationProgress()
      for (const headers of [{}, { range: 'bytes=10-' }] as Record<string, string>[]) {
        const answer = await get(port, key, headers)
        expect([stop, answer.status]).toEqual([stop, 410])
        expect(answer.text).toContain('withdrawn')
      }
    }
    await database.pool.query('update shops set uninstalled_at = null')
  })
})

describe('ranges and sessions', () => {
  const client = (name: string) => ({ 'user-agent': name })
  /** The end of a transfer is recorded after its last byte: until then its network is owed a copy. */
  const untilReceived = (id: string) =>
    expect
      .poll(() =>
        depot.scope.query(
          `select missing <= 0 and open = 0 as received from download_sessions
           where shop_id = :shop and link_id = :id`,
          { id },
        ),
      )
      .toEqual([{ received: true }])

  test('later offsets are charged to the session that byte 0 opened, up to twice the size, and counted beyond that', async () => {
    const { key, id } = await depot.addLink(SMALL)
    const first = await get(port, key, { range: 'bytes=0-99' })
    expect([first.status, first.headers['content-range']]).toEqual([206, 'bytes 0-99/1000'])
    expect(first.body.equals(SMALL.subarray(0, 100))).toBe(true)
    for (let part = 0; part < 2; part++) {
      const answer = await get(port, key, { range: 'bytes=100-' })
      expect(answer.body.equals(SMALL.subarray(100))).toBe(true)
    }
    expect((await get(port, key, { range: 'bytes=-200' })).body.equals(SMALL.subarray(800))).toBe(
      true,
    )
    expect((await depot.downloads(id)).downloads).toBe(1)
    expect((await get(port, key, { range: 'bytes=999-' })).status).toBe(206)
    expect((await depot.downloads(id)).downloads).toBe(2)
  })

  test('a download of a used-up link can be finished only by the client that began it', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 1 })
    expect((await get(port, key, client('one'))).status).toBe(200)
    expect((await get(port, key, { ...client('one'), range: 'bytes=500-' })).status).toBe(206)
    await untilReceived(id)
    expect((await get(port, key, { ...client('two'), range: 'bytes=500-' })).status).toBe(410)
    expect((await get(port, key, { ...client('one'), range: 'bytes=0-' })).status).toBe(410)
    expect((await get(port, key, client('one'))).status).toBe(410)
  })

  soakTest(
    'a player that asks for the first two bytes before the file uses one download',
    async () => {
      const { key, id } = await depot.addLink(SMALL, { download_limit: 1 })
      const probe = await get(port, key, { ...client('player'), range: 'bytes=0-1' })
      expect([probe.status, probe.headers['content-range'], probe.body]).toEqual([
        206,
        'bytes 0-1/1000',
        SMALL.subarray(0, 2),
      ])
      expect((await depot.downloads(id)).downloads).toBe(0)
      const parts = ['bytes=0-499', 'bytes=0-0', 'bytes=500-999']
      for (const range of parts)
        expect((await get(port, key, { ...client('player'), range })).status).toBe(206)
      expect((await depot.downloads(id)).downloads).toBe(1)
      await untilReceived(id)
      expect((await get(port, key, { ...client('other'), range: 'bytes=0-1' })).status).toBe(410)
      expect((await get(port, key, { ...client('other'), range: 'bytes=0-2' })).status).toBe(410)
    },
  )

  test('HEAD has the status of GET: a used-up link is refused, and nothing is counted', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 1 })
    expect((await get(port, key, client('one'), 'HEAD')).status).toBe(200)
    await get(port, key, client('one'))
    for (const name of ['one', 'two'])
      for (const method of ['HEAD', 'GET'])
        expect((await get(port, key, client(name), method)).status).toBe(410)
    const { headers, body } = await get(port, key, client('one'), 'HEAD')
    expect([headers['cache-control'], body.length]).toEqual([
      expect.stringContaining('no-store'),
      0,
    ])
    // It may finish the download that it began.
    expect((await get(port, key, { ...client('one'), range: 'bytes=500-' })).status).toBe(206)
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  soakTest('a session ends after thirty minutes, and the sweep deletes it', async () => {
    const { key, id } = await depot.addLink(SMALL)
    const start = depot.time.now
    try {
      await get(port, key)
      depot.time.now = new Date(+start + 30 * MINUTE_MS - 1)
      await get(port, key, { range: 'bytes=1-' })
      expect((await depot.downloads(id)).downloads).toBe(1)
      depot.time.now = new Date(+start + 30 * MINUTE_MS)
      await get(port, key, { range: 'bytes=1-' })
      expect((await depot.downloads(id)).downloads).toBe(2)
      // A part that was requested in time may still be being sent.
      expect(await sweepSessions(database.pool, depot.time.now)).toBe(0)
      await depot.scope.query(
        `update download_sessions set expires_at = expires_at - interval '13 hours'
           where shop_id = :shop and link_id <> :id`,
        { id },
      )
      expect(await sweepSessions(database.pool, depot.time.now, 1)).toBeGreaterThan(0)
      const left = await database.pool.query<{ link_id: string; expires_at: Date }>(
        'select * from download_sessions',
      )
      expect(left.rows.map(({ link_id }) => link_id)).toContain(id)
      expect(left.rows.every(({ expires_at }) => expires_at > depot.time.now)).toBe(true)
    } finally {
      depot.time.now = start
    }
  })

  soakTest('without a session a later offset counts, and opens one', async () => {
    const { key, id } = await depot.addLink(SMALL)
    await get(port, key, { range: 'bytes=500-' })
    await get(port, key, { range: 'bytes=600-' })
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  test('parallel first requests each count', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 3 })
    const answers = await many(8, () => get(port, key, { range: 'bytes=0-' }))
    expect(answers.filter(({ status }) => status === 206)).toHaveLength(3)
    expect((await depot.downloads(id)).downloads).toBe(3)
  })

  test('parallel parts never take more than the session’s budget', async () => {
    const { key, id } = await depot.addLink(SMALL, { download_limit: 1 })
    await get(port, key)
    const answers = await many(20, () => get(port, key, { range: 'bytes=500-' }))
    expect(answers.filter(({ status }) => status === 206)).toHaveLength(4)
    expect((await depot.downloads(id)).downloads).toBe(1)
  })

  /**
   * Requests everything from `start`, reads `length` bytes and disconnects; returns the status and
   * the bytes.
   */
  function readPart(
    key: string,
    start: number,
    length: number,
  ): Promise<{ status: number; bytes: Buffer }> {
    return new Promise((resolve, reject) => {
      const target = {
        port,
        host: '127.0.0.1',
        path: `/download?key=${key}`,
        agent: false as const,
      }
      const request = httpRequest(
        { ...target, headers: { range: `bytes=${start}-` } },
        (response) => {
          const chunks: Buffer[] = []
          const end = () =>
            resolve({
              status: response.statusCode!,
              bytes: Buffer.concat(chunks).subarray(0, length),
            })
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            if (chunks.reduce((sum, { length }) => sum + length, 0) >= length) request.destroy()
          })
          response.on('error', () => {}).on('close', end)
        },
      )
      request.on('error', reject).end()
    })
  }
  const sessionLeft = async (id: string) => {
    const sql = 'select bytes_left from download_sessions where shop_id = :shop and link_id = :id'
    return (await depot.scope.query<{ bytes_left: number }>(sql, { id }))[0]!.bytes_left
  }

  soakTest(
    'eight concurrent open-ended parts, each closed where the next begins, are one download; unsent bytes are refunded',
    async () => {
      const part = 5_000_000
      const bytes = randomBytes(8 * part)
      const { key, id } = await depot.addLink(bytes, { download_limit: 1 })
      const parts = await many(8, async (at) => {
        // The first one opens the session.
        if (at > 0)
          await until(
            () => depot.downloads(id),
            ({ downloads }) => downloads > 0,
          )
        return readPart(key, at * part, part)
      })
      expect(parts.map(({ status }) => status)).toEqual(Array(8).fill(206))
      expect(Buffer.concat(parts.map((one) => one.bytes)).equals(bytes)).toBe(true)
      expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
      await until(
        () => sessionLeft(id),
        (left) => left > 0,
      )
      expect((await readPart(key, 7 * part, part)).status).toBe(206)
    },
  )

  soakTest(
    'a part whose session ends during the transfer is cut, or counted if the link allows one more',
    async () => {
      const bytes = randomBytes(2_000_000)
      for (const download_limit of [1, 2]) {
        const { key, id } = await depot.addLink(bytes, { download_limit })
        await get(port, key)
        await depot.scope.query(
          'update download_sessions set bytes_left = 1000000 where shop_id = :shop and link_id = :id',
          { id },
        )
        const { status, bytes: sent } = await readPart(key, 1, 1_999_999)
        expect([status, bytes.subarray(1, 1 + sent.length).equals(sent)]).toEqual([206, true])
        expect(sent.length === 1_999_999).toBe(download_limit === 2)
        expect(sent.length).toBeGreaterThan(500_000)
        expect((await depot.downloads(id)).downloads).toBe(download_limit)
      }
    },
  )

  test('HEAD, 304, 412 and 416 count nothing and open no session', async () => {
    const { key, id } = await depot.addLink(SMALL)
    const head = await get(port, key, { range: 'bytes=5-' }, 'HEAD')
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      '1000',
      0,
    ])
    const digest = createHash('sha256').update(SMALL).digest('base64')
    expect(head.headers['repr-digest']).toBe(`sha-256=:${digest}:`)
    const { etag } = head.headers as { etag: string }
    const modified = head.headers['last-modified']!
    const conditions: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-modified-since': modified },
    ]
    for (const headers of conditions) expect((await get(port, key, headers)).status).toBe(304)
    expect((await get(port, key, { 'if-match': '"other"' })).status).toBe(412)
    const beyond = await get(port, key, { range: 'bytes=1000-' })
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */1000'])
    expect(await depot.downloads(id)).toEqual({ downloads: 0, served: 0 })
    const sessions = await depot.scope.query(
      'select 1 from download_sessions where shop_id = :shop and link_id = :id',
      { id },
    )
    expect(sessions).toEqual([])
  })

  soakDescribe('the digest of new bytes, which no task has computed yet,', () => {
    const unsummed = async (bytes: Buffer) => {
      const link = await depot.addLink(bytes)
      await depot.scope.query('update blobs set sha256 = null where shop_id = :shop')
      return link
    }
    const named = (bytes: Buffer) =>
      `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
    const stored = () =>
      depot.scope.query<{ sha256: string }>(
        `select encode(sha256, 'hex') as sha256 from blobs
         where shop_id = :shop and sha256 is not null`,
      )

    test.each(['GET', 'HEAD'])(
      'is computed for the first download, and stored: %s',
      async (method) => {
        const bytes = randomBytes(1000)
        const { key } = await unsummed(bytes)
        expect((await get(port, key, {}, method)).headers['repr-digest']).toBe(named(bytes))
        expect(await stored()).toEqual([
          { sha256: createHash('sha256').update(bytes).digest('hex') },
        ])
      },
    )
    test('delays no large download, unless the request asks for it', async () => {
      const bytes = randomBytes(17 * 1024 * 1024)
      const { key } = await unsummed(bytes)
      expect((await get(port, key, {}, 'HEAD')).headers['repr-digest']).toBeUndefined()
      const asking = { 'want-repr-digest': 'sha-512=3, sha-256=10' }
      expect((await get(port, key, asking, 'HEAD')).headers['repr-digest']).toBe(named(bytes))
      expect(await stored()).toHaveLength(1)
      expect((await get(port, key, {}, 'HEAD')).headers['repr-digest']).toBe(named(bytes))
    })
  })

  soakTest('a restored version is newer than a response cached meanwhile', async () => {
    const { key, file } = await depot.addLink(SMALL)
    const meanwhile = new Date('2026-02-20T00:00:00Z').toUTCString()
    expect((await get(port, key, { 'if-modified-since': meanwhile })).status).toBe(304)
    await depot.setFile(file, { version_since: new Date('2026-02-21T00:00:00Z') })
    const answer = await get(port, key, { 'if-modified-since': meanwhile })
    expect([answer.status, answer.headers['last-modified']]).toEqual([
      200,
      'Sat, 21 Feb 2026 00:00:00 GMT',
    ])
  })

  test('If-Range: the part if the file is unchanged, else the whole file', async () => {
    const { key } = await depot.addLink(SMALL)
    const { headers } = await get(port, key, {}, 'HEAD')
    const ask = (condition: string) =>
      get(port, key, { range: 'bytes=10-19', 'if-range': condition })
    expect((await ask(headers.etag!)).status).toBe(206)
    expect((await ask(headers['last-modified']!)).status).toBe(206)
    for (const other of ['"other"', `W/${headers.etag}`, 'Mon, 01 Jan 2024 00:00:00 GMT'])
      expect((await ask(other)).body.equals(SMALL)).toBe(true)
  })

  soakTest('several ranges, another unit or an invalid range: the whole file', async () => {
    const { key } = await depot.addLink(SMALL)
    for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'bytes=9-3', 'bytes=-', 'bytes'])
      expect([range, (await get(port, key, { range })).body.length]).toEqual([range, 1000])
  })

  soakTest(
    'behind a trusted proxy, the address that the proxy sends identifies clients',
    async () => {
      const proxied = await depot.serve({ trustProxy: true })
      const { key } = await depot.addLink(SMALL, { download_limit: 1 })
      const from = (address: string, range?: string) =>
        get(proxied, key, { 'x-forwarded-for': address, ...(range && { range }) })
      expect((await from('198.51.100.7')).status).toBe(200)
      expect((await from('203.0.113.1, 198.51.100.7', 'bytes=5-')).status).toBe(206)
      expect((await from('198.51.100.7, 203.0.113.1', 'bytes=5-')).status).toBe(410)
    },
  )

  test('curl resumes at its offset, for one count', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-curl-'))
    try {
      const { key, id } = await depot.addLink(LARGE, { download_limit: 1 })
      const url = `http://127.0.0.1:${port}/download?key=${key}`
      const out = path.join(folder, 'out')
      await run('curl', ['-sf', '-r', '0-999999', '-o', out, url])
      await run('curl', ['-sf', '-C', '-', '-o', out, url])
      expect((await readFile(out)).equals(LARGE)).toBe(true)
      expect((await depot.downloads(id)).downloads).toBe(1)
      await run('curl', ['-sfOJ', '--output-dir', folder, '-r', '5-', url])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('from a bucket', () => {
  test('a large file is redirected to the bucket if configured, and counted; parts and small files are served directly', async () => {
    const s3 = await startS3()
    const bucket = createS3Store(s3.location())
    const led = await depot.serve({
      stores: new Map([['primary', bucket]]),
      bucketRedirect: { fromBytes: 500_000, seconds: 60, origins: [] },
    })
    try {
      const { key, id } = await depot.addLink(
        LARGE,
        { download_limit: 1 },
        { filename: 'guide.pdf' },
      )
      await bucket.write(depot.shop, [LARGE] as never)
      const answer = await get(led, key)
      expect([answer.status, answer.headers['cache-control']]).toEqual([
        302,
        'private, no-store, no-transform',
      ])
      const fetched = await fetch(answer.headers.location!)
      expect(fetched.headers.get('content-disposition')).toBe('attachment; filename="guide.pdf"')
      expect(Buffer.from(await fetched.arrayBuffer()).equals(LARGE)).toBe(true)
      expect(await depot.downloads(id)).toEqual({ downloads: 1, served: 1 })
      expect(
        (await get(led, key, { range: 'bytes=2999990-' })).body.equals(LARGE.subarray(2_999_990)),
      ).toBe(true)
      expect((await get(led, key)).status).toBe(410)
      const small = await depot.addLink(SMALL)
      await bucket.write(depot.shop, [SMALL] as never)
      expect((await get(led, small.key)).body.equals(SMALL)).toBe(true)
      const gone = await depot.addLink(randomBytes(600_000), { download_limit: 1 })
      expect((await get(led, gone.key)).status).toBe(503)
      expect((await depot.downloads(gone.id)).downloads).toBe(0)
    } finally {
      await s3.close()
    }
  })
})
