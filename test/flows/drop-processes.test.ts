// Two processes of the drop server over one database and one store, as behind a load balancer: a
// client that reconnects may reach either.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeAccount } from '../../server/channels/drop/accounts.ts'
import type { DropServer } from '../../server/channels/drop/server.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { hashOf } from '../fakes/content.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'

let house: DropHouse
let second: DropServer
beforeAll(async () => {
  house = await openDropHouse()
  second = await house.another()
})
afterAll(() => house.close())

const ftp = ({ ftpPort }: DropServer) => openFtp(ftpPort, house.account.username, house.password)
const sftp = ({ sftpPort }: DropServer) =>
  openSftp(sftpPort, house.account.username, house.password)
const entryOf = async (name: string) =>
  (
    await house.scope.query<{ state: string; hash: string }>(
      `select state, encode(hash, 'hex') as hash from drop_entries where shop_id = :shop and name = :name`,
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
  await one.put(`${house.home}/shared.bin`, bytes)
  expect(await two.list(house.home)).toEqual(['shared.bin'])
  expect((await two.get(`${house.home}/shared.bin`)).equals(bytes)).toBe(true)
  await two.rename(`${house.home}/shared.bin`, `${house.home}/moved.bin`)
  expect(await one.list(house.home)).toEqual(['moved.bin'])
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
  await expect.poll(() => back.say('SIZE resumed.bin'), { timeout: 20_000 }).toBe('213 500000')
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
