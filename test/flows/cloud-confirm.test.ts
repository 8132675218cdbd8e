// Confirmation and undo: a preview's folder is read again, and what a person has confirmed is all
// that a sync deletes or replaces; an undo deletes nothing at the provider.
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { manyFiles as many, untilEndedOrPreview, useSampleFolder } from '../cloud.ts'
import { soakTest } from '../scale.ts'

const app = await useSampleFolder()
const { call } = app.owner
const { lastSync } = app

const filesOf = async (folder: string) =>
  Object.keys(await app.files()).filter((name) => name.startsWith(`${folder} `))
const unread = async (operation: string) =>
  (await app.get('/api/notices')).data.filter(
    (notice: { operation_id: string; read_at: string | null }) =>
      notice.operation_id === operation && notice.read_at === null,
  )

async function empty(folder: string): Promise<void> {
  await rm(path.join(app.folder, folder), { recursive: true })
  await mkdir(path.join(app.folder, folder))
}

/** A connection of six files whose folder was emptied, with the preview that asks a person. */
async function emptied(folder: string) {
  await app.put(many(folder, 6))
  const id = await app.connect({ provider: 'demo', folder })
  await app.sync(id)
  await empty(folder)
  const preview = await app.sync(id)
  expect(preview).toMatchObject({ status: 'previewed', total: 6 })
  const confirm = async () => {
    const { status } = await call('POST', `/api/operations/${preview.id}/confirm`)
    expect(status).toBe(200)
    return untilEndedOrPreview(app, preview.id)
  }
  return { id, preview, confirm }
}

soakTest('an empty file fails in the preview as it does in the sync', async () => {
  await app.put({ 'void/full.txt': 'full', 'void/empty.txt': '' })
  const id = await app.connect({ provider: 'demo', folder: 'void' })
  const preview = await app.sync(id, { dry_run: true })
  expect(preview).toMatchObject({ status: 'previewed', done: 1, failed: 1 })
  const failed = { status: 'failed', error: { code: 'empty_file', message: 'The file is empty' } }
  const items = async () =>
    (await app.get(`/api/operations/${preview.id}/items?status=failed`)).data as object[]
  expect(await items()).toMatchObject([failed])
  await call('POST', `/api/operations/${preview.id}/confirm`)
  expect(await untilEndedOrPreview(app, preview.id)).toMatchObject({ status: 'partial', done: 1 })
  expect(await items()).toMatchObject([failed])
})

soakTest(
  'an emptied folder that was restored before the confirmation deletes nothing',
  async () => {
    const { id, preview, confirm } = await emptied('restored')
    await app.put(many('restored', 6))
    expect(await confirm()).toMatchObject({ status: 'success', total: 0, preview: true })
    expect(await filesOf('restored')).toHaveLength(6)
    expect(await unread(preview.id)).toEqual([])
    expect(await lastSync(id)).toMatchObject({ status: 'success', listed: 6, removed: 0 })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  },
)

