// From a drop folder into the shop's files: real clients send, the background task imports, and
// each file is moved to /processed/ or /failed/ exactly once.
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { clearFiled } from '../../server/channels/drop/import/clear.ts'
import { importNow } from '../../server/channels/drop/import/now.ts'
import { DROP_TASK, laterKey } from '../../server/channels/drop/wake.ts'
import { queueTask } from '../../server/engine/background.ts'
import { untilEnded } from '../app.ts'
import { openDropImports, type DropImports } from '../drop-import.ts'
import { soakTest } from '../scale.ts'

let house: DropImports
beforeAll(async () => void (house = await openDropImports()))
afterAll(() => house.close())
const DEFAULTS = {
  ...{ schedule: 'realtime', match_by: 'sku_prefix', move_to_processed: true },
  ...{ folder_names: 'ignore', on_conflict: 'error', auto_import: true },
}
beforeEach(() => house.set(DEFAULTS))
const today = () => expect.stringMatching(/^processed\/\d{4}-\d\d-\d\d\/[^/]+$/)

test('in real-time mode an SFTP and an FTP upload are imported and moved to /processed/', async () => {
  await house.send('one.pdf', 'one')
  await house.send('two.pdf', 'two', 'ftp')
  for (const name of ['one.pdf', 'two.pdf'])
    expect(await house.untilThere(name)).toMatchObject({ filename: name, size_bytes: 3 })
  await expect.poll(() => house.paths('processed')).toHaveLength(2)
  expect(await house.paths('processed')).toEqual([today(), today()])
  expect(await house.paths()).toEqual([])
  const { data } = await house.get('/api/operations?channel=drop')
  expect(data[0]).toMatchObject({ workflow: 'import-drop', channel: 'drop' })
  expect(await untilEnded(house.app.owner, data[0].id)).toMatchObject({ status: 'success' })
})

test('a taken name fails with the reason next to the file, and is retried by moving it back', async () => {
  await house.send('taken.pdf', 'first')
  await house.untilThere('taken.pdf')
  await expect.poll(() => house.paths()).toEqual([])
  await house.send('taken.pdf', 'second')
  await expect.poll(() => house.paths('failed')).toEqual(['failed/taken.pdf'])
  const { data } = await house.get('/api/drop/files?state=failed')
  expect(data[0].error).toMatchObject({ code: 'duplicate_filename', message: 'Duplicate filename' })
  const note = await house.curl(house.sftpUrl(`${house.home}/failed/taken.pdf.error.txt`))
  expect(note.output).toMatch(/^Duplicate filename\r\n/)
  await house.set({ on_conflict: 'new_version' })
  await house.renamed('failed/taken.pdf', 'taken.pdf')
  await expect.poll(async () => (await house.fileNamed('taken.pdf')).size_bytes).toBe(6)
  await expect.poll(() => house.paths('failed')).toEqual([])
})

test('an import by hand takes all waiting files, also when one import cannot have them all', async () => {
  await house.set({ schedule: 'manual' })
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `many-${letter}.pdf`)
  for (const name of names) await house.send(name, name)
  const { app } = house
  const parts = { engine: app.engine.engine, stores: app.stores }
  await importNow(parts, app.owner.scope, { requestedBy: 'Test', dryRun: false, limit: 2 })
  const { data } = await house.get('/api/operations?channel=drop&limit=3')
  expect(data.map(({ total }: { total: number }) => total)).toEqual([1, 2, 2])
  for (const name of names) await house.untilThere(name)
})

soakTest('a retry of the import takes the failed file again', async () => {
  await house.send('again.pdf', 'first')
  await house.untilThere('again.pdf')
  await expect.poll(() => house.paths()).toEqual([])
  await house.send('again.pdf', 'second')
  await expect.poll(() => house.paths('failed')).toEqual(['failed/again.pdf'])
  const [{ import_id: id }] = (await house.get('/api/drop/files?state=failed')).data
  await untilEnded(house.app.owner, id)
  const { id: first } = await house.fileNamed('again.pdf')
  await house.call('PATCH', `/api/files/${first}`, { filename: 'renamed.pdf' })
  expect((await house.call('POST', `/api/operations/${id}/retry`)).status).toBe(200)
  expect(await house.untilThere('again.pdf')).toMatchObject({ size_bytes: 6 })
  await expect.poll(() => house.paths('failed')).toEqual([])
  await expect.poll(() => house.paths(), { timeout: 20_000 }).toEqual([])
})

