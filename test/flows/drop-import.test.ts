// From a drop folder into the shop's files: real clients send, the background task imports, and
// each file is moved to /processed/ or /failed/ exactly once. An interrupted upload is not
// imported.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { WholeBlobs } from '../../server/files/whole-blobs.ts'
import { clearFiled } from '../../server/features/drop/import/clear.ts'
import { importNow } from '../../server/features/drop/routes.ts'
import { DROP_TASK } from '../../server/features/drop/wake.ts'
import { queueTask } from '../../server/core/queue/background.ts'
import { documentOf } from '../documents.ts'
import { untilEnded } from '../app.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { hashOf } from '../fakes/content.ts'
import { openFtp } from '../ftp-client.ts'
import { openSftp } from '../sftp-client.ts'
import { randomOf, sized, soakCases, soakTest } from '../scale.ts'

const RESETS = sized(2, 100)
const random = randomOf('drop resets')

let house: DropImports
beforeAll(async () => void (house = await openDropImports()))
afterAll(() => house.close())
const DEFAULTS = {
  schedule: 'realtime',
  match_by: 'sku_prefix',
  move_to_processed: true,
  folder_names: 'ignore',
  on_conflict: 'error',
  auto_import: true,
}
beforeEach(() => house.set(DEFAULTS))
const today = () => expect.stringMatching(/^processed\/\d{4}-\d\d-\d\d\/[^/]+$/)

test('in real-time mode an SFTP and an FTP upload are imported and moved to /processed/', async () => {
  await house.sendWithCurl('one.txt', 'one', 'sftp')
  await house.sendWithCurl('two.txt', 'two', 'ftp')
  for (const name of ['one.txt', 'two.txt'])
    expect(await house.untilThere(name)).toMatchObject({ filename: name, size_bytes: 3 })
  await expect.poll(() => house.paths('processed')).toHaveLength(2)
  expect(await house.paths('processed')).toEqual([today(), today()])
  expect(await house.paths()).toEqual([])
  const { data } = await house.get('/api/operations?channel=drop')
  expect(data[0]).toMatchObject({ workflow: 'import-drop', channel: 'drop' })
  expect(await untilEnded(house.app.owner, data[0].id)).toMatchObject({ status: 'success' })
  const accounts = await house.get('/api/drop/accounts')
  const sent = await house.get(`/api/files?drop_account=${accounts.data[0].id}&sort=filename`)
  expect(sent.data.map(({ filename }: { filename: string }) => filename)).toEqual([
    'one.txt',
    'two.txt',
  ])
})

soakTest(
  'a document whose transfer was cancelled like a complete one is imported with a warning',
  async () => {
    const whole = documentOf(Array.from({ length: 30 }, () => ({})))
    await house.sendWithCurl('cut.pdf', Buffer.from(whole.subarray(0, whole.length * 0.6)), 'sftp')
    await house.untilThere('cut.pdf')
    const { data } = await house.get('/api/operations?channel=drop')
    const { id } = await untilEnded(house.app.owner, data[0].id)
    const items = await house.get(`/api/operations/${id}/items`)
    expect(items.data[0]).toMatchObject({ status: 'done', warnings: [{ code: 'cut_off' }] })
  },
)

soakTest('many files that arrive together join one import that ends soon', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `many-${n}.bin`)
  for (const name of names) await house.send(name, randomBytes(2000))
  await house.untilThere('many-29.bin')
  await house.untilPaths([], 'importing')
  const { data } = await house.get('/api/operations?channel=drop&limit=5')
  const totals = data.filter((one: { label: string }) => one.label.startsWith('many-'))
  expect(totals.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(30)
  expect(totals.length).toBeLessThanOrEqual(2)
})

test('a taken name fails with the reason next to the file, and is retried by moving it back', async () => {
  await house.send('taken.txt', 'first')
  await house.untilThere('taken.txt')
  await house.untilPaths([])
  await house.age()
  await house.send('taken.txt', 'second')
  await house.untilPaths(['failed/taken.txt'], 'failed')
  const { data } = await house.get('/api/drop/files?state=failed')
  expect(data[0].error).toMatchObject({ code: 'duplicate_filename', message: 'Duplicate filename' })
  const note = await house.curl(house.sftpUrl(`${house.home}/failed/taken.txt.error.txt`))
  expect(note.output).toMatch(/^Duplicate filename\r\n/)
  await house.set({ on_conflict: 'new_version' })
  await house.renamed('failed/taken.txt', 'taken.txt')
  await expect.poll(async () => (await house.fileNamed('taken.txt')).size_bytes).toBe(6)
  await house.untilPaths([], 'failed')
})

