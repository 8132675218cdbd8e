// Real clients against the drop server: what they send is stored exactly, as rows and blobs.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { changeAccount, changePassword } from '../../server/features/drop/accounts.ts'
import { changeSettings } from '../../server/features/drop/settings.ts'
import type { DropEntry } from '../../server/features/drop/entries.ts'
import { publicKey } from '../../server/features/drop/public-keys.ts'
import { createLogger } from '../../server/core/log.ts'
import { openDropHouse, runProgram, type DropHouse } from '../drop.ts'
import { openFtp } from '../ftp-client.ts'
import { soakTest, someOf } from '../scale.ts'

let house: DropHouse
const content = randomBytes(700_000)
beforeAll(async () => {
  house = await openDropHouse()
  await writeFile(path.join(house.folder, 'large.bin'), content)
  await writeFile(path.join(house.folder, 'small.txt'), 'small')
  await writeFile(path.join(house.folder, 'empty.txt'), '')
  await mkdir(path.join(house.folder, 'tree/inner'), { recursive: true })
  await writeFile(path.join(house.folder, 'tree/one.txt'), 'one')
  await writeFile(path.join(house.folder, 'tree/inner/Größe ü.txt'), 'two')
  await run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', path.join(house.folder, 'key'))
  const key = publicKey('laptop', await readFile(path.join(house.folder, 'key.pub'), 'utf8'))
  if (typeof key === 'string') expect.fail(key)
  await changeAccount(house.scope, house.account.id, { public_keys: [key] })
})
afterAll(() => house.close())
beforeEach(async () => {
  await house.scope.query(`delete from drop_entries where shop_id = :shop`)
  await house.database.pool.query('delete from rate_limits')
})

const run = (...command: [string, ...string[]]) => runProgram(command, { cwd: house.folder })

const SSH = [
  '-o',
  'StrictHostKeyChecking=no',
  '-o',
  'UserKnownHostsFile=/dev/null',
  '-i',
  'key',
  '-o',
  'BatchMode=yes',
]
const target = () => `${house.account.username}@127.0.0.1`
const sftp = (batch: string, ...more: string[]) =>
  runProgram(['sftp', ...SSH, '-P', String(house.server.sftpPort), ...more, '-b', '-', target()], {
    cwd: house.folder,
    input: batch,
  })
const lftp = (scheme: 'ftp' | 'sftp', commands: string) => {
  const port = scheme === 'ftp' ? house.server.ftpPort : house.server.sftpPort
  const settings =
    'set ssl:verify-certificate no; set sftp:auto-confirm yes; set net:max-retries 1;'
  const url = `${scheme}://${house.account.username}:${house.password}@127.0.0.1:${port}${house.home}`
  return run('lftp', '-c', `${settings} open ${url}; ${commands}`)
}
const python = (program: string) => {
  const { server, account, password, home } = house
  const given = JSON.stringify({ ...server, user: account.username, password, home })
  return run('/usr/bin/python3', '-c', program, given)
}

const entries = () =>
  house.scope.query<DropEntry>(
    `select *, encode(hash, 'hex') as hash from drop_entries where shop_id = :shop
       order by folder, name`,
  )
async function bytesOf({ hash }: Pick<DropEntry, 'hash'>): Promise<Buffer> {
  return house.store.readWhole(house.scope.shop, hash!)
}
/** State and bytes by path. */
async function stored(): Promise<Record<string, [string, Buffer]>> {
  const files = (await entries()).filter(({ kind }) => kind === 'file')
  const found = files.map(async (row) => [
    path.join(row.folder, row.name),
    [row.state, await bytesOf(row)],
  ])
  return Object.fromEntries(await Promise.all(found)) as Record<string, [string, Buffer]>
}
const whole = (bytes: Buffer | string) => ['waiting', Buffer.from(bytes)]

