// Names that no disk allows, duplicate names, and names that differ only in case: each object
// becomes a separate file with its own bytes, or its item says why not. An object that can never be
// imported is reported once, listed at the connection, and tried again when it changes, when the
// options change, or when a person asks for it.
import { expect, test } from 'vitest'
import { parsePublicId } from '../../server/core/ids.ts'
import { untilEndedOrPreview, useClouds } from '../cloud.ts'
import { hashOf } from '../fakes/content.ts'
import { sized, soakTest } from '../scale.ts'

const { app, bucket, clouds } = await useClouds()

/** Hashes of the current bytes of these files, sorted. */
async function hashes(ids: readonly string[]): Promise<string[]> {
  const rows = await app.owner.scope.query<{ hash: string }>(
    `select encode(v.hash, 'hex') as hash from files f
     join versions v on v.shop_id = f.shop_id and v.file_id = f.id and v.number = f.version
     where f.shop_id = :shop and f.id = any(:ids)`,
    { ids: ids.map((id) => parsePublicId('file', id)!) },
  )
  return rows.map(({ hash }) => hash).sort()
}

const filesOf = async (sync: { id: string }): Promise<string[]> => {
  const { data } = await app.get(`/api/operations/${sync.id}/items?limit=250`)
  return data.map(({ file_id }: { file_id: string }) => file_id)
}

const LONG = 'long '.repeat(60)
/** 12 folders of 80 letters, and 3 of 255 bytes. */
const DEEP = `${Array.from({ length: 12 }, (_, n) => `${n}`.padEnd(80, 'd')).join('/')}/deep.txt`
const ODD = [
  'line\nbreak.txt',
  'tab\t.txt',
  '\x01.txt',
  '\x7f.txt',
  'Icon\r',
  'dots...',
  '...',
  ' begins with a space.txt',
  'ends with a space.txt ',
  'ends with a dot.',
  '~tilde',
  'back\\slash.txt',
  'colon:.txt',
  'question?.txt',
  'star*.txt',
  '<angle>|pipe.txt',
  '"q".txt',
  'con',
  'aux.txt',
  '-rf',
  '--help',
  '#comment.txt',
  '; semicolon.txt',
  '[set].txt',
  '{a,b}.txt',
  'percent %41.txt',
  'plus+.txt',
  'slash%2Fcode.txt',
  '&amp;.txt',
  "it's.txt",
  '␀ symbol.txt',
  '␊ symbol.txt',
  '／wide.txt',
  'Ａ（１）？.txt',
  '．txt',
  '\u202etxt.exe',
  'zero\u200bwidth.txt',
  '😀.txt',
  '日本語.txt',
  `${LONG}.txt`,
  DEEP,
  'file',
  'file/inside.txt',
  'FILE/other.txt',
]
/** rclone normalizes these paths to that of another object. */
const CLEANED = ['a//b.txt', '/c.txt', '../odd/c.txt', './c.txt', 'a/../c.txt', 'a/./b.txt', '..']

soakTest(
  'every object of a bucket is imported, or its item says that its name cannot be read',
  async () => {
    // Each unusual name costs one start of rclone.
    const odd = ODD.filter((_, at) => at % sized(4, 1) === 0)
    const all = [...odd, ...CLEANED, 'a/b.txt', 'c.txt']
    for (const name of all) bucket.put(`odd/${name}`, `bytes of ${name}`.padEnd(1200))
    bucket.put('odd/folder/', '')
    const id = await app.connect({ ...bucket.connection('odd'), auto_map: false })
    const sync = await app.sync(id)
    const { data } = await app.get(`/api/operations/${sync.id}/items?limit=250`)
    const failures = data.filter(({ status }: { status: string }) => status !== 'done')
    expect(failures.map(({ error }: { error: { code: string } }) => error.code)).toEqual(
      CLEANED.map(() => 'cloud_name_unusable'),
    )
    expect(await hashes(await filesOf(sync))).toEqual(
      all
        .filter((name) => !CLEANED.includes(name))
        .map((name) => hashOf(Buffer.from(`bytes of ${name}`.padEnd(1200))))
        .sort(),
    )
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
    expect(await app.get(`/api/connections/${id}`)).toMatchObject({ rejected: CLEANED.length })
  },
)

