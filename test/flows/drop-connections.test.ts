// Connections of the drop server: the time allowed without a sign-in, the limits on their number,
// and clients with IPv6 addresses.
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { changeAccount } from '../../server/channels/drop/accounts.ts'
import { CONNECTION_LIMITS } from '../../server/channels/drop/connection-limits.ts'
import { listConnections } from '../../server/channels/drop/connections.ts'
import type { FtpOptions } from '../../server/channels/drop/ftp/options.ts'
import { createFtpServer } from '../../server/channels/drop/ftp/server.ts'
import type { DropServer } from '../../server/channels/drop/server.ts'
import { openDropHouse, type DropHouse } from '../drop.ts'
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
function openSilent(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  return { socket, greeted: once(socket, 'data') }
}

test('a connection that does not sign in is closed', async () => {
  expect(CONNECTION_LIMITS.loginGraceMs).toBe(30_000)
  const limits = { ...CONNECTION_LIMITS, loginGraceMs: 1000 }
  const server = await house.another({ connectionLimits: limits })
  const silent = [readToEnd(server.ftpPort), readToEnd(server.sftpPort)]
  const [greeting, banner] = await Promise.all(silent)
  expect(greeting).toBe('220 Stevedore\r\n')
  expect(banner).toMatch(/^SSH-2\.0-Stevedore\r\n/)
})

test('a session that has signed in outlives the time to sign in, and a silent one does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const control = await ftp(house.server)
  const client = await sftp(house.server)
  const silent = [house.server.ftpPort, house.server.sftpPort].map(openSilent)
  await Promise.all(silent.map(({ greeted }) => greeted))
  const closed = silent.map(({ socket }) => once(socket, 'close'))
  await vi.advanceTimersByTimeAsync(CONNECTION_LIMITS.loginGraceMs)
  await Promise.all(closed)
  expect(await control.say('NOOP')).toBe('200 OK')
  expect(await client.list(house.home)).toEqual([])
  control.socket.destroy()
  client.end()
})

test('the time to sign in over FTP begins with the connection, not after the look-up of bans', async () => {
  const signIn = { isBanned: () => new Promise<boolean>(() => {}) }
  const limits = { ...CONNECTION_LIMITS, loginGraceMs: 1 }
  const server = createFtpServer({ signIn, limits, certificate: {} } as unknown as FtpOptions)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  await once(server, 'listening')
  expect(await readToEnd((server.address() as AddressInfo).port)).toBe('')
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
  expect(await readToEnd(server.ftpPort)).toBe('')
  expect(await control.say('NOOP')).toBe('200 OK')
  const client = await sftp(server)
  expect(await readToEnd(server.sftpPort)).toBe('')
  expect(await client.list(house.home)).toEqual([])
  control.socket.destroy()
  client.end()
})

test('behind NAT, clients are told the public address, and ports of the range', async () => {
  const passive = { ports: { first: 14_000, last: 14_099 }, address: '203.0.113.7' }
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
