// The options of a connection: deletions, names, frequency, previews; and a sync that is paused or
// fails in part.
import { execFileSync } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startDue } from '../../server/features/cloud/due.ts'
import { parsePublicId } from '../../server/core/ids.ts'
import { manyFiles as many, untilEndedOrPreview, useClouds } from '../cloud.ts'
import { silent } from '../database.ts'
import { sized, soakTest, someOf } from '../scale.ts'

const { app, bucket } = await useClouds()
const { lastSync } = app

async function mapped(folder: string, deletions: string): Promise<string> {
  await app.put(many(folder, 6))
  const id = await app.connect({ provider: 'demo', folder, deletions })
  await app.sync(id)
  await app.map((await app.files())[`${folder} 0.txt`].id)
  await rm(path.join(app.folder, folder, `${folder} 0.txt`))
  return id
}

const DELETIONS = [
  { deletions: 'keep', total: 0, removed: 0, products: 1 },
  { deletions: 'unmap', total: 1, removed: 1, products: 0 },
]
test.each(someOf(DELETIONS, ({ deletions }) => deletions === 'unmap'))(
  '$deletions: keeps a file that was deleted at the provider',
  async ({ deletions, total, removed, products }) => {
    const id = await mapped(deletions, deletions)
    const name = `${deletions} 0.txt`
    expect(await app.sync(id)).toMatchObject({ status: 'success', total, done: total })
    expect(await lastSync(id)).toMatchObject({ removed, failed: 0 })
    const file = (await app.files())[name]
    expect((await app.get(`/api/files/${file.id}`)).mappings).toHaveLength(products)
    // The kept file belongs to no connection; the same path at the provider is a new file.
    await app.put({ [`${deletions}/${name}`]: 'back again' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1 })
    expect((await app.files())[name].id).toBe(file.id)
    expect(await app.files()).toHaveProperty(`${deletions} 0 (2).txt`)
  },
)

soakTest('names: as at the provider, or with their folders, also after a move', async () => {
  const objects = {
    'names/guide.txt': 'top',
    'names/one/guide.txt': '1',
    'names/one/two/guide.txt': '2',
  }
  await app.put(objects)
  const plain = await app.connect({ provider: 'demo', folder: 'names', include: ['guide.txt'] })
  expect(await app.sync(plain)).toMatchObject({ status: 'success', done: 3 })
  const named = Object.keys(await app.files()).filter((name) => name.startsWith('guide'))
  expect(named.sort()).toEqual(['guide (2).txt', 'guide (3).txt', 'guide.txt'])

  await app.put({ 'paths/a/b/plan.txt': 'ab', 'paths/plan.txt': 'top of paths' })
  const id = await app.connect({ provider: 'demo', folder: 'paths', names: 'path' })
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 2 })
  const files = await app.files()
  expect(files).toHaveProperty('plan.txt')
  const { id: file } = files['a - b - plan.txt']
  await rename(path.join(app.folder, 'paths/a/b'), path.join(app.folder, 'paths/a/c'))
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1 })
  expect((await app.files())['a - c - plan.txt'].id).toBe(file)
})

test.each(sized([6], [1, 6, 12, 24]))(
  'every %i hours: a due sync starts once, and the next time is set',
  async (hours) => {
    const folder = `due ${hours}`
    await app.put(many(folder, 2))
    const id = await app.connect({ provider: 'demo', folder, frequency_hours: hours })
    const connection = parsePublicId('connection', id)!
    const hoursLeft = async () => {
      const [row] = await app.owner.scope.query<{ left: number }>(
        `select extract(epoch from next_sync_at - now())::float / 3600 as left from connections
       where shop_id = :shop and id = :connection`,
        { connection },
      )
      return row!.left
    }
    expect(Math.round((await hoursLeft()) * 10) / 10).toBeCloseTo(hours, 1)
    await app.owner.scope.query(
      `update connections set next_sync_at = now() - interval '3 days' where shop_id = :shop
         and id = :connection`,
      { connection },
    )
    const { database } = app.engine.parts
    const parts = { database, engine: app.engine.engine, cloud: app.cloud, log: silent }
    await Promise.all([startDue(parts), startDue(parts)])
    const syncs = async () => (await app.get(`/api/connections/${id}/syncs`)).data
    await expect.poll(syncs).toMatchObject([{ status: 'success', added: 2 }])
    expect(Math.round((await hoursLeft()) * 10) / 10).toBeCloseTo(hours, 1)
    expect(await startDue(parts)).toBe(0)
  },
)