soakTest('wide characters need no separate rclone', async () => {
  for (let n = 0; n < 20; n++) bucket.put(`wide/カタログ（${n}）！.txt`, `wide ${n}`)
  const id = await app.connect({ ...bucket.connection('wide'), auto_map: false })
  bucket.requests.length = 0
  expect(await app.sync(id)).toMatchObject({ status: 'success', done: 20 })
  // An object that is copied separately is first requested with HEAD.
  expect(bucket.requests.filter((request) => request.startsWith('HEAD wide/'))).toEqual([])
})

soakTest('an empty object is refused with a message, as empty files are', async () => {
  bucket.put('empty/nothing.txt', '')
  bucket.put('empty/letter.txt', 'a')
  const id = await app.connect({ ...bucket.connection('empty'), auto_map: false })
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'partial', done: 1, failed: 1 })
  const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
  expect(data).toMatchObject([{ filename: 'nothing.txt', error: { code: 'empty_file' } }])
})

test('objects whose names differ only in case or accents are separate files', async () => {
  const names = [
    'Abc.txt',
    'aBC.txt',
    'abc.txt',
    'sub/ABC.txt',
    'Sub/abc.txt',
    '\u00e9t\u00e9.txt',
    'e\u0301te\u0301.txt',
    '\u00c9T\u00c9.txt',
  ]
  for (const name of names) bucket.put(`pairs/${name}`, `content of ${name}`)
  const id = await app.connect({ ...bucket.connection('pairs'), auto_map: false })
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'success', done: names.length })
  const all = await filesOf(sync)
  expect(await hashes(all)).toEqual(
    names.map((name) => hashOf(Buffer.from(`content of ${name}`))).sort(),
  )
  // A change reaches the file of the same object.
  for (const at of [1, 6]) bucket.put(`pairs/${names[at]}`, `changed ${at}`)
  const changed = await app.sync(id)
  expect(changed).toMatchObject({ status: 'success', total: 2, done: 2 })
  for (const file of await filesOf(changed)) expect(all).toContain(file)
  for (const at of [1, 6]) expect(await hashes(all)).toContain(hashOf(Buffer.from(`changed ${at}`)))
})

soakTest(
  'hundreds of objects with one name in different folders become numbered files',
  async () => {
    const count = sized(60, 2000)
    for (let n = 0; n < count; n++) bucket.put(`covers/${n}/cover.txt`, `cover ${n}`)
    const id = await app.connect({ ...bucket.connection('covers'), auto_map: false })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: count, failed: 0 })
    bucket.put('covers/17/cover.txt', 'another cover')
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1 })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
  },
)

