// Faults of the drop server in a whole installation: connections that are reset, a drop process
// killed in the middle of uploads, a worker killed in the middle of an import, and invalid input.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoDrop } from '../../server/features/drop/demo-account.ts'
import { cheapHash } from '../drop.ts'
import { dropProcessOf, residentMb } from '../drop-process.ts'
import { promisedMs, randomOf, sized, soakTest } from '../scale.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'
import { listAll } from './imports.ts'
import { readDemo, startServer, type ServerProcess } from './server.ts'

const RESETS = sized(2, 100)
const UPLOADS = sized(3, 20)
/** The number of changed lines and packets in a round. */
const MUTATIONS = sized(100, 10_000)
const A_ROUND = 100
/** SSH_FX_NO_SUCH_FILE. */
const NO_SUCH_FILE = 2
const random = randomOf('drop faults')

let server: ServerProcess
let drop: DemoDrop
beforeAll(async () => {
  server = await startServer({ drop: true })
  await readDrop()
  const client = new pg.Client({ connectionString: server.databaseUrl })
  await client.connect()
  const update = 'update drop_accounts set password = $1 where username = $2'
  await client.query(update, [cheapHash(drop.password), drop.username])
  await client.end()
})
afterAll(() => server.stop())

const readDrop = async () => void ({ drop } = await readDemo(server.dataDir))
interface Listed {
  data: { path: string; state: string; size_bytes: number; filename: string; id: string }[]
}
const get = async (route: string) => (await (await read(route)).json()) as Listed

/** When the key's rate limit allows it: the full size reads more than that in a minute. */
async function read(route: string): Promise<Response> {
  for (;;) {
    const answer = await server.call('GET', route)
    if (answer.status !== 429) return answer
    const seconds = Number(answer.headers.get('retry-after'))
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
}
const set = async (settings: object) =>
  expect((await server.call('PATCH', '/api/drop', settings)).status).toBe(200)
const open = () => openSftp(drop.sftp_port, drop.username, drop.password)
const reopened = async (): Promise<SftpClient> => {
  let client: SftpClient | null = null
  await expect
    .poll(async () => (client = await open().catch(() => null)), { interval: 20 })
    .not.toBeNull()
  return client!
}

const dropProcess = () => dropProcessOf(server.child.pid!)

/** Writes the file from its current size up to `until`, and leaves it open. */
async function write(client: SftpClient, name: string, bytes: Buffer, until: number, from = 0) {
  const flags = from === 0 ? 'w' : 'r+'
  const handle = await new Promise<Buffer>((resolve, reject) =>
    client.sftp.open(drop.path + name, flags, (error, made) =>
      error ? reject(error) : resolve(made),
    ),
  )
  for (let at = from; at < until; at += 32_000) {
    const length = Math.min(32_000, until - at)
    await new Promise<void>((resolve, reject) =>
      client.sftp.write(handle, bytes, at, length, at, (error) =>
        error ? reject(error) : resolve(),
      ),
    )
  }
  return () =>
    new Promise<void>((resolve, reject) =>
      client.sftp.close(handle, (error) => (error ? reject(error) : resolve())),
    )
}

test('a reset connection imports nothing, and the client resumes to the same bytes', async () => {
  await set({ schedule: 'realtime' })
  for (let n = 0; n < RESETS; n++) {
    const name = `reset-${n}.bin`
    const bytes = randomBytes(random(100_000, 900_000))
    const cut = await open()
    await write(cut, name, bytes, random(1, bytes.length))
    cut.socket.resetAndDestroy()
    const resumed = await open()
    const partial = async () =>
      (await get('/api/drop/files?state=partial')).data.map(({ path }) => path)
    await expect.poll(partial).toContain(name)
    expect((await get(`/api/files?search=${name}`)).data).toEqual([])
    const size = await resumed.size(drop.path + name)
    const close = await write(resumed, name, bytes, bytes.length, size)
    await close()
    resumed.end()
    const found = async () => (await get(`/api/files?search=${name}`)).data
    await expect.poll(found).toHaveLength(1)
    const [file] = (await get(`/api/files?search=${name}`)).data
    const content = await read(`/api/files/${file!.id}/content`)
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true)
  }
})

soakTest(
  'a killed drop process is restarted, and interrupted uploads resume to the same bytes',
  async () => {
    await set({ schedule: 'manual' })
    const bytes = Array.from({ length: UPLOADS }, () => randomBytes(random(400_000, 2_000_000)))
    const clients = await Promise.all(bytes.map(() => open()))
    await Promise.all(
      clients.map((client, n) => write(client, `kill-${n}.bin`, bytes[n]!, bytes[n]!.length >> 1)),
    )
    const killed = dropProcess()!
    process.kill(killed, 'SIGKILL')
    const began = performance.now()
    await expect.poll(() => dropProcess() ?? killed, { interval: 10 }).not.toBe(killed)
    expect(performance.now() - began).toBeLessThan(promisedMs(1000))
    const client = await reopened()
    for (const [n, whole] of bytes.entries()) {
      const name = `kill-${n}.bin`
      // A small file was only in memory: it is absent, and sent from its beginning.
      const size = await client.size(drop.path + name).catch((error: { code?: number }) => {
        if (error.code === NO_SUCH_FILE) return 0
        throw error
      })
      expect(size).toBeLessThanOrEqual(whole.length)
      const close = await write(client, name, whole, whole.length, size)
      await close()
    }
    for (const [n, whole] of bytes.entries())
      expect((await client.get(`${drop.path}kill-${n}.bin`)).equals(whole)).toBe(true)
    expect((await get('/api/files?search=kill-')).data).toEqual([])
    client.end()
  },
)