test('manually: no time is set; other frequencies and names of several lines are refused', async () => {
  const id = await app.connect({ provider: 'demo', frequency_hours: 6 })
  const { body } = await app.owner.call('PATCH', `/api/connections/${id}`, {
    frequency_hours: null,
  })
  expect(body).toMatchObject({ frequency_hours: null, next_sync_at: null })
  const wrong = await app.owner.call('PATCH', `/api/connections/${id}`, { frequency_hours: 2 })
  expect(wrong).toMatchObject({ status: 422, body: { error: { param: 'frequency_hours' } } })
  const named = await app.owner.call('PATCH', `/api/connections/${id}`, { name: 'a\nb\u202e' })
  expect(named).toMatchObject({ status: 422, body: { error: { param: 'name' } } })
})

soakTest('only failed files are retried, in the same operation', async () => {
  for (let n = 0; n < 5; n++) bucket.put(`retried/retried ${n}.txt`, `retried ${n}`)
  const id = await app.connect(bucket.connection('retried'))
  const refused = new Set(['retried/retried 1.txt', 'retried/retried 3.txt'])
  bucket.intercept = ({ method, key }) =>
    method === 'GET' && refused.has(key) ? { status: 403, code: 'AccessDenied' } : null
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'partial', done: 3, failed: 2 })
  const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
  expect(data.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
    'cloud_access_denied',
    'cloud_access_denied',
  ])
  bucket.intercept = () => null
  bucket.requests.length = 0
  await app.owner.call('POST', `/api/operations/${sync.id}/retry`)
  expect(await untilEndedOrPreview(app, sync.id)).toMatchObject({
    status: 'success',
    done: 5,
    failed: 0,
  })
  expect(bucket.requests.filter((one) => one.startsWith('GET')).sort()).toEqual(
    [...refused].map((key) => `GET ${key}`),
  )
  expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
})

soakTest('a paused sync keeps what is done, and continues after a resume', async () => {
  for (let n = 0; n < 20; n++) bucket.put(`paused/paused ${n}.txt`, `paused ${n}`)
  const id = await app.connect(bucket.connection('paused'))
  const gate = Promise.withResolvers<null>()
  let asked = 0
  bucket.intercept = ({ method }) => (method === 'GET' && ++asked > 5 ? gate.promise : null)
  const { body } = await app.owner.call('POST', `/api/connections/${id}/sync`, {})
  const operation = async () => app.get(`/api/operations/${body.id}`)
  await expect.poll(async () => (await operation()).done).toBeGreaterThan(0)
  await app.owner.call('POST', `/api/operations/${body.id}/pause`)
  expect(await operation()).toMatchObject({ status: 'paused', finished_at: null })
  const running = "select from items where shop_id = :shop and status = 'running'"
  await expect.poll(() => app.owner.scope.query(running, {})).toEqual([])
  const { done } = await operation()
  gate.resolve(null)
  bucket.intercept = () => null
  expect((await operation()).done).toBe(done)
  await app.owner.call('POST', `/api/operations/${body.id}/resume`)
  expect(await untilEndedOrPreview(app, body.id)).toMatchObject({
    status: 'success',
    done: 20,
    failed: 0,
  })
})

soakTest(
  'the bandwidth limit applies to the whole sync: one rclone runs at a time, with the limit',
  async () => {
    for (let n = 0; n < 1200; n++) bucket.put(`narrow/narrow ${n}.txt`, `${n}`)
    const given = { ...bucket.connection('narrow'), auto_map: false, bytes_per_second: 65_536 }
    const id = await app.connect(given)
    const seen: string[][] = []
    let asked = 0
    bucket.intercept = ({ key }) => {
      if (key.startsWith('narrow/') && asked++ % 20 === 0) seen.push(copies())
      return null
    }
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1200 })
    bucket.intercept = () => null
    expect(Math.max(...seen.map((running) => running.length))).toBe(1)
    expect(seen.flat().every((line) => line.includes('--bwlimit 64K'))).toBe(true)
  },
)

const copies = (): string[] =>
  execFileSync('ps', ['-eo', 'args='])
    .toString()
    .split('\n')
    .filter((line) => line.includes('files-from-raw') && line.includes(app.cloud.stagingFolder))

test('without rclone the sample folder is synced, and a bucket says what is missing', async () => {
  const { rclone } = app.cloud
  const found = { ...rclone }
  await app.put({ 'no-program/a.txt': 'a' })
  const id = await app.connect({ provider: 'demo', folder: 'no-program' })
  const bucketId = await app.connect(bucket.connection('no-program'))
  Object.assign(rclone, { path: null, version: null, message: 'rclone is not installed' })
  onTestFinished(() => void Object.assign(rclone, found))
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
  const refused = await app.owner.call('POST', `/api/connections/${bucketId}/sync`)
  expect(refused.body.error).toMatchObject({ code: 'cloud_unavailable' })
})
