// The confirmation of a sync's preview: the folder is read again, and what a person has confirmed is
// all that it deletes or replaces.
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudApp, untilEndedOrPreview, type CloudApp } from '../cloud.ts'

let app: CloudApp
beforeAll(async () => {
  app = await openCloudApp()
})
afterAll(() => app.close())

const many = (folder: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${folder}/${folder} ${n}.txt`, `${folder} ${n}`]),
  )
const filesOf = async (folder: string) =>
  Object.keys(await app.files()).filter((name) => name.startsWith(`${folder} `))
const lastSync = async (id: string) => (await app.get(`/api/connections/${id}`)).last_sync
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
    const { status } = await app.owner.call('POST', `/api/operations/${preview.id}/confirm`)
    expect(status).toBe(200)
    return untilEndedOrPreview(app, preview.id)
  }
  return { id, preview, confirm }
}

test('an emptied folder that was restored before the confirmation deletes nothing', async () => {
  const { id, preview, confirm } = await emptied('restored')
  await app.put(many('restored', 6))
  expect(await confirm()).toMatchObject({ status: 'success', total: 0, preview: true })
  expect(await filesOf('restored')).toHaveLength(6)
  expect(await unread(preview.id)).toEqual([])
  expect(await lastSync(id)).toMatchObject({ status: 'success', listed: 6, removed: 0 })
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

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
  expect(await confirm()).toMatchObject({ status: 'success', total: 5, done: 5 })
  expect((await filesOf('partly')).sort()).toEqual([
    'partly 0.txt',
    'partly 1.txt',
    'partly new.txt',
  ])
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

test('a file that has another version since is not deleted before it is confirmed again', async () => {
  const { id, confirm } = await emptied('edited')
  await app.replace((await app.files())['edited 3.txt'].id, 'ours')
  expect(await confirm()).toMatchObject({ status: 'previewed', total: 6 })
  expect(await lastSync(id)).toMatchObject({ preview_reason: 'changed', removed: 6 })
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
  await app.owner.call('PATCH', `/api/connections/${id}`, { name: 'Renamed' })
  const renamed = '“Renamed” could not be synced'
  expect(await failures()).toMatchObject([{ operation_id: second, title: renamed }])
  const { id: third } = await app.sync(id)
  expect(await failures()).toMatchObject([{ operation_id: third, title: renamed }])
})

test('the name of a connection follows its folder until a person chooses another', async () => {
  await app.put({ 'name a/a.txt': 'a', 'name b/b.txt': 'b' })
  const id = await app.connect({ provider: 'demo', folder: 'name a' })
  const change = async (body: object) =>
    (await app.owner.call('PATCH', `/api/connections/${id}`, body)).body.name
  expect((await app.get(`/api/connections/${id}`)).name).toBe('Sample folder/name a')
  expect(await change({ folder: 'name b' })).toBe('Sample folder/name b')
  expect(await change({ name: 'Manuals' })).toBe('Manuals')
  expect(await change({ folder: 'name a' })).toBe('Manuals')
})
