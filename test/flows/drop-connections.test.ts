// Connections of the drop server: the time allowed without a sign-in, the limits on their number,
// clients with IPv6 addresses; and two processes over one database and one store, as behind a load
// balancer, where a client that reconnects may reach either.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { changeAccount } from '../../server/features/drop/accounts.ts'
import { createUnsignedPlaces } from '../../server/features/drop/unsigned-places.ts'
import { CONNECTION_LIMITS } from '../../server/features/drop/connection-limits.ts'
import { listConnections } from '../../server/features/drop/connections.ts'
import type { FtpOptions } from '../../server/features/drop/ftp/options.ts'
import { createFtpServer } from '../../server/features/drop/ftp/ftp-server.ts'
import type { DropServer } from '../../server/features/drop/run-server.ts'
import { createSftpServer, type SftpParts } from '../../server/features/drop/sftp.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { silent } from '../database.ts'
import { hashOf } from '../fakes/content.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'

let house: DropHouse
beforeAll(async () => {
  house = await openDropHouse()
})
afterAll(() => house.close())

const ftp = ({ ftpPort }: DropServer, host?: string) =>
  openFtp(ftpPort, house.account.username, house.password, host)
const sftp = ({ sftpPort }: DropServer, host?: string) =>
  openSftp(sftpPort, house.account.username, house.password, host)

/** Everything that the server sends until it closes the connection. */
async function readToEnd(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => (text += String(chunk)))
  await once(socket, 'close')
  return text
}

/** A client that says nothing. */
function openSilent(port: number, from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.on('error', () => {})
  return { socket, greeted: once(socket, 'data') }
}

test('a connection that does not sign in is closed', async () => {
  const limits = { ...CONNECTION_LIMITS, loginGraceMs: 1000 }
  const server = await house.another({ connectionLimits: limits })
  const both = [readToEnd(server.ftpPort), readToEnd(server.sftpPort)]
  const [greeting, banner] = await Promise.all(both)
  expect(greeting).toBe('220 Stevedore\r\n')
  expect(banner).toMatch(/^SSH-2\.0-Stevedore\r\n/)
})

test('a session that has signed in outlives the time to sign in, and a silent one does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const control = await ftp(house.server)
  const client = await sftp(house.server)
  const silent = [house.server.ftpPort, house.server.sftpPort].map((port) => openSilent(port))
  await Promise.all(silent.map(({ greeted }) => greeted))
  const closed = silent.map(({ socket }) => once(socket, 'close'))
  await vi.advanceTimersByTimeAsync(30_000)
  await Promise.all(closed)
  expect(await control.say('NOOP')).toBe('200 OK')
  expect(await client.list(house.home)).toEqual([])
  control.socket.destroy()
  client.end()
})

test('the time to sign in over FTP begins with the connection, not after the look-up of bans', async () => {
  const signIn = { isBanned: () => new Promise<boolean>(() => {}) }
  const limits = { ...CONNECTION_LIMITS, loginGraceMs: 1 }
  const refusals = { count: () => {} }
  const places = createUnsignedPlaces(limits, refusals)
  const options = { signIn, limits, certificate: {}, places, refusals }
  const server = createFtpServer(options as unknown as FtpOptions)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  await once(server, 'listening')
  expect(await readToEnd((server.address() as AddressInfo).port)).toBe('')
})

test('a client of FTP is told when its address cannot be checked', async () => {
  const signIn = { isBanned: () => Promise.reject(new Error('the database is down')) }
  const [limits, refusals, log] = [CONNECTION_LIMITS, { count: () => {} }, silent]
  const places = createUnsignedPlaces(limits, refusals)
  const options = { signIn, limits, certificate: {}, places, refusals, log }
  const server = createFtpServer(options as unknown as FtpOptions)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  await once(server, 'listening')
  expect(await readToEnd((server.address() as AddressInfo).port)).toBe(
    '421 The service is not available: try again soon\r\n',
  )
})

test('a client of SFTP is not told that its password is wrong when nobody can check it', async () => {
  const down = () => Promise.reject(new Error('the database is down'))
  const signIn = { isBanned: () => Promise.resolve(false), byPassword: down }
  const [limits, refusals, log] = [CONNECTION_LIMITS, { count: () => {} }, silent]
  const places = createUnsignedPlaces(limits, refusals)
  const hostKeys = [ssh2.utils.generateKeyPairSync('ed25519').private]
  const parts = { hostKeys, signIn, limits, places, refusals, log }
  const server = createSftpServer(parts as unknown as SftpParts)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  await once(server, 'listening')
  const client = new ssh2.Client()
  const error = new Promise((resolve) => client.once('error', resolve))
  const { port } = server.address() as AddressInfo
  client.connect({ host: '127.0.0.1', port, username: 'press', password: 'right' })
  // The reason of RFC 4253 for a service that is not available.
  expect(await error).toMatchObject({ code: 7 })
})