test('in manual mode all waiting files are one import; without any the error says so', async () => {
  await house.set({ schedule: 'manual' })
  const none = await house.call('POST', '/api/drop/import')
  expect(none).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
  await house.send('hand/a.pdf', 'a')
  await house.send('hand/b.pdf', 'b')
  await house.send('hand/c.pdf.part', 'half')
  expect(await house.paths()).toEqual(['hand/a.pdf', 'hand/b.pdf', 'hand/c.pdf.part'])
  expect(await house.get('/api/drop')).toMatchObject({ waiting: { files: 2, bytes: 2 } })
  const { data: waiting } = await house.get('/api/drop/files')
  expect(waiting.map((file: { waits_for: string | null }) => file.waits_for)).toEqual([
    ...[null, null, 'rename'],
  ])
  const { body, status } = await house.call('POST', '/api/drop/import')
  expect(status).toBe(202)
  expect(await untilEnded(house.app.owner, body.id)).toMatchObject({ total: 2, status: 'success' })
  await expect.poll(() => house.paths()).toEqual(['hand/c.pdf.part'])
  await house.renamed('hand/c.pdf.part', 'hand/c.pdf')
  expect((await house.get('/api/drop')).waiting).toEqual({ files: 1, bytes: 4 })
  const { body: second } = await house.call('POST', '/api/drop/import')
  expect(await untilEnded(house.app.owner, second.id)).toMatchObject({ total: 1 })
})

test('in hourly mode only files that did not change recently are imported', async () => {
  await house.set({ schedule: 'hourly' })
  await house.send('quiet.pdf', 'quiet')
  await house.send('fresh.pdf', 'fresh')
  await expect.poll(async () => (await house.get('/api/drop')).next_import_at).not.toBeNull()
  const { scope } = house.app.owner
  await scope.query(
    `update drop_entries set quiet_since = now() - interval '31 seconds' where shop_id = :shop and name = 'quiet.pdf'`,
  )
  await scope.query(`update drop_settings set next_import_at = now() where shop_id = :shop`)
  await queueTask(scope, DROP_TASK, laterKey(scope.shop))
  await house.untilThere('quiet.pdf')
  expect(await house.paths()).toContain('fresh.pdf')
  expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
  await house.untilThere('fresh.pdf')
})

