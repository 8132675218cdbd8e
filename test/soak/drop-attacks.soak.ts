// The drop process under attacks on its memory, together and then each alone, with long listings,
// and while its database hangs or ends. Another client is served meanwhile; the figures are printed.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoDrop } from '../../server/features/drop/demo-account.ts'
import { findRunning } from '../../server/core/db/embedded.ts'
import { clusterOf } from '../../server/core/db/embedded-place.ts'
import { ATTACKS, attackDrop, type AttackName } from '../drop-attacks.ts'
import { dropProcessOf, residentMb } from '../drop-process.ts'
import {
  makeDataDir,
  readDemo,
  removeDataDir,
  startServer,
  type ServerProcess,
} from '../flows/server.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'

const MAX_GROWTH_MB = 150
const NAMES = 100_000
const HANG_MS = 20_000

let dataDir: string
let server: ServerProcess
let drop: DemoDrop
/** Of another account. */
let other: { username: string; password: string }
beforeAll(async () => {
  dataDir = await makeDataDir()
  server = await startServer({ drop: true, dataDir })
  ;({ drop } = await readDemo(dataDir))
  await server.call('PATCH', '/api/drop', { schedule: 'manual' })
  const made = await server.call('POST', '/api/drop/accounts', { name: 'Other' })
  other = (await made.json()) as typeof other
})
afterAll(async () => {
  await server.stop()
  await removeDataDir(dataDir)
})

const pid = () => dropProcessOf(server.child.pid!)!
const signIn = () => openSftp(drop.sftp_port, other.username, other.password)
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Samples the memory of the process, and how long another client waits, while `work` runs. */
async function watched(name: string, work: (look: () => Promise<void>) => Promise<unknown>) {
  const client = await signIn()
  const id = pid()
  const idle = residentMb(id)
  let most = idle
  let worst = 0
  await work(async () => {
    most = Math.max(most, residentMb(id))
    const began = performance.now()
    await client.list(drop.path)
    worst = Math.max(worst, performance.now() - began)
  })
  client.end()
  ;(await signIn()).end()
  say(
    `${name}: ${idle.toFixed(0)} MB before, ${most.toFixed(0)} MB at most; another client waited ${worst.toFixed(0)} ms at most`,
  )
  expect(pid()).toBe(id)
  return { growth: most - idle }
}

const attacks: [string, readonly AttackName[]][] = [
  ['all together', ATTACKS],
  ...ATTACKS.map((name): [string, AttackName[]] => [name, [name]]),
]
test.each(attacks)(
  '%s: the memory stays within bounds, and others are served',
  async (name, names) => {
    const { growth } = await watched(name, (look) => attackDrop(drop, look, names))
    expect(growth).toBeLessThan(MAX_GROWTH_MB)
  },
  300_000,
)

const databaseUrl = async () => (await findRunning(dataDir))!
async function execute(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: await databaseUrl() })
  await client.connect()
  await client.query(text)
  await client.end()
}

test(`a folder of ${NAMES} files is listed by both protocols, while others are served`, async () => {
  const client = await signIn()
  await client.folder(`${drop.path}many`)
  await client.put(`${drop.path}many/first.txt`, Buffer.from('one'))
  // As uploads would make them. The statistics are needed: the plans of foreign keys that were made
  // for a few rows read the whole table for each new one.
  await execute(`
    create temp table one as select * from drop_entries where name = 'first.txt';
    do $$ begin for part in 0..99 loop
      insert into drop_entries select (jsonb_populate_record(one, jsonb_build_object(
          'id', gen_random_uuid(), 'name', 'a worksheet of the year ' || part * 1000 + n || '.pdf'))).*
        from one, generate_series(1, ${NAMES / 100}) n where part * 1000 + n < ${NAMES};
      if part = 0 then analyze drop_entries; end if;
    end loop; end $$;
    analyze drop_entries`)
  let names: string[] = []
  let lines = 0
  const listing = async (look: () => Promise<void>, work: Promise<unknown>) => {
    let ended = false
    const done = work.finally(() => (ended = true))
    while (!ended) {
      await look()
      await delay(50)
    }
    await done
  }
  const bySftp = await watched('SFTP listing', (look) =>
    listing(look, (async () => (names = await client.list(`${drop.path}many`)))()),
  )
  expect(new Set(names).size).toBe(NAMES)
  const control = await openFtp(drop.ftp_port, other.username, other.password)
  const byFtp = await watched('FTP listing', (look) =>
    listing(
      look,
      (async () => {
        const connection = await control.data()
        const ended = once(connection, 'close')
        connection.on('data', (chunk: Buffer) => (lines += String(chunk).split('\n').length - 1))
        expect(await control.say(`MLSD ${drop.path}many`)).toMatch(/^150 /)
        await ended
        expect(await control.reply()).toMatch(/^226 /)
      })(),
    ),
  )
  control.socket.destroy()
  client.end()
  expect(lines).toBeGreaterThanOrEqual(NAMES)
  for (const { growth } of [bySftp, byFtp]) expect(growth).toBeLessThan(MAX_GROWTH_MB)
})

