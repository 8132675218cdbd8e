// Sessions of the drop server: renames, what ends a session, and its traces in the log and in the
// metrics.
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findEntry } from '../../server/features/drop/entries.ts'
import { changeAccount } from '../../server/features/drop/accounts.ts'
import { dropMetrics } from '../../server/features/drop/metrics.ts'
import { createLogger } from '../../server/core/log.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { openFtp } from '../ftp-client.ts'
import { promisedMs, soakTest } from '../scale.ts'
import { openSftp } from '../sftp-client.ts'

let house: DropHouse
const logged: string[] = []
beforeAll(async () => {
  house = await openDropHouse(
    {},
    createLogger('debug', (line) => logged.push(line)),
  )
})
afterAll(() => house.close())

const sftp = () => openSftp(house.server.sftpPort, house.account.username, house.password)
const ftp = (password = house.password) =>
  openFtp(house.server.ftpPort, house.account.username, password)

test('log and metrics name the account, and contain no password, right or wrong', async () => {
  const wrong = 'canary-of-a-wrong-password'
  expect((await ftp(wrong)).signedIn).toMatch(/^530 /)
  // A password entered as the user name.
  expect((await openFtp(house.server.ftpPort, house.password, 'x')).signedIn).toMatch(/^530 /)
  const client = await sftp()
  await client.put(`${house.home}/one.txt`, Buffer.from('one'))
  client.end()
  const text = () => logged.join('')
  await expect.poll(text).toContain('drop: disconnected')
  for (const message of ['drop: refused', 'drop: connected', 'drop: received a file'])
    expect(logged.find((line) => line.includes(message))).toContain(house.account.id)
  const registry = new Registry()
  await dropMetrics([registry], house.database)()
  const metrics = await registry.metrics()
  expect(metrics).toContain(`stevedore_drop_refusals{account="${house.account.username}"} 1`)
  for (const secret of [wrong, house.password]) expect(text() + metrics).not.toContain(secret)
})

test('switching an account off ends its sessions of both protocols', async () => {
  const control = await ftp()
  const client = await sftp()
  const gone = new Promise((resolve) => client.socket.once('close', resolve))
  const began = performance.now()
  await changeAccount(house.scope, house.account.id, { enabled: false })
  expect(await control.reply()).toMatch(/^421 /)
  await gone
  expect(performance.now() - began).toBeLessThan(promisedMs(1000))
  expect((await ftp()).signedIn).toMatch(/^530 /)
  await changeAccount(house.scope, house.account.id, { enabled: true })
})

test('a handle that is open for both reads what was written, before and after it leaves memory', async () => {
  const client = await sftp()
  const { open, read, write, close, fstat } = client.sftp
  const of = <T>(work: (done: (error: Error | null | undefined, value: T) => void) => void) =>
    new Promise<T>((resolve, reject) =>
      work((error, value) => (error ? reject(error) : resolve(value))),
    )
  const bind = <F extends (...given: never[]) => unknown>(f: F): F => f.bind(client.sftp) as F
  const at = `${house.home}/both.bin`
  const handle = await of<Buffer>((done) => bind(open)(at, 'w+', done))
  const put = (text: Buffer, position: number) =>
    of<void>((done) => bind(write)(handle, text, 0, text.length, position, done as never))
  const get = async (position: number, length: number) => {
    const into = Buffer.alloc(length)
    const count = await of<number>((done) =>
      bind(read)(handle, into, 0, length, position, done as never),
    )
    return into.toString('utf8', 0, count)
  }
  await put(Buffer.from('hello'), 0)
  expect(await get(1, 3)).toBe('ell')
  for (let part = 0; part < 20; part++) await put(Buffer.alloc(30_000, 'x'), 5 + part * 30_000)
  await put(Buffer.from('J'), 0)
  expect(await get(0, 6)).toBe('Jellox')
  const first = await of<{ mtime: number; size: number }>((done) =>
    bind(fstat)(handle, done as never),
  )
  expect(first.size).toBe(600_005)
  await of<void>((done) => bind(close)(handle, done as never))
  const stored = await client.get(at)
  expect([stored.length, stored.toString('utf8', 0, 6)]).toEqual([600_005, 'Jellox'])
  const reading = await of<Buffer>((done) => bind(open)(at, 'r', done))
  const stat = () => of<{ mtime: number }>((done) => bind(fstat)(reading, done as never))
  const { modified_at } = (await findEntry(house.scope, '', 'both.bin'))!
  expect((await stat()).mtime).toBe(Math.floor(modified_at.getTime() / 1000))
  await client.remove(at)
  client.end()
})

