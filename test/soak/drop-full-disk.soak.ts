// A drop server on a full disk: a file system of 64 MB, which only root may mount. Without root the
// test fails instead of passing on another disk.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../server/core/log.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { hashOf } from '../fakes/content.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'

const run = promisify(execFile)
const MB = 1024 * 1024
const DISK_MB = 64
/** SSH_FX_FAILURE. */
const FAILURE = 4
const FULL = 'The disk is full: try again later'

let disk: string
/** The clients' files, on another disk. */
let sent: string
let house: DropHouse
let sftp: SftpClient
const logged: string[] = []
beforeAll(async () => {
  disk = await mkdtemp(path.join(tmpdir(), 'stevedore-full-'))
  sent = await mkdtemp(path.join(tmpdir(), 'stevedore-sent-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', disk])
  const log = createLogger('warn', (line) => logged.push(line))
  house = await openDropHouse({}, log, disk)
  sftp = await openSftp(house.server.sftpPort, house.account.username, house.password)
})
afterAll(async () => {
  sftp?.end()
  await house?.close()
  await run('umount', [disk])
  for (const folder of [disk, sent]) await rm(folder, { recursive: true })
})

const ballast = () => path.join(disk, 'ballast')
/** Fills the disk until `free` bytes are left. */
async function fill(free: number): Promise<void> {
  const file = await open(ballast(), 'w')
  const block = Buffer.alloc(4096)
  let size = 0
  const full = await (async () => {
    for (; ; size += block.length) await file.write(block)
  })().catch((error: NodeJS.ErrnoException) => error.code)
  expect(full).toBe('ENOSPC')
  await file.truncate(Math.max(0, size - free))
  await file.close()
}

const put = (name: string, bytes: Buffer): Promise<unknown> =>
  sftp.put(`${house.home}/${name}`, bytes).catch((error: Error & { code?: number }) => ({
    code: error.code,
    message: error.message,
  }))
async function putByFtp(name: string, bytes: Buffer) {
  const file = path.join(sent, name)
  await writeFile(file, bytes)
  const url = `ftp://127.0.0.1:${house.server.ftpPort}/${name}`
  const user = `${house.account.username}:${house.password}`
  return runProgram(['curl', '-sSv', '-u', user, '-T', file, url])
}

interface Row {
  name: string
  state: string
  hash: string | null
  size_bytes: number
}
const rows = () =>
  house.scope.query<Row>(
    `select name, state, encode(hash, 'hex') as hash, size_bytes from drop_entries
     where shop_id = :shop order by name`,
  )
/** Checks that every row with bytes has exactly these in the store; returns the waiting names. */
async function waiting(): Promise<string[]> {
  for (const { name, hash, size_bytes } of await rows()) {
    if (hash === null) {
      expect([name, size_bytes]).toEqual([name, 0])
      continue
    }
    const bytes = await house.store.readWhole(house.scope.shop, hash)
    expect([name, hashOf(bytes), bytes.length]).toEqual([name, hash, size_bytes])
  }
  return (await rows()).filter(({ state }) => state === 'waiting').map(({ name }) => name)
}
/** Files of transfers that have not become blobs. */
async function leftovers(): Promise<string[]> {
  const root = path.join(house.folder, '..')
  const found = ['staging', 'primary/tmp'].map((folder) => readdir(path.join(root, folder)))
  return (await Promise.all(found)).flat()
}

test('large files are refused during the transfer, existing files stay, and uploads work again with free space', async () => {
  const kept = randomBytes(5 * MB)
  const cut = kept.subarray(0, 2 * MB)
  const large = randomBytes(8 * MB)
  await put('kept.bin', kept)
  await put('cut.bin', cut)
  await fill(3 * MB)
  expect(await put('by-sftp.bin', large)).toEqual({ code: FAILURE, message: FULL })
  const refused = await putByFtp('by-ftp.bin', large)
  expect(refused.code).not.toBe(0)
  expect(refused.output).toContain(`< 452 ${FULL}`)
  expect(await waiting()).toEqual(['cut.bin', 'kept.bin'])
  expect(await leftovers()).toEqual([])
  expect(logged.join('')).toContain('ENOSPC')
  await rm(ballast())
  expect(await put('by-sftp.bin', large)).toBeUndefined()
  expect(await putByFtp('by-ftp.bin', large)).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual(['by-ftp.bin', 'by-sftp.bin', 'cut.bin', 'kept.bin'])
  await house.scope.query(`delete from drop_entries where shop_id = :shop and name like 'by-%'`)
})

test('a resumed file keeps its received bytes', async () => {
  const whole = randomBytes(4 * MB)
  const had = whole.subarray(0, 3 * MB)
  await put('resumed.bin', had)
  const before = (await rows()).find(({ name }) => name === 'resumed.bin')
  await fill(MB)
  const file = path.join(sent, 'resumed.bin')
  await writeFile(file, whole)
  const url = `ftp://127.0.0.1:${house.server.ftpPort}/resumed.bin`
  const user = `${house.account.username}:${house.password}`
  const resume = () => runProgram(['curl', '-sSv', '-u', user, '-C', '-', '-T', file, url])
  expect((await resume()).output).toContain(`< 452 ${FULL}`)
  expect((await rows()).find(({ name }) => name === 'resumed.bin')).toMatchObject({
    hash: before!.hash,
    size_bytes: had.length,
  })
  await rm(ballast())
  expect(await resume()).toMatchObject({ code: 0 })
  expect((await sftp.get(`${house.home}/resumed.bin`)).equals(whole)).toBe(true)
})

test('small files are refused when they end, and sent again over the same connection', async () => {
  const small = randomBytes(20_000)
  const before = await waiting()
  await fill(0)
  expect(await put('small-sftp.bin', small)).toEqual({ code: FAILURE, message: FULL })
  expect((await putByFtp('small-ftp.bin', small)).output).toContain(`< 452 ${FULL}`)
  // An existing file keeps its bytes.
  expect(await put('kept.bin', small)).toEqual({ code: FAILURE, message: FULL })
  expect(await waiting()).toEqual(before)
  expect(await leftovers()).toEqual([])
  await rm(ballast())
  expect(await put('small-sftp.bin', small)).toBeUndefined()
  expect(await putByFtp('small-ftp.bin', small)).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual([...before, 'small-ftp.bin', 'small-sftp.bin'].toSorted())
})

test('of concurrent uploads that fill the disk some complete, each with all its bytes', async () => {
  await fill(17 * MB)
  const files = Array.from({ length: 6 }, (_, n) => ({
    name: `parallel-${n}.bin`,
    bytes: randomBytes(5 * MB),
  }))
  const clients = await Promise.all(
    files.map(() => openSftp(house.server.sftpPort, house.account.username, house.password)),
  )
  const results = await Promise.all(
    clients.map((client, n) =>
      client.put(`${house.home}/${files[n]!.name}`, files[n]!.bytes).then(
        () => 'whole',
        (error: Error) => error.message,
      ),
    ),
  )
  expect(results).toContain(FULL)
  const ended = files.filter((_, n) => results[n] === 'whole').map(({ name }) => name)
  expect((await waiting()).filter((name) => name.startsWith('parallel-'))).toEqual(ended)
  expect(await leftovers()).toEqual([])
  await rm(ballast())
  for (const [n, client] of clients.entries()) {
    if (results[n] === 'whole') continue
    await client.put(`${house.home}/${files[n]!.name}`, files[n]!.bytes)
    expect((await client.get(`${house.home}/${files[n]!.name}`)).equals(files[n]!.bytes)).toBe(true)
  }
  for (const client of clients) client.end()
})