soakTest('with `skip` a taken name is left out, without a failure', async () => {
  await house.send('kept.txt', 'first')
  await house.untilThere('kept.txt')
  await house.untilPaths([])
  await house.age()
  await house.app.owner.scope.query(
    `update files set updated_at = updated_at - interval '11 minutes' where shop_id = :shop`,
  )
  await house.set({ on_conflict: 'skip', move_to_processed: false })
  await house.send('Later/kept.txt', 'second')
  // No file of the shop has these bytes: they are kept where a person finds them.
  await expect
    .poll(() => house.paths('processed'))
    .toContainEqual(expect.stringMatching(/\/Later\/kept\.txt$/))
  expect(await house.paths('failed')).not.toContainEqual(expect.stringContaining('kept'))
  expect(await house.fileNamed('kept.txt')).toMatchObject({ size_bytes: 5 })
})

soakTest('a file that was imported immediately answers its client for some minutes', async () => {
  const { server, account, password, home } = house
  const client = await openSftp(server.sftpPort, account.username, password)
  await client.put(`${home}/asked.txt`, Buffer.from('asked'))
  await house.untilThere('asked.txt')
  await house.untilPaths([])
  expect(await client.size(`${home}/asked.txt`)).toBe(5)
  const utimes = promisify(client.sftp.utimes.bind(client.sftp))
  await utimes(`${home}/asked.txt`, 1_700_000_000, 1_700_000_000)
  expect(await client.list(home)).not.toContain('asked.txt')
  await expect(client.size(`${home}/never.txt`)).rejects.toThrow()
  // Another session of the same process, over FTP.
  const ftp = await openFtp(server.ftpPort, account.username, password)
  expect(await ftp.say('SIZE asked.txt')).toBe('213 5')
  await client.remove(`${home}/asked.txt`)
  await expect(client.remove(`${home}/asked.txt`)).rejects.toThrow()
  expect(await house.fileNamed('asked.txt')).toBeTruthy()
  client.end()
  ftp.socket.destroy()
})

soakTest('files keep their folders in /failed/ and /processed/, and return to them', async () => {
  await house.set({ on_conflict: 'error' })
  await house.send('Course/twice.txt', 'of the course')
  await house.untilThere('twice.txt')
  await house.untilPaths([])
  expect((await house.paths('processed')).filter((one) => one.endsWith('twice.txt'))).toEqual([
    expect.stringMatching(/^processed\/\d{4}-\d\d-\d\d\/Course\/twice\.txt$/),
  ])
  await house.send('Book/twice.txt', 'of the book')
  await house.send('Book/Part 1/twice.txt', 'of its part')
  await house.untilPaths(['failed/Book/twice.txt', 'failed/Book/Part 1/twice.txt'], 'failed')
  const note = await house.curl(
    house.sftpUrl(`${house.home}/failed/Book/Part%201/twice.txt.error.txt`),
  )
  expect(note.output).toMatch(/^Duplicate filename\r\n/)
  await house.set({ on_conflict: 'rename' })
  const { data } = await house.get('/api/drop/files?state=failed')
  for (const { id } of data as { id: string }[])
    expect((await house.app.owner.call('POST', `/api/drop/files/${id}/retry`)).status).toBe(200)
  await house.untilThere('twice (3).txt')
  await house.untilPaths([], 'failed')
  await house.set({ on_conflict: 'error' })
})

soakTest(
  'an import by hand takes all waiting files, also when one import cannot have them all',
  async () => {
    await house.set({ schedule: 'manual' })
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `many-${letter}.txt`)
    for (const name of names) await house.send(name, name)
    const { app } = house
    const stored = { ...app.engine.parts, stores: app.stores, clock: () => new Date() }
    const blobs = new WholeBlobs(stored)
    const parts = { engine: app.engine.engine, stores: app.stores, blobs }
    await importNow(parts, app.owner.scope, { requestedBy: 'Test', dryRun: false, limit: 2 })
    const { data } = await house.get('/api/operations?channel=drop&limit=3')
    expect(data.map(({ total }: { total: number }) => total)).toEqual([1, 2, 2])
    for (const name of names) await house.untilThere(name)
  },
)