soakTest('two files of one name in Google Drive that are excluded are not reported', async () => {
  const twin = (path: string, content: string) => ({
    path,
    content: Buffer.from(content),
    modified: new Date(),
  })
  clouds.files.push(twin('left/twin.tmp', 'first'), twin('left/twin.tmp', 'second'))
  // One of the two is small enough to be synced, but they cannot be told apart.
  clouds.files.push(twin('left/twin.txt', 'short'), twin('left/twin.txt', 'x'.repeat(2000)))
  clouds.put('left/one.txt', 'one')
  const given = { provider: 'google_drive', folder: 'left', exclude: ['*.tmp'], max_bytes: 1024 }
  const id = await app.connect(given)
  await app.authorize(id)
  const sync = await app.sync(id)
  expect(sync).toMatchObject({ status: 'partial', done: 1, failed: 1 })
  const { data } = await app.get(`/api/operations/${sync.id}/items?status=failed`)
  expect(data).toMatchObject([{ filename: 'twin.txt', error: { code: 'cloud_duplicate_name' } }])
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

soakTest(
  'an empty file is reported once, also after a retry, and imported when it has content',
  async () => {
    await app.put({ 'void/void.txt': '', 'void/void letter.txt': 'a' })
    const id = await app.connect({ provider: 'demo', folder: 'void' })
    const first = await app.sync(id)
    expect(first).toMatchObject({ status: 'partial', done: 1, failed: 1, warnings: [] })
    const row = {
      path: 'void.txt',
      size_bytes: 0,
      code: 'empty_file',
      message: expect.any(String),
    }
    expect(await rejected(id)).toEqual([row])
    await app.owner.call('POST', `/api/operations/${first.id}/retry`)
    expect(await untilEndedOrPreview(app, first.id)).toMatchObject({ failed: 1 })
    expect(await rejected(id)).toEqual([row])
    const notices = await noticeCount()

    const second = await app.sync(id)
    expect(second).toMatchObject({ status: 'success', total: 0 })
    expect(second.warnings).toMatchObject([{ code: 'cloud_rejected' }])
    expect(await noticeCount()).toBe(notices)
    expect(await rejected(id)).toEqual([row])
    expect(await app.lastSync(id)).toMatchObject({
      rejected: 1,
      failed: 0,
    })

    await app.put({ 'void/void.txt': 'something' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 1, done: 1, warnings: [] })
    expect(await rejected(id)).toEqual([])
  },
)

soakTest(
  'a version that cannot be imported leaves the file as it was, in both directions',
  async () => {
    await app.put({ 'both/page both.txt': 'page', 'both/other both.txt': 'other' })
    const given = {
      provider: 'demo',
      folder: 'both',
      direction: 'two_way',
      include: ['page both.txt', 'other both.txt'],
    }
    const id = await app.connect(given)
    await app.sync(id)
    await app.put({ 'both/page both.txt': '' })
    expect(await app.sync(id)).toMatchObject({ total: 1, failed: 1 })
    const { id: file } = (await app.files())['page both.txt']
    await app.replace(file, 'changed here')
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
    expect(await rejected(id)).toMatchObject([{ path: 'page both.txt', code: 'empty_file' }])
    await app.put({ 'both/page both.txt': 'page' })
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
    expect(await rejected(id)).toEqual([])
  },
)

soakTest(
  'names that cannot be read are tried again on request, and after a change of the options',
  async () => {
    for (const name of ['a//x.txt', './y.txt', 'z.txt'])
      bucket.put(`unread/${name}`, `text of ${name}`)
    const id = await app.connect({ ...bucket.connection('unread'), auto_map: false })
    const first = await app.sync(id)
    expect(first).toMatchObject({ status: 'partial', done: 1, failed: 2 })
    expect(await rejected(id)).toMatchObject([
      { path: 'a//x.txt', code: 'cloud_name_unusable' },
      // As rclone writes `./y.txt`.
      { path: '．/y.txt', code: 'cloud_name_unusable' },
    ])
    const page = await app.get(`/api/connections/${id}/rejections?limit=1`)
    expect(page.data).toHaveLength(1)
    const next = await app.get(
      `/api/connections/${id}/rejections?limit=1&cursor=${page.next_cursor}`,
    )
    expect(next).toMatchObject({ data: [{ path: '．/y.txt' }], next_cursor: null })

    // Without a change of the options nothing is tried again.
    await app.owner.call('PATCH', `/api/connections/${id}`, { names: 'filename', name: 'Renamed' })
    expect(await app.sync(id)).toMatchObject({ total: 0 })
    expect(await app.sync(id, { retry_rejected: true })).toMatchObject({ total: 2, failed: 2 })
    expect(await rejected(id)).toHaveLength(2)
    await app.owner.call('PATCH', `/api/connections/${id}`, { names: 'path' })
    expect(await rejected(id)).toEqual([])
    expect(await app.sync(id)).toMatchObject({ total: 2, failed: 2 })
    expect(await rejected(id)).toHaveLength(2)
    await app.owner.call('PATCH', `/api/connections/${id}`, { exclude: ['y.txt'] })
    expect(await app.sync(id)).toMatchObject({ total: 1, failed: 1 })
    expect(await rejected(id)).toMatchObject([{ path: 'a//x.txt' }])
  },
)

soakTest(
  'a file that the provider refuses is reported once, and tried again after a week',
  async () => {
    bucket.put('rights/mine.txt', 'mine')
    bucket.put('rights/theirs.txt', 'theirs')
    bucket.intercept = ({ method, key }) =>
      method === 'GET' && key === 'rights/theirs.txt' ? { status: 403, code: 'AccessDenied' } : null
    const id = await app.connect(bucket.connection('rights'))
    expect(await app.sync(id)).toMatchObject({ status: 'partial', done: 1, failed: 1 })
    expect(await rejected(id)).toMatchObject([{ path: 'theirs.txt', code: 'cloud_access_denied' }])
    bucket.intercept = () => null
    expect(await app.sync(id)).toMatchObject({ status: 'success', total: 0 })
    await app.owner.scope.query(
      `update cloud_rejections set created_at = now() - interval '8 days' where shop_id = :shop
       and path = 'theirs.txt'`,
    )
    expect(await app.sync(id)).toMatchObject({ status: 'success', done: 1 })
    expect(await rejected(id)).toEqual([])
  },
)