describe('SFTP', () => {
  test('OpenSSH’s sftp puts, lists, renames, reads back and removes', async () => {
    const done = await sftp(
      [
        'put -p large.bin',
        'put small.txt',
        'put empty.txt',
        'mkdir a',
        'rename small.txt a/moved.txt',
        'ls -l',
        'ls a',
      ]
        .concat(['get large.bin back.bin', 'rm empty.txt', 'mkdir b', 'rmdir b', 'pwd'])
        .join('\n'),
    )
    expect(done).toMatchObject({ code: 0 })
    expect(done.output).toContain(`Remote working directory: ${house.home}`)
    expect(await stored()).toEqual({ 'large.bin': whole(content), 'a/moved.txt': whole('small') })
    expect(await readFile(path.join(house.folder, 'back.bin'))).toEqual(content)
    expect((await entries()).find(({ name }) => name === 'large.bin')).toMatchObject({
      closed_cleanly: true,
    })
  })
  soakTest(
    'OpenSSH’s sftp syncs, is told the space, and reads back more than its window',
    async () => {
      // Its window is 2 MB; a byte too many ends the connection.
      const large = randomBytes(30_000_000)
      await writeFile(path.join(house.folder, 'window.bin'), large)
      const done = await sftp('put -f window.bin\nget window.bin window-back.bin\ndf')
      expect(done).toMatchObject({ code: 0 })
      expect(done.output).toMatch(/Avail/)
      // Vitest compares buffers element by element, for many seconds.
      expect(large.equals(await readFile(path.join(house.folder, 'window-back.bin')))).toBe(true)
    },
  )
  soakTest('OpenSSH’s sftp renames over an existing file', async () => {
    const renamed = 'put large.bin old.bin\nput small.txt new.bin\nrename new.bin old.bin'
    expect(await sftp(renamed)).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({ 'old.bin': whole('small') })
  })
  soakTest('sftp resumes with reput', async () => {
    await writeFile(path.join(house.folder, 'cut.bin'), content.subarray(0, 400_000))
    expect(await sftp('put cut.bin cut.bin')).toMatchObject({ code: 0 })
    await writeFile(path.join(house.folder, 'cut.bin'), content)
    expect(await sftp('reput cut.bin cut.bin')).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({ 'cut.bin': whole(content) })
  })
  soakTest('scp, recursively', async () => {
    const done = await run(
      'scp',
      '-r',
      ...SSH,
      '-P',
      String(house.server.sftpPort),
      'tree',
      `${target()}:`,
    )
    expect(done).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({
      'tree/one.txt': whole('one'),
      'tree/inner/Größe ü.txt': whole('two'),
    })
  })
  soakTest('scp of the old protocol, and a shell, say what is served', async () => {
    const port = String(house.server.sftpPort)
    const old = await run('scp', '-O', ...SSH, '-P', port, 'small.txt', `${target()}:`)
    const shell = await run('ssh', ...SSH, '-p', port, target(), 'ls')
    for (const { code, output } of [old, shell]) {
      expect(code).not.toBe(0)
      expect(output).toContain('This server supports SFTP only. Use sftp, or scp with -s.')
    }
  })
  const ALGORITHMS = [
    ['diffie-hellman-group14-sha256', 'rsa-sha2-256'],
    ['diffie-hellman-group16-sha512', 'rsa-sha2-512'],
    ['ecdh-sha2-nistp256', 'ecdsa-sha2-nistp256'],
  ] as const
  test.each(someOf(ALGORITHMS, (_, at) => at === 0))(
    'a client that knows only %s and %s',
    async (kex, key) => {
      const only = ['-o', `KexAlgorithms=${kex}`, '-o', `HostKeyAlgorithms=${key}`]
      expect(await sftp('put small.txt', ...only)).toMatchObject({ code: 0 })
      expect(await stored()).toEqual({ 'small.txt': whole('small') })
    },
  )
  soakTest('paramiko writes out of order, signed in by password', async () => {
    const done = await python(`
import sys, json, paramiko
g = json.loads(sys.argv[1])
t = paramiko.Transport(('127.0.0.1', g['sftpPort']))
t.connect(username=g['user'], password=g['password'])
s = paramiko.SFTPClient.from_transport(t)
data = open('large.bin', 'rb').read()
s.put('large.bin', 'put.bin')
with s.open('order.bin', 'wb') as f:
  for at in (100000, 0, 200000):
    f.seek(at); f.write(data[at:at + 100000])
  f.seek(300000); f.write(data[300000:])
with s.open('appended.bin', 'w') as f: f.write(data[:5])
with s.open('appended.bin', 'a') as f: f.write(data[5:10])
for link in (lambda: s.symlink('/etc/passwd', 'link'), lambda: s.readlink('put.bin')):
  try: link(); sys.exit('a link was made')
  except IOError: pass
print(s.stat('put.bin').st_size)
t.close()`)
    expect(done).toMatchObject({ code: 0, output: '700000\n' })
    const expected = { 'put.bin': whole(content), 'order.bin': whole(content) }
    expect(await stored()).toEqual({ ...expected, 'appended.bin': whole(content.subarray(0, 10)) })
  })
  test('a shell, a command and port forwarding are refused', async () => {
    const ssh = (...args: string[]) =>
      run('ssh', ...SSH, '-p', String(house.server.sftpPort), ...args)
    expect((await ssh(target(), 'id')).code).not.toBe(0)
    expect((await ssh('-W', '127.0.0.1:5432', target())).code).not.toBe(0)
  })
})