test('FTP renames onto a file, SFTP does not, and neither onto a folder', async () => {
  const client = await sftp()
  const at = (name: string) => `${house.home}/${name}`
  for (const name of ['a', 'b', 'c']) await client.put(at(name), Buffer.from(name))
  const control = await ftp()
  expect(await control.say('MKD folder')).toMatch(/^257 /)
  await expect(client.rename(at('a'), at('b'))).rejects.toThrow('This name is taken')
  await expect(client.rename(at('a'), at('folder'))).rejects.toThrow('This name is taken')
  await control.say('RNFR a')
  expect(await control.say('RNTO folder')).toBe('550 This name is taken')
  await control.say('RNFR a')
  expect(await control.say('RNTO b')).toBe('250 Renamed')
  await control.say('RNFR folder')
  expect(await control.say('RNTO folder/inner')).toBe('550 A folder cannot be moved into itself')
  expect((await client.get(at('b'))).toString()).toBe('a')
  expect((await client.list(house.home)).toSorted()).toEqual(['b', 'c', 'folder', 'one.txt'])
  control.socket.destroy()
  client.end()
})

test('a file sent over a folder’s name, or into a folder that does not exist, is refused when it ends', async () => {
  const client = await sftp()
  await expect(client.put(`${house.home}/folder`, Buffer.from('x'))).rejects.toThrow('a folder')
  await expect(client.put(`${house.home}/none/x`, Buffer.from('x'))).rejects.toThrow('No such file')
  expect(await client.list(`${house.home}/folder`)).toEqual([])
  client.end()
})

test('an upload that is aborted is answered as interrupted first, then the ABOR', async () => {
  const control = await ftp()
  const data = await control.data()
  expect(await control.say('STOR aborted.bin')).toMatch(/^150 /)
  data.write('half')
  expect(await control.say('STAT')).toMatch(/^213 /)
  // With the telnet codes that clients send before it.
  control.socket.write(Buffer.from('\xff\xf4\xff\xf2ABOR\r\n', 'latin1'))
  expect(await control.reply()).toMatch(/^426 /)
  expect(await control.reply()).toMatch(/^226 /)
  // The data connection has not been opened yet.
  expect(await control.say('EPSV')).toMatch(/^229 /)
  expect(await control.say('STOR aborted.bin')).toMatch(/^150 /)
  expect(await control.say('ABOR')).toMatch(/^425 /)
  expect(await control.reply()).toMatch(/^226 /)
  expect(await control.say('NOOP')).toBe('200 OK')
  control.socket.destroy()
})

test('the path of an address that a client adds to its home leads to the home', async () => {
  const control = await ftp()
  // curl, then lftp.
  for (const path of [house.home.slice(1), `${house.home}${house.home}`]) {
    expect(await control.say(`CWD ${path}`)).toMatch(/^250 /)
    expect(await control.say('PWD')).toBe(`257 "${house.home}"`)
  }
  expect(await control.say(`CWD ${house.home}${house.home}0`)).toMatch(/^550 /)
  control.socket.destroy()
})

test('a file that is still open is visible to another session, even if it is small', async () => {
  const client = await sftp()
  const other = await sftp()
  const open = new Promise<Buffer>((resolve, reject) =>
    client.sftp.open(`${house.home}/open.bin`, 'w', (error, handle) =>
      error ? reject(error) : resolve(handle),
    ),
  )
  await open
  expect(await other.list(house.home)).toContain('open.bin')
  client.end()
  other.end()
})

