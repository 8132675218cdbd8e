// `npm run bench drop`: files sent by real clients (OpenSSH's sftp and Python's ftplib) to the drop
// server, to OpenSSH's sshd and to vsftpd; the memory of the drop process; and the time until a
// file sent in real time is listed while other imports run. The whole server runs as with `npm
// start`. BENCH_DROP_MB: the size of the large file.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DemoDrop } from '../../server/features/drop/demo-account.ts'
import { attackDrop } from '../drop-attacks.ts'
import { dropProcessOf, residentMb } from '../drop-process.ts'
import { runProgram } from '../drop.ts'
import { startOrigin } from '../fakes/origin.ts'
import { readDemo, startServer, type ServerProcess } from '../flows/server.ts'
import { openSftp } from '../sftp-client.ts'
import { compare, peakMegabytes, type Bench, type Context, type Row } from './bench.ts'
import { startSshd, startVsftpd, type OtherServer } from './drop/servers.ts'

const MB = 1_000_000
const LARGE_MB = Number(process.env.BENCH_DROP_MB ?? 1000)
const SMALL = { files: 1000, size: 20_000 }
const PARALLEL = 20
const IDLE = 200
const REMOVED_CONCURRENTLY = 20
const MEMORY_MB = 250
const IDLE_MB = 60
const ATTACKED_MB = 150
const SEEN_SECONDS = 2
const FLOORS = { sftp: 0.9, ftp: 0.6 }

interface Place {
  server: ServerProcess
  drop: DemoDrop
  /** Holds the accounts' key and the files to send. */
  folder: string
  sshd: OtherServer
  vsftpd: OtherServer
}

const SSH = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'BatchMode=yes']

async function makeFiles(folder: string): Promise<void> {
  const small = path.join(folder, 'small')
  await mkdir(small)
  for (let n = 0; n < SMALL.files; n++)
    await writeFile(path.join(small, `${n}.bin`), randomBytes(SMALL.size))
  const pieces = function* () {
    for (let n = 0; n < LARGE_MB; n++) yield randomBytes(MB)
  }
  await pipeline(pieces, createWriteStream(path.join(folder, 'large.bin')))
}

async function must(command: readonly [string, ...string[]], input?: string): Promise<void> {
  const done = await runProgram(command, { ...(input === undefined ? {} : { input }), timeout: 0 })
  if (done.code !== 0) throw new Error(`${command[0]}: ${done.output.slice(-500)}`)
}

/** Seconds of an OpenSSH sftp batch with these lines. */
async function bySftp(
  { folder }: Place,
  to: { port: number; user: string },
  batch: string,
): Promise<number> {
  const options = [...SSH, 'LogLevel=ERROR'].flatMap((one) => ['-o', one])
  const key = ['-i', path.join(folder, 'key')]
  const began = performance.now()
  await must(
    ['sftp', ...options, ...key, '-P', String(to.port), '-b', '-', `${to.user}@127.0.0.1`],
    batch,
  )
  return (performance.now() - began) / 1000
}

const FTPLIB = `
import ftplib, json, os, sys, time
port, user, password, folder, files = json.loads(sys.stdin.read())
ftp = ftplib.FTP()
ftp.connect('127.0.0.1', port)
ftp.login(user, password)
ftp.cwd(folder)
began = time.monotonic()
for file in files:
  with open(file, 'rb') as source:
    ftp.storbinary('STOR ' + os.path.basename(file), source, 262144)
print(time.monotonic() - began)
ftp.quit()`

/**
 * Seconds of Python's ftplib for these files over one connection. (curl often waits a second
 * between two files with either server.)
 */
async function byFtplib(
  to: { port: number; user: string; password: string; folder: string },
  files: readonly string[],
): Promise<number> {
  const { port, user, password, folder } = to
  const input = JSON.stringify([port, user, password, folder, files])
  const done = await runProgram(['/usr/bin/python3', '-c', FTPLIB], { input, timeout: 0 })
  if (done.code !== 0) throw new Error(`ftplib: ${done.output.slice(-500)}`)
  return Number(done.output)
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true })
}

/** Removes what was sent, so that neither the quota nor a full disk affects the measurement. */
async function emptyOurs({ drop }: Place): Promise<void> {
  const client = await openSftp(drop.sftp_port, drop.username, drop.password)
  const names = (await client.list(drop.path)).filter((name) => name.endsWith('.bin'))
  for (let from = 0; from < names.length; from += REMOVED_CONCURRENTLY)
    await Promise.all(
      names.slice(from, from + REMOVED_CONCURRENTLY).map((name) => client.remove(drop.path + name)),
    )
  client.end()
}