describe('FTP', () => {
  soakTest('lftp mirrors a tree and resumes a file, encrypted', async () => {
    const done = await lftp(
      'ftp',
      'set ftp:ssl-force yes; set ftp:ssl-protect-data yes; mirror -R tree; cls -l tree',
    )
    expect(done).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({
      'tree/one.txt': whole('one'),
      'tree/inner/Größe ü.txt': whole('two'),
    })
    await writeFile(path.join(house.folder, 'part.bin'), content.subarray(0, 300_001))
    expect(await lftp('ftp', 'put part.bin -o cont.bin')).toMatchObject({ code: 0 })
    expect(await lftp('ftp', 'put -c large.bin -o cont.bin')).toMatchObject({ code: 0 })
    expect((await stored())['cont.bin']).toEqual(whole(content))
    expect(await lftp('ftp', 'pget -n 3 cont.bin -o pget.bin')).toMatchObject({ code: 0 })
    expect(await readFile(path.join(house.folder, 'pget.bin'))).toEqual(content)
  })
  test('curl: ftp, ftps, sftp', async () => {
    const user = `${house.account.username}:${house.password}`
    const { sftpPort, ftpPort } = house.server
    const url = (port: number, scheme: string, name: string) =>
      `${scheme}://127.0.0.1:${port}/${name}`
    const put = (...args: string[]) =>
      run('curl', '-sSk', '--user', user, '-T', 'large.bin', ...args)
    expect(await put(url(ftpPort, 'ftp', 'plain.bin'))).toMatchObject({ code: 0 })
    expect(await put('--ssl-reqd', url(ftpPort, 'ftp', 'tls.bin'))).toMatchObject({ code: 0 })
    expect(await put(url(sftpPort, 'sftp', '~/ssh.bin'))).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({
      'plain.bin': whole(content),
      'tls.bin': whole(content),
      'ssh.bin': whole(content),
    })
  })
  soakTest('ftplib: names, sizes, times, REST, MLSD, HASH', async () => {
    const done = await python(`
import sys, json, ftplib, io
g = json.loads(sys.argv[1])
f = ftplib.FTP_TLS(); f.connect('127.0.0.1', g['ftpPort']); f.login(g['user'], g['password']); f.prot_p()
data = open('large.bin', 'rb').read()
f.storbinary('STOR a.bin', io.BytesIO(data[:1000]))
f.storbinary('STOR a.bin', io.BytesIO(data[500:]), rest=500)
f.storbinary('STOR b.bin', io.BytesIO(data[:10])); f.storbinary('APPE b.bin', io.BytesIO(data[10:20]))
f.mkd('x'); f.rename('b.bin', 'x/b.bin'); f.sendcmd('MFMT 20200102030405 a.bin')
f.sendcmd('SITE CHMOD 644 a.bin'); f.sendcmd('SITE UTIME 20200102030405 x/b.bin'); assert f.sendcmd('MDTM x/b.bin').endswith('20200102030405')
f.sendcmd('SITE UTIME x/b.bin 20210102030405 20220102030405 20230102030405 UTC'); assert f.sendcmd('MDTM x/b.bin').endswith('20220102030405')
f.sendcmd('MDTM 20240102030405 x/b.bin'); assert f.sendcmd('MDTM x/b.bin').endswith('20240102030405')
print(f.size('a.bin'), f.sendcmd('MDTM a.bin'), sorted(n for n, _ in f.mlsd()), f.nlst('x'))
back = []; f.retrbinary('RETR a.bin', back.append, rest=699990); assert b''.join(back) == data[699990:]
print(f.sendcmd('HASH a.bin').split()[3])
f.quit()`)
    expect(done).toMatchObject({ code: 0 })
    const [facts, hash] = done.output.trim().split('\n')
    expect(facts).toBe(`700000 213 20200102030405 ['a.bin', 'x'] ['b.bin']`)
    expect((await entries()).map(({ name, hash }) => [name, hash])).toContainEqual(['a.bin', hash])
    expect(await stored()).toEqual({
      'a.bin': whole(content),
      'x/b.bin': whole(content.subarray(0, 20)),
    })
  })
  soakTest(
    'a client over TLS that reads nothing from its data connections uploads a large file',
    async () => {
      const done = await python(`
import sys, json, ftplib
g = json.loads(sys.argv[1])
f = ftplib.FTP_TLS(); f.connect('127.0.0.1', g['ftpPort']); f.login(g['user'], g['password']); f.prot_p()
c = f.transfercmd('STOR unread.bin'); c.sendall(open('large.bin', 'rb').read()); c.close()
print(f.voidresp(), f.sendcmd('SIZE unread.bin'))`)
      expect(done.output.trim()).toBe(`226 Done 213 ${content.length}`)
      expect(await stored()).toEqual({ 'unread.bin': whole(content) })
    },
  )
  test('TYPE and ALLO as devices send them', async () => {
    const { say, socket } = await openFtp(
      house.server.ftpPort,
      house.account.username,
      house.password,
    )
    onTestFinished(() => void socket.destroy())
    for (const type of ['I', 'i', 'I ', 'I N', 'A', 'A N', 'A T', 'L 8', 'L8', 'L 7'])
      expect(await say(`TYPE ${type}`)).toMatch(/^200 /)
    expect(await say('TYPE E')).toMatch(/^504 /)
    expect(await say('ALLO 4096')).toMatch(/^200 /)
  })
  soakTest('rclone copies over both', async () => {
    const { username } = house.account
    const { output } = await run('rclone', 'obscure', house.password)
    const common = `user=${username},pass=${output.trim()}`
    const remotes = [
      `:ftp,host=127.0.0.1,port=${house.server.ftpPort},${common}:viaftp`,
      `:sftp,host=127.0.0.1,port=${house.server.sftpPort},${common},shell_type=none:viasftp`,
    ]
    for (const remote of remotes) {
      const command = ['copy', '--config', '', '--retries', '1', 'large.bin', remote]
      const { code, output: written } = await run('rclone', ...command)
      expect(code, written).toBe(0)
    }
    expect(await stored()).toEqual({
      'viaftp/large.bin': whole(content),
      'viasftp/large.bin': whole(content),
    })
  })
  test('names of a client that knows no UTF-8, in the encoding of its account', async () => {
    const name = '取扱説明書.pdf'
    const bytes = Buffer.from('8ee688b590e096be8f912e706466', 'hex')
    await changeAccount(house.scope, house.account.id, { name_encoding: 'shift_jis' })
    onTestFinished(async () => {
      await changeAccount(house.scope, house.account.id, { name_encoding: 'utf-8' })
    })
    const control = await openFtp(house.server.ftpPort, house.account.username, house.password)
    onTestFinished(() => void control.socket.destroy())
    const line = (verb: string) =>
      Buffer.concat([Buffer.from(`${verb} `), bytes, Buffer.from('\r\n')])
    const data = await control.data()
    expect(await control.say(line('STOR'))).toMatch(/^150/)
    data.end('scan')
    expect(await control.reply()).toMatch(/^226/)
    expect(await stored()).toEqual({ [name]: whole('scan') })
    const listed = async () => {
      const chunks: Buffer[] = []
      const listing = await control.data()
      expect(await control.say('NLST')).toMatch(/^150/)
      for await (const chunk of listing) chunks.push(chunk as Buffer)
      expect(await control.reply()).toMatch(/^226/)
      return Buffer.concat(chunks)
    }
    expect(await listed()).toEqual(Buffer.concat([bytes, Buffer.from('\r\n')]))
    expect(await control.say('OPTS UTF8 ON')).toMatch(/^200/)
    expect((await listed()).toString()).toBe(`${name}\r\n`)
    expect(await control.say(`SIZE ${name}`)).toBe('213 4')
  })
  soakTest('NLST takes a pattern, and STAT lists a path over the control connection', async () => {
    const control = await openFtp(house.server.ftpPort, house.account.username, house.password)
    onTestFinished(() => void control.socket.destroy())
    await control.say('MKD scans')
    for (const name of ['a.pdf', 'b.PDF', 'scans/c.pdf', 'scans/*.pdf']) {
      const data = await control.data()
      expect(await control.say(`STOR ${name}`)).toMatch(/^150/)
      data.end('x')
      expect(await control.reply()).toMatch(/^226/)
    }
    const names = async (argument: string) => {
      const listing = await control.data()
      expect(await control.say(`NLST ${argument}`)).toMatch(/^150/)
      const chunks = await Array.fromAsync(listing as AsyncIterable<Buffer>)
      expect(await control.reply()).toMatch(/^226/)
      return Buffer.concat(chunks).toString().split('\r\n').slice(0, -1)
    }
    expect(await names('*.pdf')).toEqual(['a.pdf'])
    expect(await names('?.???')).toEqual(['a.pdf', 'b.PDF'])
    expect(await names('scans/c*')).toEqual(['scans/c.pdf'])
    expect(await names('*.zip')).toEqual([])
    // A name with such a character is no pattern.
    expect(await names('scans/*.pdf')).toEqual(['*.pdf'])
    expect(await control.say('STAT none.pdf')).toMatch(/^550 /)
    const { output } = await lftp('ftp', 'quote STAT scans')
    expect(output).toMatch(/^213-Status of scans\r?\n-rw.*\*\.pdf\r?\n-rw.*c\.pdf\r?\n213 End/m)
  })
  test('STOU stores under names that are free, and tells them', async () => {
    const control = await openFtp(house.server.ftpPort, house.account.username, house.password)
    onTestFinished(() => void control.socket.destroy())
    const names = []
    for (const given of ['scan.pdf', 'scan.pdf', '', '']) {
      const data = await control.data()
      names.push(/^150 FILE: (.*)$/.exec(await control.say(`STOU ${given}`.trim()))?.[1])
      data.end(`${names.length}`)
      expect(await control.reply()).toMatch(/^226 /)
    }
    expect(names).toEqual(['scan.pdf', 'scan-2.pdf', 'upload', 'upload-2'])
    expect(await stored()).toEqual({
      'scan.pdf': whole('1'),
      'scan-2.pdf': whole('2'),
      upload: whole('3'),
      'upload-2': whole('4'),
    })
  })
})

