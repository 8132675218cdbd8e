// Connections of the drop server: the time allowed without a sign-in, the limits on their number,
// and clients with IPv6 addresses.
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeAccount } from '../../server/channels/drop/accounts.ts'
import { CONNECTION_LIMITS } from '../../server/channels/drop/connection-limits.ts'
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

test('a connection that does not sign in is closed', async () => {
  expect(CONNECTION_LIMITS.loginGraceMs).toBe(30_000)
  const limits = { ...CONNECTION_LIMITS, loginGraceMs: 1000 }
  const server = await house.another({ connectionLimits: limits })
  const silent = [readToEnd(server.ftpPort), readToEnd(server.sftpPort)]
  const [greeting, banner] = await Promise.all(silent)
  expect(greeting).toBe('220 Stevedore\r\n')
  expect(banner).toMatch(/^SSH-2\.0-Stevedore\r\n/)
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