test('other deletions than the confirmed ones are a preview again', async () => {
  const { id, preview, confirm } = await emptied('partly')
  await app.put({ ...many('partly', 2), 'partly/partly new.txt': 'new' })
  const again = await confirm()
  expect(again).toMatchObject({ status: 'previewed', total: 5, actions: ['cancel', 'confirm'] })
  expect(await filesOf('partly')).toHaveLength(6)
  expect(await lastSync(id)).toMatchObject({ preview_reason: 'changed', removed: 4, done: 0 })
  expect(await unread(preview.id)).toMatchObject([
    { body: expect.stringContaining('has changed since the preview that you confirmed') },
  ])
  // A file that has another version since is not deleted before it is confirmed again.
  await app.replace((await app.files())['partly 3.txt'].id, 'ours')
  expect(await confirm()).toMatchObject({ status: 'previewed', total: 5 })
  expect(await lastSync(id)).toMatchObject({ preview_reason: 'changed', removed: 4 })
  expect(await confirm()).toMatchObject({ status: 'success', total: 5, done: 5 })
  expect((await filesOf('partly')).sort()).toEqual([
    'partly 0.txt',
    'partly 1.txt',
    'partly new.txt',
  ])
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

test('a folder that is gone at the confirmation fails the sync, and deletes nothing', async () => {
  const { id, confirm } = await emptied('removed')
  await rm(path.join(app.folder, 'removed'), { recursive: true })
  expect(await confirm()).toMatchObject({ status: 'failed', total: 0, actions: [] })
  expect(await lastSync(id)).toMatchObject({ error: { code: 'cloud_folder_not_found' } })
  expect(await filesOf('removed')).toHaveLength(6)
  // One notice says so, however many syncs fail for this reason, and it has the connection's name.
  const failures = async () => {
    const { data } = await app.get('/api/notices')
    return data.filter(
      ({ title, read_at }: { title: string; read_at: string | null }) =>
        title.endsWith('could not be synced') && read_at === null,
    )
  }
  const { id: second } = await app.sync(id)
  const title = '“Sample folder/removed” could not be synced'
  expect(await failures()).toMatchObject([{ operation_id: second, title }])
  await call('PATCH', `/api/connections/${id}`, { name: 'Renamed' })
  const renamed = '“Renamed” could not be synced'
  expect(await failures()).toMatchObject([{ operation_id: second, title: renamed }])
  const { id: third } = await app.sync(id)
  expect(await failures()).toMatchObject([{ operation_id: third, title: renamed }])
})

soakTest('the name of a connection follows its folder until a person chooses another', async () => {
  await app.put({ 'name a/a.txt': 'a', 'name b/b.txt': 'b' })
  const id = await app.connect({ provider: 'demo', folder: 'name a' })
  const change = async (body: object) =>
    (await call('PATCH', `/api/connections/${id}`, body)).body.name
  expect((await app.get(`/api/connections/${id}`)).name).toBe('Sample folder/name a')
  expect(await change({ folder: 'name b' })).toBe('Sample folder/name b')
  expect(await change({ name: 'Manuals' })).toBe('Manuals')
  expect(await change({ folder: 'name a' })).toBe('Manuals')
})

const there = async (folder: string) => (await readdir(path.join(app.folder, folder))).sort()

async function undo(operation: string): Promise<void> {
  const { body } = await call('POST', `/api/operations/${operation}/undo`)
  expect(await untilEndedOrPreview(app, body.id)).toMatchObject({ status: 'success' })
}

soakTest('the undo of a two-way sync deletes nothing at the provider', async () => {
  await app.put(many('undone', 10))
  const given = { provider: 'demo', folder: 'undone', include: ['*undone*'] }
  const id = await app.connect({ ...given, direction: 'two_way' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 10 })
  await app.put({ 'undone/new undone.txt': 'new', 'undone/newer undone.txt': 'newer' })
  const second = await app.sync(id)
  expect(second).toMatchObject({ status: 'success', done: 2 })
  await undo(second.id)
  for (let n = 0; n < 2; n++)
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  expect(await there('undone')).toHaveLength(12)
  expect(await app.files()).not.toHaveProperty(['new undone.txt'])
  // A change there brings it again, and a deletion of what is here goes there as before.
  await app.put({ 'undone/new undone.txt': 'changed' })
  const { id: first } = (await app.files())['undone 0.txt']
  await call('POST', '/api/files/bulk-delete', { file_ids: [first] })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect((await app.files())['new undone.txt']).toMatchObject({ size_bytes: 7 })
  expect(await there('undone')).toHaveLength(11)
})

soakTest('no undo is offered for a sync that only sent files', async () => {
  await app.put(many('sent', 3))
  const given = { provider: 'demo', folder: 'sent', include: ['sent*'] }
  const id = await app.connect({ ...given, direction: 'two_way' })
  expect(await app.sync(id)).toMatchObject({ done: 3, actions: ['undo'] })
  await app.replace((await app.files())['sent 0.txt'].id, 'changed here')
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'success', done: 1, actions: [], undo_until: null })
  expect(await lastSync(id)).toMatchObject({ uploaded: 1 })
})

soakTest(
  'a sync that runs while the folder is changed is cancelled, and the next one is the first',
  async () => {
    await app.put({ ...many('old', 6), ...many('next', 3) })
    const id = await app.connect({ provider: 'demo', folder: 'old' })
    const { body } = await call('POST', `/api/connections/${id}/sync`, {})
    expect((await call('PATCH', `/api/connections/${id}`, { folder: 'next' })).status).toBe(200)
    expect(await untilEndedOrPreview(app, body.id)).toMatchObject({ status: 'cancelled' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 3, done: 3, failed: 0 })
  },
)

soakTest('a preview of the earlier folder is discarded', async () => {
  await app.put({ ...many('seen', 2), ...many('other', 2) })
  const id = await app.connect({ provider: 'demo', folder: 'seen' })
  const preview = await app.sync(id, { dry_run: true })
  await call('PATCH', `/api/connections/${id}`, { folder: 'other' })
  const { status } = await call('POST', `/api/operations/${preview.id}/confirm`)
  expect(status).toBe(409)
  expect(await lastSync(id)).toMatchObject({ status: 'cancelled', discarded: true })
})

soakTest(
  'after a change of the folder, a two-way sync asks before it sends files there',
  async () => {
    await app.put(many('from', 3))
    await mkdir(path.join(app.folder, 'to'))
    const given = { provider: 'demo', folder: 'from', include: ['from*'] }
    const id = await app.connect({ ...given, direction: 'two_way' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 3 })
    await call('PATCH', `/api/connections/${id}`, { folder: 'to' })
    await app.get(`/api/connections/${id}`)
    expect(await app.sync(id)).toMatchObject({ status: 'previewed', total: 3 })
    expect(await lastSync(id)).toMatchObject({ preview_reason: 'uploads' })
    expect(await there('to')).toEqual([])
  },
)