test('an account has a connection limit, over both protocols together', async () => {
  const server = await house.another({ connectionLimits: { ...CONNECTION_LIMITS, perAccount: 2 } })
  const first = await ftp(server)
  const second = await sftp(server)
  const third = await ftp(server)
  expect(third.signedIn).toBe('421 This account has 2 connections: close some first')
  expect(await third.reply()).toBe('closed')
  // A connection that ends makes room for another.
  first.socket.destroy()
  await expect.poll(async () => (await ftp(server)).signedIn).toBe('230 Signed in')
  const refused = async () =>
    (await listConnections(house.scope)).filter((one) => one.refused !== null)
  const overFtp = await refused()
  expect(overFtp[0]).toMatchObject({ refused: 'too many connections', protocol: 'ftp' })
  const fourth = new ssh2.Client()
  const error = new Promise((resolve) => fourth.once('error', resolve))
  const { username } = house.account
  fourth.connect({ host: '127.0.0.1', port: server.sftpPort, username, password: house.password })
  // The reason of RFC 4253 for too many connections.
  expect(await error).toMatchObject({ code: 12 })
  const both = await refused()
  expect(both[0]).toMatchObject({ refused: 'too many connections', protocol: 'sftp' })
  expect(both.length).toBe(overFtp.length + 1)
  second.end()
})

test('a process has a connection limit for each protocol', async () => {
  const server = await house.another({ connectionLimits: { ...CONNECTION_LIMITS, perProtocol: 1 } })
  const control = await ftp(server)
  expect((await ftp(server)).signedIn).toBe(
    '421 The server has too many connections: try again later',
  )
  expect(await control.say('NOOP')).toBe('200 OK')
  const client = await sftp(server)
  const another = sftp(server).then((second) => second.list(house.home))
  await expect(another).rejects.toThrow()
  expect(await client.list(house.home)).toEqual([])
  control.socket.destroy()
  client.end()
})

test('strangers cannot take the places of those who sign in', async () => {
  const connectionLimits = { ...CONNECTION_LIMITS, unsigned: 9, unsignedPerNetwork: 2 }
  const server = await house.another({ connectionLimits })
  const control = await ftp(server)
  const client = await sftp(server)
  const silent = [openSilent(server.ftpPort), openSilent(server.sftpPort)]
  await Promise.all(silent.map(({ greeted }) => greeted))
  const [first, second] = silent.map(({ socket }) => socket) as [Socket, Socket]
  const closed = once(first, 'close')
  // The oldest of the network makes room for a client that signs in, over both protocols.
  const another = await ftp(server)
  expect(another.signedIn).toBe('230 Signed in')
  await closed
  const third = openSilent(server.ftpPort)
  await third.greeted
  expect(second.destroyed).toBe(false)
  const secondClosed = once(second, 'close')
  const late = await sftp(server)
  expect(await late.list(house.home)).toEqual([])
  await secondClosed
  // Those that have signed in have no place to lose.
  expect(await control.say('NOOP')).toBe('200 OK')
  expect(await client.list(house.home)).toEqual([])
  for (const { socket } of [control, another, third]) socket.destroy()
  for (const each of [client, late]) each.end()
})

test('strangers of many networks that hold all places lock nobody out', async () => {
  // Each protocol alone, since both share the places.
  for (const signsIn of [ftp, sftp]) {
    const connectionLimits = { ...CONNECTION_LIMITS, unsigned: 6, unsignedPerNetwork: 2 }
    const server = await house.another({ connectionLimits, host: '0.0.0.0' })
    const closed: string[] = []
    const networks = ['127.0.1', '127.0.2', '127.0.3']
    for (const from of networks.flatMap((network) => [`${network}.1`, `${network}.2`])) {
      const { socket, greeted } = openSilent(server.ftpPort, from)
      socket.once('close', () => closed.push(from))
      await greeted
    }
    // Another network, which has no connection yet.
    const client = await signsIn(server)
    await expect.poll(() => closed).toEqual(['127.0.1.1'])
    if ('signedIn' in client) expect(client.signedIn).toBe('230 Signed in')
    else expect(await client.list(house.home)).toEqual([])
    client.socket.destroy()
  }
})

