// Cloud sync as a merchant sees it: the sample provider and an S3 bucket, with the real rclone.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { manyFiles, untilEndedOrPreview, useClouds } from '../cloud.ts'
import { promisedMs, sized, soakDescribe, soakTest } from '../scale.ts'
import { execFileSync } from 'node:child_process'

const { app, bucket } = await useClouds()

const isAbout = (id: string) => (notice: { operation_id: string }) => notice.operation_id === id

describe('a sample folder', () => {
  test('is synced as its preview says: new, changed, renamed and deleted files; each is undone', async () => {
    await app.put(manyFiles('one', 12))
    const id = await app.connect({ provider: 'demo', folder: 'one' })
    const first = await app.sync(id)
    expect(first).toMatchObject({ status: 'success', total: 12, done: 12 })
    const before = await app.files()
    expect(Object.keys(before)).toHaveLength(12)
    await app.map(before['one 3.txt'].id)

    await app.put({ 'one/one 1.txt': 'another text', 'one/new.txt': 'new' })
    await rename(path.join(app.folder, 'one/one 2.txt'), path.join(app.folder, 'one/moved.txt'))
    await rm(path.join(app.folder, 'one/one 3.txt'))
    const counts = { added: 1, changed: 1, renamed: 1, removed: 1 }
    const unchanged = await app.files()
    const second = await app.sync(id, { dry_run: true })
    expect(second).toMatchObject({ status: 'previewed', total: 4 })
    expect(await app.lastSync(id)).toMatchObject({ preview_reason: 'requested', ...counts })
    expect(await app.files()).toEqual(unchanged)
    await app.owner.call('POST', `/api/operations/${second.id}/confirm`)
    expect(await untilEndedOrPreview(app, second.id)).toMatchObject({ status: 'success', done: 4 })
    const after = await app.files()
    expect(after['one 1.txt']).toMatchObject({ id: before['one 1.txt'].id, size_bytes: 12 })
    expect(after['moved.txt'].id).toBe(before['one 2.txt'].id)
    expect(after['one 3.txt']).toBeUndefined()
    expect(after['new.txt']).toMatchObject({ size_bytes: 3 })
    expect(await app.lastSync(id)).toMatchObject({ status: 'success', ...counts, failed: 0 })
    const { data } = await app.get('/api/notices')
    expect(data.find(isAbout(second.id))).toMatchObject({
      title: expect.stringMatching(/^Sync of “Sample folder.*” complete$/),
      body: expect.stringMatching(/^2 of 4 files imported, 1 changed, 1 moved to the trash, 2 not/),
    })

    const { body: undo } = await app.owner.call('POST', `/api/operations/${second.id}/undo`)
    expect(await untilEndedOrPreview(app, undo.id)).toMatchObject({ status: 'success' })
    const undone = await app.files()
    expect(Object.keys(undone).sort()).toEqual(Object.keys(before).sort())
    expect(undone['one 3.txt'].id).toBe(before['one 3.txt'].id)
    expect((await app.get(`/api/files/${undone['one 3.txt'].id}`)).mappings).toHaveLength(1)
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

  test('is synced with patterns, packs and names that no disk allows', async () => {
    const long = `${'long '.repeat(60)}end.txt`
    const objects = {
      'shop/guide.txt': 'guide',
      'shop/guide.txt/inside.txt': 'inside of a name',
      'shop/course one/lesson.txt': 'lesson',
      'shop/course one/notes.md': 'left out',
      // A pattern that includes it does not bring it in.
      'shop/._guide.txt': 'left out too',
      'shop/.git/objects/a.txt': 'left out too',
      'shop/line\nbreak.txt': 'line',
      [`shop/${long}`]: 'long',
      'other/no.txt': 'not synced',
    }
    for (const [key, content] of Object.entries(objects)) bucket.put(key, content)
    const id = await app.connect({
      ...bucket.connection('shop/'),
      include: ['*.txt'],
      packs_from_subfolders: true,
      auto_map: false,
    })
    const folders = await app.get(`/api/connections/${id}/folders?path=shop`)
    expect(folders.data).toContainEqual({ name: 'course one', path: 'shop/course one' })
    const sync = await app.sync(id)
    const { data } = await app.get(`/api/operations/${sync.id}/items`)
    expect(data.filter(({ status }: { status: string }) => status !== 'done')).toEqual([])
    const files = await app.files()
    expect(files['lesson.txt'].pack).toMatchObject({ name: 'course one' })
    expect(files['line␊break.txt']).toMatchObject({ size_bytes: 4 })
    expect(Object.keys(files).some((name) => name.startsWith('long long'))).toBe(true)
    expect(files['no.txt']).toBeUndefined()
    expect(await app.lastSync(id)).toMatchObject({
      ignored: 3,
      added: 5,
    })
    expect(
      await readdir(path.join(app.cloud.stagingFolder)).then((all) => all.length),
    ).toBeGreaterThan(0)
  })
})

describe('changes above the limits', () => {
  const notices = async () =>
    (await app.get('/api/notices')).data.map(({ title }: { title: string }) => title)

  test('an emptied folder is a preview, which can be discarded', async () => {
    await app.put(manyFiles('emptied', 6))
    const id = await app.connect({ provider: 'demo', folder: 'emptied', name: 'Emptied' })
    await app.sync(id)
    await rm(path.join(app.folder, 'emptied'), { recursive: true })
    await mkdir(path.join(app.folder, 'emptied'))
    const preview = await app.sync(id)
    expect(preview).toMatchObject({ status: 'previewed', total: 6 })
    expect(await notices()).toContain('“Emptied” waits for your confirmation')
    expect((await app.lastSync(id)).preview_reason).toBe('deletions')
    expect(
      Object.keys(await app.files()).filter((name) => name.startsWith('emptied')),
    ).toHaveLength(6)
    await app.owner.call('POST', `/api/operations/${preview.id}/cancel`)
    expect(await app.lastSync(id)).toMatchObject({ status: 'cancelled', discarded: true, done: 0 })
    const { data } = await app.get('/api/notices')
    expect(data.filter(isAbout(preview.id))).toMatchObject([{ read_at: expect.any(String) }])
  })

  soakTest(
    'a folder that was renamed at its root deletes nothing, and reports the cause',
    async () => {
      await app.put(manyFiles('root', 3))
      const id = await app.connect({ provider: 'demo', folder: 'root', name: 'Root' })
      await app.sync(id)
      await rename(path.join(app.folder, 'root'), path.join(app.folder, 'elsewhere'))
      expect(await app.sync(id)).toMatchObject({ status: 'failed', total: 0 })
      expect(await app.get(`/api/connections/${id}`)).toMatchObject({
        state: 'failing',
        error: { code: 'cloud_folder_not_found' },
        last_sync: { error: { code: 'cloud_folder_not_found' } },
      })
      expect(await notices()).toContain('“Root” could not be synced')
      expect(await notices()).not.toContain('Sync of “Root” failed')
      const { operation_id } = await app.lastSync(id)
      expect(await app.get(`/api/operations/${operation_id}`)).toMatchObject({
        actions: [],
        stopped: { step: 'sync', code: 'cloud_folder_not_found' },
      })
      const again = await app.owner.call('POST', `/api/operations/${operation_id}/retry`)
      expect([again.status, again.body.error.code]).toEqual([409, 'operation_state'])
      expect(await app.files()).toHaveProperty('root 2.txt')
      await rename(path.join(app.folder, 'elsewhere'), path.join(app.folder, 'root'))
      expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
      expect(await app.get(`/api/connections/${id}`)).toMatchObject({ state: 'ready', error: null })
    },
  )

  soakTest('many moved files are moved; none is deleted or fetched again', async () => {
    const count = sized(40, 10_000)
    for (let n = 0; n < count; n++) bucket.put(`moved/before/${n}.txt`, `moved ${n}`)
    const id = await app.connect({ ...bucket.connection('moved'), include: ['*.txt'] })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: count })
    const before = (await app.get('/api/files?search=17.txt')).data[0]
    for (const [key, object] of bucket.objects)
      if (key.startsWith('moved/before/') && bucket.objects.delete(key))
        bucket.objects.set(key.replace('before', 'after'), object)
    bucket.requests.length = 0
    const moved = await app.sync(id)
    expect(moved).toMatchObject({ status: 'success', total: count, done: count })
    expect(bucket.requests.filter((request) => request.startsWith('GET'))).toEqual([])
    expect((await app.get('/api/files?search=17.txt')).data[0].id).toBe(before.id)
    expect(await app.lastSync(id)).toMatchObject({
      renamed: count,
      removed: 0,
    })
  })

  soakTest('a first sync that would replace a file is a preview', async () => {
    await app.put({ 'first/taken.txt': 'ours, from elsewhere', 'second/taken.txt': 'theirs' })
    const first = await app.connect({ provider: 'demo', folder: 'first' })
    await app.sync(first)
    // The files stay, without a connection.
    await app.owner.call('DELETE', `/api/connections/${first}`)
    const id = await app.connect({ provider: 'demo', folder: 'second' })
    const preview = await app.sync(id)
    expect(preview).toMatchObject({ status: 'previewed', total: 1 })
    expect((await app.lastSync(id)).preview_reason).toBe('first_sync')
    await app.owner.call('POST', `/api/operations/${preview.id}/confirm`)
    expect(await untilEndedOrPreview(app, preview.id)).toMatchObject({ status: 'success', done: 1 })
    expect((await app.files())['taken.txt']).toMatchObject({ size_bytes: 6 })
  })
})

