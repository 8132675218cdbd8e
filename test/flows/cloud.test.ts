// Cloud sync as a merchant sees it: the sample provider and a bucket that speaks S3, through the
// real rclone.
import { readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCloudApp, type CloudApp } from '../cloud.ts'
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

describe('a sample folder', () => {
  test('is synced: new, changed, renamed and deleted files; each is undone', async () => {
    await app.put(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`one/file ${n}.txt`, `text ${n}`])),
    )
    const id = await app.connect({ provider: 'demo', folder: 'one' })
    const first = await app.sync(id)
    expect(first).toMatchObject({ status: 'success', total: 12, done: 12 })
    const before = await app.files()
    expect(Object.keys(before)).toHaveLength(12)

    const nothing = await app.sync(id)
    expect(nothing).toMatchObject({ status: 'success', total: 0 })

    await app.put({ 'one/file 1.txt': 'another text', 'one/new.txt': 'new' })
    await rename(path.join(app.folder, 'one/file 2.txt'), path.join(app.folder, 'one/moved.txt'))
    await rm(path.join(app.folder, 'one/file 3.txt'))
    const second = await app.sync(id)
    expect(second).toMatchObject({ status: 'success', total: 4, done: 4 })
    const after = await app.files()
    expect(after['file 1.txt']).toMatchObject({ id: before['file 1.txt'].id, size_bytes: 12 })
    expect(after['moved.txt'].id).toBe(before['file 2.txt'].id)
    expect(after['file 3.txt']).toBeUndefined()
    expect(after['new.txt']).toMatchObject({ size_bytes: 3 })
    expect((await app.get(`/api/connections/${id}`)).last_sync).toMatchObject({
      ...{ status: 'success', added: 1, changed: 1, renamed: 1, removed: 1, failed: 0 },
    })

    const { body: undo } = await app.owner.call('POST', `/api/operations/${second.id}/undo`)
    await app.get(`/api/operations/${undo.id}`)
    await expect
      .poll(async () => Object.keys(await app.files()).sort())
      .toEqual(Object.keys(before).sort())
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  })
})

describe('a bucket', () => {
  test('is checked before its keys are stored', async () => {
    const refused = async (change: object) => {
      const { status, body } = await app.owner.call('POST', '/api/connections', {
        ...bucket.connection(),
        ...change,
      })
      return [status, body.error.code, body.error.param]
    }
    expect(await refused({ secret_key: 'WRONG' })).toEqual([
      422,
      'cloud_access_denied',
      'secret_key',
    ])
    expect(await refused({ bucket: 'no-such' })).toEqual([422, 'cloud_folder_not_found', 'bucket'])
    expect(await refused({ endpoint: 'https://10.0.0.1' })).toEqual([
      422,
      'validation_failed',
      'endpoint',
    ])
    expect(
      (await app.get('/api/connections')).data.map(
        ({ provider }: { provider: string }) => provider,
      ),
    ).not.toContain('s3')
  })

  test('is synced with patterns, packs and names that no disk could hold', async () => {
    const long = `${'long '.repeat(60)}end.pdf`
    const objects = {
      'shop/guide.pdf': 'guide',
      'shop/guide.pdf/inside.pdf': 'inside of a name',
      'shop/course one/lesson.pdf': 'lesson',
      'shop/course one/notes.txt': 'left out',
      'shop/line\nbreak.pdf': 'line',
      [`shop/${long}`]: 'long',
      'other/no.pdf': 'not synced',
    }
    for (const [key, content] of Object.entries(objects)) bucket.put(key, content)
    const id = await app.connect({
      ...bucket.connection('shop/'),
      include: ['*.pdf'],
      packs_from_subfolders: true,
      auto_map: false,
    })
    const folders = await app.get(`/api/connections/${id}/folders?path=shop`)
    expect(folders.data).toContainEqual({ name: 'course one', path: 'shop/course one' })
    const sync = await app.sync(id)
    const { data } = await app.get(`/api/operations/${sync.id}/items`)
    expect(data.filter(({ status }: { status: string }) => status !== 'done')).toEqual([])
    const files = await app.files()
    expect(files['lesson.pdf'].pack).toMatchObject({ name: 'course one' })
    expect(files['line␊break.pdf']).toMatchObject({ size_bytes: 4 })
    expect(Object.keys(files).some((name) => name.startsWith('long long'))).toBe(true)
    expect(files['no.pdf']).toBeUndefined()
    expect((await app.get(`/api/connections/${id}`)).last_sync).toMatchObject({
      ignored: 1,
      added: 5,
    })
    expect(
      await readdir(path.join(app.cloud.stagingFolder)).then((all) => all.length),
    ).toBeGreaterThan(0)
  })
})
