// Clients that make the drop server hold more than it should: each is bounded, and others are
// served meanwhile.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createUnsignedPlaces } from '../../server/features/drop/unsigned-places.ts'
import { CONNECTION_LIMITS } from '../../server/features/drop/connection-limits.ts'
import { listConnections } from '../../server/features/drop/connections.ts'
import { createFtpServer } from '../../server/features/drop/ftp/ftp-server.ts'
import type { FtpOptions } from '../../server/features/drop/ftp/options.ts'
import { dropMetrics } from '../../server/features/drop/metrics.ts'
import { openDropHouse, type DropHouse } from '../drop.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'
import { silent } from '../database.ts'
import { WAIT_MS } from '../wait.ts'
import { soakTest } from '../scale.ts'

const MB = 1_000_000
let house: DropHouse
beforeAll(async () => {
  house = await openDropHouse({ drop_waiting_bytes: 20 * MB })
})
afterAll(() => house.close())

const ftp = () => openFtp(house.server.ftpPort, house.account.username, house.password)
const sftp = () => openSftp(house.server.sftpPort, house.account.username, house.password)

test('a client that reads no replies of FTP is not read either, and its replies are bounded', async () => {
  const limits = CONNECTION_LIMITS
  const options = { certificate: {}, limits, log: silent, passive: { ports: null, address: null } }
  const signIn = { isBanned: () => Promise.resolve(false) }
  const count = vi.fn<(reason: string) => void>()
  const server = createFtpServer({
    ...options,
    signIn,
    places: createUnsignedPlaces(limits, { count }),
    refusals: { count },
  } as unknown as FtpOptions)
  server.listen(0, '127.0.0.1')
  const accepted = once(server, 'connection')
  await once(server, 'listening')
  const client = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [own] = (await accepted) as [Socket]
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.on('error', () => {})
  client.pause()
  let most = 0
  const sample = setInterval(() => (most = Math.max(most, own.writableLength)), 1)
  onTestFinished(() => clearInterval(sample))
  // More than the system's buffers hold.
  client.write(Buffer.from(`FEAT ${'x'.repeat(93)}\r\n`.repeat(300_000)))
  await expect.poll(() => own.isPaused()).toBe(true)
  await expect.poll(() => own.writableLength).toBeGreaterThan(0)
  expect(most).toBeLessThan(100_000)
})

describe('SFTP', () => {
  soakTest(
    'reads run only as far as their replies are taken, and then all are answered',
    async () => {
      const { sftp: channel, socket, put, end } = await sftp()
      onTestFinished(end)
      await put(`${house.home}/read.bin`, randomBytes(2 * MB))
      const handle = await new Promise<Buffer>((resolve, reject) =>
        channel.open(`${house.home}/read.bin`, 'r', (error, opened) =>
          error ? reject(error) : resolve(opened),
        ),
      )
      const bytes = vi.spyOn(Buffer, 'allocUnsafe')
      onTestFinished(() => bytes.mockRestore())
      socket.pause()
      const COUNT = 1500
      let answered = 0
      for (let n = 0; n < COUNT; n++)
        channel.read(handle, Buffer.alloc(32_000), 0, 32_000, 0, (error, read) => {
          if (!error && read === 32_000) answered++
        })
      const other = await sftp()
      onTestFinished(other.end)
      // The server has dealt with what came before these.
      for (let n = 0; n < 100; n++) await other.size(`${house.home}/read.bin`)
      const large = bytes.mock.calls.filter(([size]) => size >= 32_000).length
      // Each is read once and copied into two packets.
      expect(large).toBeLessThan(300)
      socket.resume()
      await expect.poll(() => answered).toBe(COUNT)
    },
  )
  soakTest('a client that sends requests without an end is disconnected', async () => {
    const { sftp: channel, socket } = await sftp()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.pause()
    for (let n = 0; n < 20_000; n++) channel.stat(`${house.home}/read.bin`, () => {})
    socket.resume()
    await closed
    const other = await sftp()
    onTestFinished(other.end)
    expect(await other.list(house.home)).toContain('read.bin')
  })
  soakTest('truncations of one file run in turn, and the last one counts', async () => {
    const { sftp: channel, put, size, end } = await sftp()
    onTestFinished(end)
    const at = `${house.home}/cut.bin`
    await put(at, randomBytes(2 * MB))
    const sizes = Array.from({ length: 30 }, (_, n) => 1_900_000 - n * 1000)
    const cut = sizes.map(
      (to) =>
        new Promise<string>((resolve) =>
          channel.setstat(at, { size: to }, (error) => resolve(error ? error.message : 'cut')),
        ),
    )
    expect(new Set(await Promise.all(cut))).toEqual(new Set(['cut']))
    expect(await size(at)).toBe(sizes.at(-1))
  })
  soakTest('truncations that wait when their client leaves are dropped', async () => {
    const { sftp: channel, put, socket } = await sftp()
    const at = `${house.home}/left.bin`
    await put(at, randomBytes(4 * MB))
    const row = async () =>
      (
        await house.scope.query<{ state: string; size_bytes: number }>(
          `select xmin, state, size_bytes from drop_entries
           where shop_id = :shop and name = 'left.bin'`,
        )
      )[0]!
    const taking = async (condition: string) =>
      (
        await house.database.pool.query(
          `select from pg_stat_activity where datname = current_database()
             and query ilike '%insert into drop_entries%' and ${condition}`,
        )
      ).rowCount
    const open = async () =>
      (await listConnections(house.scope)).filter((one) => one.ended_at === null).length
    await house.scope.transaction(async (tx) => {
      // The first truncation waits for the test's lock, and the others for the first.
      await tx.query(
        `select from drop_entries where shop_id = :shop and name = 'left.bin' for update`,
      )
      for (let n = 1; n < 300; n++) channel.setstat(at, { size: 4_000_000 - n }, () => {})
      const waits = () => taking(`wait_event_type = 'Lock'`)
      await expect.poll(waits).toBe(1)
      socket.destroy()
      await expect.poll(open).toBe(0)
    })
    const runs = () => taking(`state = 'active' and pid <> pg_backend_pid()`)
    await expect.poll(runs).toBe(0)
    await expect.poll(async () => (await row()).state).not.toBe('writing')
    const before = await row()
    expect(before.size_bytes).toBeGreaterThanOrEqual(3_999_999)
    const other = await sftp()
    onTestFinished(other.end)
    // Each takes longer than a truncation.
    for (let n = 0; n < 5; n++) await other.put(`${house.home}/other.bin`, randomBytes(4 * MB))
    expect(await row()).toEqual(before)
  })
  test('the space that is left is told, and files can be synced', async () => {
    const { sftp: channel, put, end } = await sftp()
    onTestFinished(end)
    await put(`${house.home}/stored.bin`, randomBytes(100_000))
    const asked = new Promise<{ f_blocks: number; f_bavail: number; f_frsize: number }>(
      (resolve, reject) =>
        (
          channel as unknown as {
            ext_openssh_statvfs(path: string, done: (error?: Error, found?: never) => void): void
          }
        ).ext_openssh_statvfs(house.home, (error, found) =>
          error ? reject(error) : resolve(found!),
        ),
    )
    const { f_blocks, f_bavail, f_frsize } = await asked
    expect(Math.abs(f_blocks * f_frsize - 20 * MB)).toBeLessThan(f_frsize)
    expect(f_bavail).toBeLessThan(f_blocks)
  })
})