soakDescribe('a running sync', () => {
  const running = () =>
    execFileSync('ps', ['-eo', 'pid=,args='])
      .toString()
      .split('\n')
      .filter(
        (line) => /rclone.*files-from-raw/.test(line) && line.includes(app.cloud.stagingFolder),
      )

  test('is cancelled within a second, and the next sync continues', async () => {
    for (let n = 0; n < 5; n++) bucket.put(`slow/${n}.bin`, 'x'.repeat(1000))
    const id = await app.connect(bucket.connection('slow'))
    const gate = Promise.withResolvers<null>()
    bucket.intercept = ({ method, key }) =>
      method === 'GET' && key.startsWith('slow/') ? gate.promise : null
    const { body } = await app.owner.call('POST', `/api/connections/${id}/sync`, {})
    await expect.poll(running).toHaveLength(1)
    const second = await app.owner.call('POST', `/api/connections/${id}/sync`, {})
    expect(second).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect((await app.get(`/api/connections/${id}`)).progress).toMatchObject({ phase: 'syncing' })
    await app.owner.call('POST', `/api/operations/${body.id}/cancel`)
    await expect.poll(running, { timeout: promisedMs(1000) }).toEqual([])
    gate.resolve(null)
    bucket.intercept = () => null
    expect(await untilEndedOrPreview(app, body.id)).toMatchObject({ status: 'cancelled' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 5 })
  })

  test('reports the provider’s rate limit, and is retried', async () => {
    bucket.put('limited/limited.txt', 'limited')
    const id = await app.connect(bucket.connection('limited'))
    let refused = 0
    bucket.intercept = ({ key }) =>
      key === 'limited/limited.txt' && refused++ < 4
        ? { status: 503, code: 'SlowDown', headers: { 'retry-after': '1' } }
        : null
    const sync = await app.sync(id)
    bucket.intercept = () => null
    expect(sync).toMatchObject({ status: 'success', done: 1 })
    expect(refused).toBeGreaterThan(3)
  })
})