async function speeds(place: Place, { rounds, say }: Context): Promise<Row[]> {
  const { drop, folder, sshd, vsftpd } = place
  const me = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()
  const ours = { port: drop.sftp_port, user: drop.username }
  const theirs = { port: sshd.port, user: me }
  const small = Array.from({ length: SMALL.files }, (_, n) => path.join(folder, `small/${n}.bin`))
  const large = [path.join(folder, 'large.bin')]
  const batch = (files: readonly string[], to: string) =>
    [`cd ${to}`, ...files.map((file) => `put ${file}`)].join('\n')
  const kinds = [
    { what: `1 × ${LARGE_MB} MB`, files: large, unit: 'MB/s', amount: LARGE_MB },
    { what: `${SMALL.files} × 20 KB`, files: small, unit: 'files/s', amount: SMALL.files },
  ]
  const rows: Row[] = []
  for (const { what, files, unit, amount } of kinds) {
    const figures = { sftp: [[], []] as number[][], ftp: [[], []] as number[][] }
    for (let round = 0; round < rounds; round++) {
      figures.sftp[0]!.push(amount / (await bySftp(place, ours, batch(files, drop.path))))
      await emptyOurs(place)
      figures.sftp[1]!.push(amount / (await bySftp(place, theirs, batch(files, sshd.folder))))
      await empty(sshd.folder)
      const { username: user, password } = drop
      const own = { port: drop.ftp_port, user, password, folder: drop.path }
      figures.ftp[0]!.push(amount / (await byFtplib(own, files)))
      await emptyOurs(place)
      const pub = { port: vsftpd.port, user: 'anonymous', password: 'x', folder: '/pub' }
      figures.ftp[1]!.push(amount / (await byFtplib(pub, files)))
      await empty(vsftpd.folder)
      say(`${what}, round ${round + 1} of ${rounds}`)
    }
    for (const protocol of ['sftp', 'ftp'] as const) {
      const [a, b] = figures[protocol]
      const name = `${protocol.toUpperCase()} ${what}`
      rows.push(compare(name, unit, a!, b!, { floor: FLOORS[protocol] }))
    }
  }
  return rows
}

