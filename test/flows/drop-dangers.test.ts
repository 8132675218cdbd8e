// Attacks on the drop server: path traversal, links, bounce attacks, command injection, uploads
// above the limits, and another shop's folders.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../server/features/drop/accounts.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createTestShop } from '../database.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'

const QUOTA = 300_000
let house: DropHouse
let sftp: SftpClient
beforeAll(async () => {
  house = await openDropHouse({ drop_waiting_bytes: QUOTA, file_bytes: 200_000 })
  sftp = await openSftp(house.server.sftpPort, house.account.username, house.password)
})
afterAll(async () => {
  sftp.end()
  await house.close()
})

const names = async (): Promise<string[]> =>
  (
    await house.scope.query<{ path: string }>(
      `select concat_ws('/', nullif(folder, ''), name) as path from drop_entries
         where shop_id = :shop order by 1`,
    )
  ).map(({ path }) => path)
const clear = () => house.scope.query('delete from drop_entries where shop_id = :shop')

const ftp = () => openFtp(house.server.ftpPort, house.account.username, house.password)

const put = async (path: string, bytes: Buffer | string) => sftp.put(path, Buffer.from(bytes))
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  )

test('no name leads out of the home', async () => {
  const outside = [
    '/etc/passwd',
    '../../../etc/passwd',
    '/uploads/x.txt',
    '/x.txt',
    `${house.home}/../x.txt`,
    '/uploads/999999/x.txt',
    `${house.home}/../999999/x.txt`,
    '/./../x.txt',
  ]
  for (const path of outside) expect([path, await refusalOf(put(path, 'x'))]).not.toContain('done')
  expect(await names()).toEqual([])
  const control = await ftp()
  for (const line of ['CWD /etc', 'CWD ../../..//etc', 'SIZE /etc/passwd', 'RNFR ../../x'])
    expect([line, (await control.say(line)).slice(0, 3)]).toEqual([line, '550'])
  control.socket.destroy()
})