test('the quota holds for concurrent appends', async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, ftp))
  const replies = await Promise.all(
    clients.map(async ({ say, data, reply, socket }, n) => {
      const connection = await data()
      const begun = await say(`APPE append-${n}.bin`)
      connection.end(randomBytes(9 * MB))
      const ended = begun.startsWith('150') ? await reply() : begun
      socket.destroy()
      return ended.slice(0, 3)
    }),
  )
  expect(replies.filter((code) => code === '552').length).toBeGreaterThanOrEqual(6)
  const [row] = await house.scope.query<{ bytes: number }>(
    `select sum(size_bytes)::bigint as bytes from drop_entries where shop_id = :shop`,
  )
  expect(row!.bytes).toBeLessThanOrEqual(20 * MB)
})

test('a sign-in that was readable on the way ends with AUTH TLS', async () => {
  const { socket, say } = await ftp()
  onTestFinished(() => void socket.destroy())
  expect(await say('PWD')).toMatch(/^257 /)
  expect(await say('AUTH TLS')).toMatch(/^234 /)
  socket.removeAllListeners('data')
  const tls = connectTls({ socket, rejectUnauthorized: false })
  await once(tls, 'secureConnect')
  tls.write('PWD\r\n')
  expect(String((await once(tls, 'data'))[0])).toMatch(/^530 /)
})

test('a data connection has one client', async () => {
  const { say, reply, socket } = await ftp()
  onTestFinished(() => void socket.destroy())
  const [, port] = /\|\|\|(\d+)\|/.exec(await say('EPSV'))!
  const both = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')]
  const closed = new Promise<number>((resolve) => {
    for (const [n, one] of both.entries())
      one
        .on('error', () => {})
        .on('close', () => resolve(n))
        .resume()
  })
  const other = both[1 - (await closed)]!
  expect(await say('STOR one.txt')).toMatch(/^150 /)
  other.end('one')
  expect(await reply()).toMatch(/^226 /)
})

test('refusals are counted, and shown by the metrics', async () => {
  const connectionLimits = { ...CONNECTION_LIMITS, unsignedPerNetwork: 1, perAccount: 1 }
  const server = await house.another({ connectionLimits })
  const { username } = house.account
  const first = connect(server.sftpPort, '127.0.0.1')
  await once(first, 'data')
  const closed = once(first, 'close')
  const held = connect(server.ftpPort, '127.0.0.1')
  await Promise.all([closed, once(held, 'data')])
  held.write(`${'x'.repeat(5000)}\r\n`)
  held.resume()
  await once(held, 'close')
  const wrong = await vi.waitFor(async () => {
    const client = await openFtp(server.ftpPort, username, 'wrong')
    expect(client.signedIn).toMatch(/^530 /)
    return client
  }, WAIT_MS)
  wrong.socket.destroy()
  // Until the server has noticed that the connections before it are closed.
  const signedIn = await vi.waitFor(async () => {
    const client = await openFtp(server.ftpPort, username, house.password)
    expect(client.signedIn).toMatch(/^230 /)
    return client
  }, WAIT_MS)
  const second = await openFtp(server.ftpPort, username, house.password)
  expect(second.signedIn).toMatch(/^421 /)
  expect(await signedIn.say('ALLO 1')).toMatch(/^2/)
  const data = await signedIn.data()
  expect(await signedIn.say('STOR large.bin')).toMatch(/^150 /)
  data.on('error', () => {}).end(randomBytes(21 * MB))
  expect(await signedIn.reply()).toMatch(/^552 /)
  await server.close()
  const registry = new Registry()
  await dropMetrics([registry], house.database)()
  const lines = (await registry.metrics()).split('\n')
  for (const reason of ['no_place', 'long_line', 'sign_in', 'sessions', 'quota'])
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^stevedore_drop_refused\\{reason="${reason}"\\} [1-9]`)),
    )
})