/** The result of an SFTP request. */
const reply = <T>(ask: (done: (error: unknown, value: T) => void) => void): Promise<T> =>
  new Promise((resolve, reject) =>
    ask((error, value) => (error ? reject(error as Error) : resolve(value))),
  )

soakTest('a file whose first bytes died with their process is not resumed after them', async () => {
  const { scope, home } = house
  const file = `${home}/resumed.bin`
  await scope.query(
    `insert into drop_entries (shop_id, folder, name, kind, state, protocol, process, write_id,
       writing_since, size_bytes)
     values (:shop, '', 'resumed.bin', 'file', 'writing', 'sftp', 999999, gen_random_uuid(), now(),
       200000)`,
  )
  const client = await sftp()
  expect(await client.size(file)).toBe(0)
  // As a client that had read the size before the process died.
  const handle = await reply<Buffer>((done) => client.sftp.open(file, 'r+', done as never))
  const bytes = Buffer.alloc(1000, 1)
  await reply((done) => client.sftp.write(handle, bytes, 0, 1000, 200_000, done as never))
  await expect(reply((done) => client.sftp.close(handle, done as never))).rejects.toThrow(
    'A part of the file did not arrive',
  )
  const stateOf = () =>
    scope.query(
      `select state, size_bytes from drop_entries where shop_id = :shop and name = 'resumed.bin'`,
    )
  expect(await stateOf()).toEqual([{ state: 'partial', size_bytes: 0 }])
  await client.put(file, bytes)
  expect(await stateOf()).toEqual([{ state: 'waiting', size_bytes: 1000 }])
  client.end()
})

test('the end of one SFTP channel leaves the transfers of the connection’s other channels alone', async () => {
  const client = await sftp()
  const second = await client.another()
  const openFile = (channel: typeof second, name: string) =>
    reply<Buffer>((done) => channel.open(`${house.home}/${name}`, 'w', done as never))
  const [kept, cut] = [await openFile(client.sftp, 'kept.bin'), await openFile(second, 'cut.bin')]
  const bytes = Buffer.alloc(1000, 1)
  await reply((done) => client.sftp.write(kept, bytes, 0, 1000, 0, done as never))
  await reply((done) => second.write(cut, bytes, 0, 1000, 0, done as never))
  const ended = new Promise((resolve) => second.once('close', resolve))
  second.end()
  await ended
  const stateOf = async (name: string) =>
    (
      await house.scope.query<{ state: string }>(
        'select state from drop_entries where shop_id = :shop and name = :name',
        { name },
      )
    )[0]?.state
  await expect.poll(() => stateOf('cut.bin')).toBe('partial')
  await reply((done) => client.sftp.write(kept, bytes, 0, 1000, 1000, done as never))
  await reply((done) => client.sftp.close(kept, done as never))
  expect(await stateOf('kept.bin')).toBe('waiting')
  await client.put(`${house.home}/next.bin`, bytes)
  expect(await stateOf('next.bin')).toBe('waiting')
  client.end()
})

test('a connection has at most ten SFTP channels, and ended ones do not count', async () => {
  const client = await sftp()
  const more = await Promise.all(Array.from({ length: 9 }, () => client.another()))
  await expect(client.another()).rejects.toThrow()
  const ended = new Promise((resolve) => more[0]!.once('close', resolve))
  more[0]!.end()
  await ended
  await expect
    .poll(() =>
      client.another().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  client.end()
})

test('OpenSSH negotiates AES-GCM, which it lists after AES-CTR', async () => {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes']
  const ciphers = 'Ciphers=aes128-ctr,aes256-gcm@openssh.com'
  const ssh = (...more: string[]) =>
    runProgram([
      'ssh',
      '-v',
      '-p',
      String(house.server.sftpPort),
      ...[...options, ...more].flatMap((option) => ['-o', option]),
      `${house.account.username}@127.0.0.1`,
    ])
  expect((await ssh(ciphers)).output).toContain('client->server cipher: aes256-gcm@openssh.com')
  expect((await ssh('Ciphers=aes128-ctr')).output).toContain('client->server cipher: aes128-ctr')
})