soakTest('a retry of the import takes the failed file again', async () => {
  await house.send('again.txt', 'first')
  await house.untilThere('again.txt')
  await house.untilPaths([])
  await house.age()
  await house.send('again.txt', 'second')
  await house.untilPaths(['failed/again.txt'], 'failed')
  const [{ import_id: id }] = (await house.get('/api/drop/files?state=failed')).data
  await untilEnded(house.app.owner, id)
  const { id: first } = await house.fileNamed('again.txt')
  await house.call('PATCH', `/api/files/${first}`, { filename: 'renamed.txt' })
  expect((await house.call('POST', `/api/operations/${id}/retry`)).status).toBe(200)
  expect(await house.untilThere('again.txt')).toMatchObject({ size_bytes: 6 })
  await house.untilPaths([], 'failed')
  await house.untilPaths([])
})

test('in manual mode all waiting files are one import; without any the error says so', async () => {
  await house.set({ schedule: 'manual' })
  const none = await house.call('POST', '/api/drop/import')
  expect(none).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await house.send('hand/a.txt', 'a')
  await house.send('hand/b.txt', 'b')
  await house.send('hand/c.txt.part', 'half')
  expect(await house.paths()).toEqual(['hand/a.txt', 'hand/b.txt', 'hand/c.txt.part'])
  expect(await house.get('/api/drop')).toMatchObject({ waiting: { files: 2, bytes: 2 } })
  const { data: waiting } = await house.get('/api/drop/files')
  expect(waiting.map((file: { waits_for: string | null }) => file.waits_for)).toEqual([
    null,
    null,
    'rename',
  ])
  const { body, status } = await house.call('POST', '/api/drop/import')
  expect(status).toBe(202)
  expect(await untilEnded(house.app.owner, body.id)).toMatchObject({ total: 2, status: 'success' })
  await house.untilPaths(['hand/c.txt.part'])
  await house.renamed('hand/c.txt.part', 'hand/c.txt')
  expect((await house.get('/api/drop')).waiting).toEqual({ files: 1, bytes: 4 })
  const { body: second } = await house.call('POST', '/api/drop/import')
  expect(await untilEnded(house.app.owner, second.id)).toMatchObject({ total: 1 })
})

soakTest('in hourly mode only files that did not change recently are imported', async () => {
  await house.set({ schedule: 'hourly' })
  await house.send('quiet.txt', 'quiet')
  await house.send('fresh.txt', 'fresh')
  await expect.poll(async () => (await house.get('/api/drop')).next_import_at).not.toBeNull()
  const { scope } = house.app.owner
  await scope.query(
    `update drop_entries set quiet_since = now() - interval '31 seconds' where shop_id = :shop
       and name = 'quiet.txt'`,
  )
  await scope.query(`update drop_settings set next_import_at = now() where shop_id = :shop`)
  await queueTask(scope, DROP_TASK, String(scope.shop))
  await house.untilThere('quiet.txt')
  expect(await house.paths()).toContain('fresh.txt')
  expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
  await house.untilThere('fresh.txt')
})

soakTest('a folder’s name becomes a tag or a pack', async () => {
  await house.set({ folder_names: 'tag' })
  await house.send('Spring/tagged.txt', 'tagged')
  expect(await house.untilThere('tagged.txt')).toMatchObject({ tags: ['Spring'] })
  await house.set({ folder_names: 'pack' })
  await house.send('Summer/packed.txt', 'packed')
  const { data } = await house.get('/api/packs')
  await house.untilThere('packed.txt')
  const packs = (await house.get('/api/packs')).data
  expect(data.length).toBeLessThanOrEqual(packs.length)
  expect(packs).toMatchObject([{ name: 'Summer', files: 1 }])
})

