// Undo of two-way syncs, and a connection whose folder changes.
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudApp, untilEndedOrPreview, type CloudApp } from '../cloud.ts'

let app: CloudApp
beforeAll(async () => {
  app = await openCloudApp()
})
afterAll(() => app.close())

const call = (...request: Parameters<CloudApp['owner']['call']>) => app.owner.call(...request)
const many = (folder: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${folder}/${n} ${folder}.txt`, `${folder} ${n}`]),
  )
const there = async (folder: string) => (await readdir(path.join(app.folder, folder))).sort()
const lastSync = async (id: string) => (await app.get(`/api/connections/${id}`)).last_sync

async function undo(operation: string): Promise<void> {
  const { body } = await call('POST', `/api/operations/${operation}/undo`)
  expect(await untilEndedOrPreview(app, body.id)).toMatchObject({ status: 'success' })
}

test('the undo of a two-way sync deletes nothing at the provider', async () => {
  await app.put(many('undone', 10))
  const given = { provider: 'demo', folder: 'undone', include: ['* undone.txt'] }
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
  const { id: first } = (await app.files())['0 undone.txt']
  await call('POST', '/api/files/bulk-delete', { file_ids: [first] })
  expect(await app.sync(id)).toMatchObject({ status: 'success', failed: 0 })
  expect((await app.files())['new undone.txt']).toMatchObject({ size_bytes: 7 })
  expect(await there('undone')).toHaveLength(11)
})

test('no undo is offered for a sync that only sent files', async () => {
  await app.put(many('sent', 3))
  const given = { provider: 'demo', folder: 'sent', include: ['* sent.txt'] }
  const id = await app.connect({ ...given, direction: 'two_way' })
  expect(await app.sync(id)).toMatchObject({ done: 3, actions: ['undo'] })
  await app.replace((await app.files())['0 sent.txt'].id, 'changed here')
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'success', done: 1, actions: [], undo_until: null })
  expect(await lastSync(id)).toMatchObject({ uploaded: 1 })
})

test('a sync that runs while the folder is changed is cancelled, and the next one is the first', async () => {
  await app.put({ ...many('old', 6), ...many('next', 3) })
  const id = await app.connect({ provider: 'demo', folder: 'old' })
  const { body } = await call('POST', `/api/connections/${id}/sync`, {})
  expect((await call('PATCH', `/api/connections/${id}`, { folder: 'next' })).status).toBe(200)
  expect(await untilEndedOrPreview(app, body.id)).toMatchObject({ status: 'cancelled' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 3, done: 3, failed: 0 })
})

test('a preview of the earlier folder is discarded', async () => {
  await app.put({ ...many('seen', 2), ...many('other', 2) })
  const id = await app.connect({ provider: 'demo', folder: 'seen' })
  const preview = await app.sync(id, { dry_run: true })
  await call('PATCH', `/api/connections/${id}`, { folder: 'other' })
  const { status } = await call('POST', `/api/operations/${preview.id}/confirm`)
  expect(status).toBe(409)
  expect(await lastSync(id)).toMatchObject({ status: 'cancelled', discarded: true })
})

test('after a change of the folder, a two-way sync asks before it sends files there', async () => {
  await app.put(many('from', 3))
  await mkdir(path.join(app.folder, 'to'))
  const given = { provider: 'demo', folder: 'from', include: ['* from.txt'] }
  const id = await app.connect({ ...given, direction: 'two_way' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 3 })
  await call('PATCH', `/api/connections/${id}`, { folder: 'to' })
  await app.get(`/api/connections/${id}`)
  expect(await app.sync(id)).toMatchObject({ status: 'previewed', total: 3 })
  expect(await lastSync(id)).toMatchObject({ preview_reason: 'uploads' })
  expect(await there('to')).toEqual([])
})
