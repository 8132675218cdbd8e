// Names that a client sends again, or renames a file to, while imports take files in real time: they
// become versions of the client's own files. The sequences are those of real clients.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  findEntry,
  moveEntry,
  removeEntry,
  type DropEntry,
} from '../../server/features/drop/entries.ts'
import { createCheapAccount, runProgram } from '../drop.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { openFtp } from '../ftp-client.ts'
import { soakCases, soakTest, someOf } from '../scale.ts'
import { openSftp, type SftpClient } from '../sftp-client.ts'

let house: DropImports
let client: SftpClient
beforeAll(async () => {
  house = await openDropImports()
  client = await openSftp(house.server.sftpPort, house.account.username, house.password)
})
afterAll(async () => {
  client.end()
  await house.close()
})
beforeEach(() => house.set({ schedule: 'realtime', on_conflict: 'error', auto_import: true }))

const at = (name: string) => `${house.home}/${name}`
/** Sends a file over SFTP, and waits until it is one of the shop's. */
async function imported(name: string, bytes: string): Promise<void> {
  await house.send(name, bytes)
  await house.untilThere(name)
  await house.untilPaths([])
}
const versionOf = (name: string) =>
  house.app.owner.scope.query<{ version: number; size: number }>(
    `select version, size_bytes::int as size from files
     where shop_id = :shop and filename = :name and deleted_at is null`,
    { name },
  )
const untilVersion = (name: string, version: number, size: number) =>
  expect.poll(() => versionOf(name), { interval: 25 }).toEqual([{ version, size }])
const renamed = (from: string, to: string, posix: boolean) =>
  new Promise<string>((resolve) => {
    const done = (error?: Error | null) => resolve(error ? error.message : 'done')
    if (posix) client.sftp.ext_openssh_rename(at(from), at(to), done)
    else client.sftp.rename(at(from), at(to), done)
  })

describe('a file that its client sent under another name and renames over an earlier one', () => {
  const RENAMES: [string, (from: string, to: string) => Promise<string>][] = [
    ['posix-rename', (from: string, to: string) => renamed(from, to, true)],
    ['SSH_FXP_RENAME', (from: string, to: string) => renamed(from, to, false)],
    [
      'RNTO',
      async (from: string, to: string) => {
        const { server, account, password } = house
        const ftp = await openFtp(server.ftpPort, account.username, password)
        expect(await ftp.say(`RNFR ${from}`)).toMatch(/^350 /)
        const answer = await ftp.say(`RNTO ${to}`)
        ftp.socket.destroy()
        return answer.replace('250 Renamed', 'done')
      },
    ],
  ]
  test.each(someOf(RENAMES, (_, at) => at === 0))(
    'becomes its next version, although both were imported: %s',
    async (how, rename) => {
      const name = `${how}.txt`
      await imported(name, 'old')
      await imported(`${name}.draft`, 'newer')
      expect(await rename(`${name}.draft`, name)).toBe('done')
      expect(await versionOf(name)).toEqual([{ version: 2, size: 5 }])
      expect(await versionOf(`${name}.draft`)).toEqual([])
      // The client asks for what it has renamed, and sends the next one the same way.
      expect(await client.size(at(name))).toBe(5)
      await expect(client.size(at(`${name}.draft`))).rejects.toThrow('No such file')
      await imported(`${name}.draft`, 'newest')
      expect(await rename(`${name}.draft`, name)).toBe('done')
      expect(await versionOf(name)).toEqual([{ version: 3, size: 6 }])
      await house.send(name, 'the whole')
      await untilVersion(name, 4, 9)
    },
  )

  test('is refused over a file of someone else, unless the shop takes versions', async () => {
    const other = await createCheapAccount(house.app.owner.scope)
    const { username } = other.account
    const stranger = await openSftp(house.server.sftpPort, username, other.password)
    onTestFinished(() => stranger.end())
    await stranger.put(at('theirs.txt'), Buffer.from('theirs'))
    await house.untilThere('theirs.txt')
    await imported('mine.txt', 'mine')
    expect(await renamed('mine.txt', 'theirs.txt', true)).toBe('Duplicate filename')
    expect(await versionOf('theirs.txt')).toEqual([{ version: 1, size: 6 }])
    await house.set({ on_conflict: 'rename' })
    expect(await renamed('mine.txt', 'theirs.txt', true)).toBe('done')
    expect(await versionOf('theirs (2).txt')).toEqual([{ version: 1, size: 4 }])
    await house.set({ on_conflict: 'new_version' })
    await imported('mine.txt', 'mine again')
    expect(await renamed('mine.txt', 'theirs.txt', true)).toBe('done')
    expect(await versionOf('theirs.txt')).toEqual([{ version: 2, size: 10 }])
    // And that the client removes, since it has sent it, leaves the folder alone.
    await client.remove(at('theirs.txt'))
    await expect(client.size(at('theirs.txt'))).rejects.toThrow('No such file')
    expect(await versionOf('theirs.txt')).toHaveLength(1)
  })

  test('replaces one that still waits, if the request may replace files', async () => {
    await imported('waits.txt.draft', 'newer')
    await house.set({ schedule: 'manual' })
    await house.send('waits.txt', 'old')
    expect(await renamed('waits.txt.draft', 'waits.txt', false)).toBe('This name is taken')
    expect(await renamed('waits.txt.draft', 'waits.txt', true)).toBe('done')
    expect(await house.paths()).toEqual([])
    expect(await versionOf('waits.txt')).toEqual([{ version: 1, size: 5 }])
  })
})