test('behind NAT, clients are told the public address, and ports of the range', async () => {
  const passive = { ports: { first: 9000, last: 9099 }, address: '203.0.113.7' }
  const control = await ftp(await house.another({ passive }))
  const [, high, low] = /^227 .*\(203,0,113,7,(\d+),(\d+)\)$/.exec(await control.say('PASV'))!
  const port = Number(high) * 256 + Number(low)
  expect(port).toBeGreaterThanOrEqual(passive.ports.first)
  expect(port).toBeLessThanOrEqual(passive.ports.last)
  const data = connect(port, '127.0.0.1')
  expect(await control.say('STOR nat.txt')).toMatch(/^150 /)
  data.end('nat')
  expect(await control.reply()).toMatch(/^226 /)
  control.socket.destroy()
})

test('IPv6 clients sign in from an allowed range, and from no other', async () => {
  const server = await house.another({ host: '::1' })
  const allow = (...allowed_addresses: string[]) =>
    changeAccount(house.scope, house.account.id, { allowed_addresses })
  await allow('10.0.0.0/8', '::/64')
  const control = await ftp(server, '::1')
  expect(control.signedIn).toBe('230 Signed in')
  const data = await control.data()
  expect(await control.say('STOR six.txt')).toMatch(/^150 /)
  data.end('six')
  expect(await control.reply()).toMatch(/^226 /)
  expect(await control.say('PASV')).toBe('425 Use EPSV over IPv6')
  const client = await sftp(server, '::1')
  expect((await client.get(`${house.home}/six.txt`)).toString()).toBe('six')
  control.socket.destroy()
  client.end()
  await allow('0.0.0.0/0', '2001:db8::/32')
  expect((await ftp(server, '::1')).signedIn).toMatch(/^530 /)
  await expect(sftp(server, '::1')).rejects.toThrow()
  await allow()
})

describe('two processes', () => {
  let second: DropServer
  beforeAll(async () => {
    second = await house.another()
  })
  const entryOf = async (name: string) =>
    (
      await house.scope.query<{ state: string; hash: string }>(
        `select state, encode(hash, 'hex') as hash from drop_entries where shop_id = :shop
           and name = :name`,
        { name },
      )
    )[0]

  test('both show the same host keys', async () => {
    const keysOf = async ({ sftpPort }: DropServer) => {
      const { output } = await runProgram(['ssh-keyscan', '-p', String(sftpPort), '127.0.0.1'])
      return output
        .split('\n')
        .filter((line) => line.startsWith('['))
        .map((line) => line.split(' ')[2])
    }
    const keys = await keysOf(house.server)
    expect(keys.length).toBeGreaterThan(0)
    expect((await keysOf(second)).toSorted()).toEqual(keys.toSorted())
  })

  test('a file received by one can be listed, read back and renamed at the other', async () => {
    const [one, two] = [await sftp(house.server), await sftp(second)]
    const bytes = randomBytes(400_000)
    const folder = `${house.home}/shared`
    await one.folder(folder)
    await one.put(`${folder}/shared.bin`, bytes)
    expect(await two.list(folder)).toEqual(['shared.bin'])
    expect((await two.get(`${folder}/shared.bin`)).equals(bytes)).toBe(true)
    await two.rename(`${folder}/shared.bin`, `${folder}/moved.bin`)
    expect(await one.list(folder)).toEqual(['moved.bin'])
    one.end()
    two.end()
  })

  test('a transfer interrupted at one is continued at the other, to the same bytes', async () => {
    const bytes = randomBytes(900_000)
    const half = await ftp(house.server)
    const data = await half.data()
    expect(await half.say('STOR resumed.bin')).toMatch(/^150 /)
    data.write(bytes.subarray(0, 500_000))
    // The client has lost this connection, but the first process does not know it.
    const back = await ftp(second)
    await expect.poll(() => back.say('SIZE resumed.bin')).toBe('213 500000')
    const rest = await back.data()
    expect(await back.say('REST 500000')).toMatch(/^350 /)
    expect(await back.say('STOR resumed.bin')).toMatch(/^150 /)
    rest.end(bytes.subarray(500_000))
    expect(await back.reply()).toMatch(/^226 /)
    expect(await entryOf('resumed.bin')).toEqual({ state: 'waiting', hash: hashOf(bytes) })
    // Data that still arrives on the lost connection changes nothing.
    data.end(randomBytes(1000))
    expect(await half.reply()).toMatch(/^4/)
    expect(await entryOf('resumed.bin')).toEqual({ state: 'waiting', hash: hashOf(bytes) })
    half.socket.destroy()
    back.socket.destroy()
  })

  test('switching an account off ends its sessions in both', async () => {
    const controls = await Promise.all([ftp(house.server), ftp(second)])
    await changeAccount(house.scope, house.account.id, { enabled: false })
    for (const { reply } of controls) expect(await reply()).toMatch(/^421 /)
    await changeAccount(house.scope, house.account.id, { enabled: true })
  })
})