test('the app’s own folders refuse uploads, and are cleared after 30 days', async () => {
  const { scope } = house.app.owner
  await writeFile(path.join(house.folder, 'x'), 'x')
  const url = house.sftpUrl(`${house.home}/processed/x.txt`)
  expect((await house.curl('-T', path.join(house.folder, 'x'), url)).code).not.toBe(0)
  expect((await house.paths('processed')).length).toBeGreaterThan(0)
  await scope.query(
    `update drop_entries set filed_at = filed_at - interval '31 days',
       quiet_since = quiet_since - interval '31 days' where shop_id = :shop`,
  )
  await clearFiled(house.app.engine.parts.database.pool)
  expect([await house.paths('processed'), await house.paths('failed')]).toEqual([[], []])
})

soakTest(
  'files of operating systems are not imported, and are removed after a day; spaces around a name are not kept',
  async () => {
    const temporary = ['.a.txt', '.hidden/a.txt', 'a.1a2b.ffs_tmp', 'a.txt-4kT9xQ2z', 'scan.LCK']
    const left = ['.DS_Store', '._a.txt', 'Thumbs.db', '~$a.docx', 'sync.ffs_db', '@eaDir/a.txt']
    const names = [...temporary, ...left]
    for (const name of names) await house.send(`made/${name}`, 'x')
    await house.send('made/ spaced.txt', 'spaced')
    await house.untilThere('spaced.txt')
    const waiting = async () =>
      (await house.get('/api/drop/files?state=waiting')).data.map(
        ({ path, waits_for }: { path: string; waits_for: string }) => [path, waits_for],
      )
    const expected = (of: string[], waitsFor: string) =>
      of.map((name) => [`made/${name}`, waitsFor])
    const kept = expected(temporary, 'rename')
    const all = [...kept, ...expected(left, 'nothing')]
    expect((await waiting()).toSorted()).toEqual(all.toSorted())
    const { scope } = house.app.owner
    const { pool } = house.app.engine.parts.database
    await clearFiled(pool)
    expect(await waiting()).toHaveLength(names.length)
    await scope.query(
      `update drop_entries set quiet_since = quiet_since - interval '25 hours' where shop_id = :shop`,
    )
    await clearFiled(pool)
    expect((await waiting()).toSorted()).toEqual(kept.toSorted())
  },
)

// FTP uploads that are interrupted: nothing of them is imported, and the client resumes them.

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

test('a client that reads 226 and closes the connection without QUIT has sent the whole file', async () => {
  for (let n = 0; n < RESETS; n++) {
    const name = `without-quit-${n}.bin`
    const ftp = await open()
    const data = await begin(ftp, name, randomBytes(random(1, 300_000)))
    data.end()
    expect(await ftp.reply()).toMatch(/^226 /)
    ftp.socket.end()
    expect(await house.untilThere(name)).toBeTruthy()
  }
})

test('ABOR after the end of the data marks the file as interrupted', async () => {
  const ftp = await open()
  const data = await begin(ftp, 'cancelled.bin', randomBytes(100_000))
  data.end()
  await ftp.say('ABOR')
  await expect.poll(() => entriesOf('cancelled.bin')).toMatchObject([{ state: 'partial' }])
  await ftp.say('QUIT')
  expect(await entriesOf('cancelled.bin')).toMatchObject([{ state: 'partial' }])
})

test.each(soakCases(Object.keys(ENDS)))(
  '%s: nothing is imported, and the upload is resumed',
  async (how) => {
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
  },
)

soakTest('a client may rename a file that it sent although an import has taken it', async () => {
  for (const scheme of ['sftp', 'ftp'] as const) {
    await house.sendWithCurl(`${scheme}.draft`, scheme, scheme)
    await house.untilThere(`${scheme}.draft`)
  }
  await house.renamed('sftp.draft', 'final-sftp.txt')
  const ftp = await open()
  expect(await ftp.say('RNFR ftp.draft')).toMatch(/^350 /)
  expect(await ftp.say('RNTO final-ftp.txt')).toMatch(/^250 /)
  ftp.socket.destroy()
  for (const scheme of ['sftp', 'ftp']) {
    expect(await house.fileNamed(`final-${scheme}.txt`)).toMatchObject({ version: 1 })
    expect(await house.fileNamed(`${scheme}.draft`)).toBeNull()
  }
  await expect(house.renamed('never', 'now')).rejects.toThrow()
})