test.each(soakCases(['error', 'rename']))(
  'with names that are taken: %s, what a client sends again becomes a version',
  async (onConflict) => {
    await house.set({ on_conflict: onConflict })
    const name = `again-${onConflict}.txt`
    await imported(name, 'half')
    await house.send(name, 'the whole')
    await untilVersion(name, 2, 9)
    // Under a temporary name first.
    await house.send(`${name}.tmp`, 'once more')
    expect(await renamed(`${name}.tmp`, name, false)).toBe('done')
    await untilVersion(name, 3, 9)
    // Two right after each other, of which the first may still be being imported.
    await house.send(name, 'fourth time')
    await house.send(`${name}.tmp`, 'the fifth time')
    expect(await renamed(`${name}.tmp`, name, true)).toBe('done')
    await expect.poll(async () => (await versionOf(name))[0]!.size).toBe(14)
    await house.untilPaths([])
    expect(await house.paths('failed')).toEqual([])
  },
)

test('a file that is sent again while its import runs waits for it', async () => {
  await house.set({ schedule: 'manual' })
  const { scope } = house.app.owner
  // The task that the change of the schedule has queued would file an entry without an item.
  const queued = () =>
    scope.withoutRows(
      `select from graphile_worker.jobs
       where task_identifier = 'import-drop-folders' and run_at <= now()`,
    )
  await expect.poll(queued).toEqual([])
  await house.send('slow.txt', 'half')
  await scope.query(
    `update drop_entries set state = 'importing' where shop_id = :shop and name = 'slow.txt'`,
  )
  await house.send('slow.txt.tmp', 'the whole')
  expect(await renamed('slow.txt.tmp', 'slow.txt', false)).toBe('done')
  expect((await house.call('POST', '/api/drop/import')).status).toBe(409)
  await scope.query(`delete from drop_entries where shop_id = :shop and state = 'importing'`)
  expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
  await untilVersion('slow.txt', 1, 9)
})

soakTest('a file that leaves for /processed/ while its client removes it stays there', async () => {
  const { scope } = house.app.owner
  await imported('leaves.txt', 'leaves')
  const [filed] = await scope.query<DropEntry>(
    `select * from drop_entries where shop_id = :shop and dropped_name = 'leaves.txt'`,
  )
  const before = { ...filed!, folder: '', name: 'leaves.txt', state: 'waiting' as const }
  await expect(removeEntry(scope, before)).rejects.toThrow('No such file')
  const moved = moveEntry(scope, { entry: before, folder: '', name: 'moved.txt', overwrite: true })
  await expect(moved).rejects.toThrow('The file is being imported')
  expect(await findEntry(scope, filed!.folder, filed!.name)).toMatchObject({ state: 'processed' })
})