test('invalid names are refused, and names of 255 characters are accepted', async () => {
  for (const name of ['a\\b.txt', 'a\0b.txt', 'a\nb.txt', 'a\u007fb', 'x'.repeat(256)])
    expect([name, await refusalOf(put(`${house.home}/${name}`, 'x'))]).not.toContain('done')
  // Names that Windows forbids, or that other programs read as an option, are valid here.
  const fine = ['CON', 'aux.txt', 'a:b.txt', 'trailing. ', '-rf', '~', '%2e%2e', '字'.repeat(255)]
  for (const name of fine) await put(`${house.home}/${name}`, 'x')
  expect(await names()).toEqual(
    fine.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
  await clear()
})

test('FTP connects to no other host, and accepts one command per line', async () => {
  const visited = createServer().listen(0, '127.0.0.1')
  await once(visited, 'listening')
  let visits = 0
  visited.on('connection', (socket) => (visits++, socket.destroy()))
  const { port } = visited.address() as { port: number }
  const control = await ftp()
  const bounce = `PORT 127,0,0,1,${port >> 8},${port & 255}`
  expect(await control.say(bounce)).toMatch(/^502 /)
  expect(await control.say(`EPRT |1|127.0.0.1|${port}|`)).toMatch(/^502 /)
  expect(await control.say('LIST')).toMatch(/^425 /)
  expect(visits).toBe(0)
  visited.close()
  expect(await control.say('MKD a\rDELE b')).toMatch(/^501 /)
  expect(await control.say('MKD a\0b')).toMatch(/^501 /)
  expect(await control.say(`MKD ${'x'.repeat(5000)}`)).toMatch(/^500 /)
  expect(await names()).toEqual([])
  control.socket.destroy()
})

test('a data connection that another client opens transfers nothing', async () => {
  const control = await ftp()
  const [, , , , , high, low] = /\((\d+),(\d+),(\d+),(\d+),(\d+),(\d+)\)/
    .exec(await control.say('PASV'))!
    .map(Number) as [number, number, number, number, number, number, number]
  const thief = connect({ port: high * 256 + low, host: '127.0.0.1', localAddress: '127.0.0.2' })
  thief.on('error', () => {})
  await new Promise((resolve) => thief.once('close', resolve))
  control.socket.destroy()
  expect(await names()).toEqual([])
})

test('links are refused, commands are not run', async () => {
  expect(await refusalOf(sftp.symlink('/etc/passwd', `${house.home}/link`))).toMatch(
    /link|support/i,
  )
  const control = await ftp()
  expect(await control.say('SITE SYMLINK /etc/passwd x')).toMatch(/^504 /)
  expect(await control.say('SITE EXEC id')).toMatch(/^504 /)
  control.socket.destroy()
})

test('a file has a size limit and the shop a quota; existing files stay', async () => {
  expect(await refusalOf(put(`${house.home}/big.bin`, randomBytes(200_001)))).toMatch(/at most/)
  await clear()
  await put(`${house.home}/one.bin`, randomBytes(190_000))
  expect(await refusalOf(put(`${house.home}/two.bin`, randomBytes(150_000)))).toMatch(/quota/)
  const [one] = await house.scope.query(
    `select state, size_bytes from drop_entries where shop_id = :shop and name = 'one.bin'`,
  )
  expect(one).toEqual({ state: 'waiting', size_bytes: 190_000 })
  await clear()
  await expect
    .poll(() => refusalOf(put(`${house.home}/three.bin`, randomBytes(150_000))))
    .toBe('done')
  await clear()
})

test('FTP names the reason when it refuses a file during the transfer', async () => {
  const file = path.join(house.folder, 'huge.bin')
  await writeFile(file, randomBytes(5_000_000))
  const { ftpPort } = house.server
  const user = `${house.account.username}:${house.password}`
  const url = `ftp://127.0.0.1:${ftpPort}/huge.bin`
  const { code, output } = await runProgram(['curl', '-sSv', '-u', user, '-T', file, url])
  expect(code).not.toBe(0)
  expect(output).toContain('< 552 A file has at most 200000 bytes')
  await clear()
})

test('a file that the disk cannot store is not left in the sending state', async () => {
  const own = await openDropHouse()
  onTestFinished(() => own.close())
  const client = await openSftp(own.server.sftpPort, own.account.username, own.password)
  await rm(path.join(own.folder, '../staging'), { recursive: true })
  const sent = client.put(`${own.home}/lost.bin`, randomBytes(900_000))
  expect(await refusalOf(sent)).toMatch(/not available/)
  const state = () =>
    own.scope.query('select state, size_bytes from drop_entries where shop_id = :shop')
  expect(await state()).toEqual([{ state: 'partial', size_bytes: 0 }])
  await mkdir(path.join(own.folder, '../staging'))
  await client.put(`${own.home}/lost.bin`, randomBytes(900_000))
  expect(await state()).toEqual([{ state: 'waiting', size_bytes: 900_000 }])
  client.end()
})

test('another shop’s folders are not visible', async () => {
  const other = forShop(house.database, await createTestShop(house.database, 'other.myshopify.com'))
  const { account, password } = await createAccount(other, { name: 'Other' }, 'hourly')
  await put(`${house.home}/secret.txt`, 'secret')
  const stranger = await openSftp(house.server.sftpPort, account.username, password)
  expect(await stranger.list('/uploads')).toEqual([String(other.shop)])
  expect(await stranger.list(`/uploads/${other.shop}`)).toEqual([])
  const path = `${house.home}/secret.txt`
  const tries = [
    stranger.list(house.home),
    stranger.get(path),
    stranger.put(path, Buffer.from('mine')),
    stranger.remove(path),
    stranger.rename(path, `/uploads/${other.shop}/secret.txt`),
    stranger.get(`/uploads/${other.shop}/../${house.scope.shop}/secret.txt`),
  ]
  for (const tried of tries) expect(await refusalOf(tried)).toMatch(/No such file/)
  stranger.end()
  expect((await sftp.get(path)).toString()).toBe('secret')
  await clear()
})