/**
 * It was done, the server said that it cannot now, or the client waited no longer. Never that a password is wrong: programs ask
 * for another one then, and do not try again.
 */
const HONEST =
  /: (done|2\d\d .*|.*not available: try again soon|SERVICE_NOT_AVAILABLE|The server closed the connection|Timed out while waiting for handshake|closed) \(/
/** What clients of both protocols are told when they send a file, sign in, and list. */
async function answers(client: SftpClient, control: Awaited<ReturnType<typeof openFtp>>) {
  const told = (made: Promise<unknown>) =>
    made.then(
      () => 'done',
      (error: Error) => error.message,
    )
  const timed = async (name: string, made: Promise<string>) => {
    const began = performance.now()
    return `${name}: ${await made} (${((performance.now() - began) / 1000).toFixed(1)} s)`
  }
  return Promise.all([
    timed('SFTP put', told(client.put(`${drop.path}late-sftp.txt`, Buffer.from('late')))),
    timed('SFTP list', told(client.list(drop.path))),
    timed('FTP store', storeByFtp(control, 'late-ftp.txt')),
    timed('SFTP sign-in', told(signIn().then((one) => one.end()))),
    timed(
      'FTP sign-in',
      openFtp(drop.ftp_port, other.username, other.password).then(({ signedIn, socket }) => {
        socket.destroy()
        return signedIn
      }),
    ),
  ])
}

async function storeByFtp(control: Awaited<ReturnType<typeof openFtp>>, name: string) {
  const data = await control.data()
  const begun = await control.say(`STOR ${drop.path}${name}`)
  data.end('late')
  return begun.startsWith('150') ? control.reply() : begun
}

async function postgres(): Promise<number[]> {
  const cluster = await clusterOf(path.join(dataDir, 'postgres'))
  const [first] = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', first!], { encoding: 'utf8' })
  return [Number(first), ...children.trim().split(/\s+/).map(Number)]
}

const faults: [string, (pids: number[]) => Promise<void>][] = [
  [
    'hangs',
    async (pids) => {
      for (const one of pids) process.kill(one, 'SIGSTOP')
      await delay(HANG_MS)
      for (const one of pids) process.kill(one, 'SIGCONT')
    },
  ],
  ['ends', async ([first]) => void process.kill(first!, 'SIGKILL')],
]
test.each(faults)(
  'while the database %s, clients are told, and served again afterwards',
  async (name, fault) => {
    const [client, control] = [
      await signIn(),
      await openFtp(drop.ftp_port, other.username, other.password),
    ]
    const id = pid()
    const before = residentMb(id)
    const faulted = fault(await postgres())
    const told = await answers(client, control)
    say(`the database ${name}:\n  ${told.join('\n  ')}`)
    expect(told.filter((answer) => !HONEST.test(answer))).toEqual([])
    await faulted
    const signedIn = () =>
      signIn().then(
        (one) => (one.end(), true),
        () => false,
      )
    await expect.poll(signedIn).toBe(true)
    const after = residentMb(id)
    say(`  ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB afterwards`)
    expect(pid()).toBe(id)
    expect(after - before).toBeLessThan(MAX_GROWTH_MB)
    const again = await signIn()
    await again.put(`${drop.path}again.txt`, Buffer.from('again'))
    expect(String(await again.get(`${drop.path}again.txt`))).toBe('again')
    again.end()
    client.end()
    control.socket.destroy()
  },
  300_000,
)