soakTest('WinSCP replaces a file by STAT, a .filepart, REMOVE and RENAME', async () => {
  await imported('scp.txt', 'old')
  expect(await client.size(at('scp.txt'))).toBe(3)
  await client.put(at('scp.txt.filepart'), Buffer.from('newer'))
  await client.remove(at('scp.txt'))
  await client.rename(at('scp.txt.filepart'), at('scp.txt'))
  expect(await client.size(at('scp.txt'))).toBe(5)
  await untilVersion('scp.txt', 2, 5)
})

type Client = (local: string, name: string) => readonly [string, ...string[]]
const lftp =
  (scheme: 'ftp' | 'sftp'): Client =>
  (local, name) => [
    'lftp',
    '-u',
    `${house.account.username},${house.password}`,
    '-e',
    `set xfer:use-temp-file yes; set ssl:verify-certificate no; set sftp:auto-confirm yes;
     set net:max-retries 1; put ${local} -o ${at(name)}; exit`.replaceAll('\n', ' '),
    `${scheme}://127.0.0.1:${scheme === 'ftp' ? house.server.ftpPort : house.server.sftpPort}`,
  ]
const paramiko = (rename: 'rename' | 'posix_rename') => (): Client => (local, name) => [
  '/usr/bin/python3',
  '-c',
  `
import sys, paramiko
port, user, password, local, name = sys.argv[1:]
t = paramiko.Transport(('127.0.0.1', int(port)))
t.connect(username=user, password=password)
s = paramiko.SFTPClient.from_transport(t)
s.put(local, name + '.uploaded-now')
s.${rename}(name + '.uploaded-now', name)
assert s.stat(name).st_size > 0
t.close()`,
  String(house.server.sftpPort),
  house.account.username,
  house.password,
  local,
  at(name),
]
const rclone = (scheme: 'ftp' | 'sftp') => async (): Promise<Client> => {
  const { code, output } = await runProgram(['rclone', 'obscure', house.password])
  expect(code).toBe(0)
  const port = scheme === 'ftp' ? house.server.ftpPort : house.server.sftpPort
  const remote = `:${scheme},host=127.0.0.1,port=${port},user=${house.account.username}`
  return (local, name) => [
    'rclone',
    'copyto',
    '--retries=1',
    local,
    `${remote},pass=${output.trim()}:${at(name)}`,
  ]
}
const curl = (scheme: 'ftp' | 'sftp') => (): Client => (local, name) => {
  const port = scheme === 'ftp' ? house.server.ftpPort : house.server.sftpPort
  const after =
    scheme === 'ftp'
      ? [`-RNFR ${name}.sending-it`, `-RNTO ${name}`]
      : [`-rename ${at(`${name}.sending-it`)} ${at(name)}`]
  return [
    'curl',
    '-sSk',
    '-u',
    `${house.account.username}:${house.password}`,
    '-T',
    local,
    ...after.flatMap((command) => ['-Q', command]),
    `${scheme}://127.0.0.1:${port}${at(`${name}.sending-it`)}`,
  ]
}

const CLIENTS: Readonly<Record<string, () => Client | Promise<Client>>> = {
  'lftp with xfer:use-temp-file over FTP': () => lftp('ftp'),
  'lftp with xfer:use-temp-file over SFTP': () => lftp('sftp'),
  'rclone, which writes .partial files, over SFTP': rclone('sftp'),
  'rclone over FTP': rclone('ftp'),
  'curl with RNFR and RNTO': curl('ftp'),
  'curl with a rename over SFTP': curl('sftp'),
  'paramiko’s rename': paramiko('rename'),
  'paramiko’s posix_rename': paramiko('posix_rename'),
}

test.each(soakCases(Object.keys(CLIENTS)))(
  'a second file of a name becomes a version of the first: %s',
  async (how) => {
    const command = await CLIENTS[how]!()
    const name = `${how.replaceAll(/\W+/g, '-')}.txt`
    const local = path.join(house.folder, name)
    for (const [version, bytes] of [
      [1, 'first'],
      [2, 'the second'],
      [3, 'the third one'],
    ] as const) {
      await writeFile(local, bytes)
      expect(await runProgram(command(local, name))).toMatchObject({ code: 0 })
      await untilVersion(name, version, bytes.length)
    }
  },
)
