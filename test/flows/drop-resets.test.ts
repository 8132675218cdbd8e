// FTP uploads that are interrupted: nothing of them is imported, and the client resumes them to the
// same bytes.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { hashOf } from '../fakes/content.ts'
import { openFtp } from '../ftp-client.ts'
import { randomOf, sized } from '../scale.ts'

const RESETS = sized(6, 100)
const random = randomOf('drop resets')

let house: DropImports
beforeAll(async () => {
  house = await openDropImports()
  await house.set({ schedule: 'realtime' })
})
afterAll(() => house.close())

type Ftp = Awaited<ReturnType<typeof openFtp>>
type Data = Awaited<ReturnType<Ftp['data']>>
const open = () => openFtp(house.server.ftpPort, house.account.username, house.password)

/** Ways in which a transfer ends in the middle of a file. */
const ENDS: Readonly<Record<string, (ftp: Ftp, data: Data) => Promise<void>>> = {
  'the data connection is reset': async ({ socket, reply }, data) => {
    data.resetAndDestroy()
    expect(await reply()).toMatch(/^426 /)
    socket.destroy()
  },
  'both connections are reset': async ({ socket }, data) => {
    data.resetAndDestroy()
    socket.resetAndDestroy()
  },
  // The kernel closes the data connection of a killed client as at the end of a file.
  'the client is killed': async ({ socket }, data) => {
    data.destroy()
    socket.destroy()
  },
}

/** Sends `bytes` from offset `from`; the data connection stays open. */
async function begin(ftp: Ftp, name: string, bytes: Buffer, from = 0): Promise<Data> {
  const data = await ftp.data()
  if (from > 0) expect(await ftp.say(`REST ${from}`)).toMatch(/^350 /)
  expect(await ftp.say(`STOR ${name}`)).toMatch(/^150 /)
  if (!data.write(bytes.subarray(from))) await once(data, 'drain')
  return data
}

const entriesOf = (name: string) =>
  house.app.owner.scope.query<{ state: string; hash: string | null }>(
    `select state, encode(hash, 'hex') as hash from drop_entries
     where shop_id = :shop and coalesce(dropped_name, name) = :name`,
    { name },
  )

test.each(Object.keys(ENDS))('%s: nothing is imported, and the upload is resumed', async (how) => {
  const witness = await open()
  for (let n = 0; n < RESETS; n++) {
    const name = `${how.replaceAll(' ', '-')}-${n}.bin`
    const bytes = randomBytes(random(300_000, 900_000))
    const cut = await open()
    const data = await begin(cut, name, bytes.subarray(0, random(1, bytes.length)))
    // A reset may discard bytes that the server has not read; from here on the file exists there.
    await expect.poll(() => witness.say(`SIZE ${name}`)).toMatch(/^213 /)
    await ENDS[how]!(cut, data)
    await expect.poll(() => entriesOf(name)).toMatchObject([{ state: 'partial' }])
    expect(await house.fileNamed(name)).toBeNull()
    const resumed = await open()
    const [, size] = (await resumed.say(`SIZE ${name}`)).split(' ')
    const rest = await begin(resumed, name, bytes, Number(size))
    rest.end()
    expect(await resumed.reply()).toMatch(/^226 /)
    await resumed.say('QUIT')
    expect(await house.untilThere(name)).toMatchObject({ size_bytes: bytes.length })
    expect(await entriesOf(name)).toMatchObject([{ hash: hashOf(bytes) }])
  }
  witness.socket.destroy()
})