test('a folder’s name becomes a tag or a pack', async () => {
  await house.set({ folder_names: 'tag' })
  await house.send('Spring/tagged.pdf', 'tagged')
  expect(await house.untilThere('tagged.pdf')).toMatchObject({ tags: ['Spring'] })
  await house.set({ folder_names: 'pack' })
  await house.send('Summer/packed.pdf', 'packed')
  const { data } = await house.get('/api/packs')
  await house.untilThere('packed.pdf')
  const packs = (await house.get('/api/packs')).data
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
    await house.set({ schedule: 'manual' })
    await house.send('list/import.csv', manifest)
    for (const name of ['a.pdf', 'b.pdf', 'other.pdf']) await house.send(`list/${name}`, name)
    const { body } = await house.call('POST', '/api/drop/import')
    expect(await untilEnded(house.app.owner, body.id)).toMatchObject({
      total: 2,
      status: 'success',
    })
    expect(await house.fileNamed('Guide.pdf')).toMatchObject({
      ...{ expiry_days: 30, download_limit: null, tags: ['one', 'two'] },
    })
    expect(await house.fileNamed('other.pdf')).toMatchObject({ tags: [] })
    expect(await house.paths('failed')).toEqual(['failed/b.pdf', 'failed/import.csv'])
    const { data } = await house.get('/api/drop/files?state=failed')
    expect(data[0].error).toMatchObject({
      message: 'Invalid CSV format',
      detail: 'import.csv: Row 3, expiry_days: This is not a number from 1 to 36,500',
    })
    const { data: notices } = await house.get('/api/notices')
    expect(notices).toContainEqual(
      expect.objectContaining({
        title: 'list/import.csv has mistakes',
        body: expect.stringMatching(/^Row 3, expiry_days: .*\/failed\//),
      }),
    )
    for (const file of data) await house.call('DELETE', `/api/drop/files/${file.id}`)
  })
  test('waits in the folder for the files of its rows', async () => {
    await house.set({ schedule: 'manual' })
    await house.send('late/import.csv', 'file_name\nhere.pdf\nlate.pdf\n')
    await house.send('late/here.pdf', 'here')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
    await house.untilThere('here.pdf')
    await expect.poll(() => house.paths()).toEqual(['late/import.csv'])
    const [manifest] = (await house.get('/api/drop/files')).data
    expect(manifest).toMatchObject({ state: 'waiting', waits_for: 'files' })
    await house.send('late/late.pdf', 'late')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(202)
    await house.untilThere('late.pdf')
    await expect.poll(() => house.paths()).toEqual([])
  })
  test('with very many wrong rows names the first hundred', async () => {
    await house.set({ schedule: 'manual' })
    const rows = Array.from({ length: 150 }, (_, n) => `${n}.pdf,0`)
    await house.send('many/import.csv', ['file_name,expiry_days', ...rows].join('\n'))
    await house.send('many/0.pdf', 'many')
    await house.call('POST', '/api/drop/import')
    expect(await house.paths('failed')).toEqual(['failed/0.pdf', 'failed/import.csv'])
    const { data } = await house.get('/api/drop/files?state=failed')
    const lines = data[1].error.detail.split('\r\n')
    expect([lines.length, lines.at(-1)]).toEqual([101, '… and 50 more rows'])
    for (const { id } of data) await house.call('DELETE', `/api/drop/files/${id}`)
  })
  test('that cannot be read keeps every file of its folder back', async () => {
    await house.set({ schedule: 'manual' })
    await house.send('bad/import.csv', 'nothing\nx\n')
    await house.send('bad/kept.pdf', 'kept')
    expect((await house.call('POST', '/api/drop/import')).status).toBe(409)
    expect(await house.paths('failed')).toEqual(['failed/import.csv', 'failed/kept.pdf'])
    expect(await house.fileNamed('kept.pdf')).toBeNull()
    const { data: notices } = await house.get('/api/notices')
    expect(notices.map(({ title }: { title: string }) => title)).toContain(
      'bad/import.csv has mistakes',
    )
    for (const { id } of (await house.get('/api/drop/files?state=failed')).data)
      expect((await house.call('DELETE', `/api/drop/files/${id}`)).status).toBe(204)
  })
})

test('the app’s own folders refuse uploads, and are cleared after 30 days', async () => {
  const { scope } = house.app.owner
  await writeFile(path.join(house.folder, 'x'), 'x')
  const url = house.sftpUrl(`${house.home}/processed/x.pdf`)
  expect((await house.curl('-T', path.join(house.folder, 'x'), url)).code).not.toBe(0)
  expect((await house.paths('processed')).length).toBeGreaterThan(0)
  await scope.query(
    `update drop_entries set filed_at = filed_at - interval '31 days' where shop_id = :shop`,
  )
  await clearFiled(house.app.engine.parts.database.pool)
  expect([await house.paths('processed'), await house.paths('failed')]).toEqual([[], []])
})

test('many files that arrive together join one import that ends soon', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `many-${n}.bin`)
  const batch = await Promise.all(
    names.map(async (name) => {
      await writeFile(path.join(house.folder, name), randomBytes(2000))
      onTestFinished(() => rm(path.join(house.folder, name), { force: true }))
      return ['-T', path.join(house.folder, name), house.sftpUrl(`${house.home}/${name}`)]
    }),
  )
  const sent = await house.curl(...batch.flat())
  expect(sent).toMatchObject({ code: 0 })
  await house.untilThere('many-29.bin')
  await expect.poll(() => house.paths('importing'), { timeout: 20_000 }).toEqual([])
  const { data } = await house.get('/api/operations?channel=drop&limit=5')
  const totals = data.filter((one: { label: string }) => one.label.startsWith('many-'))
  expect(totals.reduce((sum: number, { total }: { total: number }) => sum + total, 0)).toBe(30)
  expect(totals.length).toBeLessThanOrEqual(2)
})
