// From a drop folder into the shop's files: real clients send, the background task imports, and
// each file ends in /processed/ or /failed/, exactly once.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../server/channels/drop/accounts.ts'
import { clearFiled } from '../../server/channels/drop/import/clear.ts'
import { dropTask } from '../../server/channels/drop/import/task.ts'
import { DROP_TASK, laterKey } from '../../server/channels/drop/wake.ts'
import { openDropServer, type DropServer } from '../../server/channels/drop/server.ts'
import { createSecrets } from '../../server/secrets.ts'
import { queueTask } from '../../server/engine/background.ts'
import type { EngineWorker } from '../../server/engine/worker.ts'
import { startWorker } from '../../server/engine/worker.ts'
import { openTestApp, untilEnded, type TestApp } from '../app.ts'
import { silent } from '../database.ts'
import { runProgram } from '../drop.ts'

let app: TestApp
let server: DropServer
let worker: EngineWorker
let folder: string
let user: string
let home: string
beforeAll(async () => {
  app = await openTestApp()
  folder = await mkdtemp(path.join(tmpdir(), 'stevedore-drop-import-'))
  const { database, listener } = app.engine.parts
  const { stores } = app
  server = await openDropServer({
    ...{ database, listener, log: silent, stores },
    staging: path.join(folder, 'staging'),
    limits: { file_bytes: 5e9, drop_waiting_bytes: 1e11 },
    secrets: createSecrets('the secret of the tests, long enough'),
    ...{ host: '127.0.0.1', sftpPort: 0, ftpPort: 0, publicHost: 'localhost', certificate: null },
    passive: { ports: null, address: null },
  })
  const task = dropTask({ database, engine: app.engine.engine, stores, log: silent })
  worker = await startWorker(app.engine.parts, () => Promise.resolve(), [task])
  const { account, password } = await createAccount(app.owner.scope, { name: 'Warehouse' })
  user = `${account.username}:${password}`
  home = `/uploads/${app.engine.shop}`
})
afterAll(async () => {
  await worker.stop()
  await server.close()
  await app.close()
  await rm(folder, { recursive: true, force: true })
})
const DEFAULTS = {
  ...{ schedule: 'realtime', match_by: 'sku_prefix', move_to_processed: true },
  ...{ folder_names: 'ignore', on_conflict: 'error', auto_import: true },
}
beforeEach(() => set(DEFAULTS))

const call = (...request: Parameters<TestApp['owner']['call']>) => app.owner.call(...request)
const get = async (route: string) => (await call('GET', route)).body
const set = async (settings: object) =>
  expect((await call('PATCH', '/api/drop', settings)).status).toBe(200)

/** Sends with curl, over SFTP or FTP. */
async function send(name: string, bytes: Buffer | string, scheme: 'sftp' | 'ftp' = 'sftp') {
  const local = path.join(folder, 'sent')
  await writeFile(local, bytes)
  const port = scheme === 'sftp' ? server.sftpPort : server.ftpPort
  const url = `${scheme}://127.0.0.1:${port}${home}/${encodeURI(name)}`
  const flags = ['-sS', '-k', '--create-dirs', '--ftp-create-dirs', '-u', user]
  expect(await runProgram(['curl', ...flags, '-T', local, url])).toMatchObject({ code: 0 })
}
const renamed = async (from: string, to: string) => {
  const quote = `rename ${home}/${from} ${home}/${to}`
  const url = `sftp://127.0.0.1:${server.sftpPort}/`
  const done = await runProgram([
    'curl',
    '-sS',
    '-k',
    '-u',
    user,
    '-Q',
    quote,
    url,
    '-o',
    '/dev/null',
  ])
  expect(done).toMatchObject({ code: 0 })
}
const paths = async (state?: string): Promise<string[]> =>
  (await get(`/api/drop/files${state ? `?state=${state}` : ''}`)).data.map(
    (file: { path: string }) => file.path,
  )
const fileNamed = async (name: string) => {
  const { data } = await get(`/api/files?search=${encodeURIComponent(name)}`)
  const found = data.find((file: { filename: string }) => file.filename === name)
  return found ? get(`/api/files/${found.id}`) : null
}
const untilThere = async (name: string) => {
  await expect.poll(() => fileNamed(name), { timeout: 20_000 }).not.toBeNull()
  return fileNamed(name)
}
const today = () => expect.stringMatching(/^processed\/\d{4}-\d\d-\d\d\/[^/]+$/)

