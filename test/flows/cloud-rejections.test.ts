// Objects that can never be imported: reported once, listed at the connection, and tried again when
// they change, when the options change, or when a person asks for it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCloudApp, untilEndedOrPreview, type CloudApp } from '../cloud.ts'
import { startBucket, type FakeBucket } from '../fakes/bucket.ts'

let app: CloudApp
let bucket: FakeBucket
beforeAll(async () => {
  app = await openCloudApp()
  bucket = await startBucket()
})
afterAll(async () => {
  await app.close()
  await bucket.close()
})

const rejected = async (id: string) => {
  const [connection, { data }] = await Promise.all([
    app.get(`/api/connections/${id}`),
    app.get(`/api/connections/${id}/rejections`),
  ])
  expect(connection.rejected).toBe(data.length)
  return data
}
const noticeCount = async () => (await app.get('/api/notices')).data.length

test('an empty file is reported once, and imported when it has content', async () => {
  await app.put({ 'empty/nothing.txt': '', 'empty/letter.txt': 'a' })
  const id = await app.connect({ provider: 'demo', folder: 'empty' })
  expect(await app.sync(id)).toMatchObject({ status: 'partial', done: 1, failed: 1, warnings: [] })
  const row = {
    path: 'nothing.txt',
    size_bytes: 0,
    code: 'empty_file',
    message: expect.any(String),
  }
  expect(await rejected(id)).toEqual([row])
  const notices = await noticeCount()

  const second = await app.sync(id)
  expect(second).toMatchObject({ status: 'success', total: 0 })
  expect(second.warnings).toMatchObject([{ code: 'cloud_rejected' }])
  expect(await noticeCount()).toBe(notices)
  expect(await rejected(id)).toEqual([row])
  expect((await app.get(`/api/connections/${id}`)).last_sync).toMatchObject({
    rejected: 1,
    failed: 0,
  })

  await app.put({ 'empty/nothing.txt': 'something' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1, warnings: [] })
  expect(await rejected(id)).toEqual([])
})

test('a version that cannot be imported leaves the file as it was, in both directions', async () => {
  await app.put({ 'both/page.txt': 'page', 'both/other.txt': 'other' })
  const given = {
    provider: 'demo',
    folder: 'both',
    direction: 'two_way',
    include: ['page.txt', 'other.txt'],
  }
  const id = await app.connect(given)
  await app.sync(id)
  await app.put({ 'both/page.txt': '' })
  expect(await app.sync(id)).toMatchObject({ total: 1, failed: 1 })
  const { id: file } = (await app.files())['page.txt']
  await app.replace(file, 'changed here')
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  expect(await rejected(id)).toMatchObject([{ path: 'page.txt', code: 'empty_file' }])
  await app.put({ 'both/page.txt': 'page' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
  expect(await rejected(id)).toEqual([])
})

test('names that cannot be read are tried again on request, and after a change of the options', async () => {
  for (const name of ['a//b.txt', './c.txt', 'd.txt'])
    bucket.put(`names/${name}`, `text of ${name}`)
  const id = await app.connect({ ...bucket.connection('names'), auto_map: false })
  const first = await app.sync(id)
  expect(first).toMatchObject({ status: 'partial', done: 1, failed: 2 })
  expect(await rejected(id)).toMatchObject([
    { path: 'a//b.txt', code: 'cloud_name_unusable' },
    // As rclone writes `./c.txt`.
    { path: '．/c.txt', code: 'cloud_name_unusable' },
  ])
  const page = await app.get(`/api/connections/${id}/rejections?limit=1`)
  expect(page.data).toHaveLength(1)
  const next = await app.get(`/api/connections/${id}/rejections?limit=1&cursor=${page.next_cursor}`)
  expect(next).toMatchObject({ data: [{ path: '．/c.txt' }], next_cursor: null })

  expect(await app.sync(id)).toMatchObject({ total: 0 })
  expect(await app.sync(id, { retry_rejected: true })).toMatchObject({ total: 2, failed: 2 })
  expect(await rejected(id)).toHaveLength(2)
  await app.owner.call('PATCH', `/api/connections/${id}`, { names: 'path' })
  expect(await rejected(id)).toEqual([])
  expect(await app.sync(id)).toMatchObject({ total: 2, failed: 2 })
  expect(await rejected(id)).toHaveLength(2)
  // Without a change of them nothing is tried again.
  await app.owner.call('PATCH', `/api/connections/${id}`, { names: 'path', name: 'Renamed' })
  expect(await app.sync(id)).toMatchObject({ total: 0 })
  await app.owner.call('PATCH', `/api/connections/${id}`, { exclude: ['c.txt'] })
  expect(await app.sync(id)).toMatchObject({ total: 1, failed: 1 })
  expect(await rejected(id)).toMatchObject([{ path: 'a//b.txt' }])
})

test('a retry of the operation that fails again changes nothing', async () => {
  await app.put({ 'again/nothing.txt': '' })
  const id = await app.connect({ provider: 'demo', folder: 'again' })
  const sync = await app.sync(id)
  expect(await rejected(id)).toHaveLength(1)
  await app.owner.call('POST', `/api/operations/${sync.id}/retry`)
  expect(await untilEndedOrPreview(app, sync.id)).toMatchObject({ failed: 1 })
  expect(await rejected(id)).toHaveLength(1)
})