soakTest(
  'a worker killed in the middle of an import neither loses nor duplicates files',
  async () => {
    await set({ schedule: 'manual', on_conflict: 'rename' })
    const client = await open()
    const names = Array.from({ length: sized(60, 400) }, (_, n) => `once-${n}.bin`)
    for (const name of names) await client.put(drop.path + name, randomBytes(random(1, 50_000)))
    client.end()
    expect((await server.call('POST', '/api/drop/import')).status).toBe(202)
    const env = { DATABASE_URL: server.databaseUrl }
    const { dataDir } = server
    await server.kill()
    server = await startServer({ drop: true, dataDir, env })
    await readDrop()
    await expect
      .poll(async () => (await listAll(server, '/api/files?search=once-&limit=250')).length)
      .toBe(names.length)
    await expect.poll(async () => (await get('/api/drop/files?state=importing')).data).toEqual([])
    const files = await listAll(server, '/api/files?search=once-&limit=250')
    expect(files.map(({ filename }) => filename).sort()).toEqual(names.toSorted())
  },
)

/** Bytes of a valid session start with some changed, removed or repeated. */
function mutated(text: Buffer): Buffer {
  const bytes = Buffer.concat([text, text.subarray(0, random(0, text.length))])
  for (let n = random(1, 8); n > 0; n--) bytes[random(0, bytes.length)] = random(0, 256)
  return bytes.subarray(0, random(1, bytes.length + 1))
}

const FTP_LINES = [
  'USER x',
  'PASS x',
  'OPTS UTF8 ON',
  'FEAT',
  'AUTH TLS',
  'PBSZ 0',
  'PROT P',
  'EPSV',
  'PASV',
  'REST 99',
  'STOR a',
  'RETR a',
  'MLST',
  'SIZE a',
  'MFMT 20260101000000 a',
  'RNFR a',
  'ABOR',
]

test('changed packets and command lines end no other session', async () => {
  const witness = await open()
  const sender = async (socket: Socket, pieces: readonly Buffer[]) => {
    socket.on('error', () => {})
    await once(socket, 'connect')
    for (const piece of pieces) socket.write(piece)
    socket.resume()
    socket.end()
    await untilClosed(socket)
  }
  const signedIn = `USER ${drop.username}\r\nPASS ${drop.password}\r\n`
  const hello = Buffer.concat([Buffer.from('SSH-2.0-Test\r\n'), randomBytes(400)])
  const before = dropProcess()!
  const idle = residentMb(before)
  const logged = server.output().length
  for (let n = 0; n < MUTATIONS; n += A_ROUND) {
    const lines = Buffer.from(
      Array.from({ length: 6 }, () => FTP_LINES[random(0, FTP_LINES.length)]).join('\r\n') + '\r\n',
    )
    await Promise.all([
      ...Array.from({ length: 10 }, () =>
        sender(connect(drop.ftp_port, '127.0.0.1'), [Buffer.from(signedIn), mutated(lines)]),
      ),
      ...Array.from({ length: 5 }, () =>
        sender(connect(drop.sftp_port, '127.0.0.1'), [mutated(hello)]),
      ),
      ...Array.from({ length: 5 }, () => badPackets()),
    ])
  }
  expect(await witness.list(drop.path)).toBeInstanceOf(Array)
  witness.end()
  expect(dropProcess()).toBe(before)
  expect(residentMb(before) - idle).toBeLessThan(150)
  // Bad requests are the client's mistake: the log would report each as a fault.
  expect(server.output().slice(logged)).not.toContain('an SFTP request failed')
})

/** Sends the changed requests of a signed-in SFTP session. */
async function badPackets(): Promise<void> {
  const client = await open()
  const outgoing = client.sftp as unknown as {
    _protocol: { channelData(channel: number, data: Buffer): void }
    outgoing: { id: number }
  }
  for (let n = 0; n < 4; n++) {
    const type = [3, 5, 6, 11, 12, 15, 17, 20, 200][random(0, 9)]!
    const body = randomBytes(random(0, 60))
    const packet = Buffer.alloc(9)
    packet.writeUInt32BE(random(0, 4) === 0 ? random(0, 0x7fffffff) : 5 + body.length)
    packet.writeUInt8(type, 4)
    packet.writeUInt32BE(random(0, 1000), 5)
    outgoing._protocol.channelData(outgoing.outgoing.id, Buffer.concat([packet, body]))
  }
  client.socket.end()
  await untilClosed(client.socket)
}

/** Resolves also if the server resets the connection. */
const untilClosed = (socket: Socket) =>
  new Promise<void>((resolve) =>
    socket.closed ? resolve() : socket.once('close', () => resolve()),
  )