test('in real time a file of SFTP and one of FTP are imported, and put away', async () => {
  await send('one.pdf', 'one')
  await send('two.pdf', 'two', 'ftp')
  for (const name of ['one.pdf', 'two.pdf'])
    expect(await untilThere(name)).toMatchObject({ filename: name, size_bytes: 3 })
  await expect.poll(() => paths('processed')).toHaveLength(2)
  expect(await paths('processed')).toEqual([today(), today()])
  expect(await paths()).toEqual([])
  const { data } = await get('/api/operations?channel=drop')
  expect(data[0]).toMatchObject({ workflow: 'import-drop', channel: 'drop' })
  expect(await untilEnded(app.owner, data[0].id)).toMatchObject({ status: 'success' })
})

test('a name that is taken fails beside its reason, and is retried by moving it back', async () => {
  await send('taken.pdf', 'first')
  await untilThere('taken.pdf')
  await expect.poll(() => paths()).toEqual([])
  await send('taken.pdf', 'second')
  await expect.poll(() => paths('failed')).toEqual(['failed/taken.pdf'])
  const { data } = await get('/api/drop/files?state=failed')
  expect(data[0].error).toMatchObject({ code: 'duplicate_filename', message: 'Duplicate filename' })
  const note = await runProgram([
    ...(['curl', '-sS', '-k', '-u', user] as [string, ...string[]]),
    `sftp://127.0.0.1:${server.sftpPort}${home}/failed/taken.pdf.error.txt`,
  ])
  expect(note.output).toMatch(/^Duplicate filename\r\n/)
  await set({ on_conflict: 'new_version' })
  await renamed('failed/taken.pdf', 'taken.pdf')
  await expect.poll(async () => (await fileNamed('taken.pdf')).size_bytes).toBe(6)
  await expect.poll(() => paths('failed')).toEqual([])
})

test('a retry of the import takes the failed file once more', async () => {
  await send('again.pdf', 'first')
  await untilThere('again.pdf')
  await expect.poll(() => paths()).toEqual([])
  await send('again.pdf', 'second')
  await expect.poll(() => paths('failed')).toEqual(['failed/again.pdf'])
  const [{ import_id: id }] = (await get('/api/drop/files?state=failed')).data
  await untilEnded(app.owner, id)
  const { id: first } = await fileNamed('again.pdf')
  await call('PATCH', `/api/files/${first}`, { filename: 'renamed.pdf' })
  expect((await call('POST', `/api/operations/${id}/retry`)).status).toBe(200)
  expect(await untilThere('again.pdf')).toMatchObject({ size_bytes: 6 })
  await expect.poll(() => paths('failed')).toEqual([])
  await expect.poll(() => paths(), { timeout: 20_000 }).toEqual([])
})

test('by hand all that waits is one import; without any it says why', async () => {
  await set({ schedule: 'manual' })
  const none = await call('POST', '/api/drop/import')
  expect(none).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await send('hand/a.pdf', 'a')
  await send('hand/b.pdf', 'b')
  await send('hand/c.pdf.part', 'half')
  expect(await paths()).toEqual(['hand/a.pdf', 'hand/b.pdf', 'hand/c.pdf.part'])
  expect(await get('/api/drop')).toMatchObject({ waiting: { files: 2, bytes: 2 } })
  const { body, status } = await call('POST', '/api/drop/import')
  expect(status).toBe(202)
  expect(await untilEnded(app.owner, body.id)).toMatchObject({ total: 2, status: 'success' })
  await expect.poll(() => paths()).toEqual(['hand/c.pdf.part'])
  await renamed('hand/c.pdf.part', 'hand/c.pdf')
  expect((await get('/api/drop')).waiting).toEqual({ files: 1, bytes: 4 })
  const { body: second } = await call('POST', '/api/drop/import')
  expect(await untilEnded(app.owner, second.id)).toMatchObject({ total: 1 })
})

test('each hour only what has been quiet is taken', async () => {
  await set({ schedule: 'hourly' })
  await send('quiet.pdf', 'quiet')
  await send('fresh.pdf', 'fresh')
  await expect.poll(async () => (await get('/api/drop')).next_import_at).not.toBeNull()
  const { scope } = app.owner
  await scope.query(
    `update drop_entries set quiet_since = now() - interval '31 seconds' where shop_id = :shop and name = 'quiet.pdf'`,
  )
  await scope.query(`update drop_settings set next_import_at = now() where shop_id = :shop`)
  await queueTask(scope, DROP_TASK, laterKey(scope.shop))
  await untilThere('quiet.pdf')
  expect(await paths()).toContain('fresh.pdf')
  expect((await call('POST', '/api/drop/import')).status).toBe(202)
  await untilThere('fresh.pdf')
})

