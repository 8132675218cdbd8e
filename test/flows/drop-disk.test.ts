// What cheap requests of a drop folder keep on the disk: measured while connections are open and
// after them. In soak with the sizes at which copies filled disks.
import { randomBytes } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDropHouse, type DropHouse } from '../drop.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'
import { sized, soakTest } from '../scale.ts'

const MB = 1_000_000
// A file that was just closed counts twice until the rows are read again.
const QUOTA = sized(40, 3000) * MB
let house: DropHouse
beforeAll(async () => {
  house = await openDropHouse({ drop_waiting_bytes: QUOTA })
})
afterAll(() => house.close())

const ftp = async () => {
  const client = await openFtp(house.server.ftpPort, house.account.username, house.password)
  onTestFinished(() => void client.socket.destroy())
  const send = async (command: string, bytes: Buffer): Promise<string> => {
    const connection = await client.data()
    const begun = await client.say(command)
    connection.end(bytes)
    return begun.startsWith('150') ? client.reply() : begun
  }
  expect(await client.say('TYPE I')).toMatch(/^200 /)
  return { ...client, send }
}
const sftp = async () => {
  const client = await openSftp(house.server.sftpPort, house.account.username, house.password)
  onTestFinished(() => client.end())
  return client
}

/** The bytes of the blobs and of the staging files, each file once. */
async function onDisk(): Promise<number> {
  const sizes = new Map<number, number>()
  const folder = path.dirname(house.folder)
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/^(?:primary|staging)/.test(name)) continue
    const found = await stat(path.join(folder, name)).catch(() => null)
    if (found?.isFile()) sizes.set(found.ino, found.size)
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
const waiting = async () =>
  (
    await house.scope.one<{ bytes: number }>(
      `select coalesce(sum(size_bytes), 0)::float8 as bytes from drop_entries where shop_id = :shop`,
    )
  ).bytes
/** Everything that is stored is a file that waits. */
const expectNothingElse = async () => {
  await expect.poll(onDisk).toBe(await waiting())
  const { rows } = await house.database.pool.query('select from blob_locations')
  const named = await house.scope.query(
    'select distinct hash from drop_entries where shop_id = :shop and hash is not null',
  )
  expect(rows.length).toBe(named.length)
}

soakTest('bytes that are appended one by one keep one copy', async () => {
  const { send } = await ftp()
  const size = sized(8, 200) * MB
  expect(await send('STOR a.bin', randomBytes(size))).toMatch(/^226 /)
  for (let n = 0; n < 10; n++) expect(await send('APPE a.bin', Buffer.from('x'))).toMatch(/^226 /)
  expect(await waiting()).toBe(size + 10)
  await expectNothingElse()
})

soakTest('truncations to many sizes keep one copy', async () => {
  const { sftp: channel, put } = await sftp()
  const at = `${house.home}/cut.bin`
  await put(at, randomBytes(sized(2, 10) * MB))
  for (let n = 1; n <= sized(20, 200); n++)
    await new Promise<void>((resolve, reject) =>
      channel.setstat(at, { size: sized(2, 10) * MB - n }, (error) =>
        error ? reject(error) : resolve(),
      ),
    )
  await expectNothingElse()
})

test('files that are removed, replaced and renamed over leave nothing', async () => {
  const { send, say } = await ftp()
  for (let n = 0; n < sized(5, 40); n++) {
    expect(await send('STOR gone.bin', randomBytes(3 * MB))).toMatch(/^226 /)
    expect(await say('DELE gone.bin')).toMatch(/^250 /)
    expect(await send('STOR again.bin', randomBytes(2 * MB))).toMatch(/^226 /)
    expect(await send('STOR new.bin', randomBytes(2 * MB))).toMatch(/^226 /)
    expect(await say('RNFR new.bin')).toMatch(/^350 /)
    expect(await say('RNTO again.bin')).toMatch(/^250 /)
    expect(await say('REST 1000')).toMatch(/^350 /)
    expect(await send('STOR again.bin', Buffer.from('x'))).toMatch(/^226 /)
  }
  await expectNothingElse()
})

test('files that are open for reading and writing are copied when a byte is written, once', async () => {
  const client = await sftp()
  const channel = client.sftp
  const size = sized(3, 150) * MB
  const count = sized(3, 4)
  for (let n = 0; n < count; n++) await client.put(`${house.home}/open-${n}.bin`, randomBytes(size))
  const before = await onDisk()
  const open = (name: string) =>
    new Promise<Buffer>((resolve, reject) =>
      channel.open(`${house.home}/${name}`, 'r+', (error, handle) =>
        error ? reject(error) : resolve(handle),
      ),
    )
  const close = (handle: Buffer) =>
    new Promise<void>((resolve, reject) =>
      channel.close(handle, (error) => (error ? reject(error) : resolve())),
    )
  for (let n = 0; n < sized(12, 60); n++) await close(await open(`open-${n % count}.bin`))
  const handles = await Promise.all(Array.from({ length: count }, (_, n) => open(`open-${n}.bin`)))
  expect(await onDisk()).toBe(before)
  for (const handle of handles)
    for (const at of [0, 10])
      await new Promise<void>((resolve, reject) =>
        channel.write(handle, Buffer.from('y'), 0, 1, at, (error) =>
          error ? reject(error) : resolve(),
        ),
      )
  for (const handle of handles) await close(handle)
  const found = await client.get(`${house.home}/open-0.bin`)
  expect([found.length, found[0], found[10]]).toEqual([size, 121, 121])
  await expectNothingElse()
})

test('the same bytes under another name stay, and those that were there before too', async () => {
  const { send, say } = await ftp()
  const bytes = randomBytes(MB)
  await house.store.write(house.scope.shop, [Buffer.from('staged by an import')] as never)
  expect(await send('STOR staged.txt', Buffer.from('staged by an import'))).toMatch(/^226 /)
  for (const name of ['one.bin', 'two.bin'])
    expect(await send(`STOR ${name}`, bytes)).toMatch(/^226 /)
  for (const name of ['staged.txt', 'one.bin']) expect(await say(`DELE ${name}`)).toMatch(/^250 /)
  const client = await sftp()
  expect((await client.get(`${house.home}/two.bin`)).equals(bytes)).toBe(true)
  // An import may be about to use what was here before: it counts until a sweep has removed it.
  const { rows } = await house.database.pool.query<{ count: number }>(
    'select count(*)::int as count from blob_locations where dropped_at is not null',
  )
  expect(rows[0]!.count).toBe(1)
})