async function restartDrop(server: ServerProcess): Promise<number> {
  const before = dropProcessOf(server.child.pid!)
  if (before !== null) process.kill(before, 'SIGKILL')
  for (;;) {
    const now = dropProcessOf(server.child.pid!)
    if (now !== null && now !== before) return now
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function untilOpen({ drop }: Place) {
  for (;;) {
    const client = await openSftp(drop.sftp_port, drop.username, drop.password).catch(() => null)
    if (client) return client.end()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Peak memory of a new drop process with this number of concurrent uploads of the large file. */
async function peakOf(place: Place, uploads: number): Promise<number> {
  const pid = await restartDrop(place.server)
  await untilOpen(place)
  const to = { port: place.drop.sftp_port, user: place.drop.username }
  const send = (n: number) =>
    bySftp(place, to, `put ${path.join(place.folder, 'large.bin')} ${place.drop.path}${n}.bin`)
  await Promise.all(Array.from({ length: uploads }, (_, n) => send(n)))
  const peak = await peakMegabytes(pid)
  await emptyOurs(place)
  return peak
}

async function idleGrowth(place: Place): Promise<number> {
  const pid = await restartDrop(place.server)
  await untilOpen(place)
  const before = residentMb(pid)
  const accounts = await Promise.all(
    Array.from({ length: IDLE / 50 + 1 }, async (_, n) => {
      const made = await place.server.call('POST', '/api/drop/accounts', { name: `Idle ${n}` })
      return (await made.json()) as { id: string; username: string; password: string }
    }),
  )
  const clients = []
  for (let n = 0; n < IDLE; n++) {
    const { username, password } = accounts[n % accounts.length]!
    clients.push(await openSftp(place.drop.sftp_port, username, password))
  }
  const growth = residentMb(pid) - before
  for (const client of clients) client.end()
  for (const { id } of accounts) await place.server.call('DELETE', `/api/drop/accounts/${id}`)
  return growth
}

/** Growth of a new drop process while clients try to make it hold memory. */
async function attackedGrowth(place: Place): Promise<number> {
  const pid = await restartDrop(place.server)
  await untilOpen(place)
  const before = residentMb(pid)
  let most = 0
  await attackDrop(place.drop, async () => {
    most = Math.max(most, residentMb(pid))
  })
  await emptyOurs(place)
  return most - before
}

async function memory(place: Place, { say }: Context): Promise<Row[]> {
  say('memory of one upload')
  const one = await peakOf(place, 1)
  say(`memory of ${PARALLEL} uploads`)
  const many = await peakOf(place, PARALLEL)
  say(`memory of ${IDLE} idle connections`)
  const idle = await idleGrowth(place)
  say('memory under attack')
  const attacked = await attackedGrowth(place)
  const row = (what: string, ours: number, theirs: number, ceiling: number): Row => ({
    what,
    unit: 'MB',
    ours,
    theirs,
    ratio: ours / theirs,
    ceiling,
  })
  return [
    row(`peak memory, 1 upload of ${LARGE_MB} MB`, one, MEMORY_MB, 1),
    row(`peak memory, ${PARALLEL} uploads of ${LARGE_MB} MB`, many, MEMORY_MB, 1),
    row(`${IDLE} idle connections`, idle, IDLE_MB, 1),
    row('unread replies, reads, truncations and open files', attacked, ATTACKED_MB, 1),
  ]
}

/**
 * Seconds from the end of an upload until the file is listed, while other imports wait for slow
 * origins.
 */
async function seen(place: Place, { rounds, say }: Context): Promise<Row> {
  const { server, drop, folder } = place
  const origin = await startOrigin()
  await server.call('PATCH', '/api/drop', { schedule: 'realtime' })
  const files = Array.from({ length: 1000 }, (_, n) => ({
    filename: `busy-${n}.bin`,
    url: `${origin.url}/bytes/2000000/busy-${n}`,
  }))
  for (let n = 0; n < 3; n++)
    await server.call(
      'POST',
      '/api/files/import',
      { files: files.map((file) => ({ ...file, filename: `${n}-${file.filename}` })) },
      { prefer: 'respond-async' },
    )
  const times: number[] = []
  for (let round = 0; round < rounds * 2; round++) {
    const name = `seen-${round}-${randomBytes(4).toString('hex')}.bin`
    const local = path.join(folder, name)
    await writeFile(local, randomBytes(SMALL.size))
    const to = { port: drop.sftp_port, user: drop.username }
    await bySftp(place, to, `put ${local} ${drop.path}${name}`)
    const began = performance.now()
    for (;;) {
      const { data } = (await (await server.call('GET', `/api/files?search=${name}`)).json()) as {
        data: unknown[]
      }
      if (data.length > 0) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    times.push((performance.now() - began) / 1000)
  }
  say(`seen after ${times.map((time) => time.toFixed(2)).join(', ')} s`)
  await origin.close()
  const ours = Math.max(...times)
  const ratio = ours / SEEN_SECONDS
  return {
    what: 'listed after an upload, with other imports running',
    unit: 's',
    ours,
    theirs: SEEN_SECONDS,
    ratio,
    ceiling: 1,
  }
}

export const dropBench: Bench = {
  name: 'drop',
  run: async (context) => {
    const { folder } = context
    await makeFiles(folder)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(folder, 'key')])
    const key = await readFile(path.join(folder, 'key.pub'), 'utf8')
    const dataDir = path.join(folder, 'data')
    await mkdir(dataDir)
    const server = await startServer({ drop: true, dataDir })
    const sshd = await startSshd(folder, key)
    const vsftpd = await startVsftpd(folder)
    try {
      const { drop } = await readDemo(dataDir)
      await server.call('PATCH', '/api/drop', { schedule: 'manual' })
      const { data } = (await (await server.call('GET', '/api/drop/accounts')).json()) as {
        data: { id: string }[]
      }
      const keys = { public_keys: [{ name: 'bench', key }] }
      await server.call('PATCH', `/api/drop/accounts/${data[0]!.id}`, keys)
      const place = { server, drop, folder, sshd, vsftpd }
      const rows = await speeds(place, context)
      if (context.brief) return rows
      return [...rows, ...(await memory(place, context)), await seen(place, context)]
    } finally {
      await vsftpd.stop()
      await sshd.stop()
      await server.stop()
    }
  },
}