test('a folder’s name becomes a tag, or a pack', async () => {
  await set({ folder_names: 'tag' })
  await send('Spring/tagged.pdf', 'tagged')
  expect(await untilThere('tagged.pdf')).toMatchObject({ tags: ['Spring'] })
  await set({ folder_names: 'pack' })
  await send('Summer/packed.pdf', 'packed')
  const { data } = await get('/api/packs')
  await untilThere('packed.pdf')
  const packs = (await get('/api/packs')).data
  expect(data.length).toBeLessThanOrEqual(packs.length)
  expect(packs).toMatchObject([{ name: 'Summer', files: 1 }])
})

describe('import.csv', () => {
  const manifest = [
    'file_name,filename,product_sku,expiry_days,download_limit,tags',
    'a.pdf,Guide.pdf,,30,never,"one,two"',
    'b.pdf,,,0,,',
    '',
  ].join('\n')

  test('gives files their names and settings; a wrong row keeps its file back', async () => {
    await set({ schedule: 'manual' })
    await send('list/import.csv', manifest)
    for (const name of ['a.pdf', 'b.pdf', 'other.pdf']) await send(`list/${name}`, name)
    const { body } = await call('POST', '/api/drop/import')
    expect(await untilEnded(app.owner, body.id)).toMatchObject({ total: 2, status: 'success' })
    expect(await fileNamed('Guide.pdf')).toMatchObject({
      ...{ expiry_days: 30, download_limit: null, tags: ['one', 'two'] },
    })
    expect(await fileNamed('other.pdf')).toMatchObject({ tags: [] })
    expect(await paths('failed')).toEqual(['failed/b.pdf', 'failed/import.csv'])
    const { data } = await get('/api/drop/files?state=failed')
    expect(data[0].error).toMatchObject({
      message: 'Invalid CSV format',
      detail: 'import.csv: Row 3, expiry_days: This is not a number from 1 to 36500',
    })
    for (const file of data) await call('DELETE', `/api/drop/files/${file.id}`)
  })
  test('that cannot be read keeps every file beside it back', async () => {
    await set({ schedule: 'manual' })
    await send('bad/import.csv', 'nothing\nx\n')
    await send('bad/kept.pdf', 'kept')
    expect((await call('POST', '/api/drop/import')).status).toBe(409)
    expect(await paths('failed')).toEqual(['failed/import.csv', 'failed/kept.pdf'])
    expect(await fileNamed('kept.pdf')).toBeNull()
    for (const { id } of (await get('/api/drop/files?state=failed')).data)
      expect((await call('DELETE', `/api/drop/files/${id}`)).status).toBe(204)
  })
})

test('the app’s own folders take no files, and are cleared after 30 days', async () => {
  const { scope } = app.owner
  await writeFile(path.join(folder, 'x'), 'x')
  const url = `sftp://127.0.0.1:${server.sftpPort}${home}/processed/x.pdf`
  const sent = ['curl', '-sS', '-k', '-u', user, '-T', path.join(folder, 'x'), url] as const
  expect((await runProgram([...sent])).code).not.toBe(0)
  expect((await paths('processed')).length).toBeGreaterThan(0)
  await scope.query(
    `update drop_entries set filed_at = filed_at - interval '31 days' where shop_id = :shop`,
  )
  await clearFiled(app.engine.parts.database.pool)
  expect([await paths('processed'), await paths('failed')]).toEqual([[], []])
})

test('many files that arrive together join one import that ends soon', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `many-${n}.bin`)
  const batch = await Promise.all(
    names.map(async (name) => {
      await writeFile(path.join(folder, name), randomBytes(2000))
      onTestFinished(() => rm(path.join(folder, name), { force: true }))
      return ['-T', path.join(folder, name), `sftp://127.0.0.1:${server.sftpPort}${home}/${name}`]
    }),
  )
  const sent = await runProgram(['curl', '-sS', '-k', '-u', user, ...batch.flat()])
  expect(sent).toMatchObject({ code: 0 })
  await untilThere('many-29.bin')
  await expect.poll(() => paths('importing'), { timeout: 20_000 }).toEqual([])
  const { data } = await get('/api/operations?channel=drop&limit=5')
  const totals = data.filter((one: { label: string }) => one.label.startsWith('many-'))
  expect(totals.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(30)
  expect(totals.length).toBeLessThanOrEqual(2)
})