describe('sign-in', () => {
  const tryFtp = (password: string, ...more: string[]) => {
    const { server, account } = house
    const user = `${account.username}:${password}`
    return run(
      'curl',
      '-sSk',
      ...more,
      '--user',
      user,
      '-T',
      'small.txt',
      `ftp://127.0.0.1:${server.ftpPort}/in.txt`,
    )
  }
  const LOGIN_DENIED = 67

  test('refuses a wrong password, an address that is not allowed, and plain FTP if TLS is required', async () => {
    expect(await tryFtp('wrong')).toMatchObject({ code: LOGIN_DENIED })
    await changeAccount(house.scope, house.account.id, {
      allowed_addresses: ['10.0.0.0/8', '2001:db8::/32'],
    })
    expect(await tryFtp(house.password)).toMatchObject({ code: LOGIN_DENIED })
    await changeAccount(house.scope, house.account.id, { allowed_addresses: ['127.0.0.0/8'] })
    expect(await tryFtp(house.password)).toMatchObject({ code: 0 })
    await changeSettings(house.scope, { tls_required: true })
    expect((await tryFtp(house.password)).code).not.toBe(0)
    expect(await tryFtp(house.password, '--ssl-reqd')).toMatchObject({ code: 0 })
    await changeSettings(house.scope, { tls_required: false })
    await changeAccount(house.scope, house.account.id, { enabled: false })
    expect(await tryFtp(house.password)).toMatchObject({ code: LOGIN_DENIED })
    await changeAccount(house.scope, house.account.id, { enabled: true, allowed_addresses: [] })
    const seen = await house.scope.query<{ refused: string }>(
      `select refused from drop_connections where shop_id = :shop and refused is not null
         order by id`,
    )
    expect(seen.map(({ refused }) => refused)).toEqual([
      'wrong password',
      'address not allowed',
      'TLS required',
      'account switched off',
    ])
  })
  soakTest('logs a device that has no safe algorithm, with its name', async () => {
    const lines: string[] = []
    const other = await openDropHouse(
      {},
      createLogger('info', (line) => lines.push(line)),
    )
    onTestFinished(() => other.close())
    const client = new ssh2.Client()
    const failed = new Promise((resolve) => client.once('error', resolve))
    const algorithms = { kex: ['diffie-hellman-group14-sha1'] } as never
    const about = { host: '127.0.0.1', port: other.server.sftpPort, username: 'scanner' }
    client.connect({ ...about, ident: 'OldScanner_1.0', password: '', algorithms })
    await failed
    await expect.poll(() => lines.join()).toMatch(/OldScanner_1.0.*no matching key exchange/)
  })
  test('bans an address after ten failures, even with the correct password then', async () => {
    const { server, account } = house
    for (let failure = 0; failure < 10; failure++) {
      const { socket, signedIn } = await openFtp(server.ftpPort, account.username, 'wrong')
      expect(signedIn).toMatch(/^530 /)
      socket.destroy()
    }
    expect((await tryFtp(house.password)).code).not.toBe(0)
    const { rows } = await house.database.pool.query<{ minutes: number }>(
      `select (expire - extract(epoch from now()) * 1000) / 60000 as minutes from rate_limits
       where key like 'drop-failures:%'`,
    )
    expect(Number(rows[0]!.minutes)).toBeGreaterThan(29)
  })
  test('a new password ends the sessions of the old one', async () => {
    const program = `
import sys, json, ftplib
g = json.loads(sys.argv[1])
f = ftplib.FTP(); f.connect('127.0.0.1', g['ftpPort']); f.login(g['user'], g['password'])
print('in', flush=True)
print(f.sock.recv(100)[:3].decode())`
    const running = python(program)
    const connected = `select 1 from drop_connections where shop_id = :shop and ended_at is null
      and refused is null`
    await expect.poll(async () => (await house.scope.query(connected)).length).toBe(1)
    const { password } = (await changePassword(house.scope, house.account.id))!
    expect(await running).toMatchObject({ code: 0, output: 'in\n421\n' })
    expect(await tryFtp(house.password)).toMatchObject({ code: LOGIN_DENIED })
    house.password = password
    expect(await tryFtp(house.password)).toMatchObject({ code: 0 })
  })
})
